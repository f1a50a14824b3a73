//! What one solver process has been told, and what it still has to be told.

use std::sync::Arc;

use super::logic::join;
use crate::script::Logic;
use crate::smtlib::{Definitions, Introduction};
use crate::stack::{Assertion, Stack};
use crate::supervise::Failure;
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

/// Where what is new goes, command by command: a formula is being read while the rest of it is still being written.
pub(crate) trait Listener {
    /// A level is forgotten.
    fn pop(&mut self) -> Result<(), Failure>;
    /// A level is opened.
    fn push(&mut self) -> Result<(), Failure>;
    /// The next formulas need this.
    fn introduce(&mut self, news: &Introduction) -> Result<(), Failure>;
    /// This holds.
    fn assert(&mut self, formula: &str, named: Option<&Named>) -> Result<(), Failure>;
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

    /// What is asserted and has not been said.
    pub(crate) fn pending<'a>(&self, stack: &'a Stack) -> impl Iterator<Item = &'a Assertion> {
        let common = self.common(stack);
        let levels = stack.levels().iter().enumerate();
        levels.flat_map(move |(height, level)| {
            let said = self.levels[..common].get(height).map_or(0, |sent| sent.assertions);
            &level.assertions[said..]
        })
    }

    /// The smallest logic that holds these, too.
    pub(crate) fn logic_with(&self, terms: &Terms, roots: &[TermId]) -> Option<Logic> {
        match &self.logic {
            logic if roots.is_empty() => logic.clone(),
            Some(Logic::All) => Some(Logic::All),
            logic => Some(join(logic.clone(), Logic::of(terms, roots))),
        }
    }

    /// Tells everything up to the stack.
    pub(crate) fn follow(
        &mut self,
        terms: &Terms,
        stack: &Stack,
        to: &mut impl Listener,
    ) -> Result<(), Failure> {
        for _ in self.common(stack)..self.levels.len() {
            self.pop();
            to.pop()?;
        }
        if self.arena != stack.arena() {
            // Only an empty first level is left, see `Stack::change_arena`.
            self.definitions.reset();
            self.definitions.push(self.levels.len());
            self.arena = stack.arena();
        }
        for (height, level) in stack.levels().iter().enumerate() {
            if height >= self.levels.len() {
                self.open(level.number);
                // The base level is there from the beginning.
                if height > 0 {
                    to.push()?;
                }
            }
            let pending = &level.assertions[self.levels[height].assertions..];
            if !pending.is_empty() {
                self.add(terms, pending, to)?;
                self.levels[height].assertions = level.assertions.len();
            }
        }
        Ok(())
    }

    /// Opens a level for one query and says what its terms need.
    pub(crate) fn follow_query(&mut self, terms: &Terms, roots: &[TermId]) -> Vec<Introduction> {
        self.open(QUERY_LEVEL);
        let news = self.definitions.introduce(terms, roots);
        self.constants.extend(news.iter().filter_map(Introduction::constant));
        news
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

    /// How many levels the process and the stack have in common.
    fn common(&self, stack: &Stack) -> usize {
        let both = self.levels.iter().zip(stack.levels());
        both.take_while(|(sent, level)| sent.number == level.number).count()
    }

    fn add(&mut self, terms: &Terms, pending: &[Assertion], to: &mut impl Listener) -> Result<(), Failure> {
        let roots: Vec<TermId> = pending.iter().map(|assertion| assertion.term).collect();
        let constants = &mut self.constants;
        self.definitions.introduce_each(terms, &roots, |news| {
            constants.extend(news.constant());
            to.introduce(&news)
        })?;
        let mut formula = String::new();
        for Assertion { term, name } in pending {
            let symbol = || format!("{OWN}n{}", self.named.len());
            let named = name.as_ref().map(|name| Named { name: Arc::clone(name), symbol: symbol() });
            formula.clear();
            self.definitions.append(&mut formula, terms, *term);
            to.assert(&formula, named.as_ref())?;
            self.named.extend(named);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Sort;

    /// Hears everything, or fails after some.
    #[derive(Default)]
    struct Heard {
        commands: Vec<String>,
        patience: Option<usize>,
    }

    impl Heard {
        fn hear(&mut self, command: String) -> Result<(), Failure> {
            self.commands.push(command);
            match self.patience {
                Some(patience) if self.commands.len() > patience => Err(Failure::Interrupted),
                _ => Ok(()),
            }
        }
    }

    impl Listener for Heard {
        fn pop(&mut self) -> Result<(), Failure> {
            self.hear("pop".to_owned())
        }

        fn push(&mut self) -> Result<(), Failure> {
            self.hear("push".to_owned())
        }

        fn introduce(&mut self, news: &Introduction) -> Result<(), Failure> {
            self.hear(news.to_string())
        }

        fn assert(&mut self, formula: &str, named: Option<&Named>) -> Result<(), Failure> {
            self.hear(match named {
                Some(named) => format!("{}: {formula}", named.name),
                None => formula.to_owned(),
            })
        }
    }

    fn told(mirror: &mut Mirror, terms: &Terms, stack: &Stack) -> Vec<String> {
        let mut heard = Heard::default();
        mirror.follow(terms, stack, &mut heard).unwrap();
        heard.commands
    }

    #[test]
    fn only_what_is_new_is_told() {
        let mut terms = Terms::new();
        let p = terms.constant("p", Sort::Bool).unwrap();
        let q = terms.constant("q", Sort::Bool).unwrap();
        let not_q = terms.not(q).unwrap();
        let (mut mirror, mut stack) = (Mirror::new(), Stack::default());
        stack.assert(&terms, p, None).unwrap();
        stack.push();
        stack.assert(&terms, not_q, Some("no")).unwrap();
        assert_eq!(mirror.pending(&stack).count(), 2);
        let [p_name, q_name] = [p, q].map(|id| format!("x{}", id.index()));
        let declared = |name: &str| format!("(declare-const {name} Bool)");
        let all = [
            declared(&p_name),
            p_name.clone(),
            "push".into(),
            declared(&q_name),
            format!("no: (not {q_name})"),
        ];
        assert_eq!(told(&mut mirror, &terms, &stack), all);
        assert_eq!(mirror.pending(&stack).count(), 0);
        assert!(told(&mut mirror, &terms, &stack).is_empty());

        stack.pop().unwrap();
        stack.push();
        stack.assert(&terms, p, None).unwrap();
        stack.assert(&terms, q, None).unwrap();
        assert_eq!(mirror.pending(&stack).count(), 2);
        let rest = ["pop".into(), "push".into(), declared(&q_name), p_name, q_name];
        assert_eq!(told(&mut mirror, &terms, &stack), rest);
        assert!(mirror.named().is_empty());
    }

    #[test]
    fn another_arena_is_told_from_the_beginning() {
        let arena = || {
            let mut terms = Terms::new();
            let constant = terms.constant("c", Sort::Bool).unwrap();
            (terms, constant)
        };
        let (first, p) = arena();
        let (mut mirror, mut stack) = (Mirror::new(), Stack::default());
        stack.push();
        stack.assert(&first, p, None).unwrap();
        let name = format!("x{}", p.index());
        let news = ["push".to_owned(), format!("(declare-const {name} Bool)"), name];
        assert_eq!(told(&mut mirror, &first, &stack), news);
        stack.change_arena();
        let (second, p) = arena();
        stack.push();
        stack.assert(&second, p, None).unwrap();
        assert!(mirror.can_follow(&stack));
        let again = told(&mut mirror, &second, &stack);
        assert_eq!(again[0], "pop");
        assert_eq!(again[1..], news);
    }

    #[test]
    fn a_listener_that_fails_ends_it() {
        let mut terms = Terms::new();
        let p = terms.constant("p", Sort::Bool).unwrap();
        let mut stack = Stack::default();
        stack.assert(&terms, p, None).unwrap();
        for patience in 0..2 {
            let mut heard = Heard { patience: Some(patience), ..Heard::default() };
            assert_eq!(Mirror::new().follow(&terms, &stack, &mut heard), Err(Failure::Interrupted));
            assert_eq!(heard.commands.len(), patience + 1);
        }
    }

    #[test]
    fn the_logic_is_of_all_that_was_said() {
        let mut terms = Terms::new();
        let p = terms.constant("p", Sort::Bool).unwrap();
        let n = terms.constant("n", Sort::Int).unwrap();
        let v = terms.constant("v", Sort::Bits(8)).unwrap();
        let mut mirror = Mirror::new();
        assert_eq!(mirror.logic_with(&terms, &[]), None);
        assert_eq!(mirror.logic_with(&terms, &[n]), Some(Logic::QfIdl));
        mirror.logic = Some(Logic::QfBv);
        assert_eq!(mirror.logic_with(&terms, &[p, v]), Some(Logic::QfBv));
        assert_eq!(mirror.logic_with(&terms, &[n]), Some(Logic::All));
        mirror.logic = Some(Logic::All);
        assert_eq!(mirror.logic_with(&terms, &[p]), Some(Logic::All));
    }
}
