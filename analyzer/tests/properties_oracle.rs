//! The properties against brute force: on a forest that has been explored to the end, every race, deadlock,
//! failing assertion, use after free and double free that is possible is found, and nothing else.
//!
//! Settings as for `agreement`: `WARPATH_ORACLE_PROGRAMS`, `WARPATH_ORACLE_SEED`, `WARPATH_ORACLE_SOLVER`,
//! `WARPATH_ORACLE_FEATURES`.

mod agree;
mod guard;
mod oracle;

use std::collections::BTreeSet;

use agree::{Trouble, explore};
use oracle::brute::{Limits, Stuck, Truth, enumerate};
use oracle::generate::{Features, Knobs, generate};
use oracle::program::{Program, ThreadNr};
use oracle::settings;
use warpath_analyzer::encode::Options;
use warpath_analyzer::findings::{CheckOptions, Kind, Property, Report, check};
use warpath_solvers::{SolverChoice, Solvers};
use warpath_trace::header::MemoryModel;

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

enum Outcome {
    Agrees { violations: usize },
    TooLarge,
    Differs(String),
}

fn compare(program: &Program, model: MemoryModel, solvers: &Solvers, solver: &str) -> Outcome {
    let Ok(truth) = enumerate(program, model, &Limits { states: 30_000, ..Limits::default() }) else {
        return Outcome::TooLarge;
    };
    let formula = Options { model, ..Options::default() };
    let explored = match explore(program, formula, solvers, solver) {
        Ok(explored) => explored,
        Err(Trouble::Ours(what)) => return Outcome::Differs(format!("exploration: {what}")),
        Err(Trouble::Solver(what)) => panic!("{solver}: {what}"),
    };
    let options = CheckOptions { formula, ..CheckOptions::default() };
    let choice = SolverChoice::named(solver);
    let resolved = solvers.resolve(&choice).unwrap_or_else(|error| panic!("{error}; run scripts/setup"));
    let report = check(&explored.forest, &options, &Property::ALL, &mut || Ok(resolved.open(solvers)));
    let report = match report {
        Ok(report) => report,
        Err(error) => return Outcome::Differs(error.to_string()),
    };
    assert!(report.unanswered.is_empty(), "{:?}", report.unanswered);
    let differences = differences(&truth, &report);
    match differences.is_empty() {
        true => Outcome::Agrees { violations: report.findings.len() },
        false => Outcome::Differs(differences.join("\n")),
    }
}

/// The statements of each finding of a kind; `keep` says which of its events count.
fn lines(report: &Report, kind: Kind, keep: fn(usize) -> bool) -> BTreeSet<Vec<u32>> {
    let line = |place: &str| place.rsplit(':').next().and_then(|line| line.parse().ok()).unwrap_or(0);
    let of_kind = report.findings.iter().filter(|finding| finding.kind == kind);
    let lines = of_kind.map(|finding| {
        let events = finding.events.iter().enumerate().filter(|(n, _)| keep(*n));
        let mut lines: Vec<u32> = events.map(|(_, event)| line(&event.place)).collect();
        lines.sort_unstable();
        lines
    });
    lines.collect()
}

fn differences(truth: &Truth, report: &Report) -> Vec<String> {
    let all = |_| true;
    let second = |n| n == 1;
    let mut races = BTreeSet::new();
    for ((_, a), (_, b)) in &truth.races {
        races.insert(vec![*a.min(b), *a.max(b)]);
    }
    let single = |places: &BTreeSet<(ThreadNr, u32)>| -> BTreeSet<Vec<u32>> {
        places.iter().map(|&(_, line)| vec![line]).collect()
    };
    let mut differences = Vec::new();
    for (what, found, expected) in [
        ("races", lines(report, Kind::DataRace, all), races),
        ("failures", lines(report, Kind::AssertionFailure, all), single(&truth.failures)),
        ("uses after free", lines(report, Kind::UseAfterFree, second), single(&truth.uses_after_free)),
    ] {
        if found != expected {
            differences.push(format!("{what}: found {found:?}, possible {expected:?}"));
        }
    }
    // Two frees that can come in either order are one finding.
    let doubled = single(&truth.double_frees);
    let either: BTreeSet<u32> = lines(report, Kind::DoubleFree, all).into_iter().flatten().collect();
    let found = lines(report, Kind::DoubleFree, second);
    if !found.is_subset(&doubled) || !doubled.iter().flatten().all(|line| either.contains(line)) {
        differences.push(format!("double frees: found {found:?}, possible {doubled:?}"));
    }
    let deadlocks = lines(report, Kind::Deadlock, all);
    let possible: Vec<BTreeSet<u32>> =
        truth.stuck.iter().map(for_ever).filter(|set| !set.is_empty()).collect();
    if deadlocks.is_empty() && !possible.is_empty() {
        differences.push(format!("deadlocks: none found, possible {possible:?}"));
    }
    for deadlock in deadlocks {
        if !possible.iter().any(|set| deadlock.iter().all(|line| set.contains(line))) {
            differences.push(format!("deadlocks: found {deadlock:?}, possible {possible:?}"));
        }
    }
    differences
}

/// The statements of the threads that wait for ever, even if those that were stopped could go on.
fn for_ever(stuck: &Stuck) -> BTreeSet<u32> {
    let mut waiting: BTreeSet<ThreadNr> = stuck.threads();
    let ended = |thread: &ThreadNr| !stuck.stopped.contains(thread) && !stuck.blocked.contains_key(thread);
    let others: Vec<ThreadNr> = stuck.blocked.keys().chain(&stuck.stopped).copied().collect();
    loop {
        let stays = |thread: &ThreadNr| {
            let wait = &stuck.blocked[thread];
            // A join of a thread that has ended goes on, unless a thread was stopped in an atomic region.
            let joins = wait.statement == 0;
            let held =
                wait.holders.iter().any(|holder| waiting.contains(holder) || (!joins && ended(holder)));
            held || others.iter().all(|other| other == thread || waiting.contains(other))
        };
        let next: BTreeSet<ThreadNr> = waiting.iter().copied().filter(stays).collect();
        if next == waiting {
            return waiting.iter().map(|thread| stuck.blocked[thread].statement).collect();
        }
        waiting = next;
    }
}

/// Compares many programs; a difference is shrunk and shown.
fn compare_all(default: u64, solver: &str) {
    let solvers = guard::solvers();
    let mask = std::env::var("WARPATH_ORACLE_FEATURES").ok().and_then(|mask| mask.parse().ok());
    let features = mask.map_or(Features::ALL, Features);
    let knobs = Knobs { size: 150, features, ..Knobs::default() };
    let (mut compared, mut violations, mut too_large) = (0, 0, 0);
    for n in 0..settings::programs(default) {
        let seed = settings::seed() + n;
        let program = generate(seed, &knobs);
        let model = MODELS[(seed % 3) as usize];
        match compare(&program, model, &solvers, solver) {
            Outcome::Agrees { violations: found } => {
                compared += 1;
                violations += found;
            }
            Outcome::TooLarge => too_large += 1,
            Outcome::Differs(_) => {
                let fails = |program: &Program| {
                    matches!(compare(program, model, &solvers, solver), Outcome::Differs(_))
                };
                let small = oracle::shrink::shrink(program, fails);
                let Outcome::Differs(what) = compare(&small, model, &solvers, solver) else {
                    unreachable!("shrinking keeps the failure")
                };
                panic!("seed {seed}, {model:?}, {solver}: {what}\n{small}");
            }
        }
    }
    println!("{solver}: {compared} programs agree ({violations} violations), {too_large} were too large");
    assert!(compared * 2 > too_large, "most programs are small enough to be compared");
    assert!(violations > compared / 4, "the programs have something to find");
}

#[test]
fn properties_find_what_brute_force_finds() {
    let solver = std::env::var("WARPATH_ORACLE_SOLVER").unwrap_or_else(|_| "yices".to_owned());
    compare_all(150, &solver);
}
