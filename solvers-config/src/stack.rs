//! The assertions that are in force, by level.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use thiserror::Error;

use crate::term::{Sort, TermId, Terms};

/// An assertion, with the name by which cores speak of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assertion {
    /// What is asserted.
    pub term: TermId,
    /// Its name, if it has one.
    pub name: Option<Arc<str>>,
}

/// The live assertions. Solver processes come and go; this stays, and each process is brought up to it.
#[derive(Debug, Clone)]
pub struct Stack {
    levels: Vec<Level>,
    names: FxHashSet<Arc<str>>,
    /// Number of the next level. Never used twice, so a process can tell a level from another at the same height.
    next: u64,
    /// How many arenas there were before the one whose terms are asserted now.
    arena: u64,
}

/// What was asserted between one push and the next.
#[derive(Debug, Clone)]
pub(crate) struct Level {
    pub(crate) number: u64,
    pub(crate) assertions: Vec<Assertion>,
}

/// Why a stack operation is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StackError {
    /// More pops than pushes.
    #[error("cannot pop: no level is open")]
    NothingToPop,
    /// Only Booleans can be asserted.
    #[error("a term of sort {sort} cannot be asserted, only one of sort Bool")]
    NotBool {
        /// Its sort.
        sort: Sort,
    },
    /// The term is not of the arena it was given with.
    #[error("term {id:?} does not belong to the arena it was given with")]
    UnknownTerm {
        /// The term.
        id: TermId,
    },
    /// A name is in use already.
    #[error("an assertion named `{name}` is in force already")]
    NameInUse {
        /// The name.
        name: String,
    },
}

impl Default for Stack {
    fn default() -> Self {
        Self {
            levels: vec![Level { number: 0, assertions: Vec::new() }],
            names: FxHashSet::default(),
            next: 1,
            arena: 0,
        }
    }
}

impl Stack {
    /// Opens a level.
    pub fn push(&mut self) {
        self.levels.push(Level { number: self.next, assertions: Vec::new() });
        self.next += 1;
    }

    /// Forgets everything asserted since the last push.
    pub fn pop(&mut self) -> Result<(), StackError> {
        if self.levels.len() == 1 {
            return Err(StackError::NothingToPop);
        }
        for name in self.levels.pop().into_iter().flat_map(|level| level.assertions).filter_map(|it| it.name)
        {
            self.names.remove(&name);
        }
        Ok(())
    }

    /// Adds an assertion to the top level.
    pub fn assert(&mut self, terms: &Terms, term: TermId, name: Option<&str>) -> Result<(), StackError> {
        check_bool(terms, term)?;
        let name: Option<Arc<str>> = name.map(Into::into);
        if let Some(name) = &name
            && !self.names.insert(Arc::clone(name))
        {
            return Err(StackError::NameInUse { name: name.to_string() });
        }
        if let Some(top) = self.levels.last_mut() {
            top.assertions.push(Assertion { term, name });
        }
        Ok(())
    }

    /// Forgets everything, also the first level. Processes that know it cannot follow and are replaced.
    pub fn reset(&mut self) {
        self.levels = vec![Level { number: self.next, assertions: Vec::new() }];
        self.next += 1;
        self.names.clear();
    }

    /// Forgets everything, so that the terms of another arena may follow. A process goes on if nothing was asserted
    /// on the first level: the others can be popped.
    pub fn change_arena(&mut self) {
        match self.levels[0].assertions.is_empty() {
            true => self.levels.truncate(1),
            false => self.reset(),
        }
        self.names.clear();
        self.arena += 1;
    }

    /// All live assertions, the oldest first.
    pub fn assertions(&self) -> impl Iterator<Item = &Assertion> {
        self.levels.iter().flat_map(|level| &level.assertions)
    }

    /// How many levels have been pushed.
    pub fn depth(&self) -> usize {
        self.levels.len() - 1
    }

    pub(crate) fn arena(&self) -> u64 {
        self.arena
    }

    pub(crate) fn levels(&self) -> &[Level] {
        &self.levels
    }
}

/// Refuses what cannot stand as a formula.
pub(crate) fn check_bool(terms: &Terms, term: TermId) -> Result<(), StackError> {
    if !terms.contains(term) {
        return Err(StackError::UnknownTerm { id: term });
    }
    match terms.sort(term) {
        Sort::Bool => Ok(()),
        sort => Err(StackError::NotBool { sort }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_free_again_after_a_pop() {
        let mut terms = Terms::new();
        let p = terms.constant("p", Sort::Bool).unwrap();
        let x = terms.constant("x", Sort::Int).unwrap();
        let mut stack = Stack::default();
        stack.push();
        stack.assert(&terms, p, Some("a")).unwrap();
        assert_eq!(stack.assert(&terms, p, Some("a")), Err(StackError::NameInUse { name: "a".into() }));
        assert_eq!(stack.assert(&terms, x, None), Err(StackError::NotBool { sort: Sort::Int }));
        stack.pop().unwrap();
        stack.assert(&terms, p, Some("a")).unwrap();
        assert_eq!(stack.assertions().count(), 1);
        assert_eq!(stack.pop(), Err(StackError::NothingToPop));
    }
}
