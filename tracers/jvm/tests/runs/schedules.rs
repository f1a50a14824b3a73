//! Schedules: a recorded run happens again, and another order is another run.

use warpath_jvm::run::{End, Follow, Plan, Policy, Strictness, Why};
use warpath_trace::event::FailureKind;

use super::build::{checked, events, happens_again, java, options, text};

const LOST_UPDATE: &str = "public class Main {
    static int x;
    static void add() { int seen = x; x = seen + 1; }
    public static void main(String[] a) throws Exception {
        Thread t = new Thread(Main::add);
        t.start(); add(); t.join();
        if (x != 2) throw new IllegalStateException(\"lost\");
    }
}";

#[test]
fn a_recorded_run_happens_again() {
    let built = java(LOST_UPDATE);
    for policy in [
        Policy::RunToBlock,
        Policy::RoundRobin,
        Policy::Random { seed: 3 },
        Policy::Pct { seed: 1, depth: 3, steps: 20 },
    ] {
        let run = built.record_by(policy);
        happens_again(&built, &run);
    }
}

#[test]
fn a_schedule_by_hand_loses_an_update() {
    let built = java(LOST_UPDATE);
    let steps = ["T0 *2", "T0.0 *2", "T0 r Main.x", "T0 w Main.x", "T0.0 w Main.x"];
    let steps = steps.iter().map(|step| step.parse().unwrap()).collect();
    let plan = Plan {
        options: options(),
        follow: Follow::new(steps, Strictness::Strict),
        policy: Policy::RunToBlock,
    };
    let run = built.program().replay(&plan).unwrap();
    checked(&run);
    let End::Failed(failure) = &run.end else { panic!("{:?}\n{}", run.end, text(&run.trace)) };
    assert_eq!(failure.kind, FailureKind::UncaughtException);
    assert_eq!(failure.message, "java.lang.IllegalStateException: lost");
}

#[test]
fn a_loop_that_waits_says_so() {
    let built = java(
        "public class Main {
            static volatile boolean ready; static int turns;
            public static void main(String[] a) throws Exception {
                Thread t = new Thread(() -> { while (!ready) { Thread.yield(); } while (turns < 3) { turns++; } });
                t.start(); for (int n = 0; n < 4; n++) synchronized (t) { Thread.yield(); } ready = true; t.join();
            }
        }",
    );
    let run = built.record_by(Policy::RoundRobin);
    happens_again(&built, &run);
    let events = events(&run.trace);
    let awaits: Vec<&String> = events.iter().filter(|event| event.contains(" await ")).collect();
    assert!(
        !awaits.is_empty() && awaits.iter().all(|event| **event == "T0.0 await 2 @Main.java:4"),
        "{events:#?}"
    );
}

#[test]
fn a_schedule_that_cannot_be_followed_says_where() {
    let built = java(LOST_UPDATE);
    let steps = ["T0 *2", "T0.0 begin", "T0.0 w Main.x"].iter().map(|step| step.parse().unwrap()).collect();
    let plan = Plan {
        options: options(),
        follow: Follow::new(steps, Strictness::Strict),
        policy: Policy::RunToBlock,
    };
    let mut program = built.program();
    program.record(&Plan::by_policy(options(), Policy::RunToBlock)).unwrap();
    let run = program.run(&plan).unwrap();
    let End::Stopped(Why::Diverged(divergence)) = &run.end else { panic!("{:?}", run.end) };
    assert!(divergence.to_string().contains("T0.0"), "{divergence}");
}
