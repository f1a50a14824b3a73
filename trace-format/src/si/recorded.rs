//! The schedule and inputs of a recorded run.

use super::bytes::to_hex;
use super::step::{Expected, Step, Visible};
use super::{InputValue, Program, SharedBytes, Si, Text};
use crate::event::Op;
use crate::order::Contradiction;
use crate::trace::Trace;

impl Program {
    /// What ran.
    pub fn of_run(trace: &Trace) -> Program {
        Program {
            path: trace.header.program.clone(),
            arguments: trace.header.arguments.iter().cloned().map(Text).collect(),
            build_id: to_hex(&trace.header.build_id),
        }
    }
}

/// Where a recorded run waited by looking again and again; sorted.
pub fn spins(trace: &Trace) -> Vec<u64> {
    let awaits = trace.threads.iter().flatten().filter(|event| matches!(event.op, Op::Await { .. }));
    let sources = trace.tables.sources();
    let mut spins: Vec<u64> = awaits
        .filter_map(|event| Some(sources.get(event.at.index())?.address))
        // 0 is not known, and what is larger has no place in the file: no module is of that size.
        .filter(|&address| address != 0 && i64::try_from(address).is_ok())
        .collect();
    spins.sort_unstable();
    spins.dedup();
    spins
}

impl Si {
    /// What makes the recorded run happen again: its visible events in the observed order and its inputs.
    pub fn of_run(trace: &Trace) -> Result<Si, Contradiction> {
        let tables = &trace.tables;
        let mut si = Si::new(trace.header.model);
        si.program = Program::of_run(trace);
        si.shared = SharedBytes::of_run(trace);
        si.spins = spins(trace);
        for (thread, _, event) in trace.in_order()? {
            if let Op::Input { input, value } = event.op {
                let entry = &tables.inputs()[input.index()];
                let name = tables.text(entry.name).into_owned();
                si.inputs.push(InputValue { name, nth: entry.nth, width: entry.width, value });
            }
            // A wait that never ended did not happen: a replay comes to it by itself.
            if event.op.is_visible() && !event.op.is_pending() {
                let what = Visible::Event(Expected::of(tables, &trace.threads[thread.index()], event));
                si.schedule.push(Step { thread: tables.key(thread).clone(), what });
            }
        }
        Ok(si)
    }
}
