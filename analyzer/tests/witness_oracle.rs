//! Races that the observed run shows by itself, on random programs: the groups found are those that a solver finds
//! alone, the reference interpreter refuses none, and brute force says that each is possible.
//!
//! Settings as for `agreement`: `WARPATH_ORACLE_PROGRAMS`, `WARPATH_ORACLE_SEED`, `WARPATH_ORACLE_SOLVER`.

mod guard;
mod oracle;

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use oracle::brute::{Limits, enumerate};
use oracle::generate::{Features, Knobs, generate};
use oracle::pin::pin;
use oracle::program::Program;
use oracle::run::{Policy, run};
use oracle::settings;
use warpath_analyzer::encode::Options;
use warpath_analyzer::findings::{CheckOptions, Property, Report, Statistics, check};
use warpath_analyzer::model::Forest;
use warpath_analyzer::window::{self, Checks, Cut, Recorded, WindowOptions};
use warpath_solvers::{SolverChoice, Solvers};
use warpath_trace::header::MemoryModel;

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

/// Which model a run is recorded under, and which is asked about.
#[derive(Clone, Copy, Debug)]
struct Models {
    recorded: MemoryModel,
    asked: MemoryModel,
}

fn races(forest: &Forest, asked: MemoryModel, witnesses: bool, solvers: &Solvers, solver: &str) -> Report {
    let formula = Options { model: asked, ..Options::default() };
    let options = CheckOptions { formula, witnesses, scripts: false, ..CheckOptions::default() };
    let resolved = solvers.resolve(&SolverChoice::named(solver));
    let resolved = resolved.unwrap_or_else(|error| panic!("{error}; run scripts/setup"));
    let report = check(forest, &options, &[Property::Race], &mut || Ok(resolved.open(solvers)));
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    assert!(report.unanswered.is_empty(), "{:?}", report.unanswered);
    report
}

/// The statements of each race; 0 for one that has none.
fn lines(report: &Report) -> BTreeSet<Vec<u32>> {
    let line = |place: &str| place.rsplit(':').next().and_then(|line| line.parse().ok()).unwrap_or(0);
    let lines = report.findings.iter().map(|finding| {
        let mut lines: Vec<u32> = finding.events.iter().map(|event| line(&event.place)).collect();
        lines.sort_unstable();
        lines
    });
    lines.collect()
}

/// What is wrong about a program's runs, if anything is; the books otherwise.
fn compare(
    program: &Program,
    seed: u64,
    models: Models,
    solvers: &Solvers,
    solver: &str,
) -> Result<(Statistics, usize), String> {
    let recorded = run(program, &[], &[], models.recorded, Policy::Random { seed });
    // Every fourth run as a tracer without symbolic conditions would have recorded it.
    let trace = if seed.is_multiple_of(4) { pin(&recorded.trace) } else { recorded.trace };
    let forest = Forest::of(&trace).map_err(|error| error.to_string())?;
    let with = races(&forest, models.asked, true, solvers, solver);
    let without = races(&forest, models.asked, false, solvers, solver);
    let statistics = with.properties[0].statistics.clone();
    if statistics.refused > 0 {
        return Err(format!("{} refused", statistics.refused));
    }
    if lines(&with) != lines(&without) {
        return Err(format!("with witnesses {:?}, without {:?}", lines(&with), lines(&without)));
    }
    if let Ok(truth) = enumerate(program, models.asked, &Limits { states: 10_000, ..Limits::default() }) {
        let possible: BTreeSet<Vec<u32>> =
            truth.races.iter().map(|((_, a), (_, b))| vec![*a.min(b), *a.max(b)]).collect();
        if !lines(&with).is_subset(&possible) {
            return Err(format!("found {:?}, possible {possible:?}", lines(&with)));
        }
    }
    Ok((statistics, with.findings.len()))
}

fn compare_all(default: u64, models: impl Fn(u64) -> Models) {
    let solver = std::env::var("WARPATH_ORACLE_SOLVER").unwrap_or_else(|_| "yices".to_owned());
    let solvers = guard::solvers();
    let knobs = Knobs { size: 400, features: Features::ALL, ..Knobs::default() };
    let (mut racy, mut shown, mut races, mut witnessed) = (0, 0, 0, 0);
    for n in 0..settings::programs(default) {
        let seed = settings::seed() + n;
        let program = generate(seed, &knobs);
        let models = models(seed);
        match compare(&program, seed, models, &solvers, &solver) {
            Ok((statistics, found)) => {
                racy += u64::from(found > 0);
                shown += u64::from(statistics.witnessed > 0);
                races += found as u64;
                witnessed += statistics.witnessed;
            }
            Err(_) => {
                let fails = |program: &Program| compare(program, seed, models, &solvers, &solver).is_err();
                let small = oracle::shrink::shrink(program, fails);
                let what = compare(&small, seed, models, &solvers, &solver).err();
                panic!("seed {seed}, {models:?}: {}\n{small}", what.unwrap_or_default());
            }
        }
    }
    println!("{racy} racy programs, {shown} settled some without a solver; {witnessed} of {races} races");
    assert!(shown * 2 > racy, "the observed run settles something in {shown} of {racy} racy programs");
}

#[test]
fn what_the_observed_run_shows_is_what_a_solver_finds() {
    compare_all(300, |seed| {
        let model = MODELS[(seed % 3) as usize];
        Models { recorded: model, asked: model }
    });
}

/// The places of each race that some window has, and the books.
fn races_in_windows(
    recorded: &Recorded<'_>,
    cut: Cut,
    options: &CheckOptions,
    solvers: &Solvers,
) -> (BTreeSet<Vec<String>>, Statistics) {
    let resolved = solvers.resolve(&SolverChoice::named("yices"));
    let resolved = resolved.unwrap_or_else(|error| panic!("{error}; run scripts/setup"));
    let mut found = BTreeSet::new();
    let windows = WindowOptions { cut, jobs: 1 };
    let open = || Ok(resolved.open(solvers));
    let checks = Checks { how: options, properties: &[Property::Race], open: &open, done: &|_| () };
    let summary = window::check(recorded, &windows, &checks, &mut |_, finding| {
        let mut places: Vec<String> = finding.events.iter().map(|event| event.place.clone()).collect();
        places.sort();
        found.insert(places);
        ControlFlow::Continue(())
    });
    let summary = summary.unwrap_or_else(|error| panic!("{error}"));
    (found, summary.properties[0].statistics.clone())
}

#[test]
fn what_went_before_a_window_is_settled() {
    let solvers = guard::solvers();
    let knobs = Knobs { size: 400, features: Features::ALL, ..Knobs::default() };
    let (mut racy, mut shown) = (0, 0);
    for n in 0..settings::programs(150) {
        let seed = settings::seed() + n;
        let program = generate(seed, &knobs);
        let model = MODELS[(seed % 3) as usize];
        let recorded = run(&program, &[], &[], model, Policy::Random { seed });
        let Ok(recorded) = Recorded::of(&recorded.trace, model) else { continue };
        let cut = Cut::new(8 + (seed % 7) as u32, 4).expect("it overlaps less than it is long");
        let formula = Options { model, ..Options::default() };
        let options = CheckOptions { formula, scripts: false, ..CheckOptions::default() };
        let (with, statistics) = races_in_windows(&recorded, cut, &options, &solvers);
        let alone = CheckOptions { witnesses: false, ..options };
        let (without, _) = races_in_windows(&recorded, cut, &alone, &solvers);
        assert_eq!(with, without, "seed {seed}, {model:?}, {cut:?}\n{program}");
        assert_eq!(statistics.refused, 0, "seed {seed}, {model:?}, {cut:?}\n{program}");
        racy += u64::from(!with.is_empty());
        shown += u64::from(statistics.witnessed > 0);
    }
    println!("{racy} racy programs, {shown} settled some without a solver");
    assert!(shown * 2 > racy, "the observed run settles something in {shown} of {racy} racy programs");
}

#[test]
fn a_run_of_another_model_shows_no_more_than_it_should() {
    compare_all(150, |seed| Models {
        recorded: MODELS[(seed % 3) as usize],
        asked: MODELS[(seed / 3 % 3) as usize],
    });
}
