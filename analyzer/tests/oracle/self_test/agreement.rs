//! The two interpreters against each other, on random programs.

use warpath_trace::event::Event;
use warpath_trace::header::MemoryModel::{self, Pso, Sc, Tso};
use warpath_trace::ids::ThreadIx;

use crate::compare::{Compared, all_runs_disagree, random_runs_disagree};
use crate::oracle::brute::{Limits, enumerate};
use crate::oracle::generate::{Knobs, generate};
use crate::oracle::program::Program;
use crate::oracle::run::{Policy, run};
use crate::oracle::settings;
use crate::oracle::shrink::shrink;

const MODELS: [MemoryModel; 3] = [Sc, Tso, Pso];

/// Tries many programs; shrinks and shows the first that is wrong.
fn no_program(count: u64, knobs: &Knobs, mut wrong: impl FnMut(&Program, MemoryModel) -> Option<String>) {
    for seed in settings::seed()..settings::seed() + count {
        let program = generate(seed, knobs);
        for model in MODELS {
            if wrong(&program, model).is_some() {
                let small = shrink(program, |smaller| wrong(smaller, model).is_some());
                let what = wrong(&small, model).unwrap_or_default();
                panic!("seed {seed} under {model:?}: {what}\n{small}");
            }
        }
    }
}

#[test]
fn every_run_is_one_that_enumeration_knows() {
    no_program(settings::programs(300), &Knobs::default(), |program, model| {
        let truth = enumerate(program, model, &Limits::default()).ok()?;
        random_runs_disagree(program, model, &truth, 12)
    });
}

#[test]
fn all_runs_together_show_all_that_enumeration_knows() {
    let tiny = Knobs { threads: (2, 2), events: 4, size: 30, ..Knobs::default() };
    let mut compared = 0;
    // Trying every schedule one by one costs more than everything else: fewer programs will do.
    let count = settings::programs(500).div_ceil(4);
    no_program(count, &tiny, |program, model| {
        let truth = enumerate(program, model, &Limits::default()).ok()?;
        match all_runs_disagree(program, model, &truth, 1_000) {
            Compared::Agree => compared += 1,
            Compared::Differ(how) => return Some(how),
            Compared::TooMany => {}
        }
        None
    });
    assert!(compared > count, "only {compared} of {} programs were small enough", 3 * count);
}

#[test]
fn the_order_of_a_trace_has_every_event() {
    let program = generate(7, &Knobs::default());
    let trace = run(&program, &[], &[], Sc, Policy::Random { seed: 1 }).trace;
    let count =
        |thread: usize| trace.in_order().unwrap().filter(|step| step.0 == ThreadIx::from(thread)).count();
    let events: Vec<usize> = trace.threads.iter().map(Vec::<Event>::len).collect();
    assert_eq!((0..events.len()).map(count).collect::<Vec<_>>(), events);
}
