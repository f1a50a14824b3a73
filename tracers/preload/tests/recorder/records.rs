//! What is recorded of programs that end well.

use std::collections::BTreeMap;

use crate::support::Program;
use warpath_trace::event::Op;
use warpath_trace::header::Outcome;
use warpath_trace::trace::Trace;

/// How often each verb occurs.
fn verbs(trace: &Trace) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for event in trace.threads.iter().flatten() {
        *counts.entry(format!("{:?}", event.op.verb())).or_default() += 1;
    }
    counts
}

#[test]
fn locks_have_names_lines_and_threads() {
    let (trace, written) = Program::compile("locks.c").trace();
    assert_eq!(written.lost, 0);
    assert_eq!(trace.footer.as_ref().map(|footer| footer.outcome), Some(Outcome::Exited(0)));
    let keys: Vec<String> = trace.tables.keys().iter().map(ToString::to_string).collect();
    assert_eq!(keys, ["T0", "T0.0", "T0.1"]);
    let shown: Vec<String> = trace.threads[2]
        .iter()
        .map(|event| {
            let place = trace.tables.source_name(event.at);
            let place =
                place.rsplit("/").next().unwrap_or("").split(":").take(2).collect::<Vec<_>>().join(":");
            match event.op {
                Op::Lock { mutex, .. } => format!("lock {} {place}", trace.tables.location_name(mutex)),
                Op::Unlock { mutex, .. } => format!("unlock {} {place}", trace.tables.location_name(mutex)),
                op => format!("{:?}", op.verb()),
            }
        })
        .collect();
    assert_eq!(
        shown,
        [
            "Begin",
            "lock b locks.c:21",
            "lock a locks.c:22",
            "unlock a locks.c:24",
            "unlock b locks.c:25",
            "End"
        ]
    );
}

#[test]
fn every_kind_of_object_is_seen() {
    let (trace, written) = Program::compile("everything.c").trace();
    assert_eq!(written.lost, 0, "nothing is lost");
    let verbs = verbs(&trace);
    for verb in [
        "Begin",
        "End",
        "Fork",
        "Join",
        "Lock",
        "Unlock",
        "CondWait",
        "CondWake",
        "Signal",
        "Broadcast",
        "RdLock",
        "WrLock",
        "RdUnlock",
        "WrUnlock",
        "SemWait",
        "SemPost",
        "BarrierArrive",
        "BarrierLeave",
        "Once",
        "Init",
        "Destroy",
    ] {
        assert!(verbs.contains_key(verb), "{verb} is missing: {verbs:?}");
    }
    assert_eq!(verbs["Fork"], 4);
    assert_eq!(verbs["BarrierArrive"], 4);
}
