//! Assertions as clauses: conjunctions are taken apart, and disjunctions become clauses.

use super::{Translation, Untranslatable};
use crate::literal::Lit;
use rustc_hash::FxHashSet;
use warpath_solvers::term::{Op, Shape, Sort, TermId, Terms};

impl Translation {
    /// Clauses that together say what a Boolean term says.
    pub(crate) fn clauses(&mut self, terms: &Terms, term: TermId) -> Result<Vec<Vec<Lit>>, Untranslatable> {
        let mut clauses = Vec::new();
        let mut open = vec![(term, true)];
        // What is shared may be reached in exponentially many ways.
        let mut seen = FxHashSet::default();
        while let Some((term, holds)) = open.pop() {
            if !seen.insert((term, holds)) {
                continue;
            }
            match (terms.shape(term), holds) {
                (Shape::App(Op::Not, &[a]), _) => open.push((a, !holds)),
                (Shape::App(Op::And, args), true) | (Shape::App(Op::Or, args), false) => {
                    open.extend(args.iter().map(|&arg| (arg, holds)));
                }
                (Shape::App(Op::Implies, &[a, b]), false) => open.extend([(a, true), (b, false)]),
                (Shape::App(op @ (Op::Eq | Op::Xor), &[a, b]), _) if terms.sort(a) == Sort::Bool => {
                    let (a, b) = (self.literal(terms, a)?, self.literal(terms, b)?);
                    let b = b.flipped((op == Op::Eq) != holds);
                    clauses.extend([vec![!a, b], vec![a, !b]]);
                }
                (Shape::App(Op::Eq, &[a, b]), true) if matches!(terms.sort(a), Sort::Bits(_)) => {
                    self.translate(terms, a)?;
                    self.translate(terms, b)?;
                    let (a, b) = (self.bits(a)?, self.bits(b)?);
                    clauses.extend(a.iter().zip(&*b).flat_map(|(&a, &b)| [vec![!a, b], vec![a, !b]]));
                }
                (Shape::App(Op::Ite, &[condition, a, b]), _) => {
                    let condition = self.literal(terms, condition)?;
                    let (a, b) = (self.literal(terms, a)?, self.literal(terms, b)?);
                    clauses.extend([vec![!condition, a.flipped(!holds)], vec![condition, b.flipped(!holds)]]);
                }
                _ => clauses.push(self.disjunction(terms, term, holds)?),
            }
        }
        Ok(clauses)
    }

    /// A term, or its negation, as one clause.
    fn disjunction(&mut self, terms: &Terms, term: TermId, holds: bool) -> Result<Vec<Lit>, Untranslatable> {
        let mut clause = Vec::new();
        let mut open = vec![(term, holds)];
        let mut seen = FxHashSet::default();
        while let Some((term, holds)) = open.pop() {
            if !seen.insert((term, holds)) {
                continue;
            }
            match (terms.shape(term), holds) {
                (Shape::App(Op::Not, &[a]), _) => open.push((a, !holds)),
                (Shape::App(Op::Or, args), true) | (Shape::App(Op::And, args), false) => {
                    open.extend(args.iter().map(|&arg| (arg, holds)));
                }
                (Shape::App(Op::Implies, &[a, b]), true) => open.extend([(a, false), (b, true)]),
                _ => clause.push(self.literal(terms, term)?.flipped(!holds)),
            }
        }
        Ok(clause)
    }
}
