//! Conditions on inputs against brute force: of random small programs every interleaving is run with every input, and
//! the condition under which a failure can happen must be right about each. Settings: see `agree/campaign.rs`.

mod agree;
mod guard;
mod oracle;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use agree::campaign::{Campaign, Case, SOLVERS, Verdict};
use agree::pool::Pool;
use oracle::generate::{Features, Knobs};
use oracle::program::Program;
use oracle::run::{Policy, every_schedule, run};
use warpath_analyzer::diagnose::{
    DiagnoseError, DiagnoseOptions, Failure, InputCondition, Scope, Shape, input_condition,
};
use warpath_analyzer::model::Forest;
use warpath_trace::header::MemoryModel;
use warpath_trace::trace::Trace;

/// Interleavings of a program with one choice of inputs at most.
const MOST_RUNS: usize = 1200;

/// Runs after which a program that has not failed is taken for one that does not.
const LOOKS: u64 = 24;

type Inputs = Vec<(String, u8)>;

/// Every choice of inputs.
fn choices(program: &Program) -> Vec<Inputs> {
    program.inputs.iter().fold(vec![Vec::new()], |choices, input| {
        let longer = |known: Inputs| {
            (0..input.domain).map(move |value| {
                let mut choice = known.clone();
                choice.push((input.name.clone(), value));
                choice
            })
        };
        choices.into_iter().flat_map(longer).collect()
    })
}

/// Everything that a program does.
struct Everything {
    forest: Forest,
    failure: Failure,
    /// With which inputs it can fail so, and with which it can pass.
    fails: BTreeSet<Inputs>,
    passes: BTreeSet<Inputs>,
    choices: Vec<Inputs>,
}

/// Runs every interleaving with every input; `None` if they are too many, there is no input, or nothing fails.
fn everything(program: &Program, model: MemoryModel) -> Option<Everything> {
    let choices = choices(program);
    let fails = |choice: &Inputs| {
        (0..LOOKS)
            .any(|seed| run(program, choice, &[], model, Policy::Random { seed }).trace.failed().is_some())
    };
    if program.inputs.is_empty() || !choices.iter().any(fails) {
        return None;
    }
    let mut runs: Vec<(usize, Trace, bool)> = Vec::new();
    for (n, choice) in choices.iter().enumerate() {
        every_schedule(program, choice, model, MOST_RUNS, |run| {
            runs.push((n, run.trace.clone(), run.final_memory.is_some()));
        })
        .ok()?;
    }
    let first = runs.iter().position(|(_, trace, _)| trace.failed().is_some())?;
    let failure = Failure::of(&runs[first].1)?;
    let mut forest = Forest::new();
    for (_, trace, _) in runs.iter().chain([&runs[first]]) {
        forest.merge(trace).unwrap_or_else(|error| panic!("{error}\n{program}"));
    }
    let same = |trace: &Trace| {
        Failure::of(trace).is_some_and(|other| {
            other.kind == failure.kind && failure.places.iter().all(|place| other.places.contains(place))
        })
    };
    let chosen = |n: &usize| choices[*n].clone();
    Some(Everything {
        fails: runs.iter().filter(|(_, trace, _)| same(trace)).map(|(n, ..)| chosen(n)).collect(),
        passes: runs
            .iter()
            .filter(|(_, trace, ended)| *ended && trace.failed().is_none())
            .map(|(n, ..)| chosen(n))
            .collect(),
        forest,
        failure,
        choices,
    })
}

fn condition(
    all: &Everything,
    case: &Case,
    solver: &str,
    pool: &Arc<Pool>,
) -> Result<InputCondition, DiagnoseError> {
    let options = DiagnoseOptions {
        formula: case.options,
        scope: Scope::Exhausted,
        timeout: Some(Duration::from_secs(60)),
        ..DiagnoseOptions::default()
    };
    input_condition(&all.forest, &all.failure, &options, &|| Ok(pool.open(solver)))
}

/// The values of a choice as the forest numbers inputs. Inputs that no run has read are not there.
fn values(condition: &InputCondition, choice: &Inputs) -> Vec<u128> {
    let chosen: BTreeMap<&str, u8> = choice.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    condition
        .inputs
        .iter()
        .map(|input| chosen.get(input.name.as_str()).copied().unwrap_or(0).into())
        .collect()
}

/// What is wrong with a condition.
fn wrong(all: &Everything, condition: &InputCondition) -> Option<String> {
    let words = condition.words();
    for choice in &all.choices {
        let values = values(condition, choice);
        let (holds, fails) = (condition.holds(&values), all.fails.contains(choice));
        if condition.is_necessary && fails && !holds {
            return Some(format!("{choice:?} can fail without `{words}`"));
        }
        if condition.is_sufficient && holds && !fails {
            return Some(format!("{choice:?} cannot fail, and `{words}` holds"));
        }
        if condition.always_fails && holds && all.passes.contains(choice) {
            return Some(format!("{choice:?} can pass, with `{words}` it should always fail"));
        }
        if condition.spared.contains(&values) && fails {
            return Some(format!("{choice:?} can fail, and is said not to"));
        }
    }
    let every = matches!(condition.shape, Shape::Any);
    if every != words.is_empty() || every != condition.mentions().is_empty() {
        return Some(format!("`{words}` for {:?}", condition.shape));
    }
    (!condition.is_necessary && condition.unfinished.is_none())
        .then(|| "it is not known to be necessary, and does not say why".to_owned())
}

fn knobs() -> Knobs {
    let untold = [Features::HEAP, Features::FUTEX, Features::TIMED_WAIT];
    let features = untold.into_iter().fold(Features::ALL, Features::without);
    Knobs { threads: (2, 2), events: 5, size: 60, features }
}

#[test]
fn conditions_are_right_about_every_input() {
    // Those that leave some inputs out, and of them those that were proved to be exact.
    let (some, exact) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let campaign = Campaign { name: "inputs", programs: 2000, knobs: knobs(), unit: "conditions" };
    let totals = campaign.run(|program, case, pool| {
        let Some(all) = everything(program, case.options.model) else {
            return Verdict::Agrees { counted: 0 };
        };
        match condition(&all, case, &case.solver, pool) {
            Ok(condition) => match wrong(&all, &condition) {
                Some(what) => Verdict::Differs(what),
                None => {
                    let leaves_out = !matches!(condition.shape, Shape::Any);
                    some.fetch_add(usize::from(leaves_out), Ordering::Relaxed);
                    let is_exact = leaves_out && condition.is_necessary && condition.is_sufficient;
                    exact.fetch_add(usize::from(is_exact), Ordering::Relaxed);
                    Verdict::Agrees { counted: 1 }
                }
            },
            Err(error) => Verdict::Differs(error.to_string()),
        }
    });
    let (some, exact) = (some.into_inner(), exact.into_inner());
    println!("{some} conditions leave inputs out, {exact} are exact");
    assert!(totals.counted > 20, "too few failures had inputs: {}", totals.counted);
    assert!(exact > 5 && exact * 2 > some, "{exact} of {some} conditions were proved to be exact");
}

#[test]
fn every_solver_finds_the_same_boxes() {
    let campaign = Campaign { name: "boxes", programs: 500, knobs: knobs(), unit: "conditions" };
    campaign.run(|program, case, pool| {
        let Some(all) = everything(program, case.options.model) else {
            return Verdict::Agrees { counted: 0 };
        };
        let found = SOLVERS.map(|solver| {
            let found = condition(&all, case, solver, pool).unwrap_or_else(|error| panic!("{error}"));
            // Expressions are those of the executions that a solver chose.
            let words = match found.shape {
                Shape::Expressions(_) => String::new(),
                _ => found.words(),
            };
            (words, found.spared, found.is_necessary, found.is_sufficient)
        });
        match found.iter().all(|one| *one == found[0]) {
            true => Verdict::Agrees { counted: 1 },
            false => Verdict::Differs(format!("{SOLVERS:?} find {found:?}")),
        }
    });
}
