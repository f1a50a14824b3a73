//! What locations hold that no other thread accesses: their values are data flow, not events.

use rustc_hash::FxHashMap;
use warpath_trace::expr::ExprPool;

use super::symbols;
use super::value::Slot;
use crate::stream::ObjectRef;

/// A location: what a field instruction or an array access is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Cell {
    /// A static field, by the number of its full name.
    Static(u32),
    /// A field of an object, by the number of its name.
    Field(ObjectRef, u32),
    /// An element of an array.
    Element(ObjectRef, i32),
}

impl Cell {
    /// The object that it is a part of.
    pub(crate) fn object(self) -> Option<ObjectRef> {
        match self {
            Cell::Static(_) => None,
            Cell::Field(object, _) | Cell::Element(object, _) => Some(object),
        }
    }
}

/// Symbolic values at rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heap(FxHashMap<Cell, (usize, Slot)>);

impl Heap {
    /// A thread has written something.
    pub(crate) fn put(&mut self, thread: usize, cell: Cell, slot: Slot) {
        if slot.is_symbolic() {
            self.0.insert(cell, (thread, slot));
        } else {
            self.0.remove(&cell);
        }
    }

    /// What was written, if that is what a thread found. What another thread has read says nothing to this one.
    pub(crate) fn get(&mut self, pool: &ExprPool, thread: usize, cell: Cell, found: Slot) -> Slot {
        match self.0.get(&cell) {
            Some((writer, slot)) if slot.known == found.known => {
                let tells = *writer == thread || symbols::only_inputs(pool, slot);
                if tells { *slot } else { found }
            }
            Some(_) => {
                // Code that is not instrumented has written there since.
                self.0.remove(&cell);
                found
            }
            None => found,
        }
    }

    /// The symbolic elements of an array.
    pub(crate) fn elements(&self, array: ObjectRef) -> Vec<Slot> {
        let mut found: Vec<(Cell, Slot)> = self
            .0
            .iter()
            .filter(|(cell, _)| matches!(cell, Cell::Element(object, _) if *object == array))
            .map(|(cell, (_, slot))| (*cell, *slot))
            .collect();
        found.sort_unstable_by_key(|(cell, _)| *cell);
        found.into_iter().map(|(_, slot)| slot).collect()
    }
}
