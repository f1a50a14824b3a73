//! **Path prefix**: can all these decisions, in several threads, go these ways together? (Maximal Path
//! Causality, strategies 1 and 2.) If not, the core says which threads are in each other's way.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use warpath_solvers::term::{TermError, TermId, Terms};

use super::ask::{Question, under};
use super::open_end::{OpenEnd, Want};
use crate::encode::{About, Encoding, Options, Reductions};
use crate::model::{Forest, NodeId, Outcome, TreeIx};

/// What may happen beyond the decisions of a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// Anything: events behind the decisions take part, too. Fewer prefixes are impossible than in the paper.
    Anything,
    /// Nothing: behind the last decision of a thread, not even what follows of itself.
    Nothing,
    /// These nodes, by id: with each, those above it.
    Only(Arc<[bool]>),
}

/// Decisions of one or more threads, to be taken together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPrefix {
    /// Decisions and how each is to go.
    pub decisions: Vec<OpenEnd>,
    /// What may happen behind them.
    pub beyond: Beyond,
}

/// A decision that goes this way.
impl From<(NodeId, Outcome)> for OpenEnd {
    fn from((node, outcome): (NodeId, Outcome)) -> OpenEnd {
        OpenEnd { node, want: Want::Further(outcome) }
    }
}

impl PathPrefix {
    /// The forest in which every decision is at a node, and these nodes: the same, or one with nodes for endings of
    /// waits that have not been seen.
    pub fn place(&self, forest: &Forest) -> (Option<Forest>, Vec<NodeId>) {
        let mut grown: Option<Forest> = None;
        let mut nodes = Vec::new();
        for decision in &self.decisions {
            let (more, node) = decision.place(grown.as_ref().unwrap_or(forest));
            nodes.push(node);
            grown = more.or(grown);
        }
        (grown, nodes)
    }

    /// The question whether the prefix is possible, with its decisions at nodes of the forest.
    pub fn question<'f>(&self, forest: &'f Forest, options: Options) -> Result<Question<'f>, TermError> {
        let nodes: Vec<NodeId> = self.decisions.iter().map(|decision| decision.node).collect();
        self.question_at(forest, &nodes, options)
    }

    /// The same with its decisions at these nodes: see [`PathPrefix::place`].
    pub fn question_at<'f>(
        &self,
        forest: &'f Forest,
        nodes: &[NodeId],
        options: Options,
    ) -> Result<Question<'f>, TermError> {
        let (mut cone, mut values) = (Vec::new(), Vec::new());
        for (decision, &node) in self.decisions.iter().zip(nodes) {
            let (of_decision, of_values) = decision.cone(forest, node);
            cone.extend(of_decision);
            values.extend(of_values);
        }
        // The core is to name what is in the way; what the must-order knows by itself is in no constraint.
        let reductions = Reductions { saturate: false, ..options.reductions };
        let options = Options { reductions, ..options }.clause_by_clause();
        let part = self.part(forest);
        let encoding = Encoding::of_part(forest, options, &cone, &values, Terms::new(), part.as_deref())?;
        Question::of(encoding, self.describe(forest, &options), |encoding| self.targets(encoding, nodes))
    }

    /// The nodes that may be executed, if not all.
    fn part(&self, forest: &Forest) -> Option<Vec<bool>> {
        let Beyond::Only(part) = &self.beyond else { return None };
        // What was added for the question is what is asked for.
        let mut part = part.to_vec();
        part.resize(forest.nodes().len(), true);
        Some(part)
    }

    fn describe(&self, forest: &Forest, options: &Options) -> String {
        let way = |decision: &OpenEnd| {
            let key = forest.key(decision.thread(forest));
            let place = forest.place(decision.node);
            match &decision.want {
                Want::Held(held) | Want::Further(Outcome::Held(held)) => {
                    format!("{key} at {place} go {held}")
                }
                Want::Further(Outcome::Value(value)) => format!("{key} at {place} go {value}"),
                Want::Further(Outcome::Next) => format!("{key} at {place} go on"),
                Want::OtherThan(values) => format!("{key} at {place} go to none of {values:?}"),
                Want::Executed => format!("{key} come to {place}"),
                other => format!("{key} behind {place} have {other:?}"),
            }
        };
        let ways: Vec<String> = self.decisions.iter().map(way).collect();
        format!("Can {}? ({})", ways.join(", and "), under(options))
    }

    /// `en` and outcome of every decision, one target each; and nothing behind them, if so wanted.
    fn targets(&self, encoding: &mut Encoding<'_>, nodes: &[NodeId]) -> Result<Vec<TermId>, TermError> {
        let mut targets = Vec::new();
        for (decision, &node) in self.decisions.iter().zip(nodes) {
            // What is not in the part of the forest that may happen does not.
            targets.push(match encoding.has(node) {
                true => decision.target(encoding, node)?,
                false => encoding.terms.bool(false),
            });
        }
        if self.beyond == Beyond::Nothing {
            for id in self.first_beyond(encoding.forest) {
                if encoding.has(id) {
                    let en = encoding.en(id)?;
                    targets.push(encoding.terms.not(en)?);
                }
            }
        }
        Ok(targets)
    }

    /// The first events that are not of the prefix: behind the last decision of each thread. Threads without a
    /// decision in it take part with all they do.
    fn first_beyond(&self, forest: &Forest) -> Vec<NodeId> {
        let mut last: BTreeMap<TreeIx, NodeId> = BTreeMap::new();
        for &OpenEnd { node, .. } in &self.decisions {
            let known = last.entry(forest.node(node).tree).or_insert(node);
            if forest.node(node).depth > forest.node(*known).depth {
                *known = node;
            }
        }
        last.into_values()
            .flat_map(|node| forest.node(node).children.iter().map(|child| child.node))
            .collect()
    }

    /// The threads that a core of the question is about, those of its decisions among them.
    pub fn threads_in(&self, forest: &Forest, core: &[About]) -> BTreeSet<TreeIx> {
        let asked = core.iter().filter_map(|about| match *about {
            About::Target(n) => self.decisions.get(n as usize).map(|decision| decision.thread(forest)),
            _ => None,
        });
        asked.chain(threads_in(forest, core)).collect()
    }
}

/// The threads that an unsat core is about.
pub fn threads_in(forest: &Forest, core: &[About]) -> BTreeSet<TreeIx> {
    core.iter().filter_map(|about| about.node()).map(|node| forest.node(node).tree).collect()
}
