//! Assertions as clauses: conjunctions are taken apart, and disjunctions become clauses without a variable of their own.

use super::equalities::Strength;
use super::{Meaning, Translation};
use crate::Unsupported;
use crate::sat::Lit;
use warpath_solvers::term::{Op, Shape, Sort, TermId, Terms};

/// A term, and whether it or its negation is meant.
type Side = (TermId, bool);

/// Up to so many literals are written again with each part of a conjunction.
const LONGEST_FACTOR: usize = 4;
/// Up to so many clauses may come of two conjunctions.
const LARGEST_PRODUCT: usize = 4;

impl Translation {
    /// The clauses that an assertion is. Nothing is asserted yet.
    pub(crate) fn clauses(&mut self, terms: &Terms, assertion: TermId) -> Result<Vec<Vec<Lit>>, Unsupported> {
        let mut clauses = Vec::new();
        let mut open = vec![(assertion, true)];
        while let Some((term, holds)) = open.pop() {
            match (terms.shape(term), holds) {
                (Shape::App(Op::Not, &[a]), _) => open.push((a, !holds)),
                (Shape::App(Op::And, args), true) | (Shape::App(Op::Or, args), false) => {
                    open.extend(args.iter().rev().map(|&arg| (arg, holds)));
                }
                (Shape::App(Op::Implies, &[a, b]), false) => open.extend([(b, false), (a, true)]),
                (Shape::App(op @ (Op::Eq | Op::Xor), &[a, b]), _) if terms.sort(a) == Sort::Bool => {
                    let (a, b) = (self.literal(terms, a)?, self.literal(terms, b)?);
                    let b = b.flipped((op == Op::Eq) != holds);
                    clauses.extend([vec![!a, b], vec![a, !b]]);
                }
                (Shape::App(Op::Eq, &[a, b]), true) if matches!(terms.sort(a), Sort::Bits(_)) => {
                    self.translate(terms, a)?;
                    self.translate(terms, b)?;
                    for (a, b) in self.bits(a).into_iter().zip(self.bits(b)) {
                        clauses.extend([vec![!a, b], vec![a, !b]]);
                    }
                }
                (Shape::App(Op::Ite, &[condition, a, b]), _) => {
                    let condition = self.literal(terms, condition)?;
                    let (a, b) = (self.literal(terms, a)?, self.literal(terms, b)?);
                    clauses.extend([vec![!condition, a.flipped(!holds)], vec![condition, b.flipped(!holds)]]);
                }
                _ => self.disjunction(terms, (term, holds), &mut clauses)?,
            }
        }
        Ok(clauses)
    }

    /// A term as clauses, nested disjunctions being taken apart, and conjunctions in them multiplied out where that is
    /// not much: a variable for each would be most of the variables.
    fn disjunction(
        &mut self,
        terms: &Terms,
        whole: Side,
        clauses: &mut Vec<Vec<Lit>>,
    ) -> Result<(), Unsupported> {
        let mut open: Vec<(Vec<Lit>, Vec<Side>)> = vec![(Vec::new(), vec![whole])];
        while let Some((mut clause, mut sides)) = open.pop() {
            // Conjunctions that hold and disjunctions that do not.
            let mut products: Vec<(Side, &[TermId])> = Vec::new();
            while let Some((term, holds)) = sides.pop() {
                match (terms.shape(term), holds) {
                    (Shape::App(Op::Not, &[a]), _) => sides.push((a, !holds)),
                    (Shape::App(Op::Or, args), true) | (Shape::App(Op::And, args), false) => {
                        sides.extend(args.iter().rev().map(|&arg| (arg, holds)));
                    }
                    (Shape::App(Op::Implies, &[a, b]), true) => sides.extend([(b, true), (a, false)]),
                    (Shape::App(Op::And, args), true) | (Shape::App(Op::Or, args), false) => {
                        products.push(((term, holds), args));
                    }
                    (Shape::App(Op::Eq, &[a, b]), true) if matches!(terms.sort(a), Sort::Bits(_)) => {
                        self.translate(terms, a)?;
                        self.translate(terms, b)?;
                        clause.push(self.equal_vectors(a, b, Strength::Implies));
                    }
                    _ => clause.push(self.literal(terms, term)?.flipped(!holds)),
                }
            }
            // The checker of proofs gives each conjunction a variable and equalities in it their exact meaning: not all
            // that is multiplied out follows for it.
            let may_multiply = self.circuit.sat.proof.is_none();
            let free = |translation: &Self, (term, _): Side| {
                may_multiply
                    && matches!(translation.meaning(term), Meaning::Unknown)
                    && !translation.multiplied.contains(&term)
            };
            match products[..] {
                [(only, parts)] if clause.len() <= LONGEST_FACTOR && free(self, only) => {
                    self.multiplied.insert(only.0);
                    open.extend(parts.iter().rev().map(|&part| (clause.clone(), vec![(part, only.1)])));
                    continue;
                }
                [(one, ones), (other, others)]
                    if ones.len() * others.len() <= LARGEST_PRODUCT
                        && free(self, one)
                        && free(self, other) =>
                {
                    self.multiplied.extend([one.0, other.0]);
                    for &a in ones {
                        open.extend(others.iter().map(|&b| (clause.clone(), vec![(a, one.1), (b, other.1)])));
                    }
                    continue;
                }
                _ => {}
            }
            for ((term, holds), _) in products {
                clause.push(self.literal(terms, term)?.flipped(!holds));
            }
            clauses.push(clause);
        }
        Ok(())
    }
}
