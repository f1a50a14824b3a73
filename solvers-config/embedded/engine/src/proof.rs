//! What a refutation rests on, as it comes about, for a checker that does not trust the engine.

use crate::sat::Lit;
use warpath_solvers::term::TermId;

/// One step. Clauses are sets of literals; the empty clause is the end of a refutation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step<'a> {
    /// The literal stands for the bit of a declared constant (bit 0 of a Boolean is its value).
    Input {
        /// Of the constant.
        literal: Lit,
        /// The constant.
        constant: TermId,
        /// Counted from the least significant.
        bit: u32,
    },
    /// The literal says `to - from >= least` of two integers.
    Order {
        /// True exactly if the comparison holds.
        literal: Lit,
        /// An integer constant; `None` is the number 0.
        from: Option<TermId>,
        /// Another one.
        to: Option<TermId>,
        /// The difference.
        least: i64,
    },
    /// Part of the definition of a gate: a new variable as a function of older ones.
    Definition(&'a [Lit]),
    /// Part of what was asserted. On a level above 0 the clause has one literal more, which is false when the level
    /// is given up.
    Asserted {
        /// The clause.
        clause: &'a [Lit],
        /// The assertion.
        assertion: TermId,
    },
    /// A clause of the theory of orders: the comparisons whose negations it holds form a circle that cannot be.
    Lemma(&'a [Lit]),
    /// Follows from the clauses before it by unit propagation.
    Learned(&'a [Lit]),
    /// No longer needed.
    Deleted(&'a [Lit]),
}

/// Is told every step, in order.
pub trait Proof: std::fmt::Debug + Send {
    /// The next step.
    fn step(&mut self, step: Step<'_>);
}
