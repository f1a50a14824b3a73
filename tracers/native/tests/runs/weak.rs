//! Store buffers: what TSO and PSO allow happens in some schedule, and what they forbid in none.

use std::collections::BTreeSet;

use warpath_native::run::{End, Follow, Plan, Policy, RunOptions, Strictness};
use warpath_trace::header::MemoryModel;
use warpath_trace::si::Si;

use crate::build::{Built, bytes, c, quiet};

/// Exit statuses over many random schedules.
fn outcomes(built: &Built, model: MemoryModel) -> BTreeSet<i32> {
    let mut program = built.program(&[]);
    let options = RunOptions { model, ..quiet() };
    program.record(&Plan::by_policy(options.clone(), Policy::RunToBlock)).unwrap();
    (0..400)
        .map(|seed| {
            let run = program.run(&Plan::by_policy(options.clone(), Policy::Random { seed })).unwrap();
            match run.end {
                End::Exited(status) => status,
                end => panic!("{end:?}"),
            }
        })
        .collect()
}

fn litmus(first: &str, second: &str) -> Built {
    c(&format!(
        "#include <pthread.h>\nvolatile int x, y, a, b;\n\
         void *f(void *p) {{ {first}; return p; }}\nvoid *g(void *p) {{ {second}; return p; }}\n\
         int main(void) {{ pthread_t s, t; pthread_create(&s, 0, f, 0); pthread_create(&t, 0, g, 0);\n\
         pthread_join(s, 0); pthread_join(t, 0); return 2 * a + b; }}"
    ))
}

#[test]
fn store_buffering() {
    let built = litmus("x = 1; a = y", "y = 1; b = x");
    let all = |statuses: &[i32]| statuses.iter().copied().collect::<BTreeSet<i32>>();
    assert_eq!(outcomes(&built, MemoryModel::Sc), all(&[1, 2, 3]));
    assert_eq!(outcomes(&built, MemoryModel::Tso), all(&[0, 1, 2, 3]));
    let fenced = litmus("x = 1; __sync_synchronize(); a = y", "y = 1; __sync_synchronize(); b = x");
    assert_eq!(outcomes(&fenced, MemoryModel::Tso), all(&[1, 2, 3]));
}

#[test]
fn message_passing() {
    // a sees the flag, b the data: 2 would be the flag without the data.
    let built = litmus("x = 1; y = 1", "a = y; b = x");
    assert!(!outcomes(&built, MemoryModel::Tso).contains(&2));
    assert!(outcomes(&built, MemoryModel::Pso).contains(&2));
}

#[test]
fn weak_schedules_replay() {
    let built = litmus("x = 1; a = y", "y = 1; b = x");
    for model in [MemoryModel::Tso, MemoryModel::Pso] {
        for seed in 0..10 {
            let options = RunOptions { model, ..quiet() };
            let run = built.record(options.clone(), Policy::Random { seed });
            let si = Si::of_run(&run.trace).unwrap();
            let mut program = built.program(&[]);
            program.share(&si);
            let follow = Follow::new(si.schedule, Strictness::Strict);
            let again = program.replay(&Plan { options, follow, policy: Policy::RunToBlock }).unwrap();
            assert_eq!(again.end, run.end, "{model:?} {seed}");
            assert!(bytes(&again.trace) == bytes(&run.trace), "{model:?} {seed}: the traces differ");
        }
    }
}
