//! What the symbols of a script mean, by levels of the assertion stack and by `let`.

use super::syntax::{Node, Symbol, Syntax};
use crate::term::{Sort, TermId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A function that was defined with arguments.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) parameters: Vec<(Symbol, Sort)>,
    pub(super) sort: Sort,
    pub(super) body: Node,
    pub(super) syntax: Rc<Syntax>,
}

/// The meaning of a symbol outside of any term.
#[derive(Debug, Clone)]
pub(super) enum Meaning {
    /// A constant, or a term that was given a name.
    Term(TermId),
    Function(Rc<Function>),
}

/// The symbols that commands declared, defined or named.
#[derive(Debug, Default)]
pub(super) struct Globals {
    meanings: FxHashMap<Symbol, Meaning>,
    /// What each level above the first added.
    levels: Vec<Vec<Symbol>>,
}

impl Globals {
    pub(super) fn get(&self, symbol: Symbol) -> Option<&Meaning> {
        self.meanings.get(&symbol)
    }

    /// Gives a new symbol its meaning; `false` if it has one already.
    pub(super) fn add(&mut self, symbol: Symbol, meaning: Meaning) -> bool {
        if self.meanings.contains_key(&symbol) {
            return false;
        }
        self.meanings.insert(symbol, meaning);
        if let Some(level) = self.levels.last_mut() {
            level.push(symbol);
        }
        true
    }

    pub(super) fn open_levels(&self) -> usize {
        self.levels.len()
    }

    pub(super) fn push(&mut self, levels: usize) {
        self.levels.resize_with(self.levels.len() + levels, Vec::new);
    }

    pub(super) fn pop(&mut self, levels: usize) {
        let keep = self.levels.len().saturating_sub(levels);
        for symbol in self.levels.drain(keep..).flatten() {
            self.meanings.remove(&symbol);
        }
    }
}

/// The symbols bound by `let` and by parameters. A symbol is looked up in the current call only:
/// the body of a function does not see the bindings around its call.
#[derive(Debug, Default)]
pub(super) struct Locals {
    bindings: FxHashMap<Symbol, Vec<(usize, TermId)>>,
}

impl Locals {
    pub(super) fn get(&self, symbol: Symbol, call: usize) -> Option<TermId> {
        match self.bindings.get(&symbol)?.last() {
            Some(&(bound_in, term)) if bound_in == call => Some(term),
            _ => None,
        }
    }

    pub(super) fn bind(&mut self, symbol: Symbol, call: usize, term: TermId) {
        self.bindings.entry(symbol).or_default().push((call, term));
    }

    pub(super) fn unbind(&mut self, symbol: Symbol) {
        if let Some(stack) = self.bindings.get_mut(&symbol) {
            stack.pop();
        }
    }
}
