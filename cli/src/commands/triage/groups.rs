//! Findings of many traces by their cause: the same kind at the same positions.

use std::collections::{BTreeMap, BTreeSet};

use super::entry::{Class, Examined, Seen, Verdict};
use super::journal::Line;

/// Findings with one cause.
#[derive(Debug)]
pub(super) struct Group<'a> {
    /// The worst that any of them is.
    pub(super) class: Class,
    pub(super) kind: &'a str,
    /// Sorted, each once.
    pub(super) positions: Vec<&'a str>,
    /// One finding of each trace, in the order of the traces.
    pub(super) members: Vec<Member<'a>>,
    /// The one that shows it best.
    pub(super) best: usize,
    pub(super) programs: Vec<&'a str>,
}

impl<'a> Group<'a> {
    /// The trace that shows it best, and how.
    pub(super) fn exemplar(&self) -> Member<'a> {
        self.members[self.best]
    }

    /// In how many traces it happened.
    pub(super) fn observed(&self) -> usize {
        self.members.iter().filter(|(_, seen)| seen.verdict == Verdict::Observed).count()
    }

    /// Has it happened anywhere?
    pub(super) fn verdict(&self) -> Verdict {
        if self.observed() > 0 { Verdict::Observed } else { Verdict::Predicted }
    }

    /// What makes it the same cause in another triage.
    pub(super) fn fingerprint(&self) -> String {
        format!("{} at {}", self.kind, self.positions.join(", "))
    }
}

/// What makes two findings one cause: the kind, and the positions, sorted.
type Key<'a> = (&'a str, Vec<&'a str>);

/// A finding and the trace that has it.
type Member<'a> = (&'a Line, &'a Seen);

/// The groups, the worst first: by class, then by the number of traces.
pub(super) fn groups(lines: &[Line]) -> Vec<Group<'_>> {
    let mut by_cause: BTreeMap<Key<'_>, Vec<Member<'_>>> = BTreeMap::new();
    for line in lines {
        let Examined::Analysed(analysis) = &line.examined else { continue };
        // One trace can show a cause in several ways.
        let mut best: BTreeMap<Key<'_>, &Seen> = BTreeMap::new();
        for seen in &analysis.findings {
            let known = best.entry(cause(seen)).or_insert(seen);
            if value(seen) < value(known) {
                *known = seen;
            }
        }
        for (cause, seen) in best {
            by_cause.entry(cause).or_default().push((line, seen));
        }
    }
    let mut groups: Vec<Group<'_>> = by_cause.into_iter().map(group).collect();
    groups.sort_by_key(|group| (group.class, std::cmp::Reverse(group.members.len()), group.verdict()));
    groups
}

fn cause(seen: &Seen) -> Key<'_> {
    let positions: BTreeSet<&str> = seen.parts.iter().map(|part| part.position.as_str()).collect();
    (&seen.kind, positions.into_iter().collect())
}

/// What shows a cause best: what happened before what can happen, then the worst, then the shortest.
fn value(seen: &Seen) -> (Verdict, Class, usize) {
    (seen.verdict, seen.class, seen.steps)
}

fn group<'a>(((kind, positions), members): (Key<'a>, Vec<Member<'a>>)) -> Group<'a> {
    let by_value = |n: &usize| (value(members[*n].1), *n);
    let best = (0..members.len()).min_by_key(by_value).unwrap_or(0);
    let programs: BTreeSet<&str> = members
        .iter()
        .filter_map(|(line, _)| match &line.examined {
            Examined::Analysed(analysis) => Some(analysis.program.as_str()),
            _ => None,
        })
        .collect();
    Group {
        class: members.iter().map(|(_, seen)| seen.class).min().unwrap_or(Class::Race),
        kind,
        positions,
        best,
        programs: programs.into_iter().collect(),
        members,
    }
}
