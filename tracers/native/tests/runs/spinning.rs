//! Loops that wait by looking: one idle turn, then an await; without end, a livelock.

use warpath_native::run::{End, Policy};
use warpath_trace::event::{FailureKind, Op};

use crate::build::{c_with, quiet};

const FLAG: &str = "#include <pthread.h>\n#include <sched.h>\nvolatile int flag;\n\
    void *f(void *p) { flag = 1; return p; }\n\
    int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); while (!flag) PAUSE; pthread_join(t, 0); return 0; }";

#[test]
fn a_flag_that_somebody_sets_costs_one_await() {
    for (level, pause) in
        [("-O0", ";"), ("-O2", ";"), ("-O1", "sched_yield();"), ("-O1", "__builtin_ia32_pause();")]
    {
        let built = c_with(&FLAG.replace("PAUSE;", pause), &[level]);
        let run = built.run();
        assert_eq!(run.end, End::Exited(0), "{level} {pause}");
        let main = &run.trace.threads[0];
        let count = |wanted: fn(&Op) -> bool| main.iter().filter(|event| wanted(&event.op)).count();
        // Who yields lets the other one set the flag at once.
        let yields = pause.contains("yield");
        assert_eq!(count(|op| matches!(op, Op::Await { .. })), usize::from(!yields), "{level} {pause}");
        assert!(count(|op| matches!(op, Op::Read { .. })) <= 5, "{level} {pause}");
    }
}

#[test]
fn a_bounded_loop_is_not_idle() {
    let source = "#include <pthread.h>\nvolatile int flag, seen;\nvoid *f(void *p) { flag = 1; return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); for (int i = 0; i < 10 && !flag; i++) seen++;\n\
        pthread_join(t, 0); return 0; }";
    let run = c_with(source, &["-O1"]).run();
    assert_eq!(run.end, End::Exited(0));
    assert!(run.trace.threads.iter().flatten().all(|event| !matches!(event.op, Op::Await { .. })));
}

#[test]
fn a_flag_that_nobody_sets_is_a_livelock() {
    for source in [
        FLAG.replace("flag = 1;", "").replace("PAUSE;", ";"),
        FLAG.replace("flag = 1;", "flag = 0;").replace("PAUSE;", ";"),
    ] {
        match c_with(&source, &["-O1"]).record(quiet(), Policy::RunToBlock).end {
            End::Failed(failure) => assert_eq!(failure.kind, FailureKind::Livelock),
            end => panic!("{end:?}"),
        }
    }
}
