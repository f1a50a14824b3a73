//! Several solvers race; the first definite answer wins, and the losers are killed.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, OnceLock};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use crate::answer::{Answer, Reason};
use crate::cancel::CancelToken;
use crate::config::PortfolioConfig;
use crate::discover::{FoundSolver, Solvers};
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
    /// Those of the reserve, once they were needed.
    joined: Vec<Engine>,
    reserve: Option<Arc<Reserve>>,
    supervisor: SupervisorCommand,
    statistics: Statistics,
    /// Of `engines`, then of `joined`.
    wins: Vec<u64>,
}

/// Members that are looked for only if the others have had their head start and no answer.
#[derive(Debug)]
pub struct Reserve {
    solvers: Solvers,
    names: Vec<String>,
    most: usize,
    head_start: Duration,
    memory_mb: Option<u64>,
    found: OnceLock<Vec<FoundSolver>>,
}

impl Reserve {
    /// All but the first member of a portfolio.
    pub(crate) fn new(solvers: Solvers, portfolio: &PortfolioConfig, head_start: Duration) -> Self {
        let names = portfolio.members.iter().skip(1).cloned().collect();
        let most = portfolio.most.saturating_sub(1);
        Self { solvers, names, most, head_start, memory_mb: None, found: OnceLock::new() }
    }

    pub(crate) fn with_memory_limit(&self, memory_mb: u64) -> Self {
        let Self { solvers, names, most, head_start, .. } = self;
        Self {
            solvers: solvers.clone(),
            names: names.clone(),
            most: *most,
            head_start: *head_start,
            memory_mb: Some(memory_mb),
            found: OnceLock::new(),
        }
    }

    /// Those that are here, looked for once.
    fn found(&self) -> &[FoundSolver] {
        self.found.get_or_init(|| {
            // Their names were good when the portfolio was chosen.
            let mut found = self.solvers.find_members(&self.names, self.most).unwrap_or_default();
            if let Some(memory_mb) = self.memory_mb {
                found.iter_mut().for_each(|solver| solver.limit_memory(memory_mb));
            }
            found
        })
    }
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
            joined: Vec::new(),
            reserve: None,
            supervisor: supervisor.clone(),
            statistics: Statistics::default(),
            wins,
        }
    }

    /// The same with others who join when these have not answered for a while.
    #[must_use]
    pub fn with_reserve(self, reserve: Option<Arc<Reserve>>) -> Self {
        Self { reserve, ..self }
    }

    /// How often each member was first.
    pub fn wins(&self) -> impl Iterator<Item = (&FoundSolver, u64)> {
        self.engines.iter().chain(&self.joined).map(Engine::solver).zip(self.wins.iter().copied())
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
        let allowed = query.timeout.unwrap_or_else(|| self.default_timeout());
        let race = Race { terms, stack: &self.stack, query, until: begun + allowed };
        let reserve = self.reserve.as_deref();
        let (answer, winner) = race.run(&mut self.engines, &mut self.joined, reserve, &self.supervisor);
        self.wins.resize(self.engines.len() + self.joined.len(), 0);
        if let Some(winner) = winner {
            self.wins[winner] += 1;
        }
        self.statistics.count(&answer, begun.elapsed());
        answer
    }

    fn statistics(&self) -> Statistics {
        let engines = self.engines.iter().chain(&self.joined);
        let starts = engines.map(|engine| engine.statistics().starts).sum();
        Statistics { starts, ..self.statistics }
    }

    fn default_timeout(&self) -> Duration {
        let timeouts = self.engines.iter().map(|engine| engine.solver().config.limits.timeout);
        timeouts.max().unwrap_or_default()
    }
}

/// One question to several solvers.
struct Race<'a> {
    terms: &'a Terms,
    stack: &'a Stack,
    query: &'a Query,
    until: Instant,
}

/// What a solver said: its position, its name, its answer.
type Said = (usize, String, Answer);

impl Race<'_> {
    /// Asks all at once, and the reserve when they have had their head start or do not know; the position of the winner
    /// comes with its answer.
    fn run(
        &self,
        engines: &mut [Engine],
        joined: &mut Vec<Engine>,
        reserve: Option<&Reserve>,
        supervisor: &SupervisorCommand,
    ) -> (Answer, Option<usize>) {
        let mut reasons: Vec<(String, Reason)> = Vec::new();
        // One switch is enough: whoever is thrown out has lost, or has answered.
        let switch = self.query.cancel.child();
        let mut won = None;
        thread::scope(|scope| {
            let (say, said) = mpsc::channel();
            let starters = engines.len();
            let mut running = starters;
            self.start(scope, engines, 0, &switch, &say);
            let mut waiting = reserve.map(|reserve| (reserve, joined, Instant::now() + reserve.head_start));
            while running > 0 || waiting.is_some() {
                let patience = match &waiting {
                    Some((_, _, until)) if running > 0 => until.saturating_duration_since(Instant::now()),
                    // Nobody is left who could answer: no need to wait.
                    Some(_) => Duration::ZERO,
                    None => Duration::MAX,
                };
                match said.recv_timeout(patience) {
                    Ok((_, name, Answer::Unknown(reason))) => {
                        running -= 1;
                        reasons.push((name, reason));
                    }
                    Ok((position, _, definite)) => {
                        won = Some((definite, position));
                        switch.cancel();
                        return;
                    }
                    Err(RecvTimeoutError::Timeout) => {
                        let Some((reserve, joined, _)) = waiting.take() else { continue };
                        if self.query.cancel.is_cancelled() || Instant::now() >= self.until {
                            continue;
                        }
                        if joined.is_empty() {
                            let found = reserve.found().iter().cloned();
                            joined.extend(found.map(|solver| Engine::new(solver, supervisor.clone())));
                        }
                        running += joined.len();
                        self.start(scope, joined, starters, &switch, &say);
                    }
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        });
        match won {
            Some((answer, position)) => (answer, Some(position)),
            None if self.query.cancel.is_cancelled() => (Answer::Unknown(Reason::Interrupted), None),
            None if reasons.len() == 1 => (Answer::Unknown(reasons.remove(0).1), None),
            None => (Answer::Unknown(Reason::NoneKnew { reasons }), None),
        }
    }

    /// Asks these on threads of their own; their positions begin with `first`.
    fn start<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        engines: &'scope mut [Engine],
        first: usize,
        switch: &CancelToken,
        say: &Sender<Said>,
    ) {
        for (position, engine) in engines.iter_mut().enumerate() {
            let say = say.clone();
            let left = self.until.saturating_duration_since(Instant::now());
            let query = Query { cancel: switch.clone(), timeout: Some(left), ..self.query.clone() };
            scope.spawn(move || {
                let answer = engine.check(self.terms, self.stack, &query);
                // Nobody listens any more once there is a winner.
                let _ = say.send((first + position, engine.solver().to_string(), answer));
            });
        }
    }
}
