//! **Path prefix**: can all these decisions, in several threads, go these ways together? (Maximal Path
//! Causality, strategies 1 and 2.) If not, the core says which threads are in each other's way.

use std::collections::{BTreeMap, BTreeSet};

use warpath_solvers::term::{TermError, TermId};

use super::ask::{Question, under};
use crate::encode::{About, Encoding, Options, Reductions};
use crate::model::{Forest, NodeId, Outcome, TreeIx};

/// What may happen beyond the decisions of a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// Anything: events behind the decisions take part, too. Fewer prefixes are impossible than in the paper.
    Anything,
    /// Nothing, as in the paper: only the events of the prefix take part.
    Nothing,
}

/// Decisions of one or more threads, to be taken together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPrefix {
    /// Decision nodes and how each is to go.
    pub decisions: Vec<(NodeId, Outcome)>,
    /// What may happen behind them.
    pub beyond: Beyond,
}

impl PathPrefix {
    /// The question whether the prefix is possible.
    pub fn question<'f>(&self, forest: &'f Forest, options: Options) -> Result<Question<'f>, TermError> {
        let cone: Vec<NodeId> = self.decisions.iter().map(|&(node, _)| node).collect();
        let ways: Vec<String> = self
            .decisions
            .iter()
            .map(|&(node, outcome)| {
                let way = match outcome {
                    Outcome::Next => "on".to_owned(),
                    Outcome::Held(held) => held.to_string(),
                    Outcome::Value(value) => value.to_string(),
                };
                format!("{} at {} go {way}", forest.key(forest.node(node).tree), forest.place(node))
            })
            .collect();
        let described = format!("Can {}? ({})", ways.join(", and "), under(&options));
        // The core is to name what is in the way; what the must-order knows by itself is in no constraint.
        let reductions = Reductions { saturate: false, ..options.reductions };
        let options = Options { reductions, ..options };
        Question::new(forest, options, &cone, described, |encoding| self.targets(encoding))
    }

    /// `en` and outcome of every decision, one target each; and nothing behind them, if so wanted.
    fn targets(&self, encoding: &mut Encoding<'_>) -> Result<Vec<TermId>, TermError> {
        let mut targets = Vec::new();
        for &(node, outcome) in &self.decisions {
            let mut parts = vec![encoding.en(node)?];
            parts.extend(encoding.outcome(node, outcome)?);
            targets.push(encoding.terms.and(&parts)?);
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
        for &(node, _) in &self.decisions {
            let known = last.entry(forest.node(node).tree).or_insert(node);
            if forest.node(node).depth > forest.node(*known).depth {
                *known = node;
            }
        }
        last.into_values()
            .flat_map(|node| forest.node(node).children.iter().map(|child| child.node))
            .collect()
    }
}

/// The threads that an unsat core is about.
pub fn threads_in(forest: &Forest, core: &[About]) -> BTreeSet<TreeIx> {
    core.iter().filter_map(|about| about.node()).map(|node| forest.node(node).tree).collect()
}
