//! Traces with nothing but values: what a tracer without symbolic conditions would have recorded of the same run.

use warpath_trace::event::{Datum, Event, Op};
use warpath_trace::header::{Header, Values};
use warpath_trace::trace::Trace;

/// The same run without branches, inputs and expressions: every read is a decision on the value it found.
pub fn pin(trace: &Trace) -> Trace {
    let mut pinned = Trace::new(Header { values: Values::Pinned, ..trace.header.clone() });
    pinned.tables = trace.tables.clone();
    pinned.threads = vec![Vec::new(); trace.threads.len()];
    // Where each event of a thread went, for commits.
    let mut moved: Vec<Vec<u32>> = vec![Vec::new(); trace.threads.len()];
    for (thread, _, event) in trace.in_order().expect("the oracle records a total order") {
        let next = pinned.threads[thread.index()].len() as u32;
        let op = without_conditions(event.op, &moved[thread.index()]);
        moved[thread.index()].push(next);
        if let Some(op) = op {
            pinned.push(thread, Event { op, at: event.at }).expect("it was there before");
        }
    }
    let outcome = trace.footer.as_ref().expect("the oracle's traces are complete").outcome;
    pinned.finish(outcome);
    pinned
}

fn without_conditions(op: Op, moved: &[u32]) -> Option<Op> {
    let concrete = |datum: Datum| Datum::concrete(datum.value);
    Some(match op {
        Op::Branch { .. } | Op::Switch { .. } | Op::Concretise { .. } | Op::Input { .. } => return None,
        Op::Assume { holds, .. } => Op::Assume { condition: None, holds },
        Op::Assert { holds, message, .. } => Op::Assert { condition: None, holds, message },
        Op::Write { location, value } => Op::Write { location, value: concrete(value) },
        Op::AtomicWrite { location, value, order } => {
            Op::AtomicWrite { location, value: concrete(value), order }
        }
        Op::Rmw { location, old, new, order } => Op::Rmw { location, old, new: concrete(new), order },
        Op::FutexWait { word, value, expected, bitset, attempt, queued } => {
            Op::FutexWait { word, value, expected: concrete(expected), bitset, attempt, queued }
        }
        Op::Commit { write } => Op::Commit { write: moved[write as usize] },
        other => other,
    })
}
