//! Gates: those that a proof defines, and those that only our own translation needs.
//!
//! A gate is known by its function and its inputs in a normal form, so that the translation of a term finds the gates
//! that the proof defined for it. The clauses of a gate are made here, from its function: a proof does not tell them.

use crate::clauses::Clauses;
use crate::literal::Lit;
use rustc_hash::FxHashMap;

/// What a gate computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Function {
    And,
    Xor,
    /// The second if the first, else the third.
    Mux,
    Majority,
}

impl Function {
    /// Whether it has this many inputs.
    pub(crate) fn takes(self, inputs: usize) -> bool {
        match self {
            Function::And => inputs >= 1,
            Function::Xor => inputs == 2,
            Function::Mux | Function::Majority => inputs == 3,
        }
    }
}

/// What a function of some literals is.
enum Folded {
    /// A literal that is there already.
    Known(Lit),
    /// A gate in normal form, whose output is negated if the flag says so.
    Gate(Function, Vec<Lit>, bool),
}

/// More gates of our own than that are not made: the translation of a term would be larger than the proof is.
const MOST_OWN: usize = 2_000_000;

#[derive(Debug)]
pub(crate) struct Circuit {
    pub(crate) clauses: Clauses,
    gates: FxHashMap<(Function, Box<[Lit]>), Lit>,
    own: usize,
}

impl Circuit {
    pub(crate) fn new() -> Self {
        Circuit { clauses: Clauses::new(), gates: FxHashMap::default(), own: 0 }
    }

    /// Whether too many gates had to be made, so that results are meaningless.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.own > MOST_OWN
    }

    /// A variable that the proof does not know.
    pub(crate) fn own_var(&mut self) -> Lit {
        self.own += 1;
        self.clauses.new_var()
    }

    /// Makes a new variable the output of a gate.
    pub(crate) fn define(&mut self, output: Lit, function: Function, inputs: &[Lit]) {
        self.add_clauses(output, function, inputs);
        let same = match fold(function, inputs) {
            Folded::Known(known) => known,
            Folded::Gate(function, inputs, flip) => {
                let key = (function, inputs.into_boxed_slice());
                self.gates.entry(key).or_insert(output.flipped(flip)).flipped(flip)
            }
        };
        if same != output {
            self.clauses.add(&[!output, same]);
            self.clauses.add(&[output, !same]);
        }
    }

    fn add_clauses(&mut self, out: Lit, function: Function, inputs: &[Lit]) {
        let clauses = &mut self.clauses;
        match (function, inputs) {
            (Function::And, _) => {
                let mut all: Vec<Lit> = inputs.iter().map(|&input| !input).collect();
                all.push(out);
                clauses.add(&all);
                for &input in inputs {
                    clauses.add(&[!out, input]);
                }
            }
            (Function::Xor, &[a, b]) => {
                clauses.add(&[!out, a, b]);
                clauses.add(&[!out, !a, !b]);
                clauses.add(&[out, !a, b]);
                clauses.add(&[out, a, !b]);
            }
            (Function::Mux, &[condition, then, otherwise]) => {
                for (out, then, otherwise) in [(out, then, otherwise), (!out, !then, !otherwise)] {
                    clauses.add(&[!condition, !then, out]);
                    clauses.add(&[condition, !otherwise, out]);
                    clauses.add(&[!then, !otherwise, out]);
                }
            }
            (Function::Majority, &[a, b, c]) => {
                for (x, y) in [(a, b), (a, c), (b, c)] {
                    clauses.add(&[!x, !y, out]);
                    clauses.add(&[x, y, !out]);
                }
            }
            _ => unreachable!("the number of inputs was checked when the step was read"),
        }
    }

    fn gate(&mut self, function: Function, inputs: &[Lit]) -> Lit {
        let (function, inputs, flip) = match fold(function, inputs) {
            Folded::Known(known) => return known,
            Folded::Gate(function, inputs, flip) => (function, inputs, flip),
        };
        let key = (function, inputs.into_boxed_slice());
        if let Some(known) = self.gates.get(&key) {
            return known.flipped(flip);
        }
        if self.is_exhausted() {
            return Lit::FALSE;
        }
        let output = self.own_var();
        self.add_clauses(output, function, &key.1);
        self.gates.insert(key, output);
        output.flipped(flip)
    }

    pub(crate) fn and_all(&mut self, inputs: &[Lit]) -> Lit {
        self.gate(Function::And, inputs)
    }

    pub(crate) fn or_all(&mut self, inputs: &[Lit]) -> Lit {
        let negated: Vec<Lit> = inputs.iter().map(|&input| !input).collect();
        !self.gate(Function::And, &negated)
    }

    pub(crate) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        self.gate(Function::And, &[a, b])
    }

    pub(crate) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.gate(Function::And, &[!a, !b])
    }

    pub(crate) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        self.gate(Function::Xor, &[a, b])
    }

    pub(crate) fn mux(&mut self, condition: Lit, then: Lit, otherwise: Lit) -> Lit {
        self.gate(Function::Mux, &[condition, then, otherwise])
    }

    pub(crate) fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        self.gate(Function::Majority, &[a, b, c])
    }
}

/// The normal form: constants, equal and opposite inputs are gone, inputs are sorted, signs moved to the output.
fn fold(function: Function, inputs: &[Lit]) -> Folded {
    match (function, inputs) {
        (Function::Xor, &[a, b]) => fold_xor(a, b),
        (Function::Mux, &[condition, then, otherwise]) => fold_mux(condition, then, otherwise),
        (Function::Majority, &[a, b, c]) => fold_majority(a, b, c),
        _ => fold_and(inputs, false),
    }
}

fn fold_and(inputs: &[Lit], flip: bool) -> Folded {
    let mut inputs = inputs.to_vec();
    inputs.sort_unstable();
    inputs.dedup();
    inputs.retain(|&input| input != Lit::TRUE);
    if inputs.first() == Some(&Lit::FALSE) || inputs.windows(2).any(|pair| pair[0] == !pair[1]) {
        return Folded::Known(Lit::FALSE.flipped(flip));
    }
    match *inputs {
        [] => Folded::Known(Lit::TRUE.flipped(flip)),
        [only] => Folded::Known(only.flipped(flip)),
        _ => Folded::Gate(Function::And, inputs, flip),
    }
}

fn fold_xor(a: Lit, b: Lit) -> Folded {
    let flip = a.is_positive() != b.is_positive();
    let (a, b) = (Lit::positive(a.var().min(b.var())), Lit::positive(a.var().max(b.var())));
    if a == b {
        return Folded::Known(Lit::FALSE.flipped(flip));
    }
    if a == Lit::TRUE {
        return Folded::Known((!b).flipped(flip));
    }
    Folded::Gate(Function::Xor, vec![a, b], flip)
}

fn fold_mux(condition: Lit, then: Lit, otherwise: Lit) -> Folded {
    if condition.var() == 0 {
        return Folded::Known(if condition == Lit::TRUE { then } else { otherwise });
    }
    if then == otherwise {
        return Folded::Known(then);
    }
    if then == !otherwise {
        return fold_xor(!condition, then);
    }
    // `then` only counts where the condition holds, `otherwise` where it does not.
    let then = match then {
        _ if then == condition => Lit::TRUE,
        _ if then == !condition => Lit::FALSE,
        _ => then,
    };
    let otherwise = match otherwise {
        _ if otherwise == condition => Lit::FALSE,
        _ if otherwise == !condition => Lit::TRUE,
        _ => otherwise,
    };
    match (then, otherwise) {
        (Lit::TRUE, Lit::FALSE) => return Folded::Known(condition),
        (Lit::FALSE, Lit::TRUE) => return Folded::Known(!condition),
        (Lit::TRUE, _) => return fold_and(&[!condition, !otherwise], true),
        (Lit::FALSE, _) => return fold_and(&[!condition, otherwise], false),
        (_, Lit::TRUE) => return fold_and(&[condition, !then], true),
        (_, Lit::FALSE) => return fold_and(&[condition, then], false),
        _ => {}
    }
    let (condition, then, otherwise) =
        if condition.is_positive() { (condition, then, otherwise) } else { (!condition, otherwise, then) };
    let flip = !then.is_positive();
    Folded::Gate(Function::Mux, vec![condition, then.flipped(flip), otherwise.flipped(flip)], flip)
}

fn fold_majority(a: Lit, b: Lit, c: Lit) -> Folded {
    let mut inputs = [a, b, c];
    inputs.sort_unstable();
    let [a, b, c] = inputs;
    if a == b || b == c {
        return Folded::Known(b);
    }
    // Opposite literals are neighbours now.
    if a == !b {
        return Folded::Known(c);
    }
    if b == !c {
        return Folded::Known(a);
    }
    match a {
        Lit::TRUE => return fold_and(&[!b, !c], true),
        Lit::FALSE => return fold_and(&[b, c], false),
        _ => {}
    }
    let flip = !a.is_positive();
    Folded::Gate(Function::Majority, inputs.map(|input| input.flipped(flip)).to_vec(), flip)
}
