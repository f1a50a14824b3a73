//! What each step of the observed run needs to have happened, if the others keep their observed order.
//!
//! A step needs what its thread did before and the fork of its thread; a join the whole other thread; an operation
//! of a condition, semaphore, barrier, once or futex all earlier operations of it; an attempt that failed the
//! acquisition that was in its way. That is what it needs *to happen*. For it to be what comes next, the decisions
//! of its thread before it must have the outcome observed, and that is certain if the reads they depend on find
//! what they found: the writes they saw, and what those values depend on in turn. That is what it needs *for sure*.
//!
//! Locks that are given back again and atomic regions are not in here: what they need depends on who else takes
//! part.

use std::collections::{HashMap, VecDeque};

use warpath_trace::event::{Datum, Op, WaitResult};
use warpath_trace::expr::Leaf;
use warpath_trace::header::MemoryModel;
use warpath_trace::ids::{ExprId, LocationId};

use super::rows::{RowId, Rows};
use super::sections::{Does, Lock, Sections, Step, deeds};
use crate::encode::{Point, is_buffered, sync_objects};
use crate::model::{Cells, Forest, NodeId};

/// A run, by thread and by what each of its steps needs.
#[derive(Debug)]
pub(super) struct Needs {
    pub(super) rows: Rows,
    /// Per step: how far every thread must have come for it to happen, whatever values there are.
    pub(super) step: Vec<RowId>,
    /// Per step: how far, for it to happen for sure.
    pub(super) sure: Vec<RowId>,
    /// Per step: how far, for its own value to be as observed, where it cannot happen with another.
    pub(super) value: Vec<RowId>,
    /// Per step: how far, for control to go on behind it as it did, for sure.
    pub(super) decision: Vec<RowId>,
    /// Per step: which of its thread it is.
    pub(super) index: Vec<u32>,
    /// Per thread: its steps.
    pub(super) threads: Vec<Vec<u32>>,
    /// Per thread: how many of its steps are settled; the first ones.
    pub(super) settled: Vec<u32>,
    /// Per thread: the step that forked it.
    pub(super) fork: Vec<Option<u32>>,
    pub(super) locks: Vec<Lock>,
    /// What steps do to which lock, by position.
    pub(super) deeds: Vec<(u32, usize, Does)>,
    /// Per cell: the steps that gave it a value.
    pub(super) effects: Vec<Vec<u32>>,
    /// Per thread: the atomic regions that it went through, as steps of that thread; the last may have no end.
    pub(super) regions: Vec<Vec<(u32, Option<u32>)>>,
}

/// What an event needs for values to be as observed.
struct Values {
    /// Its own, without which it does not happen.
    own: RowId,
    /// Those by which control goes on behind it.
    decision: RowId,
}

impl Default for Values {
    fn default() -> Self {
        Values { own: Rows::NOTHING, decision: Rows::NOTHING }
    }
}

/// The walk through the run.
struct Walk<'a> {
    forest: &'a Forest,
    cells: &'a Cells,
    model: MemoryModel,
    needs: Needs,
    end: Vec<Option<u32>>,
    sections: Sections,
    /// Per cell: the step that made its value.
    memory: Vec<Option<(u32, NodeId)>>,
    buffers: Vec<VecDeque<NodeId>>,
    /// The last operation of each object that is not a lock.
    operated: HashMap<LocationId, u32>,
    /// Per thread: its last event.
    last: Vec<Option<u32>>,
    /// Per node: what it needs for a read to find what it found, for a write to write what it wrote.
    found: HashMap<NodeId, RowId>,
    written: HashMap<NodeId, RowId>,
    exprs: Vec<Option<RowId>>,
}

impl Needs {
    /// Linear in steps × threads.
    pub(super) fn of(forest: &Forest, cells: &Cells, model: MemoryModel, run: &[Point]) -> Needs {
        let threads = forest.keys().len();
        let needs = Needs {
            rows: Rows::new(threads),
            step: Vec::with_capacity(run.len()),
            sure: Vec::with_capacity(run.len()),
            value: Vec::with_capacity(run.len()),
            decision: Vec::with_capacity(run.len()),
            index: Vec::with_capacity(run.len()),
            threads: vec![Vec::new(); threads],
            settled: vec![0; threads],
            fork: vec![None; threads],
            locks: Vec::new(),
            deeds: Vec::new(),
            effects: vec![Vec::new(); cells.all().len()],
            regions: vec![Vec::new(); threads],
        };
        let mut walk = Walk {
            forest,
            cells,
            model,
            needs,
            end: vec![None; threads],
            sections: Sections::default(),
            memory: vec![None; cells.all().len()],
            buffers: vec![VecDeque::new(); threads],
            operated: HashMap::new(),
            last: vec![None; threads],
            found: HashMap::new(),
            written: HashMap::new(),
            exprs: vec![None; forest.exprs.len()],
        };
        for (position, &point) in (0u32..).zip(run) {
            walk.step(position, point);
        }
        let locks = walk.sections.contended();
        Needs { deeds: deeds(&locks, &walk.needs.threads), locks, ..walk.needs }
    }
}

impl Walk<'_> {
    fn step(&mut self, position: u32, point: Point) {
        let id = point.node();
        let tree = self.forest.node(id).tree;
        let index = self.needs.threads[tree.index()].len() as u32;
        let mut after: Vec<u32> = self.needs.threads[tree.index()].last().copied().into_iter().collect();
        let mut values = Values::default();
        match point {
            Point::Issue(_) => {
                if after.is_empty() {
                    after.extend(self.needs.fork[tree.index()]);
                }
                values = self.event(id, Step { tree, position, index }, &mut after);
            }
            Point::Commit(_) => {
                self.buffers[tree.index()].retain(|&buffered| buffered != id);
                self.take_effect(id, position);
            }
        }
        let mut rows: Vec<RowId> = after.iter().map(|&step| self.needs.step[step as usize]).collect();
        let step = self.needs.rows.join_step(&rows, tree, index + 1);
        rows.clear();
        rows.extend(after.iter().map(|&step| self.needs.sure[step as usize]));
        rows.push(values.own);
        if let Point::Issue(_) = point {
            let last = self.last[tree.index()].replace(position);
            rows.extend(last.map(|last| self.needs.decision[last as usize]));
        }
        let sure = self.needs.rows.join_step(&rows, tree, index + 1);
        self.needs.step.push(step);
        self.needs.sure.push(sure);
        self.needs.value.push(values.own);
        self.needs.decision.push(values.decision);
        self.needs.index.push(index);
        self.needs.settled[tree.index()] += u32::from(self.forest.is_settled(id));
        self.needs.threads[tree.index()].push(position);
    }

    /// Adds the steps that an event comes after; answers which values it depends on.
    fn event(&mut self, id: NodeId, step: Step, after: &mut Vec<u32>) -> Values {
        let node = self.forest.node(id);
        let tree = step.tree;
        after.extend(self.sections.step(&node.op, step));
        if !is_lock(&node.op) {
            for object in objects(&node.op) {
                after.extend(self.operated.insert(object, step.position));
            }
        }
        if let Some(location) = node.op.read_location() {
            let found = self.found(id, location);
            self.found.insert(id, found);
        }
        if let Some((_, value)) = node.op.written() {
            let written = self.datum(value);
            self.written.insert(id, written);
            match is_buffered(self.model, &node.op) {
                true => self.buffers[tree.index()].push_back(id),
                false => self.take_effect(id, step.position),
            }
        }
        let mut values = Values::default();
        match node.op {
            Op::Read { .. } | Op::AtomicRead { .. } if node.pinned => values.decision = self.found[&id],
            Op::Rmw { .. } if node.pinned => values.own = self.found[&id],
            Op::FutexWait { expected, .. } => {
                let parts = [self.found[&id], self.datum(expected)];
                values.decision = self.needs.rows.join(&parts);
            }
            Op::Branch { condition: expr, .. }
            | Op::Switch { on: expr, .. }
            | Op::Concretise { expr, .. }
            | Op::Assert { condition: Some(expr), .. } => values.decision = self.expr(expr),
            Op::Assume { condition: Some(expr), .. } => values.own = self.expr(expr),
            Op::Fork { child } => self.needs.fork[child.index()] = Some(step.position),
            Op::End => self.end[tree.index()] = Some(step.position),
            Op::Join { child, result: WaitResult::Done, .. } => after.extend(self.end[child.index()]),
            Op::AtomicBegin => self.needs.regions[tree.index()].push((step.index, None)),
            Op::AtomicEnd => {
                if let Some(region) = self.needs.regions[tree.index()].last_mut() {
                    region.1 = region.1.or(Some(step.index));
                }
            }
            _ => {}
        }
        values
    }

    /// The write is what memory holds from this step on.
    fn take_effect(&mut self, write: NodeId, position: u32) {
        let Some((location, _)) = self.forest.node(write).op.written() else { return };
        for &cell in self.cells.row(location) {
            self.memory[cell.0 as usize] = Some((position, write));
            self.needs.effects[cell.0 as usize].push(position);
        }
    }

    /// What it takes for a read to find what it finds now: the own youngest write that is still in the buffer, else
    /// the write that memory holds, with the values they wrote.
    fn found(&mut self, read: NodeId, location: LocationId) -> RowId {
        let mut rows = Vec::new();
        let buffer = &self.buffers[self.forest.node(read).tree.index()];
        for &cell in self.cells.row(location) {
            let own = buffer.iter().rev().copied().find(|&write| {
                let written = self.forest.node(write).op.written();
                written.is_some_and(|(location, _)| self.cells.row(location).contains(&cell))
            });
            match (own, self.memory[cell.0 as usize]) {
                (Some(write), _) => rows.push(self.written[&write]),
                (None, Some((effect, write))) => {
                    rows.extend([self.needs.sure[effect as usize], self.written[&write]]);
                }
                (None, None) => {}
            }
        }
        self.needs.rows.join(&rows)
    }

    fn datum(&mut self, datum: Datum) -> RowId {
        datum.expr.map_or(Rows::NOTHING, |expr| self.expr(expr))
    }

    /// What it takes for an expression to have its value.
    fn expr(&mut self, root: ExprId) -> RowId {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.exprs[id.index()].is_some() {
                stack.pop();
                continue;
            }
            let node = self.forest.exprs.node(id);
            let waiting = stack.len();
            stack.extend(node.operands().filter(|operand| self.exprs[operand.index()].is_none()));
            if stack.len() > waiting {
                continue;
            }
            let row = match node.leaf() {
                Some(Leaf::Read(_, event)) => self.found.get(&NodeId(event)).copied(),
                _ => None,
            };
            let mut rows: Vec<RowId> = row.into_iter().collect();
            rows.extend(node.operands().filter_map(|operand| self.exprs[operand.index()]));
            self.exprs[id.index()] = Some(self.needs.rows.join(&rows));
            stack.pop();
        }
        self.exprs[root.index()].unwrap_or(Rows::NOTHING)
    }
}

/// Is it an operation of a lock alone? What these need depends on who else takes part.
fn is_lock(op: &Op) -> bool {
    matches!(op, Op::Lock { .. } | Op::Unlock { .. } | Op::RwLock { .. } | Op::RwUnlock { .. })
}

/// The objects of an operation that every later operation of them depends on.
fn objects(op: &Op) -> impl Iterator<Item = LocationId> {
    let mutex = match *op {
        Op::CondWait { mutex, .. } | Op::CondWake { mutex, .. } => Some(mutex),
        _ => None,
    };
    sync_objects(op).filter(move |&object| Some(object) != mutex)
}
