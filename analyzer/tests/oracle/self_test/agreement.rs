//! The two interpreters against each other, on random programs.

use std::collections::BTreeSet;

use warpath_trace::event::{Event, Op};
use warpath_trace::expr::{Evaluator, Leaf};
use warpath_trace::header::MemoryModel::{self, Pso, Sc, Tso};
use warpath_trace::ids::ThreadIx;
use warpath_trace::trace::Trace;

use crate::oracle::brute::{Limits, Stuck, Truth, enumerate};
use crate::oracle::decision::Decision;
use crate::oracle::generate::{Knobs, generate};
use crate::oracle::program::Program;
use crate::oracle::rng::Rng;
use crate::oracle::run::{Failure, Policy, Run, every_schedule, run};
use crate::oracle::settings;
use crate::oracle::shrink::shrink;

const MODELS: [MemoryModel; 3] = [Sc, Tso, Pso];

/// Says what is wrong with a run, given all that the program can do.
fn outside(truth: &Truth, run: &Run) -> Option<String> {
    let unknown = run.histories().into_iter().enumerate().find(|(nr, h)| !truth.histories[*nr].contains(h));
    if let Some((nr, history)) = unknown {
        return Some(format!("thread {nr} decided {history:?}"));
    }
    if let Some(place) = run.uses_after_free.difference(&truth.uses_after_free).next() {
        return Some(format!("use after free at {place:?}"));
    }
    if let Some(memory) = run.final_memory.as_ref().filter(|memory| !truth.finals.contains(*memory)) {
        return Some(format!("it ends with {memory:?}"));
    }
    let known = match &run.failure {
        None => true,
        Some(Failure::Assertion { thread, statement }) => truth.failures.contains(&(*thread, *statement)),
        Some(Failure::Deadlock { blocked }) => {
            truth.stuck.iter().any(|stuck| stuck.is_deadlock() && stuck.threads() == *blocked)
        }
    };
    (!known).then(|| format!("it fails with {:?}", run.failure))
}

/// Says what is wrong with a trace by itself.
fn inconsistent(trace: &Trace) -> Option<String> {
    if let Err(error) = trace.check() {
        return Some(error.to_string());
    }
    let leaf = |leaf: Leaf| match leaf {
        Leaf::Read(thread, event) => trace.event(thread, event).and_then(|event| event.op.read_value()),
        Leaf::Input(wanted) => trace.threads.iter().flatten().find_map(|event| match event.op {
            Op::Input { input, value } if input == wanted => Some(value),
            _ => None,
        }),
    };
    let mut evaluator = Evaluator::new(&trace.tables.exprs, leaf);
    for event in trace.threads.iter().flatten() {
        let (expr, value) = match event.op {
            Op::Branch { condition, taken } => (Some(condition), taken.into()),
            Op::Assume { condition, holds } | Op::Assert { condition, holds, .. } => {
                (condition, holds.into())
            }
            Op::Switch { on, value } => (Some(on), value),
            Op::FutexWait { expected, .. } => (expected.expr, expected.value),
            op => op.written().map_or((None, 0), |(_, datum)| (datum.expr, datum.value)),
        };
        if let Some(expr) = expr
            && evaluator.value(expr) != Ok(value)
        {
            return Some(format!("{event:?}, but its expression is {:?}", evaluator.value(expr)));
        }
    }
    None
}

fn random_inputs(program: &Program, rng: &mut Rng) -> Vec<(String, u8)> {
    program.inputs.iter().map(|input| (input.name.clone(), rng.below(input.domain.into()) as u8)).collect()
}

/// Says what is wrong with random runs of a program.
fn random_runs_disagree(program: &Program, model: MemoryModel, runs: u64) -> Option<String> {
    let truth = enumerate(program, model, &Limits::default()).ok()?;
    for seed in 0..runs {
        let inputs = random_inputs(program, &mut Rng::new(seed));
        let policy = match seed {
            0 => Policy::RunToBlock { first: None },
            seed => Policy::Random { seed },
        };
        let observed = run(program, &inputs, &[], model, policy);
        let wrong = outside(&truth, &observed).or_else(|| inconsistent(&observed.trace)).or_else(|| {
            // The same choices make the same run.
            let again = run(program, &inputs, &observed.choices, model, Policy::Stop);
            let same = again.followed == observed.choices.len() && again.trace == observed.trace;
            (!same).then(|| format!("followed {} of {} choices", again.followed, observed.choices.len()))
        });
        if let Some(wrong) = wrong {
            return Some(format!("seed {seed}, inputs {inputs:?}: {wrong}"));
        }
    }
    None
}

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
        random_runs_disagree(program, model, 12)
    });
}

/// All that runs of a program showed.
#[derive(Debug, PartialEq, Eq)]
struct Observed {
    histories: Vec<BTreeSet<Vec<Decision>>>,
    failures: BTreeSet<(usize, u32)>,
    finals: BTreeSet<Vec<u8>>,
    uses_after_free: BTreeSet<(usize, u32)>,
    deadlocks: BTreeSet<BTreeSet<usize>>,
}

/// Every schedule and every input of a tiny program; `None` if there are too many.
fn observe_all(program: &Program, model: MemoryModel, limit: usize) -> Option<Observed> {
    let mut observed = Observed {
        histories: vec![BTreeSet::new(); program.thread_count()],
        failures: BTreeSet::new(),
        finals: BTreeSet::new(),
        uses_after_free: BTreeSet::new(),
        deadlocks: BTreeSet::new(),
    };
    let mut inputs = vec![Vec::new()];
    for input in &program.inputs {
        let with = |given: Vec<(String, u8)>| {
            (0..input.domain).map(move |value| [&given[..], &[(input.name.clone(), value)]].concat())
        };
        inputs = inputs.into_iter().flat_map(with).collect();
    }
    for inputs in inputs {
        let all = every_schedule(program, &inputs, model, limit, |run| {
            for (known, history) in observed.histories.iter_mut().zip(run.histories()) {
                known.extend((0..=history.len()).map(|length| history[..length].to_vec()));
            }
            match &run.failure {
                Some(Failure::Assertion { thread, statement }) => {
                    observed.failures.insert((*thread, *statement));
                }
                Some(Failure::Deadlock { blocked }) => {
                    observed.deadlocks.insert(blocked.clone());
                }
                None => {}
            }
            observed.uses_after_free.extend(&run.uses_after_free);
            observed.finals.extend(run.final_memory.clone());
        });
        all.ok()?;
    }
    Some(observed)
}

/// What a program with so few schedules can do, found in both ways; says how they differ.
fn all_runs_disagree(program: &Program, model: MemoryModel, compared: &mut u64) -> Option<String> {
    let truth = enumerate(program, model, &Limits::default()).ok()?;
    let observed = observe_all(program, model, 1_000)?;
    *compared += 1;
    // A run that ends with a failed assertion does not say who waits then; the others are compared.
    let failed = |stuck: &&Stuck| {
        stuck.stopped.iter().all(|nr| !truth.failures.iter().any(|(failed, _)| failed == nr))
    };
    let deadlocks = truth.stuck.iter().filter(|stuck| stuck.is_deadlock()).filter(failed);
    let expected = Observed {
        histories: truth.histories.clone(),
        failures: truth.failures.clone(),
        finals: truth.finals.clone(),
        uses_after_free: truth.uses_after_free.clone(),
        deadlocks: deadlocks.map(Stuck::threads).collect(),
    };
    let missing = expected.deadlocks.difference(&observed.deadlocks).next().is_some();
    let observed = Observed { deadlocks: expected.deadlocks.clone(), ..observed };
    (missing || observed != expected).then(|| format!("all runs:    {observed:?}\nenumeration: {expected:?}"))
}

#[test]
fn all_runs_together_show_all_that_enumeration_knows() {
    let tiny = Knobs { threads: (2, 2), events: 4, size: 30, ..Knobs::default() };
    let mut compared = 0;
    // Trying every schedule one by one costs more than everything else: fewer programs will do.
    let count = settings::programs(500).div_ceil(4);
    no_program(count, &tiny, |program, model| all_runs_disagree(program, model, &mut compared));
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
