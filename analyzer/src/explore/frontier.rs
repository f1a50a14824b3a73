//! Which open ends are still to be asked for, and in which order.

use std::collections::{HashMap, HashSet};

use warpath_trace::event::Op;

use crate::encode::cone_signature;
use crate::model::{Forest, Outcome};
use crate::queries::{OpenEnd, Want, Wish, open_ends};

/// What is known of an open end, as long as what it depends on stays the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// No schedule and no input leads there.
    Impossible,
    /// The solver did not say.
    Unknown(String),
    /// A run that should have come there did not.
    Missed(String),
    /// The bound that is in the way.
    Bounded(String),
}

impl Known {
    pub(super) fn describe(&self) -> String {
        match self {
            Known::Impossible => "out of reach".to_owned(),
            Known::Unknown(why) => format!("no answer ({why})"),
            Known::Missed(how) => format!("not reached ({how})"),
            Known::Bounded(bound) => format!("not within the bound of {bound}"),
        }
    }
}

/// Runs that may miss an open end before it is given up.
const TRIES: u32 = 2;

/// What is known of open ends.
#[derive(Debug)]
pub(super) struct Frontier {
    /// So many ends are asked for at once: many where they are out of reach, as one answer rules out all of them; few
    /// where they are not, as few depend on less.
    appetite: usize,
    /// With the signature of what the end depends on.
    known: HashMap<OpenEnd, (u64, Known)>,
    tries: HashMap<OpenEnd, u32>,
}

impl Default for Frontier {
    fn default() -> Self {
        Frontier { appetite: APPETITE, known: HashMap::new(), tries: HashMap::new() }
    }
}

/// The rank of ends that have been asked for before: everything else comes first.
pub(super) const AGAIN: u8 = 9;
/// Ends that are asked for at once in the beginning.
const APPETITE: usize = 16;
/// And at most.
const MOST: usize = 1024;
/// From so many values on, another one is nothing special.
const MANY: usize = 4;

impl Frontier {
    /// How many ends to ask for at once.
    pub(super) fn appetite(&self) -> usize {
        self.appetite
    }

    /// What came of asking for several ends: none can be reached, some can, or nobody knows.
    pub(super) fn asked(&mut self, reached: Option<bool>) {
        self.appetite = match reached {
            Some(false) => (self.appetite * 2).min(MOST),
            Some(true) => (self.appetite / 2).max(APPETITE),
            None => (self.appetite / 2).max(4),
        };
    }

    /// The open ends that have to be asked for, the most promising first.
    pub(super) fn candidates(&self, forest: &Forest) -> Vec<Wish> {
        let covered = covered(forest);
        let ends = open_ends(forest).into_iter();
        let mut open: Vec<((u8, u32), OpenEnd)> = ends
            .filter(|end| self.known(forest, end).is_none())
            .map(|end| match self.known.contains_key(&end) {
                // It was out of reach; what it depends on has grown since, and will grow again.
                true => ((AGAIN, forest.node(end.node).depth), end),
                false => (priority(forest, &covered, &end), end),
            })
            .collect();
        open.sort_by_key(|(priority, end)| (*priority, end.node));
        open.into_iter().map(|((rank, _), end)| Wish { end, rank }).collect()
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

    /// Asking for an end did not lead there. It is asked for once more, alone: others may have been in its way.
    pub(super) fn failed(&mut self, forest: &Forest, end: OpenEnd, why: Known) {
        let tries = self.tries.entry(end.clone()).or_insert(0);
        *tries += 1;
        if *tries >= TRIES {
            self.note(forest, end, why);
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
pub(super) fn signature(forest: &Forest, end: &OpenEnd) -> u64 {
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

/// Failing outcomes of assertions first, then outcomes of source branches that nothing has covered, then the rest, each
/// in the program's own code before those of its standard library; near ones before far ones.
fn priority(forest: &Forest, covered: &HashSet<(&str, Outcome)>, end: &OpenEnd) -> (u8, u32) {
    let node = forest.node(end.node);
    let class = match (&end.want, &node.op) {
        (Want::Held(false), Op::Assert { .. }) => 0,
        (Want::Held(held), _) if !covered.contains(&(node.at.as_str(), Outcome::Held(*held))) => 1,
        // One more of many: an index into a table has an outcome for each entry.
        (Want::OtherThan(values), _) if values.len() >= MANY => 5,
        _ => 3,
    };
    (class + u8::from(class > 0 && node.standard), node.depth)
}
