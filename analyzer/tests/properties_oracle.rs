//! The properties against brute force: on a forest that has been explored to the end, every race, deadlock,
//! failing assertion, use after free, double free and atomicity violation that is possible is found, and nothing
//! else; on a few runs alone, whatever is found is possible. Settings: see `agree/campaign.rs`.

mod agree;
mod guard;
mod oracle;

use std::sync::Arc;

use agree::campaign::{Campaign, Case, Verdict};
use agree::findings::{atomicity, differences, early_reads, impossible, report};
use agree::order::{Candidate, candidates};
use agree::pool::Pool;
use agree::read_off::histories;
use agree::{Explored, Trouble, explore, fixed_inputs};
use oracle::brute::{Limits, Truth, enumerate};
use oracle::build::{r, stmt, store};
use oracle::decision::View;
use oracle::generate::Knobs;
use oracle::program::{Program, What};
use oracle::run::Policy;
use warpath_trace::header::{MemoryModel, Outcome};

const STATES: usize = 60_000;

/// What is possible, watched or not.
fn truth(program: &Program, case: &Case, inputs: &[(String, u8)], watch: bool) -> Option<Truth> {
    let limits =
        Limits { states: STATES, inputs: inputs.to_vec(), view: View::Nothing, watch, ..Limits::default() };
    enumerate(program, case.options.model, &limits).ok()
}

fn trouble(trouble: Trouble, case: &Case, program: &Program) -> Verdict {
    match trouble {
        Trouble::Ours(what) => Verdict::Differs(what),
        Trouble::Solver(what) => panic!("{case:?}: {what}\n{program}"),
    }
}

/// Explores the program to the end and compares all that is found with all that is possible.
fn compare(program: &Program, case: &Case, pool: &Arc<Pool>, view: View) -> Verdict {
    let inputs = fixed_inputs(program, case, view);
    let Some(plain) = truth(program, case, &inputs, false) else { return Verdict::TooLarge };
    let mut open = || pool.open(&case.solver);
    let explored = match explore(program, case.options, view, &inputs, &mut open) {
        Ok(explored) => explored,
        Err(error) => return trouble(error, case, program),
    };
    let report = match report(&explored.forest, case.options, &mut open) {
        Ok(report) => report,
        Err(what) => return Verdict::Differs(what),
    };
    let mut wrong = differences(&plain, &report);
    if let Some(watched) = truth(program, case, &inputs, true) {
        wrong.extend(atomicity(&watched.interruptions, &report, view));
        for line in early_reads(&report) {
            if !watched.early.iter().any(|&(_, read)| read == line) {
                wrong.push(format!("order: the read {line} cannot be early"));
            }
        }
    }
    match wrong.is_empty() {
        true => Verdict::Agrees { counted: report.findings.len() },
        false => Verdict::Differs(wrong.join("\n")),
    }
}

#[test]
fn properties_find_what_brute_force_finds() {
    let knobs = Knobs { size: 150, ..Knobs::default() };
    let campaign = Campaign { name: "properties", programs: 100, knobs, unit: "findings" };
    let totals = campaign.run(|program, case, pool| compare(program, case, pool, View::Symbolic));
    assert!(totals.counted as u64 > totals.compared / 4, "the programs have something to find");
}

#[test]
fn so_they_do_with_values_alone() {
    let knobs = Knobs { size: 80, ..Knobs::default() };
    let campaign = Campaign { name: "properties of values", programs: 50, knobs, unit: "findings" };
    campaign.run(|program, case, pool| compare(program, case, pool, View::Pinned));
}

/// A few runs alone: whatever is found is possible.
fn predictions(program: &Program, case: &Case, pool: &Arc<Pool>, view: View) -> Verdict {
    let inputs = fixed_inputs(program, case, view);
    let Some(plain) = truth(program, case, &inputs, true) else { return Verdict::TooLarge };
    let mut open = || pool.open(&case.solver);
    let mut explored = Explored::new(program, case.options, view, &inputs);
    for n in 0..1 + case.seed % 2 {
        if let Err(error) = explored.observe(Policy::Random { seed: case.seed * 5 + n }) {
            return trouble(error, case, program);
        }
    }
    let report = match report(&explored.forest, case.options, &mut open) {
        Ok(report) => report,
        Err(what) => return Verdict::Differs(what),
    };
    let mut wrong = impossible(&plain, &report);
    let missed = |what: &String| what.contains("not found");
    let interrupted = atomicity(&plain.interruptions, &report, view);
    wrong.extend(interrupted.into_iter().filter(|what| !missed(what)));
    if case.options.model == MemoryModel::Sc && view == View::Symbolic {
        wrong.extend(order_differences(program, case, &explored, &early_reads(&report)));
    }
    match wrong.is_empty() {
        true => Verdict::Agrees { counted: report.findings.len() },
        false => Verdict::Differs(wrong.join("\n")),
    }
}

/// A single run that ended: exactly the candidates that can come early, within what the run decided, are found.
fn order_differences(
    program: &Program,
    case: &Case,
    explored: &Explored<'_>,
    found: &std::collections::BTreeSet<u32>,
) -> Vec<String> {
    let [trace] = &explored.traces[..] else { return Vec::new() };
    if !matches!(trace.footer.as_ref().map(|footer| footer.outcome), Some(Outcome::Exited(_))) {
        return Vec::new();
    }
    let limits = Limits {
        states: STATES,
        view: View::Symbolic,
        within: Some(histories(program, &explored.forest)),
        watch: true,
        ..Limits::default()
    };
    let Ok(truth) = enumerate(program, case.options.model, &limits) else { return Vec::new() };
    let candidates = candidates(trace);
    let early = |line: &u32| truth.early.iter().any(|(_, read)| read == line);
    let mut wrong = Vec::new();
    for line in found.iter().filter(|line| !candidates.contains_key(line) || !early(line)) {
        wrong.push(format!("order: found {line}, possible among {candidates:?}"));
    }
    for (line, _) in candidates.iter().filter(|(_, candidate)| **candidate == Candidate::Yes) {
        if early(line) && !found.contains(line) {
            wrong.push(format!("order: not found {line}"));
        }
    }
    wrong
}

#[test]
fn what_is_predicted_from_a_few_runs_is_possible() {
    let knobs = Knobs { size: 150, ..Knobs::default() };
    let campaign = Campaign { name: "predictions", programs: 100, knobs, unit: "findings" };
    campaign.run(|program, case, pool| predictions(program, case, pool, View::Symbolic));
}

#[test]
fn wide_accesses_are_interrupted_at_each_of_their_cells() {
    let mut program = Program::default();
    let (low, high, wide) = program.overlapping("low", "high", "wide");
    program.thread(vec![store(high, 1), store(low, 1)]);
    program.thread(vec![
        stmt(What::Load { to: vec![4, 1], cell: wide, order: None }),
        stmt(What::Store { cell: wide, value: vec![r(4), 0.into()], order: None }),
    ]);
    let pool = Pool::new(guard::solvers());
    match compare(&program.numbered(), &Case::of(0), &pool, View::Symbolic) {
        Verdict::Agrees { counted } => assert!(counted >= 2, "both stores can come between"),
        Verdict::Differs(what) => panic!("{what}"),
        Verdict::TooLarge => panic!("two threads with two events each are few"),
    }
}

#[test]
fn what_is_predicted_from_values_alone_is_possible() {
    let knobs = Knobs { size: 150, ..Knobs::default() };
    let campaign = Campaign { name: "predictions from values", programs: 60, knobs, unit: "findings" };
    campaign.run(|program, case, pool| predictions(program, case, pool, View::Pinned));
}
