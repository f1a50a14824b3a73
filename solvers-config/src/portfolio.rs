//! Several solvers race; the first definite answer wins, and the losers are killed.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::answer::{Answer, Reason};
use crate::cancel::CancelToken;
use crate::discover::FoundSolver;
use crate::engine::Engine;
use crate::smt::{Query, Smt, Statistics};
use crate::stack::Stack;
use crate::supervise::SupervisorCommand;
use crate::term::Terms;

/// A race of solvers about one stack of assertions.
///
/// A loser's process is gone after the race; at the next query it starts anew and is told the whole stack again.
pub struct Portfolio {
    name: String,
    stack: Stack,
    engines: Vec<Engine>,
    statistics: Statistics,
    wins: Vec<u64>,
}

impl Portfolio {
    /// A portfolio of these solvers, under a name for people.
    pub fn new(name: &str, members: Vec<FoundSolver>, supervisor: &SupervisorCommand) -> Self {
        let engines: Vec<Engine> =
            members.into_iter().map(|member| Engine::new(member, supervisor.clone())).collect();
        let wins = vec![0; engines.len()];
        Self {
            name: name.to_owned(),
            stack: Stack::default(),
            engines,
            statistics: Statistics::default(),
            wins,
        }
    }

    /// How often each member was first.
    pub fn wins(&self) -> impl Iterator<Item = (&FoundSolver, u64)> {
        self.engines.iter().map(Engine::solver).zip(self.wins.iter().copied())
    }
}

impl Smt for Portfolio {
    fn describe(&self) -> String {
        let members: Vec<String> = self.engines.iter().map(|engine| engine.solver().to_string()).collect();
        format!("{} ({})", self.name, members.join(", "))
    }

    fn stack(&self) -> &Stack {
        &self.stack
    }

    fn stack_mut(&mut self) -> &mut Stack {
        &mut self.stack
    }

    fn check(&mut self, terms: &Terms, query: &Query) -> Answer {
        let begun = Instant::now();
        let (answer, winner) = race(&mut self.engines, terms, &self.stack, query);
        if let Some(winner) = winner {
            self.wins[winner] += 1;
        }
        self.statistics.count(&answer, begun.elapsed());
        answer
    }

    fn statistics(&self) -> Statistics {
        let starts = self.engines.iter().map(|engine| engine.statistics().starts).sum();
        Statistics { starts, ..self.statistics }
    }

    fn default_timeout(&self) -> Duration {
        let timeouts = self.engines.iter().map(|engine| engine.solver().config.limits.timeout);
        timeouts.max().unwrap_or_default()
    }
}

/// Asks all at once; the position of the winner comes with its answer.
fn race(engines: &mut [Engine], terms: &Terms, stack: &Stack, query: &Query) -> (Answer, Option<usize>) {
    let mut reasons: Vec<(String, Reason)> = Vec::new();
    let switches: Vec<CancelToken> = engines.iter().map(|_| query.cancel.child()).collect();
    let mut won = None;
    thread::scope(|scope| {
        let (finish, finished) = mpsc::channel();
        for (position, (engine, switch)) in engines.iter_mut().zip(&switches).enumerate() {
            let finish = finish.clone();
            let query = Query { cancel: switch.clone(), ..query.clone() };
            scope.spawn(move || {
                let answer = engine.check(terms, stack, &query);
                // Nobody listens any more once there is a winner.
                let _ = finish.send((position, engine.solver().to_string(), answer));
            });
        }
        drop(finish);
        for (position, name, answer) in finished {
            match answer {
                Answer::Unknown(reason) => reasons.push((name, reason)),
                definite => {
                    won = Some((definite, position));
                    switches.iter().for_each(CancelToken::cancel);
                    break;
                }
            }
        }
    });
    match won {
        Some((answer, position)) => (answer, Some(position)),
        None if query.cancel.is_cancelled() => (Answer::Unknown(Reason::Interrupted), None),
        None if reasons.len() == 1 => (Answer::Unknown(reasons.remove(0).1), None),
        None => (Answer::Unknown(Reason::NoneKnew { reasons }), None),
    }
}
