//! A small interpreter of the model: executes a schedule step by step on the forest. Locks, values and
//! branches must agree with it, or the schedule is not handed out.
//!
//! It shares no code with the formula, so that a mistake in one is noticed by the other.

use std::collections::{BTreeMap, HashMap, VecDeque};

use warpath_trace::event::{Datum, Op, RwMode, WaitResult};
use warpath_trace::expr::{Evaluator, Leaf};
use warpath_trace::header::MemoryModel;
use warpath_trace::ids::{ExprId, LocationId};

use super::execution::Execution;
use super::sync_state::SyncState;
use crate::encode::{Options, Point, drains, is_buffered, is_release, separates_stores};
use crate::model::{CellId, Cells, Forest, NodeId, Outcome, TreeIx, part};

/// A step that cannot happen. The formula and this interpreter disagree: a bug of ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("step {step} ({event}) of the schedule cannot happen: {reason}")]
pub struct Mismatch {
    /// Which step, from 0.
    pub step: usize,
    /// The event's name.
    pub event: String,
    /// Why not.
    pub reason: String,
}

/// What is left when the schedule has been executed.
#[derive(Clone, Debug)]
pub struct Final {
    /// The last event of each thread and how control goes on behind it.
    pub ends: BTreeMap<TreeIx, (NodeId, Outcome)>,
    /// What each read found.
    pub found: HashMap<NodeId, u128>,
    /// What each write left.
    pub written: HashMap<NodeId, u128>,
    /// Memory, cell by cell.
    pub memory: BTreeMap<CellId, u128>,
}

/// A write in a store buffer.
#[derive(Clone, Copy, Debug)]
struct Buffered {
    node: NodeId,
    value: u128,
}

/// The interpreter.
#[derive(Debug)]
pub struct Reference<'f> {
    forest: &'f Forest,
    cells: &'f Cells,
    model: MemoryModel,
    spurious: bool,
    inputs: Vec<u128>,
    memory: BTreeMap<CellId, u128>,
    buffers: BTreeMap<TreeIx, VecDeque<Buffered>>,
    ends: BTreeMap<TreeIx, (NodeId, Outcome)>,
    found: HashMap<NodeId, u128>,
    written: HashMap<NodeId, u128>,
    /// Values of expressions. Each event happens once, so they do not change.
    known: Vec<Option<u128>>,
    sync: SyncState,
    region: Option<TreeIx>,
    forked: Vec<bool>,
    ended: Vec<bool>,
}

type Check<T> = Result<T, String>;

impl<'f> Reference<'f> {
    /// Executes the schedule; answers what is left, or the first step that cannot happen.
    pub fn run(forest: &'f Forest, options: &Options, execution: &Execution) -> Result<Final, Mismatch> {
        let mut reference = Reference {
            forest,
            cells: forest.cells(),
            model: options.model,
            spurious: options.spurious_wakeups,
            inputs: execution.inputs.clone(),
            memory: BTreeMap::new(),
            buffers: BTreeMap::new(),
            ends: BTreeMap::new(),
            found: HashMap::new(),
            written: HashMap::new(),
            known: Vec::new(),
            sync: SyncState::default(),
            region: None,
            forked: vec![false; forest.keys().len()],
            ended: vec![false; forest.keys().len()],
        };
        for (cell, id) in reference.cells.all().iter().zip(0u32..) {
            reference.memory.insert(CellId(id), cell.initial.unwrap_or(0));
        }
        for &(cell, value) in &execution.initials {
            reference.memory.insert(CellId(cell), value);
        }
        // Objects that were initialised before anything was recorded count from the start.
        for (object, kind) in forest.made() {
            reference.sync.init(object, kind);
        }
        for id in forest.settled() {
            reference.settle(id);
        }
        let open = execution.steps.iter().enumerate().filter(|(_, point)| !forest.is_settled(point.node()));
        for (step, &point) in open {
            let done = match point {
                Point::Issue(id) => reference.issue(id),
                Point::Commit(id) => reference.commit(id),
            };
            done.map_err(|reason| Mismatch { step, event: describe(forest, point), reason })?;
        }
        let Reference { ends, found, written, memory, .. } = reference;
        Ok(Final { ends, found, written, memory })
    }

    /// Takes over what a settled event left behind. That it could happen is known: it did.
    fn settle(&mut self, id: NodeId) {
        let node = self.forest.node(id);
        let tree = node.tree;
        let mut outcome = Outcome::Next;
        match node.op {
            Op::Lock { mutex, .. } => self.sync.hold(tree, mutex, RwMode::Write),
            Op::RwLock { lock, mode, .. } => self.sync.hold(tree, lock, mode),
            Op::CondWait { condition, mutex, .. } => self.sync.give_up(tree, condition, mutex),
            Op::FutexWait { word, bitset, .. } => {
                self.sync.futex_queue(tree, word, bitset);
                outcome = Outcome::Held(true);
            }
            Op::FutexResume { word, result } => self.sync.futex_resumed(tree, word, result),
            Op::Once { once, step } => self.sync.set_once(once, step),
            // The others cannot be refused.
            op => {
                let done = self.perform(id, tree, op);
                debug_assert!(done.is_ok(), "settled {op:?}: {done:?}");
            }
        }
        self.ends.insert(tree, (id, outcome));
    }

    fn issue(&mut self, id: NodeId) -> Check<()> {
        let node = self.forest.node(id);
        let tree = node.tree;
        if let Some(owner) = self.region
            && owner != tree
            && node.op.is_visible()
        {
            return Err(format!("thread {} is in an atomic region", owner.0));
        }
        match (node.parent, self.ends.get(&tree)) {
            (None, None) => {
                let has_fork = !self.forest.forks(tree).is_empty();
                if has_fork && !self.forked[tree.index()] {
                    return Err("the thread has not been forked".to_owned());
                }
            }
            (Some(parent), Some(&end)) if parent == end => {}
            (parent, end) => return Err(format!("the thread is at {end:?}, this follows {parent:?}")),
        }
        if drains(&node.op) && self.buffers.get(&tree).is_some_and(|buffer| !buffer.is_empty()) {
            return Err("the store buffer is not empty".to_owned());
        }
        let outcome = self.perform(id, tree, node.op)?;
        self.ends.insert(tree, (id, outcome));
        Ok(())
    }

    /// Performs the operation; answers how control goes on.
    fn perform(&mut self, id: NodeId, tree: TreeIx, op: Op) -> Check<Outcome> {
        let pinned = self.forest.node(id).pinned;
        match op {
            Op::Read { location, .. } | Op::AtomicRead { location, .. } => {
                let value = self.load(id, tree, location);
                return Ok(if pinned { Outcome::Value(value) } else { Outcome::Next });
            }
            Op::Write { value, .. } | Op::AtomicWrite { value, .. } => {
                let value = self.datum(value)?;
                self.written.insert(id, value);
                if is_buffered(self.model, &op) {
                    self.buffers.entry(tree).or_default().push_back(Buffered { node: id, value });
                } else {
                    self.store(id, value);
                }
            }
            Op::Rmw { location, old, new, .. } => {
                let value = self.load(id, tree, location);
                if pinned && value != old {
                    return Err(format!("reads {value} where {old} was read"));
                }
                let new = self.datum(new)?;
                self.written.insert(id, new);
                self.store(id, new);
            }
            Op::FutexWait { word, expected, bitset, .. } => {
                let value = self.load(id, tree, word);
                let queued = value == self.datum(expected)?;
                if queued {
                    self.sync.futex_queue(tree, word, bitset);
                }
                return Ok(Outcome::Held(queued));
            }
            Op::FutexResume { word, result } => self.sync.futex_resume(tree, word, result)?,
            Op::FutexWake { word, limit, bitset, .. } => self.sync.give(word, limit, bitset),
            Op::FutexRequeue { from, to, wake_limit, .. } => {
                self.sync.give(from, wake_limit, u32::MAX);
                self.sync.futex_move(from, to);
            }
            Op::Fork { child } => self.forked[child.index()] = true,
            Op::End => self.ended[tree.index()] = true,
            Op::Join { child, result: WaitResult::Done, .. } => {
                if !self.ended[child.index()] {
                    return Err("the thread joined has not ended".to_owned());
                }
            }
            Op::Lock { mutex, attempt, result } => {
                self.sync.acquire(tree, mutex, RwMode::Write, attempt, result)?;
            }
            Op::Unlock { mutex, result } => self.sync.release(tree, mutex, RwMode::Write, result)?,
            Op::RwLock { lock, mode, attempt, result } => {
                self.sync.acquire(tree, lock, mode, attempt, result)?;
            }
            Op::RwUnlock { lock, mode, result } => self.sync.release(tree, lock, mode, result)?,
            Op::CondWait { condition, mutex, .. } => self.sync.cond_wait(tree, condition, mutex)?,
            Op::CondWake { condition, mutex, result } => {
                self.sync.cond_wake(tree, condition, mutex, result, self.spurious)?;
            }
            Op::Signal { condition, .. } => self.sync.give(condition, 1, u32::MAX),
            Op::Broadcast { condition, .. } => self.sync.give(condition, u32::MAX, u32::MAX),
            Op::SemWait { semaphore, result, .. } => self.sync.sem_wait(semaphore, result)?,
            Op::SemPost { semaphore } => self.sync.sem_post(semaphore),
            Op::SemValue { semaphore, value } => self.sync.sem_value(semaphore, value)?,
            Op::BarrierArrive { barrier } => self.sync.arrive(tree, barrier),
            Op::BarrierLeave { barrier, .. } => self.sync.leave(tree, barrier)?,
            Op::Once { once, step } => self.sync.once(once, step)?,
            Op::AtomicBegin => self.region = Some(tree),
            Op::AtomicEnd => self.region = None,
            Op::Branch { condition, .. } => return Ok(Outcome::Held(self.value(condition)? != 0)),
            Op::Switch { on: expr, .. } | Op::Concretise { expr, .. } => {
                return Ok(Outcome::Value(self.value(expr)?));
            }
            Op::Assert { condition: Some(condition), .. } => {
                return Ok(Outcome::Held(self.value(condition)? != 0));
            }
            Op::Assume { condition: Some(condition), .. } => {
                if self.value(condition)? == 0 {
                    return Err("an assumption does not hold".to_owned());
                }
                return Ok(Outcome::Held(true));
            }
            // Without a condition the outcome is the one of the path.
            Op::Assert { condition: None, .. } | Op::Assume { condition: None, .. } => {
                let children = &self.forest.node(id).children;
                let stops = &self.forest.node(id).stops;
                let seen = children.first().map(|child| child.outcome).or(stops.first().copied());
                return Ok(seen.unwrap_or(Outcome::Held(true)));
            }
            Op::Fence { .. }
            | Op::Commit { .. }
            | Op::Begin
            | Op::Join { .. }
            | Op::Detach { .. }
            | Op::SyncInit { .. }
            | Op::SyncDestroy { .. }
            | Op::Await { .. }
            | Op::Input { .. }
            | Op::Alloc { .. }
            | Op::Free { .. }
            | Op::Output { .. }
            | Op::Failure { .. } => {}
        }
        Ok(Outcome::Next)
    }

    fn commit(&mut self, id: NodeId) -> Check<()> {
        let tree = self.forest.node(id).tree;
        if self.region.is_some_and(|owner| owner != tree) {
            return Err("another thread is in an atomic region".to_owned());
        }
        let buffer = self.buffers.entry(tree).or_default();
        let Some(place) = buffer.iter().position(|buffered| buffered.node == id) else {
            return Err("the write is not in the store buffer".to_owned());
        };
        let earlier: Vec<NodeId> = buffer.iter().take(place).map(|buffered| buffered.node).collect();
        let value = buffer[place].value;
        if let Some(blocked) = earlier.into_iter().find(|&earlier| self.keeps_order(earlier, id)) {
            return Err(format!("the write of {} must be committed first", self.forest.name(blocked)));
        }
        self.buffers.entry(tree).or_default().remove(place);
        self.store(id, value);
        Ok(())
    }

    /// Must the earlier of two buffered writes of one thread be committed first?
    fn keeps_order(&self, earlier: NodeId, later: NodeId) -> bool {
        if self.model != MemoryModel::Pso {
            return true;
        }
        let row = |id: NodeId| {
            let written = self.forest.node(id).op.written();
            written.map_or(&[][..], |(location, _)| self.cells.row(location))
        };
        let separated = self
            .forest
            .path_up(later)
            .take_while(|&id| id != earlier)
            .any(|id| separates_stores(&self.forest.node(id).op));
        is_release(&self.forest.node(later).op)
            || separated
            || row(earlier).iter().any(|cell| row(later).contains(cell))
    }

    /// What the thread sees: its own youngest buffered write of each cell, else memory.
    fn load(&mut self, id: NodeId, tree: TreeIx, location: LocationId) -> u128 {
        let start = self.forest.places.location(location).offset;
        let mut value = 0;
        for &cell in self.cells.row(location) {
            let entry = self.cells.cell(cell);
            let buffer = self.buffers.get(&tree);
            let own = buffer.into_iter().flatten().rev().find_map(|buffered| {
                let (written, _) = self.forest.node(buffered.node).op.written()?;
                let here = self.cells.row(written).contains(&cell);
                let from = self.forest.places.location(written).offset;
                here.then(|| part(buffered.value, entry.offset - from, entry.size.into()))
            });
            let found = own.unwrap_or_else(|| self.memory.get(&cell).copied().unwrap_or(0));
            value |= found << (8 * (entry.offset - start));
        }
        self.found.insert(id, value);
        value
    }

    fn store(&mut self, id: NodeId, value: u128) {
        let Some((location, _)) = self.forest.node(id).op.written() else { return };
        let start = self.forest.places.location(location).offset;
        for &cell in self.cells.row(location) {
            let entry = self.cells.cell(cell);
            self.memory.insert(cell, part(value, entry.offset - start, entry.size.into()));
        }
    }

    fn datum(&mut self, datum: Datum) -> Check<u128> {
        datum.expr.map_or(Ok(datum.value), |expr| self.value(expr))
    }

    fn value(&mut self, expr: ExprId) -> Check<u128> {
        let known = std::mem::take(&mut self.known);
        let leaf = |leaf: Leaf| match leaf {
            Leaf::Input(input) => self.inputs.get(input.index()).copied(),
            Leaf::Read(_, event) => self.found.get(&NodeId(event)).copied(),
        };
        let mut evaluator = Evaluator::resume(&self.forest.exprs, leaf, known);
        let value = evaluator.value(expr);
        self.known = evaluator.into_known();
        value.map_err(|error| error.to_string())
    }
}

fn describe(forest: &Forest, point: Point) -> String {
    let node = forest.node(point.node());
    match point {
        Point::Issue(id) => format!("{} {:?} {}", forest.name(id), node.op.verb(), node.at),
        Point::Commit(id) => format!("commit of {} {}", forest.name(id), node.at),
    }
}
