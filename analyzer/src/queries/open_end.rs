//! Open ends: outcomes that have not been seen.

use std::collections::BTreeMap;

use warpath_solvers::term::{TermError, TermId, Terms};
use warpath_trace::event::{Attempt, Datum, MemoryOrder, OnceStep, Op, WaitResult};
use warpath_trace::ids::LocationId;

use super::ask::under;
use crate::encode::{Encoding, Options, sync_objects};
use crate::model::{Forest, NodeId, Outcome, TreeIx};

/// What has not been seen yet behind a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Want {
    /// The condition going this way.
    Held(bool),
    /// A value other than these.
    OtherThan(Vec<u128>),
    /// The wait of this node coming to an end: so far it never has.
    Executed,
    /// Whatever comes next: the runs so far ended before the thread could go on with this outcome.
    Further(Outcome),
    /// The read-modify-write that comes next finding a value other than these, where each value found is an
    /// alternative of its own; `outcome` leads to it.
    OtherUpdate {
        /// How control gets to it.
        outcome: Outcome,
        /// The operation, without what it found and left.
        op: Op,
        /// What it has been seen to find.
        seen: Vec<u128>,
    },
    /// The reading of a semaphore's count that comes next finding a number other than these.
    OtherCount {
        /// How control gets to it.
        outcome: Outcome,
        /// The semaphore.
        semaphore: LocationId,
        /// What it has been seen to find.
        seen: Vec<u32>,
    },
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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
        ends.extend(other_updates(forest, id));
        ends.extend(other_counts(forest, id));
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

/// Read-modify-writes behind a node that are told apart by what they found.
fn other_updates(forest: &Forest, id: NodeId) -> Vec<OpenEnd> {
    let mut found: BTreeMap<Outcome, (Op, Vec<u128>)> = BTreeMap::new();
    for child in &forest.node(id).children {
        let node = forest.node(child.node);
        if node.pinned
            && let Op::Rmw { location, old, order, .. } = node.op
        {
            let op = Op::Rmw { location, old: 0, new: Datum::concrete(0), order };
            found.entry(child.outcome).or_insert((op, Vec::new())).1.push(old);
        }
    }
    let ends = found.into_iter();
    ends.map(|(outcome, (op, seen))| OpenEnd { node: id, want: Want::OtherUpdate { outcome, op, seen } })
        .collect()
}

/// Readings of a semaphore's count behind a node.
fn other_counts(forest: &Forest, id: NodeId) -> Vec<OpenEnd> {
    let mut found: BTreeMap<(Outcome, LocationId), Vec<u32>> = BTreeMap::new();
    for child in &forest.node(id).children {
        if let Op::SemValue { semaphore, value } = forest.node(child.node).op {
            found.entry((child.outcome, semaphore)).or_default().push(value);
        }
    }
    let ends = found.into_iter().map(|((outcome, semaphore), seen)| OpenEnd {
        node: id,
        want: Want::OtherCount { outcome, semaphore, seen },
    });
    ends.collect()
}

/// All the ways in which the wait of a node can end.
pub(crate) fn endings(forest: &Forest, id: NodeId) -> Vec<Op> {
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
        Op::FutexResume { word, .. } => {
            let begun = forest.node(id).parent.map(|(wait, _)| forest.node(wait).op);
            let attempt = match begun {
                Some(Op::FutexWait { attempt, .. }) => attempt,
                _ => Attempt::Block,
            };
            results(attempt).map(|result| Op::FutexResume { word, result }).collect()
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

    /// Is the end at a node of the forest, not at one that has to be added for the question?
    pub fn is_in_forest(&self) -> bool {
        !matches!(self.want, Want::Ending { .. } | Want::OtherUpdate { .. } | Want::OtherCount { .. })
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
            Want::OtherUpdate { outcome, op, .. } => {
                let mut grown = forest.clone();
                let node = grown.add_unseen(self.node, *outcome, *op);
                grown.unpin(node);
                (Some(grown), node)
            }
            // What the count is, is the question: something stands in its place that changes nothing.
            Want::OtherCount { outcome, .. } => {
                let mut grown = forest.clone();
                let op = Op::Fence { order: MemoryOrder::SeqCst };
                let node = grown.add_unseen(self.node, *outcome, op);
                (Some(grown), node)
            }
        }
    }

    /// What the target speaks of, `node` being where the end is: nodes, and reads whose values matter.
    pub(crate) fn cone(&self, forest: &Forest, node: NodeId) -> (Vec<NodeId>, Vec<NodeId>) {
        let mut cone = vec![node];
        let mut values = Vec::new();
        match self.want {
            Want::OtherUpdate { .. } => values.push(node),
            Want::OtherCount { semaphore, .. } => {
                let uses = |id: &NodeId| sync_objects(&forest.node(*id).op).any(|object| object == semaphore);
                cone.extend(forest.ids().filter(uses));
            }
            _ => {}
        }
        (cone, values)
    }

    /// The formula of what the target depends on.
    pub(super) fn encoding<'f>(
        &self,
        forest: &'f Forest,
        node: NodeId,
        options: Options,
        terms: Terms,
    ) -> Result<Encoding<'f>, TermError> {
        let (cone, values) = self.cone(forest, node);
        Encoding::in_arena(forest, options, &cone, &values, terms)
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
            Want::OtherUpdate { seen, .. } => Some(other_update(encoding, node, seen)?),
            Want::OtherCount { semaphore, seen, .. } => {
                let mut parts = Vec::new();
                for &value in seen {
                    let same = encoding.semaphore_count_is(*semaphore, node, value)?;
                    parts.push(encoding.terms.not(same)?);
                }
                Some(encoding.terms.and(&parts)?)
            }
            Want::Executed | Want::Start(_) | Want::Ending { .. } => None,
        };
        let parts: Vec<TermId> = std::iter::once(reached).chain(way).collect();
        encoding.terms.and(&parts)
    }

    /// The question in words.
    pub(crate) fn describe(&self, forest: &Forest, options: &Options) -> String {
        let node = forest.node(self.node);
        let place = forest.place(self.node);
        let key = forest.key(node.tree);
        let what = match &self.want {
            Want::Held(held) => format!("the decision of {key} at {place} go {held}"),
            Want::OtherThan(values) => {
                format!("the value that {key} decides on at {place} be none of {values:?}")
            }
            Want::OtherUpdate { seen, .. } => {
                format!("the update of {key} behind {place} find none of {seen:?}")
            }
            Want::OtherCount { seen, .. } => {
                format!("the count that {key} reads behind {place} be none of {seen:?}")
            }
            Want::Further(_) => format!("{key} go on behind {place}, where the runs so far ended"),
            Want::Executed => format!("the wait of {key} at {place} come to an end"),
            Want::Start(tree) => format!("{} run at all", forest.key(*tree)),
            Want::Ending { op, .. } => format!("the wait of {key} behind {place} end as {op:?}"),
        };
        format!("Can {what}? ({})", under(options))
    }
}

/// What the update finds is none of these. What it leaves is not known, so nobody reads that: an execution may
/// always end with the event that is asked for.
fn other_update(encoding: &mut Encoding<'_>, node: NodeId, seen: &[u128]) -> Result<TermId, TermError> {
    let mut parts = Vec::new();
    for &value in seen {
        if let Some(same) = encoding.outcome(node, Outcome::Value(value))? {
            parts.push(encoding.terms.not(same)?);
        }
    }
    let mut read: Vec<TermId> = Vec::new();
    read.extend(encoding.reads_from()?.into_iter().filter(|from| from.write == node).map(|from| from.holds));
    read.dedup();
    for holds in read {
        parts.push(encoding.terms.not(holds)?);
    }
    encoding.terms.and(&parts)
}
