//! What a forest and an execution say, in the oracle's words.

use std::collections::BTreeSet;

use warpath_analyzer::answer::Execution;
use warpath_analyzer::encode::Point;
use warpath_analyzer::model::{Forest, Node, NodeId, Outcome, TreeIx};
use warpath_trace::event::{Attempt, MemoryOrder, OnceStep, Op, WaitResult};
use warpath_trace::header::MemoryModel;

use crate::oracle::decision::Decision;
use crate::oracle::program::{Program, key};
use crate::oracle::run::{Act, Choice};

/// The visible steps of an execution as choices.
pub fn schedule(forest: &Forest, execution: &Execution) -> Vec<Choice> {
    let mut choices = Vec::new();
    for &point in &execution.steps {
        let node = forest.node(point.node());
        let act = match point {
            Point::Issue(_) if !node.op.is_visible() => continue,
            Point::Issue(_) => match node.op {
                Op::CondWake { result: WaitResult::TimedOut, .. }
                | Op::FutexResume { result: WaitResult::TimedOut, .. }
                | Op::Lock { result: WaitResult::TimedOut, .. }
                | Op::RwLock { result: WaitResult::TimedOut, .. }
                | Op::SemWait { result: WaitResult::TimedOut, .. } => Act::TimeOut,
                _ => Act::Step,
            },
            Point::Commit(_) => {
                let (location, _) = node.op.written().expect("commits are of writes");
                Act::Commit(forest.places.location(location).name.clone())
            }
        };
        choices.push(Choice { thread: forest.key(node.tree).clone(), act });
    }
    choices
}

/// The commits of what a thread has written and nobody else has seen yet when the execution ends.
pub fn left_in_buffer(
    forest: &Forest,
    execution: &Execution,
    thread: TreeIx,
    model: MemoryModel,
) -> Vec<Choice> {
    let mut left: Vec<NodeId> = Vec::new();
    for &point in &execution.steps {
        let node = forest.node(point.node());
        let is_buffered = match node.op {
            Op::Write { .. } => true,
            Op::AtomicWrite { order, .. } => order != MemoryOrder::SeqCst,
            _ => false,
        };
        match point {
            Point::Issue(id) if is_buffered && node.tree == thread && model != MemoryModel::Sc => {
                left.push(id)
            }
            Point::Issue(_) => {}
            Point::Commit(id) => left.retain(|&write| write != id),
        }
    }
    let commit = |write: NodeId| {
        let (location, _) = forest.node(write).op.written().expect("commits are of writes");
        let act = Act::Commit(forest.places.location(location).name.clone());
        Choice { thread: forest.key(thread).clone(), act }
    };
    left.into_iter().map(commit).collect()
}

/// Per thread of the program, every sequence of decisions that the forest has seen.
pub fn histories(program: &Program, forest: &Forest) -> Vec<BTreeSet<Vec<Decision>>> {
    (0..program.thread_count())
        .map(|thread| {
            let mut seen = BTreeSet::from([Vec::new()]);
            let root = forest.tree(&key(thread)).and_then(|tree| forest.root(tree));
            let mut stack: Vec<(NodeId, Vec<Decision>)> =
                root.map(|root| (root, Vec::new())).into_iter().collect();
            while let Some((id, mut history)) = stack.pop() {
                let node = forest.node(id);
                if node.observed == u32::MAX {
                    continue;
                }
                history.extend(ending(node));
                seen.insert(history.clone());
                let children = node.children.iter().map(|child| (child.outcome, Some(child.node)));
                let stops = node.stops.iter().map(|&outcome| (outcome, None));
                for (outcome, child) in children.chain(stops) {
                    let mut history = history.clone();
                    history.extend(decided(node, outcome));
                    seen.insert(history.clone());
                    stack.extend(child.map(|child| (child, history)));
                }
            }
            seen
        })
        .collect()
}

/// The decisions on the way to a node, its own ending included, what comes behind it not.
pub fn history(forest: &Forest, id: NodeId) -> Vec<Decision> {
    let mut decisions = Vec::new();
    for above in forest.path_up(id) {
        let node = forest.node(above);
        decisions.extend(ending(node));
        decisions.extend(node.parent.and_then(|(parent, outcome)| decided(forest.node(parent), outcome)));
    }
    decisions.reverse();
    decisions
}

/// The decision that an event is by how it ended.
pub fn ending(node: &Node) -> Option<Decision> {
    match node.op {
        Op::Lock { attempt, result, .. }
        | Op::RwLock { attempt, result, .. }
        | Op::SemWait { attempt, result, .. }
            if attempt != Attempt::Block =>
        {
            Some(Decision::Acquired(result == WaitResult::Done))
        }
        Op::CondWake { result, .. } | Op::FutexResume { result, .. } => {
            Some(Decision::Woken(result == WaitResult::Done))
        }
        Op::SemValue { value, .. } => Some(Decision::Counted(value as u8)),
        Op::Once { step: OnceStep::Run, .. } => Some(Decision::RunsOnce(true)),
        Op::Once { step: OnceStep::Seen, .. } => Some(Decision::RunsOnce(false)),
        Op::Rmw { old, .. } if node.pinned => Some(Decision::Updated(old as u8)),
        _ => None,
    }
}

/// The decision that is taken behind an event.
pub fn decided(node: &Node, outcome: Outcome) -> Option<Decision> {
    match (node.op, outcome) {
        (Op::Branch { .. }, Outcome::Held(taken)) => Some(Decision::Branch(taken)),
        (Op::Switch { .. }, Outcome::Value(value)) => Some(Decision::Switch(value as u8)),
        (Op::Assert { .. }, Outcome::Held(holds)) if !node.pinned => Some(Decision::Assert(holds)),
        (Op::FutexWait { .. }, Outcome::Held(queued)) => Some(Decision::Queued(queued)),
        (Op::Read { .. } | Op::AtomicRead { .. }, Outcome::Value(value)) => {
            Some(Decision::Found(value as u16))
        }
        _ => None,
    }
}
