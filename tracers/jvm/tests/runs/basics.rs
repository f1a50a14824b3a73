//! Small programs with known traces.

use warpath_jvm::run::{End, Policy};
use warpath_trace::event::FailureKind;

use super::build::{events, failure, java};

#[test]
fn two_threads_add_to_a_field() {
    let run = java(
        "public class Main {
            static int x;
            public static void main(String[] a) throws Exception {
                Thread t = new Thread(new Runnable() { public void run() { x = x + 1; } });
                t.start();
                int seen = x;
                if (seen > 5) { System.out.println(seen); }
                t.join();
                assert x == 1;
            }
        }",
    )
    .record();
    assert_eq!(run.end, End::Exited(0));
    let wanted = [
        "T0 begin",
        "T0 fork T0.0 @Main.java:5",
        "T0 r Main.x $1=0 @Main.java:6",
        "T0 branch false (slt 5:32 $1) @Main.java:7",
        "T0.0 begin",
        "T0.0 r Main.x $2=0 @Main.java:4",
        "T0.0 w Main.x 1 := (add $2 1:32) @Main.java:4",
        "T0.0 end",
        "T0 join T0.0 @Main.java:8",
        "T0 r Main.x $3=1 @Main.java:9",
        "T0 branch true (= $3 1:32) @Main.java:9",
        "T0 end",
    ];
    assert_eq!(events(&run.trace), wanted);
}

#[test]
fn values_of_every_width_keep_their_sign() {
    let run = java(
        "public class Main {
            static byte b; static char c; static short s; static boolean z; static long l; static float f; static double d;
            public static void main(String[] a) throws Exception {
                Thread t = new Thread() { public void run() {
                    b = (byte) (b - 1); c = (char) (c - 1); s = (short) (s - 1); z = !z; l = l - 1; f = f - 1; d = d - 1;
                } };
                t.start(); t.join();
                if (b + 1 == 0 && c == 65535 && s < 0 && z && l == -1 && f == -1.0f && d == -1.0) {
                    throw new IllegalStateException(\"all as they should be\");
                }
            }
        }",
    )
    .record();
    let (kind, message, place) = failure(&run);
    assert_eq!(kind, FailureKind::UncaughtException);
    assert_eq!(message, "java.lang.IllegalStateException: all as they should be");
    assert_eq!(place, "Main.java:9");
    let events = events(&run.trace);
    let written = |line: &str| events.iter().any(|event| event.starts_with(line));
    assert!(written("T0.0 w Main.b 255 := "), "{events:#?}");
    assert!(written("T0.0 w Main.c 65535 := "), "{events:#?}");
    assert!(written("T0.0 w Main.s 65535 := "), "{events:#?}");
    assert!(written("T0.0 w Main.l 0xffffffffffffffff := "), "{events:#?}");
}

#[test]
fn a_reference_that_others_write_is_compared_before_it_is_used() {
    let run = java(
        "public class Main {
            static class Box { int v; }
            static volatile Box box;
            public static void main(String[] a) throws Exception {
                Thread t = new Thread() { public void run() { box = new Box(); } };
                t.start();
                System.out.println(box.v);
            }
        }",
    )
    .record();
    let (kind, message, place) = failure(&run);
    assert_eq!(kind, FailureKind::NullDereference);
    assert!(message.starts_with("java.lang.NullPointerException"), "{message}");
    assert_eq!(place, "Main.java:7");
    let events = events(&run.trace);
    let end: Vec<&str> = events[events.len() - 3..].iter().map(String::as_str).collect();
    assert_eq!(end[0], "T0 r Main.box seqcst $1=0 @Main.java:7");
    assert_eq!(end[1], "T0 branch true (= $1 0:64) @Main.java:7");
    assert!(end[2].starts_with("T0 fail null-dereference"), "{}", end[2]);
}

#[test]
fn monitors_of_methods_and_blocks_are_locks() {
    let run = java(
        "public class Main {
            int n;
            synchronized void add() {
                n++;
            }
            public static void main(String[] a) throws Exception {
                final Main m = new Main();
                Thread t = new Thread() { public void run() { m.add(); } };
                t.start();
                synchronized (m) { m.add(); }
                t.join();
                assert m.n == 2;
            }
        }",
    )
    .record_by(Policy::RunToBlock);
    assert_eq!(run.end, End::Exited(0));
    let events = events(&run.trace);
    let locks: Vec<&str> =
        events.iter().map(String::as_str).filter(|event| event.contains("lock ")).collect();
    let wanted = [
        "T0 lock \"monitor(Main@T0:0)\" @Main.java:10",
        "T0 lock \"monitor(Main@T0:0)\" @Main.java:4",
        "T0 unlock \"monitor(Main@T0:0)\" @Main.java:4",
        "T0 unlock \"monitor(Main@T0:0)\" @Main.java:10",
        "T0.0 lock \"monitor(Main@T0:0)\" @Main.java:4",
        "T0.0 unlock \"monitor(Main@T0:0)\" @Main.java:4",
    ];
    assert_eq!(locks, wanted);
}

#[test]
fn a_deadlock_has_everybody_who_waits() {
    let built = java(
        "public class Main {
            static final Object a = new Object(), b = new Object();
            static void both(Object x, Object y) {
                synchronized (x) { Thread.yield(); synchronized (y) { x.hashCode(); } }
            }
            public static void main(String[] args) throws Exception {
                Thread t = new Thread() { public void run() { both(a, b); } };
                t.start();
                both(b, a);
                t.join();
            }
        }",
    );
    let run = built.record_by(Policy::RoundRobin);
    let failed = run.trace.failed().expect("it fails");
    assert_eq!(failed.kind, FailureKind::Deadlock);
    assert_eq!(failed.waits.len(), 2, "{failed:?}");
    assert!(failed.waits.iter().all(|wait| wait.place == "Main.java:4"), "{failed:?}");
    assert!(failed.waits[0].waits_for.contains("monitor("), "{failed:?}");
}

#[test]
fn waiting_and_notifying_are_those_of_a_condition() {
    let run = java(
        "public class Main {
            static boolean ready;
            public static void main(String[] args) throws Exception {
                final Object lock = new Object();
                Thread t = new Thread() { public void run() {
                    synchronized (lock) { ready = true; lock.notifyAll(); }
                } };
                t.start();
                synchronized (lock) { while (!ready) lock.wait(); }
                t.join();
            }
        }",
    )
    .record();
    let events = events(&run.trace);
    let has = |start: &str| events.iter().any(|event| event.starts_with(start));
    assert!(
        has("T0 cond-wait \"waiters(java.lang.Object@T0:0)\" \"monitor(java.lang.Object@T0:0)\""),
        "{events:#?}"
    );
    assert!(has("T0.0 broadcast \"waiters(java.lang.Object@T0:0)\" 1"), "{events:#?}");
    assert!(
        has("T0 cond-wake \"waiters(java.lang.Object@T0:0)\" \"monitor(java.lang.Object@T0:0)\""),
        "{events:#?}"
    );
}
