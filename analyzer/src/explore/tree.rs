//! The tree of each thread as reports show it: stretches without a decision, and what lies behind each decision.

use std::collections::HashMap;

use serde::Serialize;

use super::frontier::{Frontier, Known};
use crate::model::{Forest, NodeId, Outcome, TreeIx};
use crate::queries::{OpenEnd, Want, open_ends};

/// Stretches of one thread that are kept: nobody reads more, and a result should stay small.
const MOST: usize = 400;

/// What one thread was seen to do, and what it was not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ThreadTree {
    /// The thread's key.
    pub thread: String,
    /// A stretch comes after the one that it follows.
    pub stretches: Vec<Stretch>,
    /// How many more there are.
    pub left_out: usize,
}

/// Events of a thread one after the other, up to the next decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stretch {
    /// Index of the stretch that it follows; none for the first.
    pub after: Option<usize>,
    /// How the decision at the end of that one went; empty if there was nothing to decide.
    pub outcome: String,
    /// How many events it has; none if the thread stopped there, or has not been there.
    pub events: usize,
    /// Where it begins; empty if that is not known.
    pub from: String,
    /// Where it ends: there the next decision is.
    pub to: String,
    /// Whether it was seen.
    pub state: Reached,
}

/// What is known of a part of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reached {
    /// A run was there.
    Covered,
    /// No schedule and no input leads there.
    Unreachable,
    /// Neither.
    Unknown,
}

/// The trees of all threads.
pub(super) fn trees(forest: &Forest, frontier: &Frontier) -> Vec<ThreadTree> {
    let mut open: HashMap<NodeId, Vec<(String, Reached)>> = HashMap::new();
    for end in open_ends(forest) {
        let reached = match frontier.known(forest, &end) {
            Some(Known::Impossible) => Reached::Unreachable,
            _ => Reached::Unknown,
        };
        open.entry(end.node).or_default().push((wanted(forest, &end), reached));
    }
    forest.trees().map(|tree| self::tree(forest, tree, &open)).collect()
}

fn tree(forest: &Forest, tree: TreeIx, open: &HashMap<NodeId, Vec<(String, Reached)>>) -> ThreadTree {
    let mut told = ThreadTree { thread: forest.key(tree).to_string(), ..ThreadTree::default() };
    // Trees can be as deep as a run is long: no recursion.
    let mut todo: Vec<(NodeId, Option<usize>, String)> =
        forest.root(tree).map(|root| (root, None, String::new())).into_iter().collect();
    while let Some((first, after, outcome)) = todo.pop() {
        let (mut last, mut events) = (first, 1);
        while let ([only], true) = (&forest.node(last).children[..], is_plain(forest, last, open)) {
            last = only.node;
            events += 1;
        }
        let place = |id| forest.place(id);
        let here = told.stretches.len();
        if here >= MOST {
            told.left_out += 1;
            continue;
        }
        told.stretches.push(Stretch {
            after,
            outcome,
            events,
            from: place(first),
            to: place(last),
            state: Reached::Covered,
        });
        let node = forest.node(last);
        let is_decision = node.children.len() + open.get(&last).map_or(0, Vec::len) > 0;
        let stops = node.stops.iter().filter(|_| is_decision).map(|stop| (words(*stop), Reached::Covered));
        for (outcome, state) in stops.chain(open.get(&last).into_iter().flatten().cloned()) {
            let (from, to) = (String::new(), String::new());
            told.stretches.push(Stretch { after: Some(here), outcome, events: 0, from, to, state });
        }
        // The last one put there is the next one taken: the first child comes first.
        todo.extend(node.children.iter().rev().map(|child| (child.node, Some(here), words(child.outcome))));
    }
    told
}

/// Nothing is decided at this node, and nothing is missing behind it.
fn is_plain(forest: &Forest, id: NodeId, open: &HashMap<NodeId, Vec<(String, Reached)>>) -> bool {
    forest.node(id).stops.is_empty() && !open.contains_key(&id)
}

fn words(outcome: Outcome) -> String {
    match outcome {
        Outcome::Next => String::new(),
        Outcome::Held(held) => held.to_string(),
        Outcome::Value(value) => format!("= {value}"),
    }
}

fn wanted(forest: &Forest, end: &OpenEnd) -> String {
    match &end.want {
        Want::Held(held) => held.to_string(),
        Want::OtherThan(_) | Want::OtherUpdate { .. } => "another value".to_owned(),
        Want::OtherCount { .. } => "another count".to_owned(),
        Want::Executed => "the wait ends".to_owned(),
        Want::Further(outcome) => format!("{} goes on", words(*outcome)).trim_start().to_owned(),
        Want::Start(tree) => format!("{} begins", forest.key(*tree)),
        Want::Ending { .. } => "the wait ends in another way".to_owned(),
    }
}
