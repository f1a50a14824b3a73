//! What reads find when a part of the run is executed, and whether control still goes on as observed.

use std::collections::VecDeque;

use warpath_trace::event::{Datum, Op};
use warpath_trace::expr::{Evaluator, Leaf};
use warpath_trace::header::MemoryModel;
use warpath_trace::ids::{ExprId, LocationId};

use crate::answer::Execution;
use crate::encode::{Point, is_buffered};
use crate::model::{Cells, Forest, NodeId, Outcome, part};

/// Memory and what has been read from it. Kept from part to part for its memory.
#[derive(Debug, Default)]
pub(super) struct Values {
    memory: Vec<u128>,
    /// Per cell: who wrote it last.
    writer: Vec<Option<NodeId>>,
    buffers: Vec<VecDeque<(NodeId, u128)>>,
    /// Per node: what it read.
    found: Vec<Option<u128>>,
    /// Per node: whose write it saw, in its first cell.
    source: Vec<Option<NodeId>>,
    /// Per node: what it wrote.
    written: Vec<Option<u128>>,
    /// Per expression: its value. Each event happens once, so it does not change.
    known: Vec<Option<u128>>,
    /// How often memory has changed.
    pub(super) changes: u64,
    trial: Option<Trial>,
}

/// What is to be taken back.
#[derive(Debug, Default)]
struct Trial {
    memory: Vec<(usize, u128, Option<NodeId>)>,
    found: Vec<NodeId>,
    exprs: Vec<ExprId>,
    buffers: Vec<(usize, VecDeque<(NodeId, u128)>)>,
    /// What a read is to find, whatever memory holds.
    pretended: Option<(NodeId, u128)>,
}

/// Who executes.
#[derive(Clone, Copy)]
pub(super) struct World<'a> {
    pub(super) forest: &'a Forest,
    pub(super) cells: &'a Cells,
    pub(super) model: MemoryModel,
    pub(super) inputs: &'a [u128],
}

impl Values {
    /// Before the first event.
    pub(super) fn reset(&mut self, world: World<'_>, run: &Execution) {
        self.memory.clear();
        self.memory.extend(world.cells.all().iter().map(|cell| cell.initial.unwrap_or(0)));
        for &(cell, value) in &run.initials {
            self.memory[cell as usize] = value;
        }
        self.writer.clear();
        self.writer.resize(world.cells.all().len(), None);
        self.buffers.resize(world.forest.keys().len(), VecDeque::new());
        self.buffers.iter_mut().for_each(VecDeque::clear);
        self.found.clear();
        self.found.resize(world.forest.nodes().len(), None);
        self.source.resize(world.forest.nodes().len(), None);
        self.written.clear();
        self.written.resize(world.forest.nodes().len(), None);
        self.known.clear();
        self.trial = None;
    }

    /// Per node: what it read, if it has.
    pub(super) fn found(&self) -> &[Option<u128>] {
        &self.found
    }

    /// Whose write the first cell of a read was.
    pub(super) fn source(&self, read: NodeId) -> Option<NodeId> {
        self.source[read.index()]
    }

    /// Per node: what it wrote, if it has.
    pub(super) fn written(&self) -> &[Option<u128>] {
        &self.written
    }

    /// What is done from here on is only tried, with a read that finds what is not there.
    pub(super) fn try_with(&mut self, pretended: Option<(NodeId, u128)>) {
        self.trial = Some(Trial { pretended, ..Trial::default() });
    }

    /// Takes back what was tried.
    pub(super) fn take_back(&mut self, world: World<'_>) {
        let Some(trial) = self.trial.take() else { return };
        for (cell, value, writer) in trial.memory.into_iter().rev() {
            self.memory[cell] = value;
            self.writer[cell] = writer;
        }
        for (tree, buffer) in trial.buffers.into_iter().rev() {
            self.buffers[tree] = buffer;
        }
        for read in trial.found {
            self.found[read.index()] = None;
        }
        let mut stack = trial.exprs;
        while let Some(expr) = stack.pop() {
            if self.known.get_mut(expr.index()).is_some_and(|known| known.take().is_some()) {
                stack.extend(world.forest.exprs.node(expr).operands());
            }
        }
    }

    /// Executes a step. `None` if it does not happen with these values.
    pub(super) fn step(&mut self, world: World<'_>, point: Point) -> Option<()> {
        let id = point.node();
        let node = world.forest.node(id);
        let tree = node.tree.index();
        if let Some(trial) = &mut self.trial
            && world.model != MemoryModel::Sc
        {
            trial.buffers.push((tree, self.buffers[tree].clone()));
        }
        if let Point::Commit(_) = point {
            let at = self.buffers[tree].iter().position(|&(write, _)| write == id)?;
            let (_, value) = self.buffers[tree].remove(at)?;
            self.store(world, id, value);
            return Some(());
        }
        self.read(world, id);
        if !self.happens(world, id) {
            return None;
        }
        if let Some((_, value)) = node.op.written() {
            let value = self.datum(world, value)?;
            self.written[id.index()] = Some(value);
            match is_buffered(world.model, &node.op) {
                true => self.buffers[tree].push_back((id, value)),
                false => self.store(world, id, value),
            }
        }
        Some(())
    }

    /// Reads what an event reads now, if it reads.
    fn read(&mut self, world: World<'_>, id: NodeId) {
        let node = world.forest.node(id);
        let Some(location) = node.op.read_location() else { return };
        let mut value = self.load(world, node.tree.index(), location);
        self.source[id.index()] = self.last_writer(world, node.tree.index(), location);
        if let Some(trial) = &mut self.trial {
            trial.found.push(id);
            value = trial.pretended.filter(|(read, _)| *read == id).map_or(value, |(_, value)| value);
        }
        self.found[id.index()] = Some(value);
    }

    /// Does the event happen with these values?
    fn happens(&mut self, world: World<'_>, id: NodeId) -> bool {
        let node = world.forest.node(id);
        match node.op {
            Op::Rmw { old, .. } => !node.pinned || self.found[id.index()] == Some(old),
            Op::Assume { condition: Some(condition), .. } => {
                self.expr(world, condition).is_some_and(|value| value != 0)
            }
            _ => true,
        }
    }

    /// Does control go on behind an event in this way?
    pub(super) fn goes_on(&mut self, world: World<'_>, id: NodeId, outcome: Outcome) -> bool {
        let node = world.forest.node(id);
        if outcome == Outcome::Next || world.forest.is_settled(id) {
            return true;
        }
        let found = self.found[id.index()];
        let value = match node.op {
            Op::Branch { condition: expr, .. }
            | Op::Switch { on: expr, .. }
            | Op::Concretise { expr, .. }
            | Op::Assert { condition: Some(expr), .. } => self.expr(world, expr),
            Op::FutexWait { expected, .. } => {
                let expected = self.datum(world, expected);
                expected.map(|expected| u128::from(found == Some(expected)))
            }
            Op::Read { .. } | Op::AtomicRead { .. } => found,
            _ => return true,
        };
        match outcome {
            Outcome::Held(held) => value.is_some_and(|value| (value != 0) == held),
            Outcome::Value(wanted) => value == Some(wanted),
            Outcome::Next => true,
        }
    }

    fn load(&self, world: World<'_>, tree: usize, location: LocationId) -> u128 {
        let start = world.forest.places.location(location).offset;
        let mut value = 0;
        for &cell in world.cells.row(location) {
            let entry = world.cells.cell(cell);
            let own = self.buffers[tree].iter().rev().find_map(|&(write, value)| {
                let (written, _) = world.forest.node(write).op.written()?;
                let from = world.forest.places.location(written).offset;
                let here = world.cells.row(written).contains(&cell);
                here.then(|| part(value, entry.offset - from, entry.size.into()))
            });
            value |= own.unwrap_or(self.memory[cell.0 as usize]) << (8 * (entry.offset - start));
        }
        value
    }

    /// Who wrote what the thread sees in the first cell of a location.
    fn last_writer(&self, world: World<'_>, tree: usize, location: LocationId) -> Option<NodeId> {
        let cell = world.cells.row(location).first()?;
        let own = self.buffers[tree].iter().rev().map(|&(write, _)| write).find(|&write| {
            let written = world.forest.node(write).op.written();
            written.is_some_and(|(location, _)| world.cells.row(location).contains(cell))
        });
        own.or(self.writer[cell.0 as usize])
    }

    fn store(&mut self, world: World<'_>, write: NodeId, value: u128) {
        let Some((location, _)) = world.forest.node(write).op.written() else { return };
        let start = world.forest.places.location(location).offset;
        for &cell in world.cells.row(location) {
            let entry = world.cells.cell(cell);
            match &mut self.trial {
                Some(trial) => {
                    let cell = cell.0 as usize;
                    trial.memory.push((cell, self.memory[cell], self.writer[cell]));
                }
                None => self.changes += 1,
            }
            self.writer[cell.0 as usize] = Some(write);
            self.memory[cell.0 as usize] = part(value, entry.offset - start, entry.size.into());
        }
    }

    fn datum(&mut self, world: World<'_>, datum: Datum) -> Option<u128> {
        datum.expr.map_or(Some(datum.value), |expr| self.expr(world, expr))
    }

    fn expr(&mut self, world: World<'_>, expr: ExprId) -> Option<u128> {
        if let Some(trial) = &mut self.trial {
            trial.exprs.push(expr);
        }
        let known = std::mem::take(&mut self.known);
        let leaf = |leaf: Leaf| match leaf {
            Leaf::Input(input) => world.inputs.get(input.index()).copied(),
            Leaf::Read(_, event) => self.found.get(event as usize).copied().flatten(),
        };
        let mut evaluator = Evaluator::resume(&world.forest.exprs, leaf, known);
        let value = evaluator.value(expr);
        self.known = evaluator.into_known();
        value.ok()
    }
}
