//! Who goes on when there is no schedule.

use warpath_trace::thread::ThreadKey;

use super::machine::{Machine, Readiness};
use super::step::Timing;
use super::{Act, Choice};
use crate::oracle::program::{ThreadNr, key};
use crate::oracle::rng::Rng;

/// What to do past the end of the schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Nothing: the run ends there.
    Stop,
    /// Each thread as far as it goes: this one first, then the others by number. Writes stay in their buffers
    /// until they must leave, and deadlines pass only if nothing else can happen.
    RunToBlock { first: Option<ThreadKey> },
    /// Anything that is possible, evenly.
    Random { seed: u64 },
}

/// A policy at work.
pub enum Chooser {
    Stop,
    RunToBlock { first: Option<ThreadKey>, current: Option<ThreadNr> },
    Random(Rng),
}

impl Policy {
    pub fn chooser(self) -> Chooser {
        match self {
            Policy::Stop => Chooser::Stop,
            Policy::RunToBlock { first } => Chooser::RunToBlock { first, current: None },
            Policy::Random { seed } => Chooser::Random(Rng::new(seed)),
        }
    }
}

impl Chooser {
    /// The next choice; `None` to end the run.
    pub fn next(&mut self, machine: &Machine) -> Option<Choice> {
        match self {
            Chooser::Stop => None,
            Chooser::RunToBlock { first, current } => {
                let threads = 0..machine.threads.len();
                let favourite = threads.clone().find(|&nr| first.as_ref() == Some(&key(nr)));
                let order: Vec<ThreadNr> = current.iter().copied().chain(favourite).chain(threads).collect();
                let act = |timing: Timing| {
                    order.iter().find_map(|&nr| forward(machine, nr, timing).map(|act| (nr, act)))
                };
                let (nr, act) = act(Timing::InTime).or_else(|| act(Timing::Late))?;
                *current = Some(nr);
                Some(Choice { thread: key(nr), act })
            }
            Chooser::Random(rng) => {
                let mut all = possible(machine);
                (!all.is_empty()).then(|| all.swap_remove(rng.below(all.len())))
            }
        }
    }
}

/// How the thread can go on alone: its next event, else a commit that this event waits for.
fn forward(machine: &Machine, nr: ThreadNr, timing: Timing) -> Option<Act> {
    match machine.readiness(nr) {
        Readiness::Yes => Some(Act::Step),
        Readiness::TimeOut => (timing == Timing::Late).then_some(Act::TimeOut),
        Readiness::No => {
            let oldest = *machine.committable(nr).first()?;
            Some(Act::Commit(machine.committed_name(nr, oldest).to_owned()))
        }
    }
}

/// Everything that can happen next.
pub fn possible(machine: &Machine) -> Vec<Choice> {
    let mut all = Vec::new();
    for nr in 0..machine.threads.len() {
        let thread = key(nr);
        let mut add = |act| all.push(Choice { thread: thread.clone(), act });
        match machine.readiness(nr) {
            Readiness::Yes => add(Act::Step),
            Readiness::TimeOut => add(Act::TimeOut),
            Readiness::No => {}
        }
        if machine.may_time_out_instead(nr) {
            add(Act::TimeOut);
        }
        for nth in machine.committable(nr) {
            add(Act::Commit(machine.committed_name(nr, nth).to_owned()));
        }
    }
    all
}
