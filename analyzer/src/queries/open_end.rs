//! Open ends: outcomes that have not been seen.

use warpath_solvers::term::{TermError, TermId};
use warpath_trace::event::{Attempt, OnceStep, Op, WaitResult};

use super::ask::under;
use crate::encode::{Encoding, Options};
use crate::model::{Forest, NodeId, Outcome, TreeIx};

/// What has not been seen yet behind a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// The condition going this way.
    Held(bool),
    /// A value other than these.
    OtherThan(Vec<u128>),
    /// The wait of this node coming to an end: so far it never has.
    Executed,
    /// Whatever comes next: the runs so far ended before the thread could go on with this outcome.
    Further(Outcome),
    /// The thread that was forked here doing anything at all.
    Start(TreeIx),
    /// The wait that comes next ending this way; `outcome` leads to it.
    Ending {
        /// How control gets to the wait.
        outcome: Outcome,
        /// The wait with the ending that has not been seen.
        op: Op,
    },
}

/// A node and what has not been seen behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenEnd {
    /// The decision, or the event before a wait.
    pub node: NodeId,
    /// What is missing.
    pub want: Want,
}

/// All open ends, by node.
pub fn open_ends(forest: &Forest) -> Vec<OpenEnd> {
    let mut ends = Vec::new();
    for id in forest.ids() {
        let node = forest.node(id);
        if node.observed == u32::MAX {
            ends.push(OpenEnd { node: id, want: Want::Executed });
            continue;
        }
        let children = node.children.iter().map(|child| child.outcome);
        let mut seen: Vec<Outcome> = children.chain(node.stops.iter().copied()).collect();
        seen.sort_unstable();
        seen.dedup();
        match node.op {
            Op::Branch { .. } | Op::Assert { condition: Some(_), .. } | Op::FutexWait { .. } => {
                let missing = [false, true].into_iter().filter(|&held| !seen.contains(&Outcome::Held(held)));
                ends.extend(missing.map(|held| OpenEnd { node: id, want: Want::Held(held) }));
            }
            // What an assumption rules out is not asked for.
            Op::Assume { condition: Some(_), .. } if !seen.contains(&Outcome::Held(true)) => {
                ends.push(OpenEnd { node: id, want: Want::Held(true) });
            }
            Op::Switch { .. } | Op::Concretise { .. } => ends.push(other_value(id, &seen)),
            Op::Read { .. } | Op::AtomicRead { .. } if node.pinned => ends.push(other_value(id, &seen)),
            _ => {}
        }
        ends.extend(unfinished(forest, id));
        ends.extend(other_endings(forest, id));
    }
    ends
}

/// Places where a thread stopped although it had not ended: a failure elsewhere ended the run.
fn unfinished(forest: &Forest, id: NodeId) -> Vec<OpenEnd> {
    let node = forest.node(id);
    let goes_on = |outcome: &Outcome| {
        let known = node.children.iter().any(|child| child.outcome == *outcome);
        let last = match node.op {
            Op::End | Op::Failure { .. } => true,
            Op::Assert { .. } | Op::Assume { .. } => *outcome == Outcome::Held(false),
            _ => false,
        };
        !known && !last
    };
    let stops = node.stops.iter().copied().filter(goes_on);
    let further = stops.map(|outcome| OpenEnd { node: id, want: Want::Further(outcome) });
    let started = match node.op {
        Op::Fork { child } => {
            let tree = TreeIx(child.0);
            forest.root(tree).is_none().then_some(OpenEnd { node: id, want: Want::Start(tree) })
        }
        _ => None,
    };
    further.chain(started).collect()
}

fn other_value(node: NodeId, seen: &[Outcome]) -> OpenEnd {
    let values = seen.iter().filter_map(|outcome| match outcome {
        Outcome::Value(value) => Some(*value),
        _ => None,
    });
    OpenEnd { node, want: Want::OtherThan(values.collect()) }
}

/// Endings of the waits behind a node that have not been seen.
fn other_endings(forest: &Forest, id: NodeId) -> Vec<OpenEnd> {
    let mut missing: Vec<OpenEnd> = Vec::new();
    let children = &forest.node(id).children;
    for child in children {
        for op in endings(forest, child.node) {
            let known = children
                .iter()
                .any(|other| other.outcome == child.outcome && forest.node(other.node).op == op);
            let end = OpenEnd { node: id, want: Want::Ending { outcome: child.outcome, op } };
            if !known && !missing.contains(&end) {
                missing.push(end);
            }
        }
    }
    missing
}

/// All the ways in which the wait of a node can end.
fn endings(forest: &Forest, id: NodeId) -> Vec<Op> {
    let failing = |attempt: Attempt| match attempt {
        Attempt::Block => None,
        Attempt::Try => Some(WaitResult::Busy),
        Attempt::Timed => Some(WaitResult::TimedOut),
    };
    let results = |attempt| [Some(WaitResult::Done), failing(attempt)].into_iter().flatten();
    match forest.node(id).op {
        Op::Lock { mutex, attempt, .. } if attempt != Attempt::Block => {
            results(attempt).map(|result| Op::Lock { mutex, attempt, result }).collect()
        }
        Op::RwLock { lock, mode, attempt, .. } if attempt != Attempt::Block => {
            results(attempt).map(|result| Op::RwLock { lock, mode, attempt, result }).collect()
        }
        Op::SemWait { semaphore, attempt, .. } if attempt != Attempt::Block => {
            results(attempt).map(|result| Op::SemWait { semaphore, attempt, result }).collect()
        }
        Op::CondWake { condition, mutex, .. } => {
            let timed = forest.path_up(id).find_map(|above| match forest.node(above).op {
                Op::CondWait { attempt, condition: object, .. } if object == condition => Some(attempt),
                _ => None,
            });
            let endings = results(timed.unwrap_or(Attempt::Block));
            endings.map(|result| Op::CondWake { condition, mutex, result }).collect()
        }
        Op::Once { once, step: OnceStep::Run | OnceStep::Seen } => {
            [OnceStep::Run, OnceStep::Seen].map(|step| Op::Once { once, step }).to_vec()
        }
        _ => Vec::new(),
    }
}

impl OpenEnd {
    /// The thread that should go on when the schedule has been followed.
    pub fn thread(&self, forest: &Forest) -> TreeIx {
        match self.want {
            Want::Start(tree) => tree,
            _ => forest.node(self.node).tree,
        }
    }

    /// The forest in which the end is a node: the same, or one with a node for the unseen ending.
    pub fn place(&self, forest: &Forest) -> (Option<Forest>, NodeId) {
        match &self.want {
            Want::Held(_) | Want::OtherThan(_) | Want::Executed | Want::Further(_) | Want::Start(_) => {
                (None, self.node)
            }
            Want::Ending { outcome, op } => {
                let mut grown = forest.clone();
                let node = grown.add_unseen(self.node, *outcome, *op);
                (Some(grown), node)
            }
        }
    }

    /// `en(b) ∧ c_b = outcome`.
    pub(super) fn target(&self, encoding: &mut Encoding<'_>, node: NodeId) -> Result<TermId, TermError> {
        let reached = encoding.en(node)?;
        let way = match &self.want {
            Want::Held(held) => encoding.outcome(node, Outcome::Held(*held))?,
            Want::Further(outcome) => encoding.outcome(node, *outcome)?,
            Want::OtherThan(values) => {
                let mut parts = Vec::new();
                for &value in values {
                    if let Some(same) = encoding.outcome(node, Outcome::Value(value))? {
                        parts.push(encoding.terms.not(same)?);
                    }
                }
                Some(encoding.terms.and(&parts)?)
            }
            Want::Executed | Want::Start(_) | Want::Ending { .. } => None,
        };
        let parts: Vec<TermId> = std::iter::once(reached).chain(way).collect();
        encoding.terms.and(&parts)
    }

    /// The question in words.
    pub(super) fn describe(&self, forest: &Forest, options: &Options) -> String {
        let node = forest.node(self.node);
        let place = forest.place(self.node);
        let key = forest.key(node.tree);
        let what = match &self.want {
            Want::Held(held) => format!("the decision of {key} at {place} go {held}"),
            Want::OtherThan(values) => {
                format!("the value that {key} decides on at {place} be none of {values:?}")
            }
            Want::Further(_) => format!("{key} go on behind {place}, where the runs so far ended"),
            Want::Executed => format!("the wait of {key} at {place} come to an end"),
            Want::Start(tree) => format!("{} run at all", forest.key(*tree)),
            Want::Ending { op, .. } => format!("the wait of {key} behind {place} end as {op:?}"),
        };
        format!("Can {what}? ({})", under(options))
    }
}
