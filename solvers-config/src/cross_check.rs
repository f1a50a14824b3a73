//! Two solvers that must agree.

use std::thread;
use std::time::{Duration, Instant};

use crate::answer::{Answer, Core, Reason};
use crate::discover::FoundSolver;
use crate::engine::Engine;
use crate::smt::{Query, Smt, Statistics};
use crate::stack::Stack;
use crate::supervise::SupervisorCommand;
use crate::term::Terms;

/// Two solvers asked the same. `sat` and `unsat` are given only when both say so; a core is given only when the other
/// solver confirms that it is one.
pub struct CrossCheck {
    stack: Stack,
    first: Engine,
    second: Engine,
    /// Confirms cores, which are another stack.
    judge: Engine,
    statistics: Statistics,
}

impl CrossCheck {
    /// A pair of solvers; models and cores come from the first.
    pub fn new(first: FoundSolver, second: FoundSolver, supervisor: &SupervisorCommand) -> Self {
        Self {
            stack: Stack::default(),
            judge: Engine::new(second.clone(), supervisor.clone()),
            first: Engine::new(first, supervisor.clone()),
            second: Engine::new(second, supervisor.clone()),
            statistics: Statistics::default(),
        }
    }

    fn agree(&mut self, terms: &Terms, query: &Query) -> Answer {
        let begun = Instant::now();
        let Self { stack, first, second, .. } = self;
        let second_query = Query { core: false, ..query.clone() };
        let (one, other) = thread::scope(|scope| {
            let other = scope.spawn(|| second.check(terms, stack, &second_query));
            let one = first.check(terms, stack, query);
            let lost = || {
                Answer::Unknown(Reason::Malformed {
                    reason: "its thread panicked".into(),
                    excerpt: String::new(),
                })
            };
            (one, other.join().unwrap_or_else(|_| lost()))
        });
        match (one, other) {
            (one @ Answer::Sat(_), Answer::Sat(_)) => one,
            (Answer::Unsat { core }, Answer::Unsat { .. }) => match core {
                None => Answer::Unsat { core: None },
                Some(core) => self.confirm(terms, query, core, begun),
            },
            (Answer::Unknown(reason), Answer::Unknown(second)) => Answer::Unknown(Reason::NoneKnew {
                reasons: vec![
                    (self.first.solver().to_string(), reason),
                    (self.second.solver().to_string(), second),
                ],
            }),
            (Answer::Unknown(reason), _) => self.alone(true, reason),
            (_, Answer::Unknown(reason)) => self.alone(false, reason),
            (one, other) => Answer::Unknown(self.contradiction(one.verdict(), other.verdict())),
        }
    }

    /// One of the two does not know, so there is nothing to compare.
    fn alone(&self, is_first: bool, reason: Reason) -> Answer {
        let engine = if is_first { &self.first } else { &self.second };
        Answer::Unknown(Reason::NoneKnew { reasons: vec![(engine.solver().to_string(), reason)] })
    }

    fn contradiction(&self, first: &str, second: &str) -> Reason {
        Reason::Disagreement {
            first: (self.first.solver().to_string(), first.to_owned()),
            second: (self.second.solver().to_string(), second.to_owned()),
        }
    }

    /// Asks the second solver about the core alone.
    fn confirm(&mut self, terms: &Terms, query: &Query, core: Core, begun: Instant) -> Answer {
        let mut stack = Stack::default();
        for assertion in self.stack.assertions() {
            let in_core =
                assertion.name.as_deref().is_none_or(|name| core.names.iter().any(|other| other == name));
            // Everything here was accepted before, and without names nothing can clash.
            if in_core && let Err(error) = stack.assert(terms, assertion.term, None) {
                return Answer::Unknown(Reason::Unsupported { what: error.to_string() });
            }
        }
        let allowed = query.timeout.unwrap_or_else(|| self.default_timeout());
        let left = allowed.saturating_sub(begun.elapsed());
        let question = Query {
            assumptions: core.assumptions.clone(),
            core: false,
            timeout: Some(left),
            cancel: query.cancel.clone(),
        };
        match self.judge.check(terms, &stack, &question) {
            Answer::Unsat { .. } => Answer::Unsat { core: Some(core) },
            // The verdict has been confirmed, only its reason has not.
            Answer::Unknown(_) => Answer::Unsat { core: None },
            Answer::Sat(_) => Answer::Unknown(self.contradiction("unsat by a core", "sat")),
        }
    }
}

impl Smt for CrossCheck {
    fn describe(&self) -> String {
        format!("{} checked by {}", self.first.solver(), self.second.solver())
    }

    fn stack(&self) -> &Stack {
        &self.stack
    }

    fn stack_mut(&mut self) -> &mut Stack {
        &mut self.stack
    }

    fn check(&mut self, terms: &Terms, query: &Query) -> Answer {
        let begun = Instant::now();
        let answer = self.agree(terms, query);
        self.statistics.count(&answer, begun.elapsed());
        answer
    }

    fn statistics(&self) -> Statistics {
        let engines = [&self.first, &self.second, &self.judge];
        Statistics {
            starts: engines.iter().map(|engine| engine.statistics().starts).sum(),
            ..self.statistics
        }
    }

    fn default_timeout(&self) -> Duration {
        self.first.solver().config.limits.timeout.max(self.second.solver().config.limits.timeout)
    }
}
