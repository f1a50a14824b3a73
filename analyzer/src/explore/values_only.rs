//! A run as a tracer without conditions would have recorded it: every read is a decision on the value it found, and
//! inputs are what they were.
//!
//! Tracers leave out what depends on reads when values are asked for, but what depends on inputs alone is still
//! there; a search that does not choose inputs must not be told of it.

use warpath_trace::event::{Datum, Event, Op};
use warpath_trace::header::{Header, OrderKind};
use warpath_trace::trace::Trace;

/// The same run without decisions on inputs and without expressions.
pub(super) fn values_only(trace: &Trace) -> Trace {
    // Without an order nobody can say where events go; nothing is made of such a run in any case.
    let Ok(steps) = trace.in_order() else { return trace.clone() };
    let mut plain = Trace::new(Header { order: OrderKind::Total, ..trace.header.clone() });
    plain.tables = trace.tables.clone();
    plain.sharing = trace.sharing.clone();
    plain.recorded = trace.recorded.clone();
    plain.threads = vec![Vec::new(); trace.threads.len()];
    // Per thread and event: where it is now, and where the next one is if it is gone.
    let mut moved: Vec<Vec<u32>> = vec![Vec::new(); trace.threads.len()];
    for (thread, index, event) in steps {
        let next = plain.threads[thread.index()].len() as u32;
        let moved = &mut moved[thread.index()];
        let op = match event.op {
            Op::Branch { .. } | Op::Switch { .. } | Op::Concretise { .. } => None,
            Op::Commit { write } => Some(Op::Commit { write: moved[write as usize] }),
            Op::Await { window } => {
                let first = moved.get(index.saturating_sub(window) as usize).copied().unwrap_or(next);
                Some(Op::Await { window: next - first })
            }
            op => Some(without_expressions(op)),
        };
        moved.push(next);
        if let Some(op) = op
            && plain.push(thread, Event { op, at: event.at }).is_err()
        {
            return trace.clone();
        }
    }
    plain.footer = trace.footer.clone();
    plain
}

fn without_expressions(op: Op) -> Op {
    let concrete = |datum: Datum| Datum::concrete(datum.value);
    match op {
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
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use warpath_trace::text;

    use super::*;
    use crate::model::Forest;
    use crate::queries::open_ends;

    fn trace(lines: &str) -> Trace {
        let text = format!("warpath-trace 1\nmodel tso\nvalues pinned\n{lines}\noutcome exited 0\n");
        text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    #[test]
    fn what_depends_on_inputs_alone_is_not_told() {
        let declared = "input i 32\nglobal x 4 = 0\nshared %x+0:4";
        let recorded = trace(&format!(
            "{declared}\nT0 begin\nT0 input i 3\nT0 branch true (= ?i 3:32)\nT0 r x 0\n\
             T0 branch false (= ?i 4:32)\nT0 await 2\nT0 w x 3 := (add ?i 0:32)\nT0 branch true (= ?i 3:32)\n\
             T0 commit 6\nT0 end"
        ));
        let plain = trace(&format!(
            "{declared}\nT0 begin\nT0 input i 3\nT0 r x 0\nT0 await 1\nT0 w x 3\nT0 commit 4\nT0 end"
        ));
        let told = values_only(&recorded);
        assert_eq!(told.threads, plain.threads);
        assert_eq!((told.sharing, told.footer), (recorded.sharing.clone(), recorded.footer.clone()));
        let forest = Forest::of(&values_only(&recorded)).expect("one run fits itself");
        assert_eq!(open_ends(&forest).len(), 1, "the read alone decides");
    }
}
