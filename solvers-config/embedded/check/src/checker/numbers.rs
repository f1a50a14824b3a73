//! The proof's numbers of variables and nodes, and ours.

use crate::error::Reason;
use crate::literal::Lit;
use crate::orders::Node;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Debug)]
pub(super) struct Numbers {
    vars: FxHashMap<u64, u32>,
    nodes: FxHashMap<i64, Node>,
    /// Activation variables, and those of them that are false for good.
    free: FxHashSet<u32>,
    retired: FxHashSet<u32>,
}

impl Numbers {
    /// Variable 1 is true, node 0 is the number 0.
    pub(super) fn new() -> Self {
        Numbers {
            vars: [(1, 0)].into_iter().collect(),
            nodes: [(0, 0)].into_iter().collect(),
            free: FxHashSet::default(),
            retired: FxHashSet::default(),
        }
    }

    pub(super) fn literal(&self, number: i64) -> Result<Lit, Reason> {
        let var = self.vars.get(&number.unsigned_abs());
        let var = var.ok_or(Reason::UnknownVar { literal: number })?;
        Ok(Lit::positive(*var).flipped(number < 0))
    }

    /// Gives a number that nothing has yet to a new variable.
    pub(super) fn introduce(&mut self, number: i64, make: impl FnOnce() -> Lit) -> Result<Lit, Reason> {
        let key = u64::try_from(number).ok().filter(|&key| key > 0 && !self.vars.contains_key(&key));
        let key = key.ok_or(Reason::NotNew { number })?;
        let literal = make();
        self.vars.insert(key, literal.var());
        Ok(literal)
    }

    pub(super) fn node(&self, number: i64) -> Result<Node, Reason> {
        self.nodes.get(&number).copied().ok_or(Reason::UnknownNode { node: number })
    }

    pub(super) fn set_node(&mut self, number: i64, node: Node) -> Result<(), Reason> {
        match self.nodes.insert(number, node) {
            None => Ok(()),
            Some(_) => Err(Reason::NotNew { number }),
        }
    }

    pub(super) fn set_free(&mut self, var: u32) {
        self.free.insert(var);
    }

    pub(super) fn is_free(&self, var: u32) -> bool {
        self.free.contains(&var)
    }

    pub(super) fn is_retired(&self, var: u32) -> bool {
        self.retired.contains(&var)
    }

    /// False if it is no activation variable.
    pub(super) fn retire(&mut self, var: u32) -> bool {
        self.is_free(var) && {
            self.retired.insert(var);
            true
        }
    }
}
