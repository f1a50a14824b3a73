//! Orders and equalities beside each other. A variable has a meaning in one of them at most.

use crate::equal::Equals;
use crate::order::Orders;
use crate::sat::{Contradiction, Lit, Since, Theory, Var};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Orders,
    Equals,
}

#[derive(Debug)]
pub(crate) struct Theories {
    pub(crate) orders: Orders,
    pub(crate) equals: Equals,
    /// Whose each literal was that has been told.
    told: Vec<Which>,
    /// Whose the clause last given is.
    last: Which,
}

impl Default for Theories {
    fn default() -> Self {
        Theories {
            orders: Orders::default(),
            equals: Equals::default(),
            told: Vec::new(),
            last: Which::Orders,
        }
    }
}

impl Theories {
    fn whose(&self, var: Var) -> Which {
        if self.orders.knows(var) { Which::Orders } else { Which::Equals }
    }

    fn of(&mut self, which: Which) -> &mut dyn Theory {
        match which {
            Which::Orders => &mut self.orders,
            Which::Equals => &mut self.equals,
        }
    }
}

impl Theory for Theories {
    fn knows(&self, var: Var) -> bool {
        self.orders.knows(var) || self.equals.knows(var)
    }

    fn tell(&mut self, literal: Lit, since: Since, implied: &mut Vec<Lit>) -> Result<(), Contradiction> {
        let which = self.whose(literal.var());
        self.last = which;
        let told = match which {
            Which::Orders => self.orders.tell(literal, since, implied),
            Which::Equals => self.equals.tell(literal, since, implied),
        };
        if told.is_ok() {
            self.told.push(which);
        }
        told
    }

    fn retract(&mut self) {
        if let Some(which) = self.told.pop() {
            self.of(which).retract();
        }
    }

    fn conflict(&mut self, clause: &mut Vec<Lit>) {
        let last = self.last;
        self.of(last).conflict(clause);
    }

    fn explain(&mut self, literal: Lit, clause: &mut Vec<Lit>) {
        self.last = self.whose(literal.var());
        let last = self.last;
        self.of(last).explain(literal, clause);
    }

    fn whole(&self) -> &[Lit] {
        match self.last {
            Which::Orders => self.orders.whole(),
            Which::Equals => self.equals.whole(),
        }
    }
}
