//! What an instruction on symbolic data did to the path and to memory.

use warpath_trace::event::Concretised;
use warpath_trace::ids::ExprId;

/// A new condition of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Control depended on a condition. A division's "the divisor is zero" is one, too.
    Branch {
        /// The condition; never a negation, nor `<=`, which is one of `<`.
        condition: ExprId,
        /// Did it hold?
        taken: bool,
    },
    /// Control depended on a value with more than two outcomes: the target of an indirect jump, call or return.
    Switch {
        /// The value.
        on: ExprId,
        /// What it was.
        value: u128,
    },
    /// A value is used by its concrete value from here on.
    Concretise {
        /// The value.
        expr: ExprId,
        /// What it was.
        value: u128,
        /// Why.
        why: Concretised,
    },
}

/// A store and what was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The first byte's address.
    pub address: u64,
    /// Bytes, 1 to 16.
    pub size: u8,
    /// The value, little endian.
    pub value: u128,
    /// Its expression, of eight times the size in bits, if it is symbolic.
    pub expr: Option<ExprId>,
}

/// A range of memory that became symbolic or concrete: for the marks that stop the fast interpreter there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The first byte's address.
    pub address: u64,
    /// Bytes.
    pub len: u64,
    /// Is it symbolic now?
    pub symbolic: bool,
}

/// What instructions did, in order. Kept by the caller and [cleared](Effects::clear) between instructions, so that
/// the common case allocates nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// New conditions of the path. What the path already decides is not repeated.
    pub path: Vec<Effect>,
    /// The stores that were held back, with their expressions. (Those that reached memory are in shadow memory:
    /// [`Shadow::read`](super::Shadow::read) gives them.)
    pub held: Vec<Stored>,
}

impl Effects {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets everything, keeps the room.
    pub fn clear(&mut self) {
        self.path.clear();
        self.held.clear();
    }
}
