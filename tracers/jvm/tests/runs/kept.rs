//! What a run has shown to be shared is in its own trace, and in those of runs before it: nothing runs twice for that.

use warpath_jvm::run::{End, JvmProgram, Plan, Policy, Run, RunOptions, Together};
use warpath_trace::si::{InputValue, Si};

use super::build::{Built, checked, events, happens_again, java, options, text};

/// Everything that can be shared: fields, static fields, elements, atomics, volatile; in constructors and initialisers.
const ALL_KINDS: &str = "import java.util.concurrent.atomic.*;
public class Main {
    static class Cell { int plain = 4; volatile long vol; Cell next; Cell(Cell n) { next = n; } }
    static class Late { static int first = 5; static final int[] squares = new int[4];
        static { for (int i = 0; i < 4; i++) squares[i] = i * i; } }
    static Cell root = new Cell(new Cell(null));
    static int[] row = { 1, 2, 3, 4, 5 };
    static final AtomicInteger counter = new AtomicInteger(3);
    static final AtomicIntegerArray many = new AtomicIntegerArray(3);
    static void work(int by) {
        root.plain += by; root.next.plain = root.plain; root.vol++;
        System.arraycopy(row, 0, row, 1, 3);
        row[by & 3] ^= Late.first++;
        counter.addAndGet(by); counter.compareAndSet(8, 9); many.incrementAndGet(by & 1);
        synchronized (root) { if (root.next.next == null) root.next = new Cell(root.next); }
        Late.squares[2] += row[0];
    }
    public static void main(String[] a) throws Exception {
        Thread t = new Thread(() -> work(2)); Thread u = new Thread(() -> work(3));
        t.start(); u.start(); work(5); t.join(); u.join();
        if (root.plain > 1000) throw new IllegalStateException();
    }
}";

fn plain_run(program: &mut JvmProgram, inputs: Vec<InputValue>) -> Run {
    let run = program.run(&Plan::by_policy(RunOptions { inputs, ..options() }, Policy::RunToBlock)).unwrap();
    checked(&run);
    run
}

/// The same run, made by who knows from the start what is shared.
fn by_who_knows(built: &Built, run: &Run) -> Vec<String> {
    let mut program = built.program();
    program.share(&Si::of_run(&run.trace).unwrap());
    events(&plain_run(&mut program, Vec::new()).trace)
}

#[test]
fn one_run_shows_what_it_shares() {
    let built = java(ALL_KINDS);
    let mut program = built.program();
    let run = plain_run(&mut program, Vec::new());
    assert!(run.sharing_grew && run.is_complete);
    for name in ["root", "row", "Late.first", "Late.squares", ".plain", ".vol", ".next", ".value", "[1]"] {
        // Only what is written by somebody is shared.
        let written = !matches!(name, "root" | "row");
        assert_eq!(
            program.sharing().locations().any(|location| location.ends_with(name)),
            written,
            "{name}: {:?}",
            program.sharing()
        );
    }
    assert_eq!(events(&run.trace), by_who_knows(&built, &run));
    happens_again(&built, &run);
}

#[test]
fn an_earlier_run_is_lifted_with_what_a_later_one_shows() {
    let built = java(
        "import dev.warpath.Warpath;
        public class Main {
            static int x, y;
            public static void main(String[] a) throws Exception {
                int i = Warpath.input(\"i\", 0);
                Thread t = new Thread(() -> { x++; y = 5; if (i == 7) x = y; });
                t.start(); x++; if (i == 7) y = 1; t.join();
            }
        }",
    );
    let together = Together::default();
    let (mut first, mut second) = (built.program(), built.program());
    first.run_with(&together);
    second.run_with(&together);
    let run = plain_run(&mut first, Vec::new());
    let about_y = |run: &Run| events(&run.trace).iter().filter(|event| event.contains("Main.y")).count();
    assert_eq!((about_y(&run), run.sharing_grew), (0, true), "{}", text(&run.trace));
    let seven = InputValue { name: "i".into(), nth: 0, width: 32, value: 7 };
    let later = plain_run(&mut second, vec![seven]);
    assert_eq!((about_y(&later), later.sharing_grew), (3, true), "{}", text(&later.trace));
    assert!(first.learn(second.knowledge()));
    let again = first.again(run.kept.unwrap(), &options()).unwrap().unwrap();
    checked(&again);
    assert_eq!((about_y(&again), again.sharing_grew, again.end.clone()), (1, false, End::Exited(0)));
    assert_eq!(events(&again.trace), by_who_knows(&built, &again));
    happens_again(&built, &again);
}

#[test]
fn who_waited_for_what_nobody_knew_runs_again() {
    let built = java(
        "public class Main {
            static int ready;
            public static void main(String[] a) throws Exception {
                Thread t = new Thread(() -> { while (ready == 0) { } });
                t.start(); Thread.yield(); ready = 1; t.join();
            }
        }",
    );
    let mut program = built.program();
    let run = plain_run(&mut program, Vec::new());
    assert!(run.sharing_grew && !run.is_complete);
    assert!(program.again(run.kept.unwrap(), &options()).unwrap().is_none());
    let run = program.record(&Plan::by_policy(options(), Policy::RunToBlock)).unwrap();
    assert_eq!((run.end, run.is_complete), (End::Exited(0), true));
}
