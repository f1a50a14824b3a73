//! Inputs: of every type, through lambdas, fields and constructors into other threads.

use warpath_jvm::run::{End, Plan, Policy, RunOptions, Why};
use warpath_trace::si::InputValue;

use super::build::{checked, events, java, options, text};

fn value(name: &str, width: u8, value: u128) -> InputValue {
    InputValue { name: name.into(), nth: 0, width, value }
}

#[test]
fn an_input_decides_in_another_thread() {
    let built = java(
        "import dev.warpath.Warpath;
        public class Main {
            static int shared;
            static class Worker extends Thread { final int limit; Worker(int l) { limit = l; }
                public void run() { if (limit > 10) shared = 1; } }
            public static void main(String[] a) throws Exception {
                int i = Warpath.input(\"i\", 0); long j = Warpath.input(\"j\", -1L); boolean b = Warpath.input(\"b\", false);
                char c = Warpath.input(\"c\", 'x'); byte d = Warpath.input(\"d\", (byte) -3); short s = Warpath.input(\"s\", (short) 7);
                Thread t = new Thread(() -> { if (i == 3 && j < 0) shared = i; });
                Thread u = new Worker(i); Thread v = new Thread(new Runnable() { public void run() { if (i + d > 5) shared = 2; } });
                t.start(); u.start(); v.start(); t.join(); u.join(); v.join();
                if (b) shared = 7; if (c == 65000) shared = 8; if (d < 0 && s == 7) shared = shared + 9;
            }
        }",
    );
    let inputs = vec![value("i", 32, 3), value("c", 16, 65000)];
    let plan = Plan::by_policy(RunOptions { inputs, ..options() }, Policy::RunToBlock);
    let run = built.program().record(&plan).unwrap();
    checked(&run);
    assert_eq!(run.end, End::Exited(0));
    let events = events(&run.trace);
    let has =
        |wanted: &str| assert!(events.iter().any(|event| event.starts_with(wanted)), "{wanted}\n{events:#?}");
    has("T0 input i 3 ");
    has("T0 input j 0xffffffffffffffff ");
    has("T0 input d 253 ");
    has("T0.0 branch true (= ?i 3:32)");
    has("T0.0 branch true (slt ?j 0:64)");
    has("T0.0 w Main.shared 3 := ?i");
    has("T0.1 branch false (slt 10:32 $");
    has("T0.2 branch false (slt 5:32 (add");
    has("T0 branch true (= ?b 0:1)");
    has("T0 branch true (= ?c 65000:16)");
}

#[test]
fn a_run_without_its_assumption_is_of_no_interest() {
    let built = java(
        "import dev.warpath.Warpath;
        public class Main { public static void main(String[] a) {
            int i = Warpath.input(\"i\", 5);
            Warpath.assume(i < 5);
            System.exit(3);
        } }",
    );
    let run = built.record();
    assert_eq!(run.end, End::Stopped(Why::Assumption), "{}", text(&run.trace));
    let wanted = [
        "T0 begin",
        "T0 input i 5 @Main.java:3",
        "T0 branch false (slt ?i 5:32) @Main.java:4",
        "T0 assume false @Main.java:4",
    ];
    assert_eq!(events(&run.trace), wanted);
}

#[test]
fn values_alone_have_no_expressions() {
    let built = java(
        "public class Main {
            static int x;
            public static void main(String[] a) throws Exception {
                Thread t = new Thread(() -> { for (int i = 0; i < 3; i++) x = x + i; });
                t.start(); if (x > 0) x = 5; t.join();
                assert x == 3;
            }
        }",
    );
    let values = warpath_trace::header::Values::Pinned;
    let plan = Plan::by_policy(RunOptions { values, ..options() }, Policy::RoundRobin);
    let run = built.program().record(&plan).unwrap();
    checked(&run);
    assert!(run.trace.tables.exprs.is_empty());
    assert_eq!(run.trace.header.values, values);
    let events = events(&run.trace);
    assert!(events.iter().any(|event| event == "T0.0 w Main.x 3 @Main.java:4"), "{events:#?}");
}
