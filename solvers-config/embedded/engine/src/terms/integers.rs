//! Integers: differences of two order variables and a number, and comparisons of such.

use super::{Meaning, Translation};
use crate::order::{LARGEST, Node};
use crate::proof::Step;
use crate::sat::Lit;
use crate::{Unsupported, unsupported};
use warpath_solvers::term::{Op, TermId};

/// The node of the number 0.
pub(super) const ZERO: Node = Node(0);

/// `plus - minus + offset`; [`ZERO`] stands for what is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Difference {
    plus: Node,
    minus: Node,
    offset: i64,
}

impl Difference {
    pub(super) fn of(node: Node) -> Difference {
        Difference { plus: node, minus: ZERO, offset: 0 }
    }

    pub(super) fn constant(value: i128) -> Result<Difference, Unsupported> {
        match i64::try_from(value) {
            Ok(offset) if offset.abs() <= LARGEST => Ok(Difference { plus: ZERO, minus: ZERO, offset }),
            _ => Err(unsupported(format!("the integer {value} is beyond what orders may speak of"))),
        }
    }

    /// The node, if it is nothing else.
    pub(super) fn node(self) -> Option<Node> {
        (self.minus == ZERO && self.offset == 0).then_some(self.plus)
    }

    fn negated(self) -> Difference {
        Difference { plus: self.minus, minus: self.plus, offset: -self.offset }
    }

    fn plus(self, other: Difference) -> Result<Difference, Unsupported> {
        let mut ups = vec![self.plus, other.plus];
        let mut downs = vec![self.minus, other.minus];
        for at in (0..ups.len()).rev() {
            if let Some(same) = downs.iter().position(|&down| down == ups[at]) {
                downs.swap_remove(same);
                ups.swap_remove(at);
            }
        }
        for side in [&mut ups, &mut downs] {
            side.retain(|&node| node != ZERO);
        }
        let offset = self.offset + other.offset;
        if ups.len() > 1 || downs.len() > 1 || offset.abs() > LARGEST {
            return Err(unsupported("integers are only compared and subtracted here, not added".to_owned()));
        }
        let node = |side: &[Node]| side.first().copied().unwrap_or(ZERO);
        Ok(Difference { plus: node(&ups), minus: node(&downs), offset })
    }
}

impl Translation {
    fn difference(&self, term: TermId) -> Difference {
        match self.meaning(term) {
            Meaning::Int(difference) => difference,
            _ => unreachable!("arguments are translated before what they stand in, and sorts are checked"),
        }
    }

    pub(super) fn integer(&mut self, op: Op, args: &[TermId]) -> Result<Difference, Unsupported> {
        match (op, args) {
            (Op::Neg, &[a]) => Ok(self.difference(a).negated()),
            (Op::Sub, &[a, b]) => self.difference(a).plus(self.difference(b).negated()),
            (Op::Add, _) => {
                args.iter().try_fold(Difference::constant(0)?, |sum, &arg| sum.plus(self.difference(arg)))
            }
            (Op::Ite, &[condition, a, b]) => {
                let condition = self.bool(condition);
                let (a, b) = (self.difference(a), self.difference(b));
                self.choice(condition, a, b)
            }
            _ => Err(unsupported(format!("`{op}` of integers is not supported"))),
        }
    }

    /// A new integer that is `a` or `b`.
    fn choice(&mut self, condition: Lit, a: Difference, b: Difference) -> Result<Difference, Unsupported> {
        if a.minus != ZERO || b.minus != ZERO {
            return Err(unsupported("a choice between differences of integers is not supported".to_owned()));
        }
        let node = self.circuit.sat.theory.orders.new_node();
        if let Some(proof) = &mut self.circuit.sat.proof {
            let sum = |value: Difference| (value.plus.0, value.offset);
            proof.step(Step::Choice { node: node.0, condition, then: sum(a), otherwise: sum(b) });
        }
        let chosen = Difference::of(node);
        for (condition, value) in [(condition, a), (!condition, b)] {
            let up = self.at_least(value, chosen, 0)?;
            let down = self.at_least(chosen, value, 0)?;
            self.circuit.define(&[!condition, up]);
            self.circuit.define(&[!condition, down]);
        }
        Ok(chosen)
    }

    /// `b - a >= least`
    pub(super) fn least(&mut self, a: TermId, b: TermId, least: i64) -> Result<Lit, Unsupported> {
        self.at_least(self.difference(a), self.difference(b), least)
    }

    /// `from` comes before `to`.
    pub(super) fn nodes_in_order(&mut self, from: Node, to: Node) -> Result<Lit, Unsupported> {
        self.at_least(Difference::of(from), Difference::of(to), 1)
    }

    fn at_least(&mut self, a: Difference, b: Difference, least: i64) -> Result<Lit, Unsupported> {
        let Difference { plus: to, minus: from, offset } = b.plus(a.negated())?;
        let least = least - offset;
        if from == to {
            return Ok(Lit::TRUE.flipped(least > 0));
        }
        if let Some(known) = self.circuit.sat.theory.orders.literal(from, to, least) {
            return Ok(known);
        }
        let var = self.circuit.sat.new_var();
        let literal = var.positive();
        // Once the order is known, most values are.
        self.circuit.sat.favour(var);
        let related = self.circuit.sat.theory.orders.add_atom(var, from, to, least);
        if let Some(proof) = &mut self.circuit.sat.proof {
            proof.step(Step::Order { literal, from: from.0, to: to.0, least });
            for clause in &related {
                proof.step(Step::Lemma(clause));
            }
        }
        for clause in &related {
            self.circuit.sat.add_clause(clause);
        }
        Ok(literal)
    }
}
