//! The arena of terms: leaves and access. Operations are built in `build`.

use super::error::TermError;
use super::sort::{MAX_WIDTH, Sort};
use super::store::{Head, Store, TermId};
use super::{Op, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Whether an arena simplifies what it builds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Simplification {
    /// Light and exact: constants are folded, neutral and absorbing elements and double negations
    /// disappear. The meaning of a term never changes.
    #[default]
    On,
    /// Every term is built as asked for. For tests, and for keeping a script as it was written.
    Off,
}

/// An arena of hash-consed, sort-checked terms. Equal terms are one [`TermId`].
///
/// ```
/// use warpath_solvers::term::{Sort, Terms};
/// # fn main() -> Result<(), warpath_solvers::term::TermError> {
/// let mut terms = Terms::new();
/// let a = terms.constant("o(a)", Sort::Int)?;
/// let b = terms.constant("o(b)", Sort::Int)?;
/// let before = terms.lt(a, b)?;
/// assert_eq!(terms.lt(a, b)?, before);
/// assert!(terms.and(&[a, b]).is_err());
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Terms {
    pub(super) store: Store,
    pub(super) simplification: Simplification,
    names: Vec<Arc<str>>,
    by_name: FxHashMap<Arc<str>, TermId>,
}

/// What a term is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape<'a> {
    /// A value.
    Literal(Value),
    /// A declared constant, by its name.
    Constant(&'a str),
    /// An operation on terms.
    App(Op, &'a [TermId]),
}

/// `true`: the first term of every arena.
const TRUE: TermId = TermId(0);
/// `false`: the second.
const FALSE: TermId = TermId(1);

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

impl Terms {
    /// An empty arena that simplifies.
    pub fn new() -> Self {
        Self::with_simplification(Simplification::On)
    }

    /// An empty arena.
    pub fn with_simplification(simplification: Simplification) -> Self {
        let mut store = Store::new();
        for (raw, id) in [(1, TRUE), (0, FALSE)] {
            let made = store.literal_term(raw, Sort::Bool);
            debug_assert_eq!(made, Some(id));
        }
        Terms { store, simplification, names: Vec::new(), by_name: FxHashMap::default() }
    }

    /// A truth value.
    pub fn bool(&self, value: bool) -> TermId {
        if value { TRUE } else { FALSE }
    }

    /// An integer.
    pub fn int(&mut self, value: i128) -> Result<TermId, TermError> {
        self.store.literal_term(value as u128, Sort::Int).ok_or(FULL)
    }

    /// A bit-vector literal of up to 128 bits.
    pub fn bits(&mut self, value: u128, width: u32) -> Result<TermId, TermError> {
        match Value::bits(value, width) {
            Some(Value::Bits { value: kept, .. }) if kept == value => {
                self.store.literal_term(value, Sort::Bits(width)).ok_or(FULL)
            }
            Some(_) => Err(TermError::ValueTooWide { value, width }),
            None => Err(TermError::WidthOutOfRange { width: u64::from(width) }),
        }
    }

    /// A literal of any sort.
    pub fn value(&mut self, value: Value) -> Result<TermId, TermError> {
        match value {
            Value::Bool(value) => Ok(self.bool(value)),
            Value::Int(value) => self.int(value),
            Value::Bits { width, value } => self.bits(value, width),
        }
    }

    /// The constant of this name, declared if it is new. A name is any text; it has one sort.
    pub fn constant(&mut self, name: &str, sort: Sort) -> Result<TermId, TermError> {
        if let Some(&known) = self.by_name.get(name) {
            let declared = self.sort(known);
            return if declared == sort {
                Ok(known)
            } else {
                Err(TermError::ConstantRedeclared { name: name.to_owned(), declared, requested: sort })
            };
        }
        if let Sort::Bits(width) = sort {
            check_width(u64::from(width))?;
        }
        let id = self.store.constant(self.names.len(), sort).ok_or(FULL)?;
        let name: Arc<str> = name.into();
        self.names.push(Arc::clone(&name));
        self.by_name.insert(name, id);
        Ok(id)
    }

    /// The constant of this name, if it was declared.
    pub fn find_constant(&self, name: &str) -> Option<TermId> {
        self.by_name.get(name).copied()
    }

    /// Number of terms.
    pub fn len(&self) -> usize {
        self.store.len()
    }

    /// Never true: `true` and `false` are always there.
    pub fn is_empty(&self) -> bool {
        self.store.len() == 0
    }

    /// Whether the term belongs to this arena (as far as its number tells).
    pub fn contains(&self, id: TermId) -> bool {
        self.store.contains(id)
    }

    /// The sort of a term.
    ///
    /// # Panics
    /// If `id` is of another, larger arena; likewise the functions below.
    pub fn sort(&self, id: TermId) -> Sort {
        self.store.sort(id)
    }

    /// The family of comparisons ([`Op::FAMILIES`]) that the term is, or is with something beside it.
    pub fn family_at(&self, id: TermId) -> Option<Op> {
        let own = |id: TermId| match self.shape(id) {
            Shape::App(op, _) if Op::FAMILIES.contains(&op) => Some(op),
            _ => None,
        };
        own(id).or_else(|| match self.shape(id) {
            Shape::App(Op::Or | Op::Implies, args) => args.iter().find_map(|&arg| own(arg)),
            _ => None,
        })
    }

    /// What the term is made of.
    pub fn shape(&self, id: TermId) -> Shape<'_> {
        match self.store.head(id) {
            Head::App(op) => Shape::App(op, self.store.args(id)),
            Head::Constant => Shape::Constant(self.name(id).unwrap_or_default()),
            Head::Literal => {
                let raw = self.store.literal(id).unwrap_or_default();
                Shape::Literal(match self.sort(id) {
                    Sort::Bool => Value::Bool(raw != 0),
                    Sort::Int => Value::Int(raw as i128),
                    Sort::Bits(width) => Value::Bits { width, value: raw },
                })
            }
        }
    }

    /// The arguments of an application; none for leaves.
    pub fn args(&self, id: TermId) -> &[TermId] {
        self.store.args(id)
    }

    /// The value, if the term is a literal.
    pub fn as_literal(&self, id: TermId) -> Option<Value> {
        match self.shape(id) {
            Shape::Literal(value) => Some(value),
            _ => None,
        }
    }

    /// The name, if the term is a constant.
    pub fn name(&self, id: TermId) -> Option<&str> {
        self.store.constant_number(id).map(|number| &*self.names[number])
    }

    /// The constants that occur in `roots`, in order of declaration.
    pub fn constants_in(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut found: Vec<TermId> =
            self.cone(roots).filter(|&id| self.store.head(id) == Head::Constant).collect();
        found.sort_unstable();
        found
    }

    /// Every term reachable from `roots`, each once, in no useful order.
    pub fn cone(&self, roots: &[TermId]) -> impl Iterator<Item = TermId> {
        // A bit for each term of the arena: zeroed memory costs nothing until it is touched.
        let mut seen = vec![0_u64; self.len() / 64 + 1];
        let mut stack: Vec<TermId> = roots.to_vec();
        std::iter::from_fn(move || {
            loop {
                let id = stack.pop()?;
                let (word, bit) = (&mut seen[id.index() / 64], 1 << (id.index() % 64));
                if *word & bit == 0 {
                    *word |= bit;
                    stack.extend_from_slice(self.args(id));
                    return Some(id);
                }
            }
        })
    }
}

pub(super) const FULL: TermError = TermError::Full { limit: Store::LIMIT };

/// Checks that a bit-vector may have this width.
pub(super) fn check_width(width: u64) -> Result<u32, TermError> {
    match u32::try_from(width) {
        Ok(width) if (1..=MAX_WIDTH).contains(&width) => Ok(width),
        _ => Err(TermError::WidthOutOfRange { width }),
    }
}
