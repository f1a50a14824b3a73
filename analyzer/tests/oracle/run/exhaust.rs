//! Every schedule of a tiny program, one run each: no states are compared, nothing is left out.

use warpath_trace::header::MemoryModel;

use super::machine::Machine;
use super::policy::possible;
use super::{Choice, Run};
use crate::oracle::program::Program;

/// More runs than wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the program has more than {0} schedules; make it smaller")]
pub struct TooMany(pub usize);

/// Visits the run of every schedule, to its very end: while a thread is about to fail, all others go on as far
/// as they can. Where several threads are about to fail there is a run for each.
pub fn every_schedule(
    program: &Program,
    inputs: &[(String, u8)],
    model: MemoryModel,
    limit: usize,
    mut visit: impl FnMut(&Run),
) -> Result<(), TooMany> {
    let mut stack: Vec<(Machine, Vec<Choice>)> = vec![(Machine::new(program, inputs, model), Vec::new())];
    let mut runs = 0;
    while let Some((machine, choices)) = stack.pop() {
        let next = possible(&machine);
        if next.is_empty() {
            runs += 1;
            if runs > limit {
                return Err(TooMany(limit));
            }
            let failing = machine.failing();
            let endings = failing.iter().map(|&nr| Some(nr)).chain(failing.is_empty().then_some(None));
            for failing in endings {
                visit(&machine.clone().finish(choices.clone(), 0, failing));
            }
            continue;
        }
        for choice in next {
            let mut after = machine.clone();
            assert!(after.perform(&choice), "{choice:?} was said to be possible");
            let mut longer = choices.clone();
            longer.push(choice);
            stack.push((after, longer));
        }
    }
    Ok(())
}
