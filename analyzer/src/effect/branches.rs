//! Conditions computed again with another value.

use std::collections::{HashMap, HashSet};

use warpath_trace::event::Op;
use warpath_trace::expr::{Evaluator, Leaf};
use warpath_trace::ids::{ExprId, InputId, ThreadIx};
use warpath_trace::trace::Trace;

use super::{At, Candidate};

/// Larger conditions are not looked into.
const MOST_PARTS: usize = 10_000;

/// So many parts of conditions are looked at in all: a run of a million branches on ever longer sums is not worth more.
const WORK: usize = 20_000_000;

/// So many pairs of a read and a condition are tried for one finding.
const TRIES: usize = 256;

/// What the branches of a run depend on.
pub(super) struct Branches<'t> {
    trace: &'t Trace,
    inputs: HashMap<InputId, u128>,
    /// Per thread: branches by the reads that they depend on, in their order.
    by_read: HashMap<At, Vec<u32>>,
    /// Values of expressions under one assignment; what another one touched is forgotten after it.
    known: Vec<Option<u128>>,
}

impl<'t> Branches<'t> {
    /// Of the branches that depend on these reads.
    pub(super) fn of(trace: &'t Trace, wanted: &HashSet<At>) -> Branches<'t> {
        let concerned = concerned(trace, wanted);
        let mut work = WORK;
        let mut inputs = HashMap::new();
        let mut by_read: HashMap<At, Vec<u32>> = HashMap::new();
        // The same condition is decided again and again in a loop.
        let mut leaves: HashMap<ExprId, Vec<At>> = HashMap::new();
        for (thread, events) in trace.threads.iter().enumerate() {
            for (event, index) in events.iter().zip(0u32..) {
                if let Op::Input { input, value } = event.op {
                    inputs.entry(input).or_insert(value);
                }
                let Some(condition) = decided(&event.op).filter(|condition| concerned[condition.index()])
                else {
                    continue;
                };
                let below = || reads_below(trace, condition, wanted, &mut work);
                for &(owner, read) in leaves.entry(condition).or_insert_with(below).iter() {
                    if owner == ThreadIx::from(thread) {
                        by_read.entry((owner, read)).or_default().push(index);
                    }
                }
            }
        }
        Branches { trace, inputs, by_read, known: vec![None; trace.tables.exprs.len()] }
    }

    /// The first candidate that turns a condition, and the branch.
    pub(super) fn changed(&mut self, candidates: &[Candidate]) -> Option<(Candidate, u32)> {
        let mut tries = 0;
        for &candidate in candidates {
            for branch in self.by_read.get(&candidate.read).cloned().unwrap_or_default() {
                tries += 1;
                if tries > TRIES {
                    return None;
                }
                if self.turns(candidate, branch) {
                    return Some((candidate, branch));
                }
            }
        }
        None
    }

    fn turns(&mut self, candidate: Candidate, branch: u32) -> bool {
        let trace = self.trace;
        let Some(op) = trace.event(candidate.read.0, branch).map(|event| event.op) else { return false };
        let Some(condition) = decided(&op) else { return false };
        let inputs = &self.inputs;
        let leaves = |leaf: Leaf| match leaf {
            Leaf::Read(thread, event) if (thread, event) == candidate.read => Some(candidate.other),
            Leaf::Read(thread, event) => trace.event(thread, event)?.op.read_value(),
            Leaf::Input(input) => inputs.get(&input).copied(),
        };
        let known = std::mem::take(&mut self.known);
        let mut evaluator = Evaluator::resume(&trace.tables.exprs, leaves, known);
        let value = evaluator.value(condition);
        self.known = evaluator.into_known();
        for part in parts(trace, condition) {
            self.known[part.index()] = None;
        }
        match (op, value) {
            (Op::Branch { taken, .. }, Ok(value)) => (value != 0) != taken,
            (Op::Switch { value: before, .. }, Ok(value)) => value != before,
            // An assertion that is in the trace held, or the run would have ended there.
            (Op::Assert { .. }, Ok(value)) => value == 0,
            _ => false,
        }
    }
}

/// What control depends on at this event.
fn decided(op: &Op) -> Option<ExprId> {
    match *op {
        Op::Branch { condition: expr, .. } | Op::Switch { on: expr, .. } => Some(expr),
        Op::Assert { condition, .. } => condition,
        _ => None,
    }
}

/// An expression and everything that it is made of.
fn parts(trace: &Trace, root: ExprId) -> Vec<ExprId> {
    let mut seen = HashSet::from([root]);
    let mut all = vec![root];
    let mut next = 0;
    while let Some(&id) = all.get(next) {
        next += 1;
        all.extend(trace.tables.exprs.node(id).operands().filter(|&operand| seen.insert(operand)));
    }
    all
}

/// Per expression: does it depend on one of these reads? Operands have lower ids than what is made of them.
fn concerned(trace: &Trace, wanted: &HashSet<At>) -> Vec<bool> {
    let mut concerned: Vec<bool> = Vec::with_capacity(trace.tables.exprs.len());
    for node in trace.tables.exprs.nodes() {
        let is_read =
            matches!(node.leaf(), Some(Leaf::Read(thread, event)) if wanted.contains(&(thread, event)));
        let below = node.operands().any(|operand| concerned[operand.index()]);
        concerned.push(is_read || below);
    }
    concerned
}

/// Which of the reads an expression depends on; none if it is too large.
fn reads_below(trace: &Trace, root: ExprId, wanted: &HashSet<At>, work: &mut usize) -> Vec<At> {
    let mut seen = HashSet::from([root]);
    let mut stack = vec![root];
    let mut reads = Vec::new();
    while let Some(id) = stack.pop() {
        let node = trace.tables.exprs.node(id);
        match node.leaf() {
            Some(Leaf::Read(thread, event)) if wanted.contains(&(thread, event)) => {
                reads.push((thread, event))
            }
            _ => {}
        }
        if seen.len() > MOST_PARTS || *work == 0 {
            return Vec::new();
        }
        *work -= 1;
        stack.extend(node.operands().filter(|&operand| seen.insert(operand)));
    }
    reads
}
