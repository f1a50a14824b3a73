//! Executes a program under a schedule, concolically, and records what a tracer would record.
//!
//! A step of a thread is one visible event and everything local behind it, up to its next visible event. What
//! is local before a thread's first statement that is visible belongs to its `Begin`.
//!
//! Which waiter a signal or a futex wake reaches is left open until a waiter goes on ([`wakeups`], [`futexes`]), so that
//! every schedule that some choice of waiters allows can be followed. A violated assertion ends the run when
//! the schedule has been followed: until then the failing thread is taken to be about to fail, and the others
//! go on.

mod access;
mod exhaust;
mod finish;
mod futexes;
mod machine;
mod memory;
mod policy;
mod record;
mod step;
mod sync;
mod thread;
mod values;
mod wakeups;

use std::collections::BTreeSet;

use warpath_trace::header::MemoryModel;
use warpath_trace::thread::ThreadKey;
use warpath_trace::trace::Trace;

use super::decision::{Decision, histories};
use super::program::{Program, ThreadNr, key};
use machine::Machine;

pub use exhaust::every_schedule;
pub use policy::Policy;

/// The next step of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Choice {
    pub thread: ThreadKey,
    pub act: Act,
}

/// What a thread should do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Act {
    /// Its next visible event. A wait that can only time out does that.
    Step,
    /// Its timed wait ends by its deadline, even if it could end otherwise.
    TimeOut,
    /// The oldest buffered write to the location of this name reaches memory.
    Commit(String),
}

/// How a run failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// An assertion, by thread and statement.
    Assertion { thread: ThreadNr, statement: u32 },
    /// Nobody can go on; these threads wait.
    Deadlock { blocked: BTreeSet<ThreadNr> },
}

/// A recorded run.
#[derive(Clone, Debug)]
pub struct Run {
    pub trace: Trace,
    /// Every choice made, those of the schedule first.
    pub choices: Vec<Choice>,
    /// How many choices of the schedule were followed.
    pub followed: usize,
    pub failure: Option<Failure>,
    /// Accesses to storage that had been given back, by thread and statement. The run goes on behind them.
    pub uses_after_free: BTreeSet<(ThreadNr, u32)>,
    /// All storages' bytes, one after the other, if every thread ended.
    pub final_memory: Option<Vec<u8>>,
}

impl Run {
    /// The decisions of each thread.
    pub fn histories(&self) -> Vec<Vec<Decision>> {
        histories(&self.trace)
    }
}

/// Executes the program: the schedule strictly, as far as it can be followed, then the policy. Inputs without
/// a value are 0.
pub fn run(
    program: &Program,
    inputs: &[(String, u8)],
    schedule: &[Choice],
    model: MemoryModel,
    policy: Policy,
) -> Run {
    let mut machine = Machine::new(program, inputs, model);
    let mut choices = Vec::new();
    for choice in schedule {
        if !machine.perform(choice) {
            break;
        }
        choices.push(choice.clone());
    }
    let followed = choices.len();
    let favourite = match &policy {
        Policy::RunToBlock { first } => first.clone(),
        Policy::Stop | Policy::Random { .. } => None,
    };
    let mut chooser = policy.chooser();
    while machine.failing().is_empty() {
        let Some(choice) = chooser.next(&machine) else { break };
        assert!(machine.perform(&choice), "the policy chose {choice:?}, which is not possible");
        choices.push(choice);
    }
    // Of several threads that are about to fail, the one the policy favours does.
    let failing = machine.failing();
    let favoured = failing.iter().find(|&&nr| favourite.as_ref() == Some(&key(nr)));
    let failing = favoured.or(failing.first()).copied();
    machine.finish(choices, followed, failing)
}
