//! Windows against the oracle: runs of random programs, cut at random places.
//!
//! What is found in a window can be executed from the start of the program, on the forest of the whole trace and by
//! the program itself, and is among what brute force finds. A window of everything finds what the whole trace has.
//! And no race and no failing assertion that some order of a window's events has is missed.
//!
//! Settings as for `agreement`: `WARPATH_ORACLE_PROGRAMS`, `WARPATH_ORACLE_SEED`, `WARPATH_ORACLE_SOLVER`,
//! `WARPATH_ORACLE_FEATURES`.

mod guard;
mod oracle;
mod windows;

use std::collections::BTreeSet;

use oracle::brute::{Limits, Truth, enumerate};
use oracle::generate::{Features, Knobs, generate};
use oracle::pin::pin;
use oracle::program::Program;
use oracle::rng::Rng;
use oracle::run::{Act, Choice, Policy, run};
use oracle::settings;
use warpath_analyzer::answer::Execution;
use warpath_analyzer::encode::{Options, Point, Reductions};
use warpath_analyzer::findings::{self, CheckOptions, Finding, Kind, Property};
use warpath_analyzer::model::Forest;
use warpath_analyzer::window::{Cut, Recorded};
use warpath_solvers::SolverChoice;
use warpath_trace::event::{Op, WaitResult};
use warpath_trace::header::MemoryModel;
use warpath_trace::trace::Trace;
use windows::{Found, Solver, check_windows, keys};

/// Which model a run is recorded under, and which is asked about: the same or a weaker one.
const MODELS: [(MemoryModel, MemoryModel); 6] = [
    (MemoryModel::Sc, MemoryModel::Sc),
    (MemoryModel::Tso, MemoryModel::Tso),
    (MemoryModel::Pso, MemoryModel::Pso),
    (MemoryModel::Sc, MemoryModel::Tso),
    (MemoryModel::Sc, MemoryModel::Pso),
    (MemoryModel::Tso, MemoryModel::Pso),
];

/// What is tried with one program.
#[derive(Clone, Copy, Debug)]
struct Trial {
    seed: u64,
    recorded: MemoryModel,
    asked: MemoryModel,
}

impl Trial {
    fn of(seed: u64) -> Trial {
        let (recorded, asked) = MODELS[(seed % 6) as usize];
        Trial { seed, recorded, asked }
    }

    fn options(self) -> CheckOptions {
        // Now and then without the reductions, which know much about what is settled.
        let reductions = if self.seed % 5 == 4 { Reductions::NONE } else { Reductions::ALL };
        let formula = Options { model: self.asked, reductions, ..Options::default() };
        CheckOptions {
            formula,
            scripts: false,
            witnesses: self.seed.is_multiple_of(2),
            ..CheckOptions::default()
        }
    }

    /// A run and how to cut it.
    fn run(self, program: &Program) -> (Trace, Cut) {
        let trace = run(program, &[], &[], self.recorded, Policy::Random { seed: self.seed }).trace;
        // Under each pair of models, every second one as a tracer would record it that knows values only.
        let trace = if self.seed / 6 % 2 == 1 { pin(&trace) } else { trace };
        let mut rng = Rng::new(self.seed ^ 0x7769_6e64_6f77);
        let size = 1 + rng.below(trace.len() as usize + 2);
        let overlap = rng.below(size);
        (trace, Cut::new(size as u32, overlap as u32).expect("the overlap is smaller"))
    }
}

/// The visible steps of an execution as choices of the program.
fn choices(forest: &Forest, execution: &Execution) -> Vec<Choice> {
    let mut choices = Vec::new();
    for &point in &execution.steps {
        let node = forest.node(point.node());
        let act = match (point, node.op) {
            (Point::Issue(_), op) if !op.is_visible() => continue,
            (Point::Commit(_), op) => {
                let (location, _) = op.written().expect("commits are of writes");
                Act::Commit(forest.places.location(location).name.clone())
            }
            (
                _,
                Op::CondWake { result: WaitResult::TimedOut, .. }
                | Op::Lock { result: WaitResult::TimedOut, .. }
                | Op::RwLock { result: WaitResult::TimedOut, .. }
                | Op::SemWait { result: WaitResult::TimedOut, .. },
            ) => Act::TimeOut,
            _ => Act::Step,
        };
        choices.push(Choice { thread: forest.key(node.tree).clone(), act });
    }
    choices
}

/// The finding's schedule happens in the program, and ends where it should.
fn is_real(program: &Program, trial: Trial, trace: &Trace, found: &Found) -> Result<(), String> {
    let forest = Forest::of(trace).map_err(|error| error.to_string())?;
    let recorded = Recorded::of(trace, trial.asked).map_err(|error| error.to_string())?;
    let truth = enumerate(program, trial.asked, &Limits { states: 10_000, ..Limits::default() }).ok();
    for (window, finding) in &found.findings {
        let what = |error: String| format!("{window:?}: {}: {error}", finding.summary);
        let si = recorded.complete(window, &finding.si);
        let (execution, end) = windows::replay::replayed(&forest, &si).map_err(what)?;
        windows::replay::shows(&forest, finding, &execution, &end).map_err(what)?;
        let inputs = forest.inputs().iter().zip(&execution.inputs);
        let inputs: Vec<(String, u8)> =
            inputs.map(|(input, &value)| (input.name.clone(), value as u8)).collect();
        let choices = choices(&forest, &execution);
        let ran = run(program, &inputs, &choices, trial.asked, Policy::Stop);
        if ran.followed < choices.len() {
            return Err(what(format!(
                "the program does not do step {}: {:?}",
                ran.followed, choices[ran.followed]
            )));
        }
        if let Some(truth) = &truth {
            is_true(truth, finding).map_err(what)?;
        }
    }
    Ok(())
}

/// Brute force finds it, too.
fn is_true(truth: &Truth, finding: &Finding) -> Result<(), String> {
    let line = |place: &str| place.rsplit(':').next().and_then(|line| line.parse().ok()).unwrap_or(0);
    let lines: Vec<u32> = finding.events.iter().map(|event| line(&event.place)).collect();
    let right = match finding.kind {
        Kind::DataRace => {
            let pair = BTreeSet::from_iter(lines.iter().copied());
            truth.races.iter().any(|((_, a), (_, b))| BTreeSet::from([*a, *b]) == pair)
        }
        Kind::AssertionFailure => truth.failures.iter().any(|(_, at)| *at == lines[0]),
        Kind::UseAfterFree => truth.uses_after_free.iter().any(|(_, at)| *at == lines[1]),
        Kind::DoubleFree => truth.double_frees.iter().any(|(_, at)| *at == lines[1]),
        Kind::Deadlock => truth.stuck.iter().any(|stuck| {
            let waiting: BTreeSet<u32> = stuck.blocked.values().map(|waiting| waiting.statement).collect();
            lines.iter().all(|line| waiting.contains(line))
        }),
        _ => true,
    };
    if right { Ok(()) } else { Err("brute force does not find it".to_owned()) }
}

/// A window of everything finds what the whole trace has.
fn is_complete(trial: Trial, trace: &Trace, solver: &Solver<'_>) -> Result<usize, String> {
    let options = trial.options();
    let cut = Cut::new(trace.len().max(1) as u32, 0).expect("the overlap is smaller");
    let found = check_windows(trace, cut, 1, &options, solver)?;
    let forest = Forest::of(trace).map_err(|error| error.to_string())?;
    let resolved = solver.solvers.resolve(&SolverChoice::named(solver.name)).expect("it was there before");
    let mut open = || Ok(resolved.open(solver.solvers));
    let whole =
        findings::check(&forest, &options, &Property::ALL, &mut open).map_err(|error| error.to_string())?;
    let windowed = keys(found.findings.iter().map(|(_, finding)| finding));
    let whole = keys(&whole.findings);
    match windowed == whole {
        true => Ok(whole.len()),
        false => Err(format!("one window finds {windowed:?}, the whole trace has {whole:?}")),
    }
}

/// Nothing that the events of a window can do is missed.
fn nothing_missed(trial: Trial, trace: &Trace, cut: Cut, found: &Found) -> Result<usize, String> {
    if trial.asked != MemoryModel::Sc {
        return Ok(0);
    }
    let forest = Forest::of(trace).map_err(|error| error.to_string())?;
    let inputs = forest.run().map(|run| run.inputs.clone()).unwrap_or_default();
    let known = keys(found.findings.iter().map(|(_, finding)| finding));
    let place = |name: &String| {
        let id = forest.ids().find(|&id| forest.name(id) == *name).expect("it is an event of the trace");
        forest.place(id)
    };
    let mut seen = 0;
    for window in cut.windows(trace.len() as u32) {
        let Some(possible) = windows::brute::possible(&forest, window.events.clone(), &inputs, 2_000) else {
            continue;
        };
        for pair in &possible.races {
            let mut places = pair.each_ref().map(place).to_vec();
            places.sort_unstable();
            seen += 1;
            if !known.contains(&(Kind::DataRace, places)) {
                return Err(format!("{window:?}: the race of {pair:?} is missed"));
            }
        }
        for failure in &possible.failures {
            seen += 1;
            if !known.contains(&(Kind::AssertionFailure, vec![place(failure)])) {
                return Err(format!("{window:?}: the failing assertion {failure} is missed"));
            }
        }
    }
    Ok(seen)
}

#[derive(Default)]
struct Counts {
    findings: usize,
    whole: usize,
    tried: usize,
    refused: u64,
}

fn compare(program: &Program, trial: Trial, solver: &Solver<'_>, counts: &mut Counts) -> Result<(), String> {
    let (trace, cut) = trial.run(program);
    let found = check_windows(&trace, cut, 1, &trial.options(), solver)?;
    if !found.summary.unanswered.is_empty() {
        return Err(format!("{:?}", found.summary.unanswered));
    }
    counts.findings += found.findings.len();
    counts.refused += found.summary.properties.iter().map(|result| result.statistics.refused).sum::<u64>();
    let distinct: BTreeSet<_> = found.findings.iter().map(|(_, finding)| finding.key()).collect();
    if distinct.len() < found.findings.len() {
        return Err("something is reported twice".to_owned());
    }
    is_real(program, trial, &trace, &found)?;
    counts.tried += nothing_missed(trial, &trace, cut, &found)?;
    counts.whole += is_complete(trial, &trace, solver)?;
    Ok(())
}

#[test]
fn what_windows_find_is_real_and_complete() {
    let name = std::env::var("WARPATH_ORACLE_SOLVER").unwrap_or_else(|_| "yices".to_owned());
    let solvers = guard::solvers();
    let solver = Solver { solvers: &solvers, name: &name };
    let mask = std::env::var("WARPATH_ORACLE_FEATURES").ok().and_then(|mask| mask.parse().ok());
    let features = mask.map_or(Features::ALL, Features);
    let knobs = Knobs { size: 300, features, ..Knobs::default() };
    let mut counts = Counts::default();
    let programs = settings::programs(200);
    for n in 0..programs {
        let seed = settings::seed() + n;
        let trial = Trial::of(seed);
        let program = generate(seed, &knobs);
        if compare(&program, trial, &solver, &mut counts).is_err() {
            let mut none = Counts::default();
            let fails = |program: &Program| compare(program, trial, &solver, &mut Counts::default()).is_err();
            let small = oracle::shrink::shrink(program, fails);
            let what = compare(&small, trial, &solver, &mut none).err().unwrap_or_default();
            let (trace, cut) = trial.run(&small);
            let mut shown = Vec::new();
            warpath_trace::text::print(&trace, &mut shown).expect("writing to memory does not fail");
            panic!("{trial:?}, {cut:?}: {what}\n{small}\n{}", String::from_utf8_lossy(&shown));
        }
    }
    println!(
        "{programs} programs: {} findings in windows, {} in whole traces, {} tried one by one; {} witnesses refused",
        counts.findings, counts.whole, counts.tried, counts.refused
    );
    assert_eq!(counts.refused, 0, "what the observed run shows is executed");
    assert!(counts.findings as u64 > programs / 4, "windows have something to find");
    assert!(counts.whole as u64 > programs / 4, "whole traces have something to find");
}

/// Small windows of runs under sequential consistency, each tried in every order.
#[test]
fn nothing_that_a_small_window_can_do_is_missed() {
    let name = std::env::var("WARPATH_ORACLE_SOLVER").unwrap_or_else(|_| "yices".to_owned());
    let solvers = guard::solvers();
    let solver = Solver { solvers: &solvers, name: &name };
    let knobs = Knobs { size: 2000, features: Features::ALL, ..Knobs::default() };
    let mut tried = 0;
    let programs = settings::programs(150);
    for n in 0..programs {
        let seed = 6 * (settings::seed() + n);
        let trial = Trial::of(seed);
        let size = 4 + (seed / 6 % 6) as u32;
        let cut = Cut::new(size, size / 2).expect("the overlap is smaller");
        let missed = |program: &Program| {
            let (trace, _) = trial.run(program);
            let found = check_windows(&trace, cut, 1, &trial.options(), &solver)?;
            nothing_missed(trial, &trace, cut, &found)
        };
        let program = generate(seed, &knobs);
        match missed(&program) {
            Ok(seen) => tried += seen,
            Err(_) => {
                let small = oracle::shrink::shrink(program, |program| missed(program).is_err());
                let what = missed(&small).err().unwrap_or_default();
                panic!("{trial:?}, {cut:?}: {what}\n{small}");
            }
        }
    }
    println!("{programs} programs: {tried} races and failures tried one by one");
    assert!(tried as u64 > programs, "small windows have something to miss");
}
