//! Variables and literals of the propositional core.

/// A propositional variable, counted from 0. Variable 0 is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub(crate) u32);

impl Var {
    /// Its number.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The variable itself as a literal.
    pub fn positive(self) -> Lit {
        Lit(self.0 << 1)
    }
}

/// A variable or its negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(pub(crate) u32);

impl Lit {
    /// What always holds.
    pub const TRUE: Lit = Lit(0);
    /// What never holds.
    pub const FALSE: Lit = Lit(1);

    /// The variable.
    pub fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    /// Whether it is the variable itself.
    pub fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// The number that DIMACS files give it: the variable counted from 1, negative if negated.
    pub fn dimacs(self) -> i64 {
        let number = i64::from(self.0 >> 1) + 1;
        if self.is_positive() { number } else { -number }
    }

    /// Position in a table with an entry for each literal.
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
