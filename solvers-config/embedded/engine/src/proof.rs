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
    /// The literal is new and free; what stands on a level has its negation. It is assumed while the level is open.
    Activation(Lit),
    /// A level is given up: its literal is false from now on.
    Retired(Lit),
    /// The node stands for a declared integer constant. Node 0 is the number 0.
    Node {
        /// A new number.
        node: u32,
        /// The constant.
        constant: TermId,
    },
    /// The node is the first sum of a node and a number if the condition holds, else the second.
    Choice {
        /// A new number.
        node: u32,
        /// What decides.
        condition: Lit,
        /// The value if it holds.
        then: (u32, i64),
        /// The value if it does not.
        otherwise: (u32, i64),
    },
    /// The literal says `to - from >= least` of two nodes.
    Order {
        /// True exactly if the comparison holds.
        literal: Lit,
        /// A node.
        from: u32,
        /// Another one.
        to: u32,
        /// The difference.
        least: i64,
    },
    /// A new variable is a function of older ones. Its clauses follow, as definitions.
    Gate {
        /// The new variable.
        output: Lit,
        /// The function.
        function: Function,
        /// What it is a function of.
        inputs: &'a [Lit],
    },
    /// Part of the definition of a gate or of a choice, or the unit clause that gives up a level: it follows from the
    /// step that introduced them.
    Definition(&'a [Lit]),
    /// Part of what was asserted. On a level above 0 the clause has one literal more, which is false when the level
    /// is given up.
    Asserted {
        /// The clause.
        clause: &'a [Lit],
        /// The assertion.
        assertion: TermId,
    },
    /// A clause of a theory. Of orders: the comparisons whose negations it holds form a circle that cannot be. Of
    /// equality: those whose negations it holds make two vectors equal, or the one that it holds true.
    Lemma(&'a [Lit]),
    /// Follows from the clauses before it by unit propagation.
    Learned(&'a [Lit]),
    /// No longer needed.
    Deleted(&'a [Lit]),
    /// A check ends with `Unsat`, because of this clause: of negations of assumptions and of activation literals. It
    /// follows as learned clauses do.
    Refuted(&'a [Lit]),
}

/// What a gate computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// All inputs hold.
    And,
    /// Exactly one of two holds.
    Xor,
    /// The second input if the first holds, else the third.
    Mux,
    /// At least two of three hold.
    Majority,
}

/// Is told every step, in order.
pub trait Proof: std::fmt::Debug + Send {
    /// The next step.
    fn step(&mut self, step: Step<'_>);
}
