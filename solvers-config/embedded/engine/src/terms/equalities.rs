//! Equalities of bit-vectors: each has one literal, which the theory of equality knows.
//!
//! Most of them only ever have to imply that the bits agree, since Warpath says of a read that *if* it reads from a
//! write, *then* it finds its value (Plaisted & Greenbaum, 1986). That the bits imply the equality is added when
//! somebody needs it.

use super::Translation;
use crate::bits::is_constant;
use crate::sat::Lit;
use warpath_solvers::term::TermId;

/// What a literal has to do with the equality that it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strength {
    /// If it is true, the vectors are equal.
    Implies,
    /// And the other way round.
    Exact,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Equality {
    literal: Lit,
    strength: Strength,
}

impl Translation {
    /// The literal for the equality of two vectors that have been translated.
    pub(super) fn equal_vectors(&mut self, a: TermId, b: TermId, strength: Strength) -> Lit {
        let key = (a.min(b), a.max(b));
        let known = self.equalities.get(&key).copied();
        if let Some(known) = known
            && (known.strength == Strength::Exact || strength == Strength::Implies)
        {
            return known.literal;
        }
        let (left, right) = (self.bits(key.0), self.bits(key.1));
        let equality = if let Some(known) = known {
            self.circuit.implied_by_equal(known.literal, &left, &right);
            Equality { strength, ..known }
        } else if self.circuit.sat.proof.is_some()
            || left.len() == 1
            || is_constant(&left)
            || is_constant(&right)
        {
            // A proof speaks of gates, of which a checker can tell that they are equalities.
            let before = self.circuit.sat.vars();
            let literal = self.circuit.equal(&left, &right);
            // A gate of old may have another meaning as well, and may have been told to others already.
            if literal.var().index() >= before {
                self.circuit.sat.theory.equals.add_atom(literal, key.0, key.1);
            }
            Equality { literal, strength: Strength::Exact }
        } else {
            let literal = self.circuit.input();
            self.circuit.sat.theory.equals.add_atom(literal, key.0, key.1);
            self.circuit.implies_equal(literal, &left, &right);
            if strength == Strength::Exact {
                self.circuit.implied_by_equal(literal, &left, &right);
            }
            Equality { literal, strength }
        };
        self.equalities.insert(key, equality);
        equality.literal
    }
}
