//! What is recorded of programs that end well.

use std::collections::BTreeMap;

use crate::ends::exclusive;
use crate::support::{Program, same};
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

/// A plain mutex keeps its own count, and programs may do to a mutex that nobody holds what they like.
#[test]
fn mutexes_that_are_overwritten_copied_or_made_anew_keep_their_order() {
    let text = "#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
        struct { long before; pthread_mutex_t lock; long behind; } a, b;\n\
        static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; static long sum;\n\
        static void *work(void *unused) {\n\
          for (int i = 0; i < 700; i++) {\n\
            pthread_mutex_lock(&a.lock); sum++; pthread_mutex_unlock(&a.lock);\n\
            pthread_mutex_lock(&turn); pthread_mutex_unlock(&turn);\n\
          }\n  return 0;\n}\n\
        static void both(void) {\n  pthread_t threads[2];\n\
          for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, 0);\n\
          for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);\n}\n\
        int main(void) {\n  static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;\n\
          a.before = a.behind = 7;\n  both();\n\
          memset(&a.lock, 0, sizeof a.lock); both();\n\
          a.lock = fresh; both();\n\
          pthread_mutex_init(&a.lock, 0); both();\n\
          pthread_mutex_destroy(&a.lock); pthread_mutex_init(&a.lock, 0); both();\n\
          b = a; pthread_mutex_lock(&b.lock); pthread_mutex_unlock(&b.lock);\n\
          for (int i = 0; i < 1000; i++) {\n    memset(&a.lock, 0, sizeof a.lock);\n\
            pthread_mutex_lock(&a.lock); sum++; pthread_mutex_unlock(&a.lock);\n  }\n\
          printf(\"%ld %ld %ld\\n\", sum, a.before, b.behind); return 0;\n}\n";
    let program = Program::compile_text(text);
    let plain = program.plain().output().expect("it runs");
    same(&plain, &program.recorded().output().expect("it runs"));
    let (trace, written) = crate::support::trace_of(&program.processes()[0]);
    assert_eq!((written.lost, written.guessed), (0, 0));
    let locks = trace.threads.iter().flatten().filter(|event| matches!(event.op, Op::Lock { .. })).count();
    assert_eq!(locks, 5 * 2 * 2 * 700 + 1 + 1000);
    exclusive(&trace);
}
