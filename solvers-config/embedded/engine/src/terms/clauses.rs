//! Assertions as clauses: conjunctions are taken apart, and disjunctions become clauses without a variable of their own.

use super::Translation;
use super::equalities::Strength;
use crate::Unsupported;
use crate::sat::Lit;
use warpath_solvers::term::{Op, Shape, Sort, TermId, Terms};

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
                _ => clauses.push(self.clause(terms, term, holds)?),
            }
        }
        Ok(clauses)
    }

    /// A term as one clause, nested disjunctions being taken apart.
    fn clause(&mut self, terms: &Terms, term: TermId, holds: bool) -> Result<Vec<Lit>, Unsupported> {
        let mut clause = Vec::new();
        let mut open = vec![(term, holds)];
        while let Some((term, holds)) = open.pop() {
            match (terms.shape(term), holds) {
                (Shape::App(Op::Not, &[a]), _) => open.push((a, !holds)),
                (Shape::App(Op::Or, args), true) | (Shape::App(Op::And, args), false) => {
                    open.extend(args.iter().rev().map(|&arg| (arg, holds)));
                }
                (Shape::App(Op::Implies, &[a, b]), true) => open.extend([(b, true), (a, false)]),
                (Shape::App(Op::Eq, &[a, b]), true) if matches!(terms.sort(a), Sort::Bits(_)) => {
                    self.translate(terms, a)?;
                    self.translate(terms, b)?;
                    clause.push(self.equal_vectors(a, b, Strength::Implies));
                }
                _ => clause.push(self.literal(terms, term)?.flipped(!holds)),
            }
        }
        Ok(clause)
    }
}
