//! Every kind of failure, where and as what it is seen.

use warpath_native::run::{End, Policy};
use warpath_trace::event::{FailureKind, Op};

use crate::build::{c, quiet};

/// Runs until a schedule fails, and says how and at which line.
fn fails(source: &str) -> (FailureKind, u32, String) {
    let built = c(source);
    for seed in 0..40 {
        let policy = if seed == 0 { Policy::RunToBlock } else { Policy::Random { seed } };
        let run = built.record(quiet(), policy);
        if let End::Failed(failure) = run.end {
            let mut events = run.trace.threads.iter().flatten();
            let event = events.rfind(|event| matches!(event.op, Op::Failure { .. })).unwrap();
            return (failure.kind, run.trace.tables.sources()[event.at.index()].line, failure.message);
        }
    }
    panic!("no schedule fails");
}

#[test]
fn assertions_of_both_kinds() {
    let (kind, line, message) =
        fails("#include <assert.h>\nint main(int c, char **v) {\n (void)v;\n assert(c == 2);\n}");
    assert_eq!((kind, line, message.as_str()), (FailureKind::Assertion, 4, "c == 2"));
    let (kind, line, message) =
        fails("#include <warpath.h>\nint main(int c, char **v) {\n (void)v;\n warpath_assert(c == 2);\n}");
    assert_eq!((kind, line, message.as_str()), (FailureKind::Assertion, 4, "c == 2"));
}

#[test]
fn abort_and_signals() {
    assert_eq!(fails("#include <stdlib.h>\nint main(void) {\n abort();\n}").0, FailureKind::Abort);
    let null = fails(
        "int main(int c, char **v) {\n int *p = c == 7 ? (int *)v : 0;\n return *(volatile int *)p;\n}",
    );
    assert_eq!((null.0, null.1), (FailureKind::NullDereference, 3));
    let wild = fails("int main(void) {\n return *(volatile int *)0x123456789000;\n}");
    assert_eq!((wild.0, wild.1), (FailureKind::Segfault, 2));
    let zero = fails("int main(int c, char **v) {\n (void)v;\n return 5 / (c - 1);\n}");
    assert_eq!((zero.0, zero.1), (FailureKind::Arithmetic, 3));
    assert_eq!(fails("int main(void) { __builtin_trap(); }").0, FailureKind::IllegalInstruction);
    let read_only = fails("static const int x = 1;\nint main(void) {\n *(volatile int *)&x = 2;\n}");
    assert_eq!((read_only.0, read_only.1), (FailureKind::Segfault, 3));
}

#[test]
fn storage() {
    let head = "#include <stdlib.h>\n";
    let after = fails(&format!(
        "{head}int main(void) {{\n volatile int *p = malloc(4);\n free((void *)p);\n return *p;\n}}"
    ));
    assert_eq!((after.0, after.1), (FailureKind::UseAfterFree, 5));
    let twice =
        fails(&format!("{head}int main(void) {{\n void *volatile p = malloc(4);\n free(p);\n free(p);\n}}"));
    assert_eq!((twice.0, twice.1), (FailureKind::DoubleFree, 5));
    let beyond = fails(&format!(
        "{head}int main(void) {{\n volatile char *p = malloc(3);\n p[3] = 1;\n return 0;\n}}"
    ));
    assert_eq!((beyond.0, beyond.1), (FailureKind::OutOfBounds, 4));
    let inside =
        fails(&format!("{head}int main(void) {{\n char *volatile p = malloc(30);\n free(p + 1);\n}}"));
    assert_eq!(inside.0, FailureKind::InvalidFree);
}

#[test]
fn deadlocks_say_who_waits_for_what() {
    let (kind, _, message) = fails(
        "#include <pthread.h>\npthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n\
         void *f(void *p) { pthread_mutex_lock(&b); pthread_mutex_lock(&a); pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); return p; }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&a); pthread_mutex_lock(&b);\n\
         pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); pthread_join(t, 0); return 0; }",
    );
    assert_eq!(kind, FailureKind::Deadlock);
    assert!(message.contains("T0 waits for mutex `b`, held by T0.0"), "{message}");
    assert!(message.contains("T0.0 waits for mutex `a`, held by T0"), "{message}");
    let (kind, _, message) = fails(
        "#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
         int main(void) { pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); return 0; }",
    );
    assert_eq!(kind, FailureKind::Deadlock);
    assert!(message.contains("T0 waits on condition `c`"), "{message}");
}

#[test]
fn unlocking_what_is_not_held() {
    let (kind, line, _) = fails(
        "#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint main(void) {\n pthread_mutex_unlock(&m);\n}",
    );
    assert_eq!((kind, line), (FailureKind::UnlockNotHeld, 4));
}

#[test]
fn a_handler_of_the_program_runs_instead() {
    let run = c(
        "#include <signal.h>\n#include <setjmp.h>\n#include <stdio.h>\nstatic sigjmp_buf back; static volatile int seen;\n\
         static void handle(int s) { seen = s; siglongjmp(back, 1); }\n\
         static void usr(int s) { seen += s; }\n\
         int main(void) { signal(SIGUSR1, usr); raise(SIGUSR1); int first = seen; signal(SIGSEGV, handle);\n\
         if (!sigsetjmp(back, 1)) *(volatile int *)0 = 1; printf(\"%d %d\\n\", first == SIGUSR1, seen == SIGSEGV); return 0; }",
    )
    .run();
    assert_eq!(run.end, End::Exited(0));
    assert_eq!(crate::build::output(&run), "1 1\n");
}
