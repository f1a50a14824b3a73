//! The generator and the shrinker.

use std::collections::{BTreeSet, HashSet};
use std::mem::discriminant;

use warpath_trace::header::MemoryModel::{self, Pso, Sc, Tso};

use crate::oracle::brute::{Limits, Truth, enumerate};
use crate::oracle::generate::{Features, Knobs, generate};
use crate::oracle::program::{Program, Statement, What};
use crate::oracle::settings;
use crate::oracle::shrink::shrink;

#[test]
fn generated_programs_use_the_language_as_it_is_meant() {
    let mut too_large = 0;
    let count = settings::programs(300);
    for seed in settings::seed()..settings::seed() + count {
        let program = generate(seed, &Knobs::default());
        for model in [Sc, Tso, Pso] {
            match enumerate(&program, model, &Limits::default()) {
                Ok(truth) => assert_eq!(truth.misuses, BTreeSet::new(), "seed {seed}\n{program}"),
                Err(_) => too_large += 1,
            }
        }
    }
    assert!(too_large * 50 <= 3 * count, "{too_large} of {} were too large", 3 * count);
}

#[test]
fn generated_programs_are_interesting() {
    let truths: Vec<Truth> = (0..300)
        .filter_map(|seed| enumerate(&generate(seed, &Knobs::default()), Sc, &Limits::default()).ok())
        .collect();
    let share =
        |wanted: &dyn Fn(&Truth) -> bool| 100 * truths.iter().filter(|t| wanted(t)).count() / truths.len();
    let decides = share(&|truth| truth.histories.iter().any(|histories| histories.len() > 2));
    let races = share(&|truth| !truth.races.is_empty());
    let fails = share(&|truth| !truth.failures.is_empty());
    let several = share(&|truth| truth.finals.len() > 1);
    let stuck = share(&|truth| truth.deadlocks());
    assert!(decides > 50, "{decides} % have decisions");
    assert!(races > 50, "{races} % have races");
    assert!((10..60).contains(&fails), "{fails} % have assertions that fail");
    assert!(several > 25, "{several} % have several final memories");
    assert!((5..50).contains(&stuck), "{stuck} % can deadlock");
}

#[test]
fn memory_models_differ_on_some_generated_programs() {
    let differ = |a: MemoryModel, b: MemoryModel| {
        let seen = |program: &Program, model| {
            let truth = enumerate(program, model, &Limits::default()).ok()?;
            Some((truth.histories, truth.finals))
        };
        let mut programs = (0..300).map(|seed| generate(seed, &Knobs::default()));
        programs.any(|program| seen(&program, a) != seen(&program, b))
    };
    assert!(differ(Sc, Tso) && differ(Tso, Pso));
}

#[test]
fn features_can_be_left_out() {
    let knobs = Knobs { features: Features::MEMORY.without(Features::INPUT), ..Knobs::default() };
    for seed in 0..100 {
        let program = generate(seed, &knobs);
        assert!(program.syncs.is_empty() && program.inputs.is_empty(), "{program}");
        let memory = |what: &What| {
            matches!(
                what,
                What::Load { order: None, .. }
                    | What::Store { order: None, .. }
                    | What::Assign { .. }
                    | What::If { .. }
                    | What::Assert { .. }
                    | What::Assume { .. }
            )
        };
        assert!(program.statements().iter().all(|(_, statement)| memory(&statement.what)), "{program}");
    }
}

#[test]
fn shrinking_leaves_what_matters() {
    // Some program that can lose the race between two writes of one cell: two stores are enough.
    let fails = |program: &Program| {
        enumerate(program, Sc, &Limits::default()).is_ok_and(|truth| {
            let is_store = |id: u32| {
                let found = program.statements().into_iter().find(|(_, statement)| statement.id == id);
                found.is_some_and(|(_, statement)| matches!(statement.what, What::Store { .. }))
            };
            truth.races.iter().any(|&((_, a), (_, b))| is_store(a) && is_store(b))
        })
    };
    let program = (0..).map(|seed| generate(seed, &Knobs::default())).find(|program| fails(program)).unwrap();
    let small = shrink(program, fails);
    assert_eq!(small.statements().len(), 2, "{small}");
    assert_eq!(
        small.threads.iter().filter(|body| !body.is_empty()).count() + usize::from(!small.main.is_empty()),
        2
    );
}

#[test]
fn every_kind_of_statement_is_generated() {
    let mut seen = HashSet::new();
    for seed in 0..2_000 {
        let program = generate(seed, &Knobs::default());
        seen.extend(program.statements().iter().map(|(_, statement)| discriminant(&statement.what)));
    }
    assert_eq!(seen.len(), 28, "kinds of statement that the language has");
}

/// The most visible events on a path through a block.
fn longest(block: &[Statement]) -> usize {
    let of_statement = |statement: &Statement| match &statement.what {
        What::Assign { .. } | What::Input { .. } | What::Assert { .. } | What::Assume { .. } => 0,
        What::If { .. } | What::Switch { .. } => {
            statement.what.blocks().iter().map(|block| longest(block)).max().unwrap_or(0)
        }
        What::Repeat { times, body } => usize::from(*times) * longest(body),
        What::Once { body, .. } | What::Atomic { body } => 2 + longest(body),
        What::CondWait { .. } | What::Barrier { .. } | What::FutexWait { .. } => 2,
        _ => 1,
    };
    block.iter().map(of_statement).sum()
}

#[test]
fn threads_keep_to_their_number_of_events() {
    let knobs = Knobs { size: 100_000, ..Knobs::default() };
    let programs = (0..1_000).map(|seed| generate(seed, &knobs));
    let lengths: BTreeSet<usize> =
        programs.flat_map(|program| program.blocks().map(|body| longest(body)).collect::<Vec<_>>()).collect();
    assert_eq!(lengths.last(), Some(&knobs.events));
}

#[test]
fn a_seed_is_a_program() {
    assert_eq!(generate(3, &Knobs::default()), generate(3, &Knobs::default()));
    assert_ne!(generate(3, &Knobs::default()), generate(4, &Knobs::default()));
}
