//! One program, both interpreters.

use std::collections::BTreeSet;

use warpath_trace::event::Op;
use warpath_trace::expr::{Evaluator, Leaf};
use warpath_trace::header::MemoryModel;
use warpath_trace::trace::Trace;

use crate::oracle::brute::{Limits, Stuck, Truth, enumerate};
use crate::oracle::decision::Decision;
use crate::oracle::program::Program;
use crate::oracle::rng::Rng;
use crate::oracle::run::{Failure, Policy, Run, every_schedule, run};

/// What a program can do, after both interpreters have been asked: all schedules one by one if there are not
/// too many, else random ones.
pub fn truth(program: &Program, model: MemoryModel) -> Truth {
    let found = enumerate(program, model, &Limits::default()).expect("the program is small");
    let wrong = match all_runs_disagree(program, model, &found, 3_000) {
        Compared::Agree => None,
        Compared::Differ(how) => Some(how),
        Compared::TooMany => random_runs_disagree(program, model, &found, 1_000),
    };
    if let Some(wrong) = wrong {
        panic!("{model:?}: {wrong}\n{program}");
    }
    found
}

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
pub fn random_runs_disagree(
    program: &Program,
    model: MemoryModel,
    truth: &Truth,
    runs: u64,
) -> Option<String> {
    for seed in 0..runs {
        let inputs = random_inputs(program, &mut Rng::new(seed));
        let policy = match seed {
            0 => Policy::RunToBlock { first: None },
            seed => Policy::Random { seed },
        };
        let observed = run(program, &inputs, &[], model, policy);
        let wrong = outside(truth, &observed).or_else(|| inconsistent(&observed.trace)).or_else(|| {
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

/// How the comparison of all runs came out.
pub enum Compared {
    Agree,
    Differ(String),
    TooMany,
}

/// Compares what all schedules and inputs show with what enumeration found.
pub fn all_runs_disagree(program: &Program, model: MemoryModel, truth: &Truth, limit: usize) -> Compared {
    let Some(observed) = observe_all(program, model, limit) else { return Compared::TooMany };
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
    match missing || observed != expected {
        true => Compared::Differ(format!("all runs:    {observed:?}\nenumeration: {expected:?}")),
        false => Compared::Agree,
    }
}
