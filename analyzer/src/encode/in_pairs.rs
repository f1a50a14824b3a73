//! A formula with order variables, written with a Boolean for each pair instead: scripts look the same whoever is to
//! answer the dialogue.

use rustc_hash::FxHashMap;
use warpath_solvers::term::{TermError, TermId, Terms};

use super::{Constraint, Encoding, Options, OrderSort, Orders};

/// The formula in pairs, and what its terms were.
pub(crate) struct InPairs<'f> {
    pub(crate) encoding: Encoding<'f>,
    from: Terms,
    known: FxHashMap<TermId, TermId>,
}

impl<'f> Encoding<'f> {
    /// This formula in pairs. Constraints that come from the order alone have to be asked for anew.
    pub(crate) fn in_pairs(mut self) -> Result<InPairs<'f>, TermError> {
        self.write_out()?;
        let options = Options { orders: OrderSort::Pairs, lemmas_up_to: usize::MAX, ..self.options };
        let (compared, constraints) = (self.orders.listed(), self.constraints);
        let mut encoding = Encoding {
            // Moments have another sort now, and a name has one in an arena.
            terms: Terms::new(),
            constraints: Vec::new(),
            options,
            orders: Orders::new(self.forest, options),
            en: vec![None; self.en.len()],
            found: Default::default(),
            sources: Default::default(),
            lowered: Default::default(),
            rf: Default::default(),
            ..self
        };
        let mut known = FxHashMap::default();
        for ((a, b), atom) in compared {
            known.insert(atom, encoding.swapped(a, b)?);
        }
        let mut pairs = InPairs { encoding, from: self.terms, known };
        pairs.encoding.constraints = pairs.translated(&constraints)?;
        Ok(pairs)
    }
}

impl InPairs<'_> {
    /// Other constraints of the formula.
    pub(crate) fn translated(&mut self, constraints: &[Constraint]) -> Result<Vec<Constraint>, TermError> {
        let roots: Vec<TermId> = constraints.iter().map(|constraint| constraint.term).collect();
        let terms = self.encoding.terms.copy(&self.from, &roots, &mut self.known)?;
        let translated = constraints.iter().zip(terms);
        Ok(translated.map(|(constraint, term)| Constraint { about: constraint.about, term }).collect())
    }
}
