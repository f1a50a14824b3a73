//! Which open ends are still to be asked for, and in which order.

use std::collections::{HashMap, HashSet};

use warpath_trace::event::Op;

use crate::encode::cone_signature;
use crate::model::{Forest, Outcome};
use crate::queries::{OpenEnd, Want, open_ends};

/// What is known of an open end, as long as what it depends on stays the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// No schedule and no input leads there.
    Impossible,
    /// The solver did not say.
    Unknown(String),
    /// A run that should have come there did not.
    Missed(String),
}

impl Known {
    pub(super) fn describe(&self) -> String {
        match self {
            Known::Impossible => "out of reach".to_owned(),
            Known::Unknown(why) => format!("no answer ({why})"),
            Known::Missed(how) => format!("not reached ({how})"),
        }
    }
}

/// Runs that may miss an open end before it is given up.
const TRIES: u32 = 2;

/// What is known of open ends.
#[derive(Debug, Default)]
pub(super) struct Frontier {
    /// With the signature of what the end depends on.
    known: HashMap<OpenEnd, (u64, Known)>,
    tries: HashMap<OpenEnd, u32>,
}

impl Frontier {
    /// The open ends that have to be asked for, the most promising first.
    pub(super) fn candidates(&self, forest: &Forest) -> Vec<OpenEnd> {
        let covered = covered(forest);
        let ends = open_ends(forest).into_iter();
        let mut open: Vec<((u8, u32), OpenEnd)> = ends
            .filter(|end| self.known(forest, end).is_none())
            .map(|end| (priority(forest, &covered, &end), end))
            .collect();
        open.sort_by_key(|(priority, end)| (*priority, end.node));
        open.into_iter().map(|(_, end)| end).collect()
    }

    /// What is known of an end, if it still holds.
    pub(super) fn known(&self, forest: &Forest, end: &OpenEnd) -> Option<&Known> {
        let (signature, known) = self.known.get(end)?;
        (*signature == self::signature(forest, end)).then_some(known)
    }

    pub(super) fn note(&mut self, forest: &Forest, end: OpenEnd, known: Known) {
        let signature = signature(forest, &end);
        self.known.insert(end, (signature, known));
    }

    /// A run that should have come to an end did not. It is asked for once more, alone.
    pub(super) fn missed(&mut self, forest: &Forest, end: OpenEnd, how: String) {
        let tries = self.tries.entry(end.clone()).or_insert(0);
        *tries += 1;
        if *tries >= TRIES {
            self.note(forest, end, Known::Missed(how));
        }
    }

    /// Is it to be asked for alone, because it was missed before?
    pub(super) fn is_delicate(&self, end: &OpenEnd) -> bool {
        self.tries.contains_key(end)
    }

    /// What was found out about open ends that nobody has an answer for.
    pub(super) fn unanswered<'f>(&'f self, forest: &'f Forest) -> impl Iterator<Item = (OpenEnd, &'f Known)> {
        open_ends(forest).into_iter().filter_map(move |end| {
            let known = self.known(forest, &end)?;
            (*known != Known::Impossible).then_some((end, known))
        })
    }
}

/// Of everything that an end can depend on.
fn signature(forest: &Forest, end: &OpenEnd) -> u64 {
    let (targets, values) = end.cone(forest, end.node);
    cone_signature(forest, &targets, &values)
}

/// Outcomes of source positions that some run has shown.
fn covered(forest: &Forest) -> HashSet<(&str, Outcome)> {
    let nodes = forest.nodes().iter().filter(|node| !node.at.is_empty());
    let outcomes = nodes.flat_map(|node| {
        let children = node.children.iter().map(|child| child.outcome);
        children.chain(node.stops.iter().copied()).map(|outcome| (node.at.as_str(), outcome))
    });
    outcomes.collect()
}

/// Failing outcomes of assertions first, then outcomes of source branches that nothing has covered, then the rest;
/// near ones before far ones.
fn priority(forest: &Forest, covered: &HashSet<(&str, Outcome)>, end: &OpenEnd) -> (u8, u32) {
    let node = forest.node(end.node);
    let class = match (&end.want, &node.op) {
        (Want::Held(false), Op::Assert { .. }) => 0,
        (Want::Held(held), _) if !covered.contains(&(node.at.as_str(), Outcome::Held(*held))) => 1,
        _ => 2,
    };
    (class, node.depth)
}
