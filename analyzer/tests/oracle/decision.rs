//! Decisions: what, besides values, can differ between two runs of a thread.

use warpath_trace::event::{Attempt, OnceStep, Op, WaitResult};
use warpath_trace::trace::Trace;

/// What control is taken to depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// Symbolic conditions: branches, switches, assertions.
    #[default]
    Symbolic,
    /// Values alone, as in a pinned trace: every read decides.
    Pinned,
    /// Nothing is noted.
    Nothing,
}

/// One decision of a thread. The sequence of its decisions determines all its events but for their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Decision {
    /// A symbolic condition held, or not.
    Branch(bool),
    /// A symbolic value switched on was this.
    Switch(u8),
    /// An assertion held, or not.
    Assert(bool),
    /// A try or timed acquisition of a mutex, read/write lock or semaphore.
    Acquired(bool),
    /// A wait on a condition or a futex ended by a wake-up, or by its deadline.
    Woken(bool),
    /// The thread is the one that runs a once-only initialiser, or not.
    RunsOnce(bool),
    /// A futex word had the expected value, or not.
    Queued(bool),
    /// A semaphore had so many units.
    Counted(u8),
    /// A read found this, where control is taken to depend on every value.
    Found(u16),
    /// The same of a read-modify-write, which leaves another value for each it finds.
    Updated(u8),
}

/// The decision in an event of a trace with symbolic conditions, if there is one.
pub fn decision(op: &Op) -> Option<Decision> {
    let attempt = |attempt: Attempt, result: WaitResult| match (attempt, result) {
        (Attempt::Block, _) | (_, WaitResult::Pending) => None,
        (_, result) => Some(Decision::Acquired(result == WaitResult::Done)),
    };
    match *op {
        Op::Branch { taken, .. } => Some(Decision::Branch(taken)),
        Op::Switch { value, .. } => Some(Decision::Switch(value as u8)),
        Op::Assert { holds, .. } => Some(Decision::Assert(holds)),
        Op::Lock { attempt: how, result, .. }
        | Op::RwLock { attempt: how, result, .. }
        | Op::SemWait { attempt: how, result, .. } => attempt(how, result),
        Op::CondWake { result: WaitResult::Done, .. } | Op::FutexResume { result: WaitResult::Done, .. } => {
            Some(Decision::Woken(true))
        }
        Op::CondWake { result: WaitResult::TimedOut, .. }
        | Op::FutexResume { result: WaitResult::TimedOut, .. } => Some(Decision::Woken(false)),
        Op::SemValue { value, .. } => Some(Decision::Counted(value as u8)),
        Op::Once { step: OnceStep::Run, .. } => Some(Decision::RunsOnce(true)),
        Op::Once { step: OnceStep::Seen, .. } => Some(Decision::RunsOnce(false)),
        Op::FutexWait { queued, .. } => Some(Decision::Queued(queued)),
        _ => None,
    }
}

/// The decisions of each thread of a trace.
pub fn histories(trace: &Trace) -> Vec<Vec<Decision>> {
    let of_thread = |events: &Vec<warpath_trace::event::Event>| {
        events.iter().filter_map(|event| decision(&event.op)).collect()
    };
    trace.threads.iter().map(of_thread).collect()
}
