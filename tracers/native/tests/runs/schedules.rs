//! Schedules: the same one gives the same trace; policies reach what they should; strict replays say where they part.

use warpath_native::run::{End, Follow, Plan, Policy, Strictness, Why};
use warpath_trace::event::Op;
use warpath_trace::si::Si;

use crate::build::{Built, bytes, c, operations, quiet};

const COUNTER: &str = "#include <pthread.h>\n#include <assert.h>\nint x;\n\
    void *f(void *p) { for (int i = 0; i < 2; i++) *(volatile int *)&x += 1; return p; }\n\
    int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);\n\
    pthread_join(a, 0); pthread_join(b, 0); assert(x == 4); return 0; }";

const EVERYTHING: &str = "#include <pthread.h>\n#include <semaphore.h>\n#include <stdlib.h>\n\
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; sem_t s;\n\
    pthread_barrier_t b; pthread_once_t o = PTHREAD_ONCE_INIT; pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;\n\
    int ready, data, *heap; static void first(void) { heap = malloc(8); *heap = 1; }\n\
    void *f(void *p) { pthread_once(&o, first); pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m);\n\
      pthread_mutex_unlock(&m); sem_wait(&s); pthread_rwlock_rdlock(&rw); long r = data + *heap; pthread_rwlock_unlock(&rw);\n\
      pthread_barrier_wait(&b); (void)p; return (void *)r; }\n\
    int main(void) { pthread_t t[2]; void *r; long sum = 0; sem_init(&s, 0, 0); pthread_barrier_init(&b, 0, 3);\n\
      for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, 0);\n\
      pthread_mutex_lock(&m); ready = 1; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m);\n\
      pthread_rwlock_wrlock(&rw); data = 5; pthread_rwlock_unlock(&rw); sem_post(&s); sem_post(&s);\n\
      pthread_barrier_wait(&b); for (int i = 0; i < 2; i++) { pthread_join(t[i], &r); sum += (long)r; }\n\
      free(heap); return sum == 12 ? 0 : 1; }";

fn replay(built: &Built, si: &Si, strictness: Strictness) -> warpath_native::run::Run {
    let follow = Follow::new(si.schedule.clone(), strictness);
    let plan = Plan { options: quiet(), follow, policy: Policy::RunToBlock };
    let mut program = built.program(&[]);
    program.share(si);
    program.replay(&plan).unwrap()
}

#[test]
fn a_recorded_schedule_gives_the_recorded_trace() {
    for source in [COUNTER, EVERYTHING] {
        let built = c(source);
        for seed in 0..12 {
            let run = built.record(quiet(), Policy::Random { seed });
            let si = Si::of_run(&run.trace).unwrap();
            let again = replay(&built, &si, Strictness::Strict);
            assert_eq!(again.end, run.end, "seed {seed}");
            assert!(bytes(&again.trace) == bytes(&run.trace), "seed {seed}: the traces differ");
        }
    }
}

#[test]
fn one_schedule_a_hundred_times() {
    let built = c(COUNTER);
    let run = built.record(quiet(), Policy::Random { seed: 3 });
    let si = Si::of_run(&run.trace).unwrap();
    let wanted = bytes(&run.trace);
    let mut program = built.program(&[]);
    let follow = Follow::new(si.schedule.clone(), Strictness::Strict);
    let plan = Plan { options: quiet(), follow, policy: Policy::RunToBlock };
    program.share(&si);
    for n in 0..100 {
        let again = program.run(&plan).unwrap();
        assert!(bytes(&again.trace) == wanted, "run {n} differs");
    }
}

#[test]
fn all_policies_end_well_and_some_schedule_does_not() {
    let correct = c(EVERYTHING);
    let policies = (0..10).flat_map(|seed| {
        [
            Policy::Random { seed },
            Policy::Pct { seed, depth: 3, steps: 60 },
            Policy::RunToBlock,
            Policy::RoundRobin,
        ]
    });
    for policy in policies {
        assert_eq!(correct.record(quiet(), policy).end, End::Exited(0), "{policy:?}");
    }
    let broken = c(COUNTER);
    let fails = |policy| matches!(broken.record(quiet(), policy).end, End::Failed(_));
    assert!(!fails(Policy::RunToBlock));
    assert!(fails(Policy::RoundRobin));
    assert!((0..20).any(|seed| fails(Policy::Random { seed })));
    assert!((0..40).any(|seed| fails(Policy::Pct { seed, depth: 2, steps: 16 })));
}

#[test]
fn a_schedule_that_does_not_fit_is_named() {
    let built = c(COUNTER);
    let run = built.record(quiet(), Policy::RunToBlock);
    let mut si = Si::of_run(&run.trace).unwrap();
    let place = si.schedule.iter().position(|step| step.to_string().starts_with("T0.0 w x")).unwrap();
    si.schedule[place] = "T0.0 lock m".parse().unwrap();
    match replay(&built, &si, Strictness::Strict).end {
        End::Stopped(Why::Diverged(divergence)) => {
            assert_eq!(divergence.step, place + 1);
            assert_eq!(divergence.expected, "T0.0 lock m");
            assert!(
                divergence.found.contains("T0.0 is about to do `w x @program.c:4"),
                "{}",
                divergence.found
            );
        }
        end => panic!("{end:?}"),
    }
    let lenient = replay(&built, &si, Strictness::Lenient);
    assert_eq!(lenient.end, End::Exited(0));
    assert!(lenient.skipped > 0);
}

#[test]
fn a_non_atomic_increment_is_two_events_and_a_locked_one_is_one() {
    let built = c("#include <pthread.h>\n#include <stdatomic.h>\nint x; atomic_int a;\n\
        void *f(void *p) { *(volatile int *)&x += 1; atomic_fetch_add(&a, 1); return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); return 0; }");
    let run = built.run();
    let of_child = |wanted: fn(&Op) -> bool| {
        operations(&run.trace).iter().filter(|(thread, op)| thread == "T0.0" && wanted(op)).count()
    };
    assert_eq!(of_child(|op| matches!(op, Op::Read { .. })), 1);
    assert_eq!(of_child(|op| matches!(op, Op::Write { .. })), 1);
    assert_eq!(of_child(|op| matches!(op, Op::Rmw { .. })), 1);
}
