//! What one solver process has been told, and what it still has to be told.

use std::sync::Arc;

use super::logic::join;
use crate::script::Logic;
use crate::smtlib::{Definitions, Introduction};
use crate::stack::{Assertion, Stack};
use crate::term::{TermId, Terms};

/// Beginning of symbols of our own. No encoded name holds it: it stands for a byte that no UTF-8 text has, and only
/// the empty name is written with it, alone.
const OWN: &str = "%FF";

/// The symbol that stands for an assumption of a query.
pub(crate) fn assumption_symbol(number: usize) -> String {
    format!("{OWN}a{number}")
}

/// The symbol that stands for a preference of a query.
pub(crate) fn wish_symbol(number: usize) -> String {
    format!("{OWN}w{number}")
}

/// The process's side of the stack.
#[derive(Debug, Default)]
pub(crate) struct Mirror {
    levels: Vec<SentLevel>,
    pub(crate) definitions: Definitions,
    /// Everything that was ever said fits into this logic.
    pub(crate) logic: Option<Logic>,
    /// Constants in force, by the level that declared them.
    constants: Vec<TermId>,
    named: Vec<Named>,
    /// Which of the stack's arenas the definitions are of.
    arena: u64,
}

/// A named assertion that the process knows.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    pub(crate) name: Arc<str>,
    /// The symbol of the assertion, or of the assumption it stands behind.
    pub(crate) symbol: String,
}

#[derive(Debug)]
struct SentLevel {
    number: u64,
    assertions: usize,
    constants_before: usize,
    named_before: usize,
}

/// Number of the level that belongs to a single query.
const QUERY_LEVEL: u64 = u64::MAX;

/// What a level adds.
#[derive(Debug)]
pub(crate) struct Addition {
    /// The level has to be opened first.
    pub(crate) opens: bool,
    pub(crate) news: Vec<Introduction>,
    /// The text of each assertion, and its name.
    pub(crate) assertions: Vec<(String, Option<Named>)>,
}

impl Mirror {
    /// The process has been told nothing.
    pub(crate) fn new() -> Self {
        Self { definitions: Definitions::with_numbers(), ..Self::default() }
    }

    /// Whether the process can be brought up to the stack: a first level cannot be popped.
    pub(crate) fn can_follow(&self, stack: &Stack) -> bool {
        match (self.levels.first(), stack.levels().first()) {
            (Some(sent), Some(level)) => sent.number == level.number,
            _ => true,
        }
    }

    /// Takes note of everything up to the stack; says how many levels to pop and what to add then.
    pub(crate) fn follow(&mut self, terms: &Terms, stack: &Stack) -> (usize, Vec<Addition>) {
        let levels = stack.levels();
        let common =
            self.levels.iter().zip(levels).take_while(|(sent, level)| sent.number == level.number).count();
        let pops = self.levels.len() - common;
        for _ in 0..pops {
            self.pop();
        }
        if self.arena != stack.arena() {
            // Only an empty first level is left, see `Stack::change_arena`.
            self.definitions.reset();
            self.definitions.push(self.levels.len());
            self.arena = stack.arena();
        }
        let mut additions = Vec::new();
        for (height, level) in levels.iter().enumerate() {
            let opens = height >= self.levels.len();
            if opens {
                self.open(level.number);
            }
            let pending = &level.assertions[self.levels[height].assertions..];
            if opens || !pending.is_empty() {
                // The base level is there from the beginning.
                additions.push(self.add(terms, pending, opens && height > 0));
                self.levels[height].assertions = level.assertions.len();
            }
        }
        (pops, additions)
    }

    /// Opens a level for one query and says what its terms need.
    pub(crate) fn follow_query(&mut self, terms: &Terms, roots: &[TermId]) -> Vec<Introduction> {
        self.open(QUERY_LEVEL);
        self.introduce(terms, roots)
    }

    /// Forgets the top level, as the process does.
    pub(crate) fn pop(&mut self) {
        if let Some(level) = self.levels.pop() {
            self.definitions.pop(1);
            self.constants.truncate(level.constants_before);
            self.named.truncate(level.named_before);
        }
    }

    /// Named assertions in force.
    pub(crate) fn named(&self) -> &[Named] {
        &self.named
    }

    /// Constants in force.
    pub(crate) fn constants(&self) -> &[TermId] {
        &self.constants
    }

    fn open(&mut self, number: u64) {
        self.definitions.push(1);
        let (constants_before, named_before) = (self.constants.len(), self.named.len());
        self.levels.push(SentLevel { number, assertions: 0, constants_before, named_before });
    }

    fn add(&mut self, terms: &Terms, pending: &[Assertion], opens: bool) -> Addition {
        let roots: Vec<TermId> = pending.iter().map(|assertion| assertion.term).collect();
        let news = self.introduce(terms, &roots);
        let mut assertions = Vec::with_capacity(pending.len());
        for Assertion { term, name } in pending {
            let symbol = || format!("{OWN}n{}", self.named.len());
            let named = name.as_ref().map(|name| Named { name: Arc::clone(name), symbol: symbol() });
            self.named.extend(named.clone());
            assertions.push((self.definitions.text(terms, *term), named));
        }
        Addition { opens, news, assertions }
    }

    fn introduce(&mut self, terms: &Terms, roots: &[TermId]) -> Vec<Introduction> {
        if !roots.is_empty() {
            self.logic = Some(join(self.logic.take(), Logic::of(terms, roots)));
        }
        let news = self.definitions.introduce(terms, roots);
        self.constants.extend(news.iter().filter_map(|news| match news {
            Introduction::Declare { constant, .. } => Some(*constant),
            _ => None,
        }));
        news
    }
}
