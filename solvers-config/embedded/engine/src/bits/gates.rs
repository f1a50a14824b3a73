//! Gates: functions of a few literals, each with one variable however often it is asked for.

use crate::proof::{Function, Step};
use crate::sat::{Lit, Sat};
use crate::theories::Theories;
use rustc_hash::FxHashMap;

/// A gate whose inputs are in a normal form.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    Mux(Lit, Lit, Lit),
    Majority(Lit, Lit, Lit),
    AndAll(Box<[Lit]>),
}

impl Gate {
    fn tell(&self, tell: impl FnOnce(Function, &[Lit])) {
        match *self {
            Gate::And(a, b) => tell(Function::And, &[a, b]),
            Gate::Xor(a, b) => tell(Function::Xor, &[a, b]),
            Gate::Mux(a, b, c) => tell(Function::Mux, &[a, b, c]),
            Gate::Majority(a, b, c) => tell(Function::Majority, &[a, b, c]),
            Gate::AndAll(ref inputs) => tell(Function::And, inputs),
        }
    }
}

/// The clauses of everything that was asked, and the gates they are about.
#[derive(Debug)]
pub(crate) struct Circuit {
    pub(crate) sat: Sat<Theories>,
    gates: FxHashMap<Gate, Lit>,
}

impl Circuit {
    pub(crate) fn new(seed: u64) -> Circuit {
        Circuit { sat: Sat::new(Theories::default(), seed), gates: FxHashMap::default() }
    }

    /// A literal of a new variable that nothing is known of.
    pub(crate) fn input(&mut self) -> Lit {
        self.sat.new_var().positive()
    }

    /// How many there are.
    pub(super) fn gates(&self) -> usize {
        self.gates.len()
    }

    /// A clause of a definition.
    pub(crate) fn define(&mut self, clause: &[Lit]) {
        if let Some(proof) = &mut self.sat.proof {
            proof.step(Step::Definition(clause));
        }
        self.sat.add_clause(clause);
    }

    /// A clause that follows from definitions.
    pub(super) fn add_consequence(&mut self, clause: &[Lit]) {
        if let Some(proof) = &mut self.sat.proof {
            proof.step(Step::Learned(clause));
        }
        self.sat.add_clause(clause);
    }

    /// The output of a gate, and whether it is new and must be defined.
    fn gate(&mut self, gate: Gate) -> (Lit, bool) {
        match self.gates.entry(gate) {
            std::collections::hash_map::Entry::Occupied(known) => (*known.get(), false),
            std::collections::hash_map::Entry::Vacant(vacant) => {
                let output = self.sat.new_var().positive();
                if let Some(proof) = &mut self.sat.proof {
                    vacant.key().tell(|function, inputs| proof.step(Step::Gate { output, function, inputs }));
                }
                (*vacant.insert(output), true)
            }
        }
    }

    pub(crate) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        match (a, b) {
            (Lit::FALSE, _) | (_, Lit::FALSE) => return Lit::FALSE,
            (Lit::TRUE, other) | (other, Lit::TRUE) => return other,
            _ if a == b => return a,
            _ if a == !b => return Lit::FALSE,
            _ => {}
        }
        let (a, b) = (a.min(b), a.max(b));
        let (output, new) = self.gate(Gate::And(a, b));
        if new {
            self.define(&[!output, a]);
            self.define(&[!output, b]);
            self.define(&[output, !a, !b]);
        }
        output
    }

    pub(crate) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub(crate) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        match (a, b) {
            (Lit::FALSE, other) | (other, Lit::FALSE) => return other,
            (Lit::TRUE, other) | (other, Lit::TRUE) => return !other,
            _ if a == b => return Lit::FALSE,
            _ if a == !b => return Lit::TRUE,
            _ => {}
        }
        // Signs move to the output.
        let flip = a.is_positive() != b.is_positive();
        let (a, b) = (a.var().positive(), b.var().positive());
        let (a, b) = (a.min(b), a.max(b));
        let (output, new) = self.gate(Gate::Xor(a, b));
        if new {
            self.define(&[!output, a, b]);
            self.define(&[!output, !a, !b]);
            self.define(&[output, !a, b]);
            self.define(&[output, a, !b]);
        }
        output.flipped(flip)
    }

    /// `then` if `condition`, else `otherwise`.
    pub(crate) fn mux(&mut self, condition: Lit, then: Lit, otherwise: Lit) -> Lit {
        match (condition, then, otherwise) {
            (Lit::TRUE, ..) => return then,
            (Lit::FALSE, ..) => return otherwise,
            (_, Lit::TRUE, _) => return self.or(condition, otherwise),
            (_, Lit::FALSE, _) => return self.and(!condition, otherwise),
            (_, _, Lit::TRUE) => return self.or(!condition, then),
            (_, _, Lit::FALSE) => return self.and(condition, then),
            _ if then == otherwise => return then,
            _ if then == !otherwise => return self.xor(!condition, then),
            _ if then == condition => return self.or(condition, otherwise),
            _ if then == !condition => return self.and(!condition, otherwise),
            _ if otherwise == condition => return self.and(condition, then),
            _ if otherwise == !condition => return self.or(!condition, then),
            _ => {}
        }
        let (condition, then, otherwise) = if condition.is_positive() {
            (condition, then, otherwise)
        } else {
            (!condition, otherwise, then)
        };
        let flip = !then.is_positive();
        let (then, otherwise) = (then.flipped(flip), otherwise.flipped(flip));
        let (output, new) = self.gate(Gate::Mux(condition, then, otherwise));
        if new {
            self.define(&[!condition, !then, output]);
            self.define(&[!condition, then, !output]);
            self.define(&[condition, !otherwise, output]);
            self.define(&[condition, otherwise, !output]);
            // Not needed, but lets what both sides agree upon be seen before the condition is known.
            self.define(&[!then, !otherwise, output]);
            self.define(&[then, otherwise, !output]);
        }
        output.flipped(flip)
    }

    /// Whether at least two of the three hold.
    pub(crate) fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut inputs = [a, b, c];
        inputs.sort_unstable();
        let [a, b, c] = inputs;
        match a {
            Lit::TRUE => return self.or(b, c),
            Lit::FALSE => return self.and(b, c),
            _ => {}
        }
        // Opposite and equal literals are neighbours now.
        match () {
            () if a == b || b == c => return b,
            () if a == !b => return c,
            () if b == !c => return a,
            () => {}
        }
        let flip = !a.is_positive();
        let (a, b, c) = (a.flipped(flip), b.flipped(flip), c.flipped(flip));
        let (output, new) = self.gate(Gate::Majority(a, b, c));
        if new {
            for (x, y) in [(a, b), (a, c), (b, c)] {
                self.define(&[!x, !y, output]);
                self.define(&[x, y, !output]);
            }
        }
        output.flipped(flip)
    }

    /// Whether all hold.
    pub(crate) fn and_all(&mut self, mut inputs: Vec<Lit>) -> Lit {
        inputs.sort_unstable();
        inputs.dedup();
        inputs.retain(|&input| input != Lit::TRUE);
        if inputs.contains(&Lit::FALSE) || inputs.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Lit::FALSE;
        }
        match *inputs {
            [] => return Lit::TRUE,
            [only] => return only,
            [a, b] => return self.and(a, b),
            _ => {}
        }
        let (output, new) = self.gate(Gate::AndAll(inputs.clone().into_boxed_slice()));
        if new {
            for &input in &inputs {
                self.define(&[!output, input]);
            }
            for input in &mut inputs {
                *input = !*input;
            }
            inputs.push(output);
            self.define(&inputs);
        }
        output
    }

    /// Whether one holds at least.
    pub(crate) fn or_all(&mut self, mut inputs: Vec<Lit>) -> Lit {
        for input in &mut inputs {
            *input = !*input;
        }
        !self.and_all(inputs)
    }
}
