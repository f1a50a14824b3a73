//! The sorts of terms.

/// Widest bit-vector that may be declared or built.
pub const MAX_WIDTH: u32 = 4096;

/// Widest bit-vector that has a [`Value`](super::Value), and so can be evaluated.
pub const MAX_VALUE_WIDTH: u32 = 128;

/// The sort of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Mathematical integers.
    Int,
    /// Bit-vectors of this width, `1..=`[`MAX_WIDTH`].
    Bits(u32),
}

impl Sort {
    /// The width, if this is a bit-vector sort.
    pub fn width(self) -> Option<u32> {
        match self {
            Sort::Bits(width) => Some(width),
            Sort::Bool | Sort::Int => None,
        }
    }

    /// `true` if values of this sort can be evaluated (see [`MAX_VALUE_WIDTH`]).
    pub fn has_values(self) -> bool {
        self.width().is_none_or(|width| (1..=MAX_VALUE_WIDTH).contains(&width))
    }
}

impl std::fmt::Display for Sort {
    /// The sort as SMT-LIB writes it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Sort::Bool => f.write_str("Bool"),
            Sort::Int => f.write_str("Int"),
            Sort::Bits(width) => write!(f, "(_ BitVec {width})"),
        }
    }
}

/// A sort in two bytes, as the nodes of terms keep it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct PackedSort(u16);

impl PackedSort {
    pub(super) const BOOL: PackedSort = PackedSort(0);

    /// Packs a sort whose width has been checked against [`MAX_WIDTH`].
    pub(super) fn new(sort: Sort) -> Self {
        match sort {
            Sort::Bool => Self::BOOL,
            Sort::Int => PackedSort(u16::MAX),
            Sort::Bits(width) => PackedSort(u16::try_from(width).expect("width was checked")),
        }
    }

    pub(super) fn unpack(self) -> Sort {
        match self.0 {
            0 => Sort::Bool,
            u16::MAX => Sort::Int,
            width => Sort::Bits(u32::from(width)),
        }
    }
}
