//! One solver, whatever happens to its processes: brings a process up to the stack, asks, checks the answer.

mod dialogue;
mod logic;
mod mirror;
mod model;
mod speaker;

use std::ffi::OsString;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::answer::{Answer, Reason};
use crate::config::{Abilities, Cores, Soft};
use crate::discover::{FoundSolver, Origin, OwnSolver};
use crate::optimise::Preference;
use crate::proofs::{Keeper, Proofs};
use crate::script::Logic;
use crate::smt::{Query, Statistics};
use crate::stack::{Stack, check_bool};
use crate::supervise::{Guard, SupervisorCommand};
use crate::term::{TermId, Terms};

use dialogue::{Dialogue, Opening};
use mirror::Mirror;
use speaker::Speaker;

/// Largest answer that is taken from a solver.
const ANSWER_LIMIT: usize = 64 << 20;

/// A solver that can be asked about any stack.
pub(crate) struct Engine {
    solver: FoundSolver,
    supervisor: SupervisorCommand,
    process: Option<Process>,
    statistics: Statistics,
    /// Where processes keep proofs, if they do.
    proofs: Option<Arc<Proofs>>,
}

/// A running process and what it knows.
struct Process {
    dialogue: Dialogue,
    mirror: Mirror,
    logic: String,
    /// It was started with the options for reasons.
    gives_cores: bool,
    /// Counts its answers, if it keeps proofs of them.
    keeper: Option<Keeper>,
}

/// The preferences of a query that the solver is to optimise by itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wishes<'a>(pub(crate) &'a [Preference]);

impl Engine {
    pub(crate) fn new(solver: FoundSolver, supervisor: SupervisorCommand) -> Self {
        Self { solver, supervisor, process: None, statistics: Statistics::default(), proofs: None }
    }

    /// The same, with processes that keep proofs. Its answers have no reasons: those are not among what is proved.
    pub(crate) fn keeping(mut self, proofs: Arc<Proofs>) -> Self {
        let mut config = (*self.solver.config).clone();
        config.abilities.cores = Cores::None;
        self.solver.config = config.into();
        self.proofs = Some(proofs);
        self
    }

    pub(crate) fn solver(&self) -> &FoundSolver {
        &self.solver
    }

    pub(crate) fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Asks about the stack; see [`Smt::check`](crate::Smt::check).
    pub(crate) fn check(&mut self, terms: &Terms, stack: &Stack, query: &Query) -> Answer {
        self.check_with_wishes(terms, stack, query, Wishes(&[]))
    }

    /// The same, letting the solver find a model that is best by the preferences.
    pub(crate) fn check_with_wishes(
        &mut self,
        terms: &Terms,
        stack: &Stack,
        query: &Query,
        wishes: Wishes<'_>,
    ) -> Answer {
        let begun = Instant::now();
        let allowed = query.timeout.unwrap_or(self.solver.config.limits.timeout);
        let inquiry = Inquiry { terms, stack, query, wishes, begun, allowed };
        let answer = self.ask(&inquiry).unwrap_or_else(|reason| {
            Answer::Unknown(match reason {
                // The supervisor knows only what was left when it was told.
                Reason::Timeout { .. } => Reason::Timeout { allowed },
                other => other,
            })
        });
        let is_sound = match &answer {
            Answer::Sat(_) | Answer::Unsat { .. } | Answer::Unknown(Reason::SolverSaidUnknown) => true,
            // Whatever else went wrong, the process cannot be trusted to be where we think it is.
            Answer::Unknown(_) => false,
        };
        if !is_sound || !self.solver.config.abilities.incremental {
            self.process = None;
        }
        self.statistics.count(&answer, begun.elapsed());
        answer
    }

    fn ask(&mut self, inquiry: &Inquiry<'_>) -> Result<Answer, Reason> {
        inquiry.validate()?;
        self.prepare(inquiry)?;
        let abilities = self.solver.config.abilities;
        let Some(process) = &mut self.process else {
            return Err(Reason::CannotStart { reason: "no process".to_owned() });
        };
        let attached = process.dialogue.supervisor().map(|pid| inquiry.query.cancel.attach(pid));
        let Abilities { cores, incremental, assumptions, .. } = abilities;
        let speaker = Speaker { cores, incremental, assumptions };
        process.dialogue.set_deadline(inquiry.remaining()?)?;
        let told = speaker.tell(process, inquiry)?;
        let verdict = process.dialogue.check(&told.assumed)?;
        if let Some(keeper) = &mut process.keeper {
            keeper.answered(verdict);
        }
        let answer = match verdict {
            None => Answer::Unknown(Reason::SolverSaidUnknown),
            Some(true) => match model::fetch(process, inquiry.terms)? {
                Ok(model) => model::verify(inquiry.terms, inquiry.stack, &inquiry.query.assumptions, model),
                Err(reason) => Answer::Unknown(reason),
            },
            Some(false) => {
                let core = match inquiry.query.core && abilities.cores != Cores::None {
                    true => speaker.core(process, inquiry, &told),
                    false => Ok(None),
                };
                match core {
                    Ok(core) => Answer::Unsat { core },
                    // The verdict stands without its reason, but the process may not.
                    Err(_) => {
                        drop(attached);
                        self.process = None;
                        return Ok(Answer::Unsat { core: None });
                    }
                }
            }
        };
        if told.own_level && abilities.incremental {
            process.dialogue.pop()?;
            process.mirror.pop();
        }
        Ok(answer)
    }

    /// Makes sure there is a process fit for the query.
    fn prepare(&mut self, inquiry: &Inquiry<'_>) -> Result<(), Reason> {
        let wants_cores = inquiry.query.core || self.solver.config.abilities.cores == Cores::Assumptions;
        if let Some(process) = &mut self.process
            && (process.gives_cores || !wants_cores)
            && process.mirror.can_follow(inquiry.stack)
            && process.dialogue.is_alive()
        {
            let need = self.solver.need(&process.mirror, inquiry)?;
            if need.logic_name == process.logic
                && need.can_be_kept(process.keeper.as_mut(), &process.mirror, inquiry.terms)
            {
                process.mirror.logic = need.logic;
                return Ok(());
            }
        }
        self.process = None;
        let mut mirror = Mirror::new();
        let need = self.solver.need(&mirror, inquiry)?;
        if inquiry.query.cancel.is_cancelled() {
            return Err(Reason::Interrupted);
        }
        let config = &self.solver.config;
        let mut options = config.run.options.clone();
        if wants_cores {
            options.extend(config.run.core_options.iter().cloned());
        }
        let mut keeper = self.proofs.as_ref().map(Proofs::begin);
        // A new process can declare anything.
        need.can_be_kept(keeper.as_mut(), &mirror, inquiry.terms);
        let keeping = keeper.as_ref().map(Keeper::arguments).transpose()?;
        let dialogue = Dialogue::open(&Opening {
            command: self.command(keeping.into_iter().flatten()),
            greeting: config.run.greeting,
            options,
            logic: &need.logic_name,
            allowed: inquiry.remaining()?,
            cancel: &inquiry.query.cancel,
        })?;
        self.statistics.starts += 1;
        mirror.logic = need.logic;
        let logic = need.logic_name;
        self.process = Some(Process { dialogue, mirror, logic, gives_cores: wants_cores, keeper });
        Ok(())
    }
}

impl Engine {
    /// What starts the solver, guarded.
    fn command(&self, more: impl Iterator<Item = String>) -> Vec<OsString> {
        let FoundSolver { config, program, lead, origin, .. } = &self.solver;
        let memory_mb = config.limits.memory_mb;
        let arguments =
            lead.iter().chain(&config.run.args).map(OsString::from).chain(more.map(OsString::from));
        let mut command: Vec<OsString> = std::iter::once(program.into()).chain(arguments).collect();
        if *origin == Origin::Own {
            command.extend([OwnSolver::GUARD_ITSELF.into(), memory_mb.to_string().into()]);
            return command;
        }
        let guard = Guard { memory_mb, answer_limit: ANSWER_LIMIT, command };
        let SupervisorCommand { program, lead } = &self.supervisor;
        std::iter::once(program.into()).chain(lead.iter().cloned()).chain(guard.arguments()).collect()
    }
}

/// What a process must be fit for to take one query.
struct Need {
    /// What it has to be told, beside what it knows.
    roots: Vec<TermId>,
    /// The logic of all that it will have been told.
    logic: Option<Logic>,
    /// What the solver calls it.
    logic_name: String,
}

impl FoundSolver {
    fn need(&self, mirror: &Mirror, inquiry: &Inquiry<'_>) -> Result<Need, Reason> {
        let asserted = mirror.pending(inquiry.stack).map(|assertion| assertion.term);
        let roots: Vec<TermId> = asserted.chain(inquiry.roots()).collect();
        if self.config.encoding.families_from.is_none()
            && let Some(family) = roots.iter().find_map(|&root| inquiry.terms.family_at(root))
        {
            let what =
                format!("{} does not know `{family}`, in which the formula is written", self.config.name);
            return Err(Reason::Unsupported { what });
        }
        let logic = mirror.logic_with(inquiry.terms, &roots);
        let name = logic::name(logic.as_ref().unwrap_or(&Logic::QfBv), &self.config.logic);
        let logic_name = name
            .map_err(|lacks| Reason::Unsupported {
                what: format!("{} cannot take the formula: {lacks}", self.config.name),
            })?
            .to_owned();
        Ok(Need { roots, logic, logic_name })
    }
}

impl Need {
    /// Whether a process that keeps proofs, if it does, can be told.
    fn can_be_kept(&self, keeper: Option<&mut Keeper>, mirror: &Mirror, terms: &Terms) -> bool {
        let symbol = |id| mirror.definitions.symbol_of_constant(terms, id);
        let constants = || terms.constants_in(&self.roots).into_iter().map(|id| (symbol(id), terms.sort(id)));
        keeper.is_none_or(|keeper| keeper.can_declare(constants()))
    }
}

/// One query on its way.
struct Inquiry<'a> {
    terms: &'a Terms,
    stack: &'a Stack,
    query: &'a Query,
    wishes: Wishes<'a>,
    begun: Instant,
    allowed: Duration,
}

impl Inquiry<'_> {
    /// The query's own terms.
    fn roots(&self) -> Vec<TermId> {
        let wishes = self.wishes.0.iter().map(|wish| wish.term);
        self.query.assumptions.iter().copied().chain(wishes).collect()
    }

    fn validate(&self) -> Result<(), Reason> {
        for term in self.roots() {
            check_bool(self.terms, term).map_err(|error| Reason::Unsupported { what: error.to_string() })?;
        }
        let mut asserted = self.stack.assertions();
        match asserted.find(|assertion| !self.terms.contains(assertion.term)) {
            Some(assertion) => Err(Reason::Unsupported {
                what: format!("term {:?} is not of the arena given", assertion.term),
            }),
            None if self.query.cancel.is_cancelled() => Err(Reason::Interrupted),
            None => Ok(()),
        }
    }

    fn remaining(&self) -> Result<Duration, Reason> {
        let left = self.allowed.saturating_sub(self.begun.elapsed());
        if left.is_zero() { Err(Reason::Timeout { allowed: self.allowed }) } else { Ok(left) }
    }
}

/// Whether the solver optimises soft constraints by itself.
pub(crate) fn optimises(engine: &Engine) -> bool {
    engine.solver.config.abilities.soft == Soft::Native && engine.solver.config.abilities.incremental
}
