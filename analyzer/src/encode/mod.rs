//! The formula: what every execution of the forest's program satisfies.
//!
//! Per node `n`: Boolean `en(n)` (executed) and order variable `o(n)`. The files follow the page that
//! explains the formula, in its order: `thread`, `read`, `mutex`, `condition`, `semaphore`, `barrier`,
//! `once`, `futex`, `atomic`, `waiting`; `orders` has the memory models. A prefix is enough: a thread may stop anywhere.
//!
//! It follows Maximal Path Causality (Yi, Huang; ESEC/FSE 2018) and Maximal Causality Reduction (Huang;
//! PLDI 2015, and for TSO and PSO OOPSLA 2016). It deviates in being about a forest instead of one path: one
//! formula for all paths seen so far, with `en` saying which of them an execution takes.

mod accesses;
mod atomic;
mod barrier;
mod components;
mod condition;
mod cone;
mod count;
mod families;
mod futex;
mod in_pairs;
mod lemmas;
mod lock;
mod names;
mod object_tree;
mod once;
mod options;
mod orders;
mod pairs;
mod points;
mod ranges;
mod read;
mod requeue;
mod saturate;
mod seats;
mod semaphore;
mod thread;
mod unseen;
mod values;
mod waiting;

pub use names::About;
pub use options::{Options, OrderSort, Reductions};
pub use points::Point;

pub(crate) use accesses::sync_objects;
pub(crate) use cone::{cone_signature, cone_within, reads_behind};
pub(crate) use lock::conflict;
pub(crate) use orders::order_sort;
pub(crate) use points::{drains, is_buffered, is_release, separates_stores};
pub(crate) use read::ReadFrom;
pub(crate) use requeue::Family;
pub(crate) use saturate::must_order;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use warpath_solvers::term::{Sort, TermError, TermId, Terms};

use crate::model::{CellId, Cells, Forest, MustOrder, NodeId};
use accesses::Accesses;
use orders::Orders;

/// A constraint of the formula and what it is about.
#[derive(Clone, Copy, Debug)]
pub struct Constraint {
    /// What it is about.
    pub about: About,
    /// The constraint.
    pub term: TermId,
}

/// The formula of a forest, or of the part of it that some targets depend on.
#[derive(Clone, Debug)]
pub struct Encoding<'f> {
    /// The forest.
    pub forest: &'f Forest,
    /// Its storage, cut.
    pub cells: Arc<Cells>,
    /// Its must-order, with what the options let it know.
    pub must: Arc<MustOrder>,
    /// The arena of all terms.
    pub terms: Terms,
    /// The formula.
    pub constraints: Vec<Constraint>,
    pub(crate) options: Options,
    pub(crate) takes_part: Vec<bool>,
    /// Is it the formula of a part of the forest, in which events may lack what they need?
    is_part: bool,
    pub(crate) value_matters: Vec<bool>,
    accesses: Accesses,
    object_trees: object_tree::ObjectTrees,
    orders: Orders,
    ranges: ranges::Ranges,
    sharing: seats::Sharing,
    en: Vec<Option<TermId>>,
    /// Per seat of a read and cell: the term for the value found.
    found: HashMap<(NodeId, CellId), TermId>,
    /// Per seat of a read and cell: what it may see, where that is not decided.
    sources: HashMap<(NodeId, CellId), Vec<read::Source>>,
    lowered: HashMap<warpath_trace::ids::ExprId, TermId>,
    /// `rf(w, r)` by the seats of read and write, and cell; `None` for the initial value.
    rf: BTreeMap<(NodeId, CellId, Option<NodeId>), TermId>,
    /// Are locks and reads said as families?
    has_families: bool,
    /// Constraints that are families, in their order.
    families: Vec<families::Family>,
}

impl<'f> Encoding<'f> {
    /// The formula of what `targets` depend on; of the whole forest, if the cone is switched off.
    pub fn new(forest: &'f Forest, options: Options, targets: &[NodeId]) -> Result<Self, TermError> {
        Encoding::with_values(forest, options, targets, &[])
    }

    /// The same, with the reads whose value somebody will ask for.
    pub fn with_values(
        forest: &'f Forest,
        options: Options,
        targets: &[NodeId],
        values: &[NodeId],
    ) -> Result<Self, TermError> {
        Encoding::in_arena(forest, options, targets, values, Terms::new())
    }

    /// The same with terms that are there already: what was said before of the same events is the same term.
    pub fn in_arena(
        forest: &'f Forest,
        options: Options,
        targets: &[NodeId],
        values: &[NodeId],
        terms: Terms,
    ) -> Result<Self, TermError> {
        Encoding::of_part(forest, options, targets, values, terms, None)
    }

    /// The same of a part of the forest: what is not in it does not happen. With a node it has those above it.
    pub fn of_part(
        forest: &'f Forest,
        options: Options,
        targets: &[NodeId],
        values: &[NodeId],
        terms: Terms,
        part: Option<&[bool]>,
    ) -> Result<Self, TermError> {
        let cells = Arc::clone(forest.cells());
        let must = must_order(forest, &options);
        // Where memory was not recorded, anything may depend on anything.
        let cone = match options.reductions.cone && !forest.is_memory_unseen() {
            true => cone::Cone::of(forest, &cells, targets, values, part),
            false => cone::Cone::everything(forest, part),
        };
        let accesses = Accesses::of(forest, &cells, |id| cone.takes_part[id.index()]);
        let size = cone.size();
        // In a part of the forest, or where memory was not recorded, there may be writes that nobody knows of.
        let is_all_known = part.is_none() && !forest.is_memory_unseen();
        let ranges = match options.reductions.ranges && size >= options.ranges_from && is_all_known {
            true => ranges::Ranges::of(forest, &cells, &accesses, &cone),
            false => ranges::Ranges::default(),
        };
        let mut encoding = Encoding {
            forest,
            orders: Orders::new(forest, options),
            ranges,
            cells,
            must,
            terms,
            constraints: Vec::new(),
            options,
            object_trees: object_tree::ObjectTrees::of(forest, |id| cone.takes_part[id.index()]),
            sharing: seats::Sharing::of(forest, &cone.takes_part),
            takes_part: cone.takes_part,
            is_part: part.is_some(),
            value_matters: cone.value_matters,
            accesses,
            en: vec![None; forest.nodes().len()],
            found: HashMap::new(),
            sources: HashMap::new(),
            lowered: HashMap::new(),
            rf: BTreeMap::new(),
            has_families: false,
            families: Vec::new(),
        };
        encoding.has_families = encoding.is_for_families(size);
        encoding.encode()?;
        Ok(encoding)
    }

    fn encode(&mut self) -> Result<(), TermError> {
        // In the order of ids: what a node's value depends on by the must-order has a lower id.
        for id in self.forest.ids() {
            // What is settled has happened, whatever it needed.
            if self.takes_part[id.index()] && !self.forest.is_settled(id) {
                self.read(id)?;
                self.thread(id)?;
                self.awaits(id)?;
            }
        }
        let objects: Vec<_> = self.accesses.sync.keys().copied().collect();
        for object in objects {
            self.locks(object)?;
            self.unseen_state(object)?;
            self.conditions(object)?;
            self.semaphores(object)?;
            self.barriers(object)?;
            self.onces(object)?;
            self.futexes(object)?;
        }
        self.atomic_regions()
    }

    /// The formula with the order constraints of every point that has been mentioned so far: call it after
    /// the last question was added.
    pub fn order_constraints(&mut self) -> Result<Vec<Constraint>, TermError> {
        let mut order = self.program_order()?;
        order.extend(self.usual()?);
        Ok(order)
    }

    /// Does the node take part in this formula?
    pub fn has(&self, id: NodeId) -> bool {
        self.takes_part[id.index()]
    }

    /// `en(n)`: the event is executed. Settled events are.
    pub fn en(&mut self, id: NodeId) -> Result<TermId, TermError> {
        if self.forest.is_settled(id) {
            return Ok(self.terms.bool(true));
        }
        if let Some(term) = self.en[id.index()] {
            return Ok(term);
        }
        let name = format!("en({})", self.forest.name(id));
        let term = self.terms.constant(&name, Sort::Bool)?;
        self.en[id.index()] = Some(term);
        Ok(term)
    }

    /// The events that take part and work on this object.
    fn on(&self, object: warpath_trace::ids::LocationId) -> Vec<NodeId> {
        self.accesses.sync(object).to_vec()
    }

    fn op(&self, id: NodeId) -> warpath_trace::event::Op {
        self.forest.node(id).op
    }

    /// Adds `if → then`.
    fn require(&mut self, about: About, condition: TermId, then: TermId) -> Result<(), TermError> {
        let term = self.terms.implies(condition, then)?;
        self.constrain(about, term);
        Ok(())
    }

    fn constrain(&mut self, about: About, term: TermId) {
        if term != self.terms.bool(true) {
            self.constraints.push(Constraint { about, term });
        }
    }

    /// Executed, and before `later` is.
    fn done_before(&mut self, id: NodeId, later: NodeId) -> Result<TermId, TermError> {
        if self.options.reductions.fold_must && self.must.before(id, later) {
            return Ok(self.terms.bool(true));
        }
        if !self.takes_part[id.index()] || !self.must.compatible(id, later) || self.must.before(later, id) {
            return Ok(self.terms.bool(false));
        }
        let parts = [self.en(id)?, self.before(Point::Issue(id), Point::Issue(later))?];
        self.terms.and(&parts)
    }

    /// Not both.
    fn exclude(&mut self, about: About, a: TermId, b: TermId) -> Result<(), TermError> {
        let both = self.terms.and(&[a, b])?;
        let term = self.terms.not(both)?;
        self.constrain(about, term);
        Ok(())
    }
}
