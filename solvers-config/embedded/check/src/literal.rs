//! Variables and literals of the checker, with numbers of its own.

/// A variable or its negation. Variable 0 is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Lit(pub(crate) u32);

impl Lit {
    pub(crate) const TRUE: Lit = Lit(0);
    pub(crate) const FALSE: Lit = Lit(1);

    pub(crate) fn positive(var: u32) -> Lit {
        Lit(var << 1)
    }

    pub(crate) fn var(self) -> u32 {
        self.0 >> 1
    }

    pub(crate) fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// Itself, or its negation if `flip`.
    pub(crate) fn flipped(self, flip: bool) -> Lit {
        Lit(self.0 ^ u32::from(flip))
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}
