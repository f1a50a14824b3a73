//! Diagnosis against brute force: of random small programs every interleaving is run, and the causes of a failure must
//! be right about each of them. Settings: see `agree/campaign.rs`.

mod agree;
mod guard;
mod oracle;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use agree::campaign::{Campaign, Case, SOLVERS, Verdict};
use agree::pool::Pool;
use oracle::generate::{Features, Knobs};
use oracle::program::Program;
use oracle::run::{Policy, every_schedule, run};
use warpath_analyzer::diagnose::{
    self, DiagnoseOptions, Diagnosis, Failure, Occurrence, OccurrenceId, Scope, diagnose,
};
use warpath_analyzer::model::Forest;
use warpath_trace::event::{Op, Verb};
use warpath_trace::header::MemoryModel;
use warpath_trace::ids::ThreadIx;
use warpath_trace::order::ordered_location;
use warpath_trace::repair::{How, Rule};
use warpath_trace::trace::Trace;

/// Interleavings of a program at most.
const MOST_RUNS: usize = 3000;

/// Runs after which a program that has not failed is taken for one that does not.
const LOOKS: u64 = 24;

/// What a thread does for the n-th time: thread, verb, object, place, n.
type Named = (String, Verb, String, String, u32);

/// When each thing took effect in a run, worked out from the trace alone.
fn moments(trace: &Trace) -> BTreeMap<Named, usize> {
    let tables = &trace.tables;
    let mut moments = BTreeMap::new();
    let mut names: BTreeMap<(u32, u32), Named> = BTreeMap::new();
    let mut counts: BTreeMap<(String, Verb, String, String), u32> = BTreeMap::new();
    for (position, (thread, index, event)) in trace.in_order().expect("a total order").enumerate() {
        if event.op.is_pending() {
            continue;
        }
        if let Op::Commit { write } = event.op {
            if let Some(name) = names.get(&(thread.0, write)) {
                moments.insert(name.clone(), position);
            }
            continue;
        }
        let object = match event.op {
            Op::Free { object } => tables.text(tables.objects()[object.index()].name).into_owned(),
            op => ordered_location(&op).map_or_else(String::new, |location| tables.location_name(location)),
        };
        let doing = (tables.key(thread).to_string(), event.op.verb(), object, tables.source_name(event.at));
        let count = counts.entry(doing.clone()).or_insert(0);
        let name = (doing.0, doing.1, doing.2, doing.3, *count);
        *count += 1;
        names.insert((thread.0, index), name.clone());
        let in_buffer = trace.header.model != MemoryModel::Sc && matches!(event.op, Op::Write { .. });
        moments.insert(name, if in_buffer { usize::MAX } else { position });
    }
    moments
}

fn named(forest: &Forest, occurrence: &Occurrence) -> Named {
    let Occurrence { tree, verb, object, at, nth, .. } = occurrence;
    (forest.key(*tree).to_string(), *verb, object.clone(), at.clone(), *nth)
}

/// A cause in words, or the part of it that is left without one of its orderings.
fn words(forest: &Forest, diagnosis: &Diagnosis, orderings: &[diagnose::Ordering]) -> Vec<(Named, Named)> {
    let name = |id: OccurrenceId| named(forest, diagnosis.occurrences.get(id));
    orderings.iter().map(|ordering| (name(ordering.first), name(ordering.second))).collect()
}

/// Do all these orderings hold in the run? `a → b`: if b happens, a has happened before.
fn has(run: &BTreeMap<Named, usize>, orderings: &[(Named, Named)]) -> bool {
    orderings.iter().all(|(first, second)| match (run.get(first), run.get(second)) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(first), Some(second)) => first < second,
    })
}

/// Everything that a program does, run by run.
struct Everything {
    forest: Forest,
    failure: Failure,
    /// The runs that have the failure, and those that pass.
    failing: Vec<(Trace, BTreeMap<Named, usize>)>,
    passing: Vec<(Trace, BTreeMap<Named, usize>)>,
}

/// Runs every interleaving; `None` if they are too many, or none fails.
fn everything(program: &Program, model: MemoryModel) -> Option<Everything> {
    // Most programs do not fail: a few runs tell, and spare us the others.
    let fails = (0..LOOKS).any(|seed| {
        let policy = Policy::Random { seed };
        run(program, &[], &[], model, policy).trace.failed().is_some()
    });
    if !fails {
        return None;
    }
    let mut runs = Vec::new();
    every_schedule(program, &[], model, MOST_RUNS, |run| {
        runs.push((run.trace.clone(), run.final_memory.is_some()));
    })
    .ok()?;
    let first = runs.iter().position(|(trace, _)| trace.failed().is_some())?;
    let failure = Failure::of(&runs[first].0)?;
    let mut forest = Forest::new();
    forest.fix_inputs([]);
    for (trace, _) in runs.iter().chain([&runs[first]]) {
        forest.merge(trace).unwrap_or_else(|error| panic!("{error}\n{program}"));
    }
    let same = |trace: &Trace| {
        Failure::of(trace).is_some_and(|other| {
            other.kind == failure.kind && failure.places.iter().all(|place| other.places.contains(place))
        })
    };
    let (failing, rest): (Vec<_>, Vec<_>) = runs.into_iter().partition(|(trace, _)| same(trace));
    let passing = rest.into_iter().filter(|&(_, ended)| ended);
    let looked_at = |(trace, _): (Trace, bool)| {
        let moments = moments(&trace);
        (trace, moments)
    };
    Some(Everything {
        forest,
        failing: failing.into_iter().map(looked_at).collect(),
        passing: passing.map(looked_at).collect(),
        failure,
    })
}

fn diagnosed(all: &Everything, case: &Case, solver: &str, pool: &Arc<Pool>) -> Diagnosis {
    diagnosed_by(all, case, (solver, 1, false), pool)
}

/// By a solver, with so many at work, with or without its own MaxSAT.
fn diagnosed_by(
    all: &Everything,
    case: &Case,
    (solver, jobs, max_sat): (&str, usize, bool),
    pool: &Arc<Pool>,
) -> Diagnosis {
    let options = DiagnoseOptions {
        formula: case.options,
        scope: Scope::Exhausted,
        timeout: Some(Duration::from_secs(60)),
        jobs,
        max_sat,
        help_after: Some(Duration::ZERO),
        ..DiagnoseOptions::default()
    };
    let open = || Ok(pool.open(solver));
    diagnose(&all.forest, &all.failure, &options, &open).unwrap_or_else(|error| panic!("{error}"))
}

fn compare(program: &Program, case: &Case, pool: &Arc<Pool>) -> Verdict {
    let Some(all) = everything(program, case.options.model) else { return Verdict::Agrees { counted: 0 } };
    let diagnosis = diagnosed(&all, case, &case.solver, pool);
    match wrong(&all, &diagnosis) {
        Some(what) => Verdict::Differs(what),
        None => Verdict::Agrees { counted: diagnosis.causes.len() },
    }
}

/// What is wrong with a diagnosis.
fn wrong(all: &Everything, diagnosis: &Diagnosis) -> Option<String> {
    let every = diagnosis.verdict == diagnose::Verdict::EverySchedule;
    if every != all.passing.is_empty() {
        return Some(format!("{:?}, and {} interleavings pass", diagnosis.verdict, all.passing.len()));
    }
    if every {
        return None;
    }
    if diagnosis.verdict != diagnose::Verdict::Explained {
        return Some(format!("{:?}", diagnosis.verdict));
    }
    let forest = &all.forest;
    let causes: Vec<Vec<(Named, Named)>> =
        diagnosis.causes.iter().map(|cause| words(forest, diagnosis, &cause.orderings)).collect();
    if !diagnosis.is_complete && diagnosis.unfinished.is_none() {
        return Some("it is not complete, and does not say why".to_owned());
    }
    for (_, run) in all.failing.iter().filter(|_| diagnosis.is_complete) {
        if !causes.iter().any(|cause| has(run, cause)) {
            return Some(format!("a failing interleaving has none of the causes {causes:?}: {run:?}"));
        }
    }
    for cause in &causes {
        if let Some((_, run)) = all.passing.iter().find(|(_, run)| has(run, cause)) {
            return Some(format!("a passing interleaving has the cause {cause:?}: {run:?}"));
        }
        if !all.failing.iter().any(|(_, run)| has(run, cause)) {
            return Some(format!("no failing interleaving has the cause {cause:?}"));
        }
        for left_out in 0..cause.len() {
            let mut less = cause.clone();
            less.remove(left_out);
            if !all.passing.iter().any(|(_, run)| has(run, &less)) {
                return Some(format!("ordering {left_out} of {cause:?} is not needed"));
            }
        }
    }
    wrong_repair(all, diagnosis)
}

/// What is wrong with a repair: a failing interleaving that it allows, or none that passes.
fn wrong_repair(all: &Everything, diagnosis: &Diagnosis) -> Option<String> {
    for repair in &diagnosis.repairs {
        let allows = |trace: &Trace| repair.rules.iter().all(|rule| allows(rule, trace));
        if let Some((_, run)) = all.failing.iter().find(|(trace, _)| allows(trace)) {
            return Some(format!("{repair:?} allows a failing interleaving: {run:?}"));
        }
        let sc = all.passing.iter().all(|(trace, _)| trace.header.model == MemoryModel::Sc);
        if sc && !all.passing.iter().any(|(trace, _)| allows(trace)) {
            return Some(format!("{repair:?} lets nothing pass"));
        }
    }
    None
}

/// One time that a thread is at some lines: the thread, the first and the last position in the run.
#[derive(Clone, Copy)]
struct Stay {
    thread: u32,
    first: usize,
    last: usize,
    nth: usize,
}

/// Every time that a thread is at these lines. Who never left is there for ever.
fn stays(trace: &Trace, lines: std::ops::RangeInclusive<u32>) -> Vec<Stay> {
    let mut stays: Vec<Stay> = Vec::new();
    for thread in 0..trace.threads.len() as u32 {
        let own = trace.in_order().expect("a total order").enumerate();
        let own = own.filter(|(_, (other, _, event))| other.0 == thread && !event.op.is_pending());
        let mut open: Option<(Stay, Verb, String)> = None;
        let (mut nth, mut ended) = (0, false);
        for (position, (_, _, event)) in own {
            ended |= matches!(event.op, Op::End);
            let place = trace.tables.source_name(event.at);
            let line = place.rsplit(':').next().and_then(|line| line.parse::<u32>().ok());
            let here = line.is_some_and(|line| lines.contains(&line));
            let again = |verb: Verb, at: &str| verb == event.op.verb() && at == place;
            match &mut open {
                Some((stay, verb, at)) if here && !again(*verb, at) => stay.last = position,
                _ => {
                    if line.is_none() && !ended && open.is_some() {
                        continue;
                    }
                    stays.extend(open.take().map(|(stay, ..)| stay));
                    if here {
                        let stay = Stay { thread, first: position, last: position, nth };
                        open = Some((stay, event.op.verb(), place));
                        nth += 1;
                    }
                }
            }
        }
        stays
            .extend(open.map(|(stay, ..)| Stay { last: if ended { stay.last } else { usize::MAX }, ..stay }));
    }
    stays
}

/// Does a rule allow this run? Fences, and what else a store buffer makes different, are not looked at.
fn allows(rule: &Rule, trace: &Trace) -> bool {
    if trace.header.model != MemoryModel::Sc {
        return false;
    }
    let apart = |stays: &[Stay]| {
        let apart = |a: &Stay, b: &Stay| a.thread == b.thread || a.last < b.first || b.last < a.first;
        stays.iter().all(|a| stays.iter().all(|b| apart(a, b)))
    };
    match rule {
        Rule::Fences { .. } => true,
        Rule::CriticalSections { regions } => {
            let all = regions.iter().flat_map(|region| stays(trace, region.from..=region.to));
            apart(&all.collect::<Vec<_>>())
        }
        Rule::JoinAtOnce { after } => {
            let all: Vec<_> = trace.in_order().expect("a total order").collect();
            let ended = |child: ThreadIx, before: usize| {
                all[..before].iter().any(|(thread, _, event)| *thread == child && matches!(event.op, Op::End))
            };
            let line = format!(":{}", after.line);
            all.iter().enumerate().all(|(position, &(thread, _, event))| match event.op {
                Op::Fork { child } if trace.tables.source_name(event.at).ends_with(&line) => {
                    let next = (position + 1..all.len()).find(|&later| all[later].0 == thread);
                    next.is_none_or(|next| ended(child, next))
                }
                _ => true,
            })
        }
        Rule::OneByOne { threads } => {
            let all = trace.in_order().expect("a total order").enumerate();
            let mut stays: BTreeMap<u32, Stay> = BTreeMap::new();
            for (position, (thread, _, event)) in all {
                if threads.contains(&trace.tables.key(thread).to_string()) {
                    let begun = Stay { thread: thread.0, first: position, last: usize::MAX, nth: 0 };
                    let stay = stays.entry(thread.0).or_insert(begun);
                    if matches!(event.op, Op::End) {
                        stay.last = position;
                    }
                }
            }
            apart(&stays.into_values().collect::<Vec<_>>())
        }
        Rule::Wait { before, until, how, threads } => {
            let awaited = stays(trace, until.line..=until.line);
            let key = |thread: u32| trace.tables.key(ThreadIx(thread)).to_string();
            stays(trace, before.line..=before.line).iter().all(|stay| {
                let done = |other: &&Stay| other.last < stay.first;
                let mut others = threads.iter().filter(|party| **party != key(stay.thread));
                match how {
                    How::Once => awaited.iter().any(|other| done(&other)),
                    How::Each => awaited.iter().any(|other| done(&other) && other.nth == stay.nth),
                    How::All => others
                        .all(|party| awaited.iter().any(|there| key(there.thread) == *party && done(&there))),
                }
            })
        }
    }
}

/// What a schedule can say.
fn features() -> Features {
    let untold = [Features::ASSUME, Features::HEAP, Features::FUTEX, Features::TIMED_WAIT];
    untold.into_iter().fold(Features::ALL, Features::without)
}

fn knobs() -> Knobs {
    Knobs { threads: (2, 2), events: 5, size: 60, features: features() }
}

#[test]
fn causes_are_right_about_every_interleaving() {
    let campaign = Campaign { name: "causes", programs: 2000, knobs: knobs(), unit: "causes" };
    let totals = campaign.run(compare);
    assert!(totals.counted > 20, "too few failures were explained: {}", totals.counted);
}

#[test]
fn neither_help_nor_maxsat_changes_the_causes() {
    let campaign = Campaign { name: "helpers", programs: 600, knobs: knobs(), unit: "causes" };
    let totals = campaign.run(|program, case, pool| {
        let Some(all) = everything(program, case.options.model) else {
            return Verdict::Agrees { counted: 0 };
        };
        let ways = [("yices", 1, false), ("yices", 3, false), ("z3", 1, true), ("z3", 2, true)];
        let found = ways.map(|way| {
            let diagnosis = diagnosed_by(&all, case, way, pool);
            let causes = diagnosis.causes.iter().map(|cause| cause.orderings.clone()).collect::<Vec<_>>();
            (causes, diagnosis.iterations, diagnosis.repairs)
        });
        match ways.iter().zip(&found).find(|(_, other)| *other != &found[0]) {
            Some((way, other)) => Verdict::Differs(format!("{:?}, and by {way:?} {other:?}", found[0])),
            None => Verdict::Agrees { counted: found[0].0.len() },
        }
    });
    assert!(totals.counted > 5, "too few failures were explained: {}", totals.counted);
}

#[test]
fn every_solver_finds_the_same_causes() {
    let campaign = Campaign { name: "solvers", programs: 800, knobs: knobs(), unit: "causes" };
    campaign.run(|program, case, pool| {
        let Some(all) = everything(program, case.options.model) else {
            return Verdict::Agrees { counted: 0 };
        };
        let found = SOLVERS.map(|solver| {
            let diagnosis = diagnosed(&all, case, solver, pool);
            let causes = diagnosis.causes.iter().map(|cause| cause.orderings.clone()).collect::<Vec<_>>();
            (causes, diagnosis.repairs, diagnosis.iterations)
        });
        match found.iter().all(|one| *one == found[0]) {
            true => Verdict::Agrees { counted: found[0].0.len() },
            false => Verdict::Differs(format!("{SOLVERS:?} find {found:?}")),
        }
    });
}
