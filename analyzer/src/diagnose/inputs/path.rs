//! What the inputs must be for an execution to go as it went: each of its decisions as an expression over inputs alone.
//!
//! The execution fixes who reads from whom, so what a read found can be replaced by what was written there. Whoever
//! has inputs with which all these expressions hold can repeat the execution step by step.

use std::collections::{BTreeMap, HashMap, VecDeque};

use warpath_trace::event::{Datum, Op};
use warpath_trace::expr::{BinaryOp, EvalError, Evaluator, ExprError, ExprPool, Leaf, Sort};
use warpath_trace::header::MemoryModel;
use warpath_trace::ids::{ExprId, LocationId};

use crate::answer::Execution;
use crate::encode::{Point, is_buffered};
use crate::model::{CellId, Cells, Forest, NodeId, TreeIx};

/// The decisions of an execution, in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PathCondition {
    /// All of these must hold; each mentions an input.
    pub(super) conjuncts: Vec<ExprId>,
    /// Did something depend on what storage held at first, where nobody knows that?
    pub(super) rests_on_initials: bool,
}

/// Why a path condition could not be worked out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// An expression could not be made.
    #[error(transparent)]
    Expression(#[from] ExprError),
    /// A decision has no value.
    #[error(transparent)]
    Value(#[from] EvalError),
}

/// The path condition of an execution that can happen. Expressions are put into the pool, which must have begun as the
/// forest's.
pub(super) fn path_condition(
    forest: &Forest,
    model: MemoryModel,
    execution: &Execution,
    pool: &mut ExprPool,
) -> Result<PathCondition, PathError> {
    let initials = execution.initials.iter().map(|&(cell, value)| (CellId(cell), value)).collect();
    let mut symbolic = Symbolic {
        forest,
        cells: forest.cells(),
        model,
        inputs: &execution.inputs,
        initials,
        pool,
        memory: BTreeMap::new(),
        buffers: BTreeMap::new(),
        found: HashMap::new(),
        replaced: HashMap::new(),
        condition: PathCondition::default(),
    };
    for &point in &execution.steps {
        match point {
            Point::Issue(id) => symbolic.issue(id)?,
            Point::Commit(id) => symbolic.commit(id)?,
        }
    }
    Ok(symbolic.condition)
}

struct Symbolic<'f> {
    forest: &'f Forest,
    cells: &'f Cells,
    model: MemoryModel,
    inputs: &'f [u128],
    initials: HashMap<CellId, u128>,
    pool: &'f mut ExprPool,
    memory: BTreeMap<CellId, ExprId>,
    buffers: BTreeMap<TreeIx, VecDeque<(NodeId, ExprId)>>,
    found: HashMap<NodeId, ExprId>,
    /// Expressions of the forest, with reads replaced.
    replaced: HashMap<ExprId, ExprId>,
    condition: PathCondition,
}

impl Symbolic<'_> {
    fn issue(&mut self, id: NodeId) -> Result<(), PathError> {
        let node = self.forest.node(id);
        let (tree, op) = (node.tree, node.op);
        match op {
            Op::Read { location, .. } | Op::AtomicRead { location, .. } => {
                let found = self.load(id, tree, location)?;
                if node.pinned {
                    self.decide(found)?;
                }
            }
            Op::Write { location, value, .. } | Op::AtomicWrite { location, value, .. } => {
                let value = self.datum(value, location)?;
                match is_buffered(self.model, &op) {
                    true => self.buffers.entry(tree).or_default().push_back((id, value)),
                    false => self.store(location, value)?,
                }
            }
            Op::Rmw { location, new, .. } => {
                let found = self.load(id, tree, location)?;
                if node.pinned {
                    self.decide(found)?;
                }
                let new = self.datum(new, location)?;
                self.store(location, new)?;
            }
            Op::FutexWait { word, expected, .. } => {
                let found = self.load(id, tree, word)?;
                let expected = self.datum(expected, word)?;
                let equal = self.pool.equal(found, expected)?;
                self.decide(equal)?;
            }
            Op::Branch { condition: expr, .. }
            | Op::Switch { on: expr, .. }
            | Op::Concretise { expr, .. }
            | Op::Assert { condition: Some(expr), .. }
            | Op::Assume { condition: Some(expr), .. } => {
                let expr = self.replace(expr)?;
                self.decide(expr)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn commit(&mut self, id: NodeId) -> Result<(), PathError> {
        let node = self.forest.node(id);
        let buffer = self.buffers.entry(node.tree).or_default();
        let place = buffer.iter().position(|&(buffered, _)| buffered == id);
        let value = place.and_then(|place| buffer.remove(place));
        match (value, node.op.written()) {
            (Some((_, value)), Some((location, _))) => self.store(location, value),
            _ => Ok(()),
        }
    }

    /// It must come out as it did.
    fn decide(&mut self, expr: ExprId) -> Result<(), PathError> {
        let leaf = |leaf: Leaf| match leaf {
            Leaf::Input(input) => self.inputs.get(input.index()).copied(),
            Leaf::Read(..) => None,
        };
        let value = Evaluator::new(self.pool, leaf).value(expr)?;
        let held = match (self.pool.sort(expr), value) {
            (Sort::Bool, 0) => self.pool.not(expr)?,
            (Sort::Bool, _) => expr,
            (Sort::Bits(width), value) => {
                let value = self.pool.constant(width, value)?;
                self.pool.equal(expr, value)?
            }
        };
        if self.pool.as_constant(held).is_none() && !self.condition.conjuncts.contains(&held) {
            self.condition.conjuncts.push(held);
        }
        Ok(())
    }

    /// What the thread sees: its own youngest buffered write of each cell, else memory. The first byte lowest.
    fn load(&mut self, id: NodeId, tree: TreeIx, location: LocationId) -> Result<ExprId, PathError> {
        let mut whole: Option<ExprId> = None;
        for &cell in self.cells.row(location) {
            let buffered = self.buffers.get(&tree).into_iter().flatten().rev().find_map(|&(write, value)| {
                let (written, _) = self.forest.node(write).op.written()?;
                self.cells.row(written).contains(&cell).then_some((written, value))
            });
            let part = match (buffered, self.memory.get(&cell)) {
                (Some((written, value)), _) => self.part(value, written, cell)?,
                (None, Some(&value)) => value,
                (None, None) => self.initial(cell)?,
            };
            whole = Some(match whole {
                Some(low) => self.pool.binary(BinaryOp::Concat, part, low)?,
                None => part,
            });
        }
        let whole = match whole {
            Some(whole) => whole,
            // Nothing of no size is ever read; a constant stands for it.
            None => self.pool.constant(8, 0)?,
        };
        self.found.insert(id, whole);
        Ok(whole)
    }

    fn initial(&mut self, cell: CellId) -> Result<ExprId, PathError> {
        let entry = self.cells.cell(cell);
        let value = match entry.initial {
            Some(value) => value,
            None => {
                self.condition.rests_on_initials = true;
                self.initials.get(&cell).copied().unwrap_or(0)
            }
        };
        Ok(self.pool.constant(entry.width() as u8, value)?)
    }

    fn store(&mut self, location: LocationId, value: ExprId) -> Result<(), PathError> {
        for &cell in self.cells.row(location) {
            let part = self.part(value, location, cell)?;
            self.memory.insert(cell, part);
        }
        Ok(())
    }

    /// One cell of a value that was written to a location.
    fn part(&mut self, value: ExprId, location: LocationId, cell: CellId) -> Result<ExprId, PathError> {
        let entry = self.cells.cell(cell);
        let low = 8 * (entry.offset - self.forest.places.location(location).offset) as u32;
        if low == 0 && u32::from(self.pool.width(value)) == entry.width() {
            return Ok(value);
        }
        Ok(self.pool.extract((low + entry.width() - 1) as u8, low as u8, value)?)
    }

    fn datum(&mut self, datum: Datum, location: LocationId) -> Result<ExprId, PathError> {
        match datum.expr {
            Some(expr) => self.replace(expr),
            None => {
                let bits = 8 * self.forest.places.location(location).size;
                Ok(self.pool.constant(bits as u8, datum.value)?)
            }
        }
    }

    /// The expression with what was written in place of what was read.
    fn replace(&mut self, root: ExprId) -> Result<ExprId, PathError> {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.replaced.contains_key(&id) {
                stack.pop();
                continue;
            }
            let node = self.pool.node(id);
            let waiting = stack.len();
            stack.extend(node.operands().filter(|operand| !self.replaced.contains_key(operand)));
            if stack.len() > waiting {
                continue;
            }
            let replaced = match node.leaf() {
                Some(Leaf::Read(_, event)) => self.found.get(&NodeId(event)).copied().unwrap_or(id),
                Some(Leaf::Input(_)) => id,
                None => self.pool.simplified(node.map_operands(|operand| self.replaced[&operand]))?,
            };
            self.replaced.insert(id, replaced);
            stack.pop();
        }
        Ok(self.replaced[&root])
    }
}
