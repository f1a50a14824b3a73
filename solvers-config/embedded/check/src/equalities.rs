//! Lemmas about equalities: what is equal to the same is equal.
//!
//! There are no vectors here. An equality is a conjunction whose inputs say of a bit that it agrees with another one,
//! which is a negated exclusive or, or that it has a value. Of a lemma all negations are supposed; bits that must be the
//! same are put into classes; then either two opposite bits are in one class, or one of the literals that were supposed to
//! be false is a conjunction of what the classes know. Only definitions of gates are used, so nothing depends on what
//! the solver meant by them.

use crate::gates::Function;
use crate::literal::Lit;
use rustc_hash::FxHashMap;

/// The gates that may be equalities, or the agreement of two bits, by the variable of their output.
#[derive(Debug, Default)]
pub(crate) struct Equalities {
    conjunctions: FxHashMap<u32, Box<[Lit]>>,
    sums: FxHashMap<u32, (Lit, Lit)>,
}

impl Equalities {
    /// A new variable is the output of a gate.
    pub(crate) fn define(&mut self, output: Lit, function: Function, inputs: &[Lit]) {
        debug_assert!(output.is_positive(), "new variables are not negated");
        match (function, inputs) {
            (Function::And, _) => drop(self.conjunctions.insert(output.var(), inputs.into())),
            (Function::Xor, &[a, b]) => drop(self.sums.insert(output.var(), (a, b))),
            _ => {}
        }
    }

    /// Whether the literals cannot all be false, by transitivity.
    pub(crate) fn is_lemma(&self, clause: &[Lit]) -> bool {
        let mut classes = Classes::default();
        let supposed = clause.iter().all(|&literal| {
            let inputs = self.conjunction(!literal).unwrap_or_default();
            std::iter::once(&!literal).chain(inputs).all(|&fact| self.suppose(fact, &mut classes))
        });
        let is_conjunction_of_known = |&literal: &Lit| {
            let inputs = self.conjunction(literal);
            inputs.is_some_and(|inputs| inputs.iter().all(|&input| self.is_known(input, &mut classes)))
        };
        !supposed || clause.iter().any(is_conjunction_of_known)
    }

    /// What holds if the literal does.
    fn conjunction(&self, literal: Lit) -> Option<&[Lit]> {
        self.conjunctions.get(&literal.var()).filter(|_| literal.is_positive()).map(|inputs| &**inputs)
    }

    /// Two literals that are the same exactly if this one is true.
    fn agreement(&self, literal: Lit) -> Option<(Lit, Lit)> {
        self.sums.get(&literal.var()).map(|&(a, b)| (a, b.flipped(literal.is_positive())))
    }

    /// A literal is true; `false` if that cannot be.
    fn suppose(&self, literal: Lit, classes: &mut Classes) -> bool {
        classes.join(literal, Lit::TRUE) && self.agreement(literal).is_none_or(|(a, b)| classes.join(a, b))
    }

    fn is_known(&self, literal: Lit, classes: &mut Classes) -> bool {
        classes.same(literal, Lit::TRUE) || self.agreement(literal).is_some_and(|(a, b)| classes.same(a, b))
    }
}

/// Literals that are the same; their negations are the same then, too.
#[derive(Debug, Default)]
struct Classes {
    /// By variable, a literal that is the same as its positive one and nearer to the class's first.
    parents: FxHashMap<u32, Lit>,
}

impl Classes {
    /// What stands for a literal's class.
    fn first(&mut self, literal: Lit) -> Lit {
        let mut at = literal;
        while let Some(&above) = self.parents.get(&at.var()) {
            let above = above.flipped(!at.is_positive());
            // The next one will have half the way.
            if let Some(&higher) = self.parents.get(&above.var()) {
                let higher = higher.flipped(!above.is_positive());
                self.parents.insert(at.var(), higher.flipped(!at.is_positive()));
            }
            at = above;
        }
        at
    }

    fn same(&mut self, a: Lit, b: Lit) -> bool {
        self.first(a) == self.first(b)
    }

    /// Two literals are the same; `false` if they are known to be opposite.
    fn join(&mut self, a: Lit, b: Lit) -> bool {
        let (a, b) = (self.first(a), self.first(b));
        if a.var() == b.var() {
            return a == b;
        }
        self.parents.insert(a.var(), b.flipped(!a.is_positive()));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Makes gates over fresh variables.
    struct Gates {
        equalities: Equalities,
        vars: u32,
    }

    impl Gates {
        fn input(&mut self) -> Lit {
            self.vars += 1;
            Lit::positive(self.vars)
        }

        fn gate(&mut self, function: Function, inputs: &[Lit]) -> Lit {
            let output = self.input();
            self.equalities.define(output, function, inputs);
            output
        }

        fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
            let agreements: Vec<Lit> =
                a.iter().zip(b).map(|(&a, &b)| !self.gate(Function::Xor, &[a, b])).collect();
            self.gate(Function::And, &agreements)
        }
    }

    #[test]
    fn only_chains_without_a_gap_are_lemmas() {
        let mut gates = Gates { equalities: Equalities::default(), vars: 0 };
        let [a, b, c, d] = [(); 4].map(|()| [gates.input(), gates.input(), gates.input()]);
        let (ab, bc, ac) = (gates.equal(&a, &b), gates.equal(&b, &c), gates.equal(&a, &c));
        let (cd, da) = (gates.equal(&c, &d), gates.equal(&d, &a));
        // `a` is 101, `c` is 111.
        let (five, seven) = (gates.gate(Function::And, &[a[0], !a[1], a[2]]), gates.gate(Function::And, &c));
        let is_lemma = |clause: &[Lit]| gates.equalities.is_lemma(clause);
        for lemma in [
            &[!ab, !bc, ac][..],
            &[ab, !bc, !ac],
            &[!ab, !bc, !cd, da],
            &[!cd, !da, ac],
            &[!five, !seven, !ac],
            &[!five, !seven, !ab, !bc],
        ] {
            assert!(is_lemma(lemma), "{lemma:?}");
        }
        for wrong in [
            &[][..],
            &[ac],
            &[!ab, ac],
            &[!ab, !bc, !ac],
            &[!ab, bc, ac],
            &[!ab, !bc, da],
            &[!five, !ab, !bc],
            &[!five, !seven, ac],
            &[!five, !ac, seven],
        ] {
            assert!(!is_lemma(wrong), "{wrong:?}");
        }
    }

    const INPUTS: u32 = 4;

    fn literal(below: u32) -> impl Strategy<Value = Lit> {
        (0..below * 2).prop_map(Lit)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

        /// Against all values of a few inputs.
        #[test]
        fn lemmas_are_true(
            made in prop::collection::vec((any::<bool>(), prop::collection::vec(any::<u32>(), 2..4)), 1..12),
            clause in prop::collection::vec(literal(INPUTS + 10), 1..5),
        ) {
            // Variable 0 is true, then the inputs, then the gates, each over what came before it.
            let mut equalities = Equalities::default();
            let mut gates = Vec::new();
            for (is_sum, words) in made {
                let below = 1 + INPUTS + gates.len() as u32;
                let inputs: Vec<Lit> = words.iter().map(|word| Lit(word % (below * 2))).collect();
                let gate = if is_sum { (Function::Xor, inputs[..2].to_vec()) } else { (Function::And, inputs) };
                equalities.define(Lit::positive(below), gate.0, &gate.1);
                gates.push(gate);
            }
            let vars = 1 + INPUTS + gates.len() as u32;
            let clause: Vec<Lit> = clause.into_iter().filter(|literal| literal.var() < vars).collect();
            let is_true = |inputs: u32| {
                let mut values: Vec<bool> = std::iter::once(true)
                    .chain((0..INPUTS).map(|bit| inputs >> bit & 1 == 1)).collect();
                for (function, literals) in &gates {
                    let mut of = literals.iter().map(|literal| values[literal.var() as usize] == literal.is_positive());
                    let value = match function {
                        Function::And => of.all(|value| value),
                        _ => of.filter(|&value| value).count() == 1,
                    };
                    values.push(value);
                }
                clause.iter().any(|literal| values[literal.var() as usize] == literal.is_positive())
            };
            if equalities.is_lemma(&clause) {
                prop_assert!((0..1 << INPUTS).all(is_true), "{clause:?} over {gates:?}");
            }
        }
    }
}
