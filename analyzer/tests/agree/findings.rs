//! What a check reports, compared with what is possible.

use std::collections::BTreeSet;

use warpath_analyzer::encode::Options;
use warpath_analyzer::findings::{CheckOptions, Finding, Kind, Property, Report, check};
use warpath_analyzer::model::Forest;
use warpath_solvers::Smt;

use super::deadlocks;
use crate::oracle::brute::{Interruptions, Truth};
use crate::oracle::decision::View;
use crate::oracle::program::ThreadNr;

/// Checks all properties; a bug of ours is an error.
pub fn report(
    forest: &Forest,
    formula: Options,
    open: &mut dyn FnMut() -> Box<dyn Smt>,
) -> Result<Report, String> {
    let options = CheckOptions { formula, ..CheckOptions::default() };
    let report = check(forest, &options, &Property::ALL, &mut || Ok(open()));
    let report = report.map_err(|error| error.to_string())?;
    assert!(report.unanswered.is_empty(), "{:?}", report.unanswered);
    Ok(report)
}

/// The statement of each event of a finding; 0 where there is none.
fn lines(finding: &Finding) -> Vec<u32> {
    let line = |place: &str| place.rsplit(':').next().and_then(|line| line.parse().ok()).unwrap_or(0);
    finding.events.iter().map(|event| line(&event.place)).collect()
}

fn of_kind(report: &Report, kind: Kind) -> impl Iterator<Item = Vec<u32>> + '_ {
    report.findings.iter().filter(move |finding| finding.kind == kind).map(lines)
}

fn sorted(mut lines: Vec<u32>) -> Vec<u32> {
    lines.sort_unstable();
    lines
}

/// Sets of positions in a program.
type Positions = BTreeSet<Vec<u32>>;

/// What was found of each kind that is compared statement by statement, and what is possible.
fn sets(truth: &Truth, report: &Report) -> [(&'static str, Positions, Positions); 3] {
    let races = truth.races.iter().map(|((_, a), (_, b))| sorted(vec![*a, *b])).collect();
    let single = |places: &BTreeSet<(ThreadNr, u32)>| -> BTreeSet<Vec<u32>> {
        places.iter().map(|&(_, line)| vec![line]).collect()
    };
    let second = |lines: Vec<u32>| vec![lines[1]];
    [
        ("races", of_kind(report, Kind::DataRace).map(sorted).collect(), races),
        ("failures", of_kind(report, Kind::AssertionFailure).collect(), single(&truth.failures)),
        (
            "uses after free",
            of_kind(report, Kind::UseAfterFree).map(second).collect(),
            single(&truth.uses_after_free),
        ),
    ]
}

/// Everything possible must be found, and nothing else.
pub fn differences(truth: &Truth, report: &Report) -> Vec<String> {
    let mut differences = impossible(truth, report);
    for (what, found, possible) in sets(truth, report) {
        let missed: Vec<_> = possible.difference(&found).collect();
        if !missed.is_empty() {
            differences.push(format!("{what}: not found {missed:?}"));
        }
    }
    // Two frees that can come in either order are one finding.
    let either: BTreeSet<u32> = of_kind(report, Kind::DoubleFree).flatten().collect();
    if let Some(missed) = truth.double_frees.iter().find(|(_, line)| !either.contains(line)) {
        differences.push(format!("double frees: not found {missed:?}"));
    }
    let found = of_kind(report, Kind::Deadlock).map(|lines| lines.into_iter().collect()).collect();
    differences.extend(deadlocks::differences(truth, &found));
    differences
}

/// Nothing but what is possible must be found.
pub fn impossible(truth: &Truth, report: &Report) -> Vec<String> {
    let mut differences = Vec::new();
    for (what, found, possible) in sets(truth, report) {
        let wrong: Vec<_> = found.difference(&possible).collect();
        if !wrong.is_empty() {
            differences.push(format!("{what}: found {wrong:?}, possible {possible:?}"));
        }
    }
    for lines in of_kind(report, Kind::DoubleFree) {
        if !truth.double_frees.iter().any(|&(_, line)| line == lines[1]) {
            differences.push(format!("double frees: found {lines:?}, possible {:?}", truth.double_frees));
        }
    }
    differences
}

/// Atomicity violations: those that are certain must be found, those found must be possible. Values alone do not
/// say what depends on what.
pub fn atomicity(truth: &Interruptions, report: &Report, view: View) -> Vec<String> {
    let (possible, certain) = match view {
        View::Pinned => (&truth.in_sections, &truth.in_sections),
        _ => (&truth.possible, &truth.certain),
    };
    let found: BTreeSet<[u32; 3]> = of_kind(report, Kind::AtomicityViolation)
        .map(|lines| sorted(lines).try_into().expect("three accesses make a violation"))
        .collect();
    let mut differences = Vec::new();
    let wrong: Vec<_> = found.difference(possible).collect();
    if !wrong.is_empty() {
        differences.push(format!("atomicity: found {wrong:?}, possible {possible:?}"));
    }
    let missed: Vec<_> = certain.difference(&found).collect();
    if !missed.is_empty() {
        differences.push(format!("atomicity: not found {missed:?}"));
    }
    differences
}

/// The reads that were said to be able to come too early.
pub fn early_reads(report: &Report) -> BTreeSet<u32> {
    of_kind(report, Kind::OrderViolation).map(|lines| lines[0]).collect()
}
