//! The solver that is told the formula once and asked many times: which executions pass, which fail, under which
//! orderings.

use std::time::{Duration, Instant};

use warpath_solvers::term::{Evaluator, MissingConstant, Model, Sort, TermId, Terms};
use warpath_solvers::{Answer, Preference, Query, Smt};
use warpath_trace::expr::ExprPool;
use warpath_trace::ids::ExprId;

use super::DiagnoseError;
use super::ends::passed;
use super::failure::{Failure, failed};
use super::freed::{failures_are_late, uses};
use super::inputs::lowered;
use super::occurrence::Occurrences;
use super::ordering::{Meaning, Ordering, any};
use super::repair::{self, Candidate};
use crate::encode::{Encoding, Options, Reductions};
use crate::model::Forest;
use crate::queries::Question;

/// Which executions are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Those that end well.
    Passing,
    /// Those with the failure, for none of the causes known so far.
    Failing,
    /// All, also those that have not come to an end.
    Any,
}

/// What a solver is asked to assume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Assumed {
    /// The ordering holds.
    Holds(usize),
    /// The ordering holds, and its first event happens.
    Happens(usize),
    /// A change of the program has been made.
    Rule(usize),
    /// A thread comes to a wait that must never be come to if that change is made.
    Waits(usize),
}

/// What came of a question.
pub(super) enum Found {
    /// There is such an execution.
    Some(Model),
    /// There is none; with a part of what was assumed that is enough for that, if the solver says so.
    None(Option<Vec<Assumed>>),
}

/// An ordering as the solver knows it.
#[derive(Clone, Copy, Debug)]
struct Literal {
    meaning: Meaning,
    /// Assumed, they make it hold.
    holds: TermId,
    happens: TermId,
}

/// A change of the program as the solver knows it.
#[derive(Clone, Copy, Debug)]
struct Change {
    meaning: TermId,
    /// Assumed, it is made.
    made: TermId,
    /// A thread comes to where none must if it is made, and what makes it so; `None` if there is no such place.
    waits: Option<(TermId, TermId)>,
}

/// A solver that knows the formula.
pub(super) struct Session<'f> {
    question: Question<'f>,
    smt: Box<dyn Smt>,
    literals: Vec<Literal>,
    changes: Vec<Change>,
    passing: TermId,
    failing: TermId,
    /// One for each cause that failing executions must not show.
    blocked: Vec<TermId>,
    query: Query,
    /// Is the solver to find nearest executions by itself, if it can?
    pub(super) max_sat: bool,
    /// When there is no time left for questions.
    pub(super) until: Option<Instant>,
    /// The same, for some of the questions.
    at_most: Option<Instant>,
    /// How long the solver took to take in the formula, if that was measured.
    pub(super) warmed_up: Duration,
    /// What is never so.
    never: TermId,
    pub(super) questions: u64,
    pub(super) time: Duration,
}

impl<'f> Session<'f> {
    /// Tells a solver all about the executions of a forest and these orderings.
    pub(super) fn new(
        forest: &'f Forest,
        options: Options,
        (failure, occurrences): (&Failure, &Occurrences),
        orderings: &[Ordering],
        mut smt: Box<dyn Smt>,
        (query, until): (Query, Option<Instant>),
    ) -> Result<Self, DiagnoseError> {
        // Every thread has to come to its end, so everything takes part.
        let reductions = Reductions { cone: false, ..options.reductions };
        let options = Options { reductions, ..options }.clause_by_clause();
        let encoding = Encoding::new(forest, options, &[])?;
        let mut literals = Vec::new();
        let mut wanted = Vec::new();
        let question = Question::of(encoding, "Why did it fail?".to_owned(), |encoding| {
            let mut targets = Vec::new();
            let mut switch = |encoding: &mut Encoding<'_>, name: &str, term: TermId| {
                let switch = encoding.terms.constant(name, Sort::Bool)?;
                targets.push(encoding.terms.implies(switch, term)?);
                Ok(switch)
            };
            for (n, &ordering) in orderings.iter().enumerate() {
                let meaning = Meaning::of(encoding, occurrences, ordering)?;
                let holds = switch(encoding, &format!("holds({n})"), meaning.holds)?;
                let happens = switch(encoding, &format!("happens({n})"), meaning.happens)?;
                literals.push(Literal { meaning, holds, happens });
            }
            let uses = uses(encoding)?;
            let passes = passed(encoding, &uses)?;
            let fails = failed(encoding, occurrences, failure, &uses)?;
            wanted.push(switch(encoding, "passing", passes)?);
            wanted.push(switch(encoding, "failing", fails)?);
            targets.extend(failures_are_late(encoding)?);
            Ok(targets)
        })?;
        smt.push();
        question.assert_whole(&mut *smt);
        let never = question.encoding.terms.bool(false);
        let [passing, failing] = wanted[..] else { unreachable!("two switches were made") };
        Ok(Session {
            question,
            smt,
            literals,
            changes: Vec::new(),
            passing,
            failing,
            blocked: Vec::new(),
            query,
            max_sat: false,
            until,
            at_most: None,
            warmed_up: Duration::ZERO,
            never,
            questions: 0,
            time: Duration::ZERO,
        })
    }

    /// Tells the solver of changes of the program: the number of the first.
    pub(super) fn add(&mut self, candidates: &[&Candidate]) -> Result<usize, DiagnoseError> {
        let first = self.changes.len();
        let changes = &mut self.changes;
        self.question.extend(&mut *self.smt, |encoding| {
            let mut targets = Vec::new();
            for (candidate, n) in candidates.iter().zip(first..) {
                let meaning = repair::term(&candidate.rule, encoding)?;
                let made = encoding.terms.constant(&format!("rule({n})"), Sort::Bool)?;
                targets.push(encoding.terms.implies(made, meaning)?);
                let mut waits = None;
                if !candidate.never.is_empty() {
                    let comes = any(encoding, &candidate.never)?;
                    let switch = encoding.terms.constant(&format!("waits({n})"), Sort::Bool)?;
                    targets.push(encoding.terms.implies(switch, comes)?);
                    waits = Some((comes, switch));
                }
                changes.push(Change { meaning, made, waits });
            }
            Ok(targets)
        })?;
        Ok(first)
    }

    /// Is there such an execution?
    pub(super) fn find(&mut self, wanted: Wanted, assumed: &[Assumed]) -> Result<Found, DiagnoseError> {
        let all: Vec<usize> = (0..self.blocked.len()).collect();
        self.find_beside(wanted, assumed, &all)
    }

    /// The same; failing executions may show any cause but these.
    pub(super) fn find_beside(
        &mut self,
        wanted: Wanted,
        assumed: &[Assumed],
        causes: &[usize],
    ) -> Result<Found, DiagnoseError> {
        let mut assumptions: Vec<TermId> = assumed.iter().map(|&assumed| self.term(assumed)).collect();
        match wanted {
            Wanted::Passing => assumptions.push(self.passing),
            Wanted::Any => {}
            Wanted::Failing => {
                assumptions.push(self.failing);
                assumptions.extend(causes.iter().map(|&cause| self.blocked[cause]));
            }
        }
        let begun = Instant::now();
        let query = self.in_time(self.query.clone().assuming(assumptions).with_core())?;
        let answer = self.question.check_asserted(&mut *self.smt, &query)?;
        self.time += begun.elapsed();
        self.questions += 1;
        match answer {
            Answer::Sat(model) => Ok(Found::Some(model)),
            Answer::Unsat { core } => Ok(Found::None(core.map(|core| {
                let named = |assumed: &&Assumed| core.assumptions.contains(&self.term(**assumed));
                assumed.iter().filter(named).copied().collect()
            }))),
            Answer::Unknown(reason) => Err(DiagnoseError::Unanswered(reason)),
        }
    }

    /// The question, with the time that is left for it.
    fn in_time(&self, mut query: Query) -> Result<Query, DiagnoseError> {
        if let Some(until) = [self.until, self.at_most].into_iter().flatten().min() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(DiagnoseError::Late);
            }
            query.timeout = Some(query.timeout.map_or(left, |timeout| timeout.min(left)));
        }
        Ok(query)
    }

    /// Of the passing executions with all of `assumed`, one in which as few as possible of `wishes` are not so. `None`
    /// if that is left to whoever asks, or the solver cannot say that there is no better one.
    pub(super) fn nearest(
        &mut self,
        assumed: &[Assumed],
        wishes: &[Assumed],
    ) -> Result<Option<Model>, DiagnoseError> {
        if !self.max_sat || !self.smt.optimises() {
            return Ok(None);
        }
        let begun = Instant::now();
        let mut assumptions: Vec<TermId> = assumed.iter().map(|&assumed| self.term(assumed)).collect();
        assumptions.push(self.passing);
        let query = self.in_time(self.query.clone().assuming(assumptions))?;
        let wish = |&wish: &Assumed| Preference { term: self.meaning(wish), weight: 1 };
        let preferences: Vec<Preference> = wishes.iter().map(wish).collect();
        let optimum = self.question.optimise_asserted(&mut *self.smt, &query, &preferences)?;
        self.time += begun.elapsed();
        self.questions += 1;
        Ok(match optimum.answer {
            Answer::Sat(model) if optimum.proved => Some(model),
            _ => None,
        })
    }

    fn term(&self, assumed: Assumed) -> TermId {
        match assumed {
            Assumed::Holds(n) => self.literals[n].holds,
            Assumed::Happens(n) => self.literals[n].happens,
            Assumed::Rule(n) => self.changes[n].made,
            Assumed::Waits(n) => self.changes[n].waits.map_or(self.never, |(_, waits)| waits),
        }
    }

    /// Of how many changes the solver was told.
    pub(super) fn changes(&self) -> usize {
        self.changes.len()
    }

    /// Are there places that no thread must come to if this change is made?
    pub(super) fn may_wait(&self, change: usize) -> bool {
        self.changes[change].waits.is_some()
    }

    /// Lets the solver take in what it was told, and measures that.
    pub(super) fn warm_up(&mut self) -> Result<(), DiagnoseError> {
        let begun = Instant::now();
        let answer = self.find_beside(Wanted::Passing, &[], &[]);
        self.warmed_up = begun.elapsed();
        match answer {
            Ok(_) | Err(DiagnoseError::Unanswered(_) | DiagnoseError::Late) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The next questions together may take so long.
    pub(super) fn within(&mut self, allowed: Option<Duration>) {
        self.at_most = allowed.and_then(|allowed| Instant::now().checked_add(allowed));
    }

    fn meaning(&self, assumed: Assumed) -> TermId {
        match assumed {
            Assumed::Holds(n) => self.literals[n].meaning.holds,
            Assumed::Happens(n) => self.literals[n].meaning.happens,
            Assumed::Rule(n) => self.changes[n].meaning,
            Assumed::Waits(n) => self.changes[n].waits.map_or(self.never, |(comes, _)| comes),
        }
    }

    /// Is it so in the execution of a model?
    pub(super) fn is_so(&self, model: &Model, assumed: &[Assumed]) -> Vec<bool> {
        let mut evaluator =
            Evaluator::new(&self.question.encoding.terms, model).missing(MissingConstant::Default);
        let mut is_so = |&assumed: &Assumed| {
            let term = self.meaning(assumed);
            evaluator.value(term).ok().and_then(|value| value.as_bool()) == Some(true)
        };
        assumed.iter().map(&mut is_so).collect()
    }

    /// Failing executions in which all of these orderings hold are of no interest any more.
    pub(super) fn block(&mut self, orderings: &[usize]) -> Result<(), DiagnoseError> {
        let terms = &mut self.question.encoding.terms;
        let switch = terms.constant(&format!("blocked({})", self.blocked.len()), Sort::Bool)?;
        let mut all = Vec::new();
        for &n in orderings {
            all.push(self.literals[n].meaning.holds);
        }
        let all = terms.and(&all)?;
        let not_all = terms.not(all)?;
        let clause = terms.implies(switch, not_all)?;
        self.smt.assert(terms, clause).map_err(|error| DiagnoseError::Solver(error.into()))?;
        self.blocked.push(switch);
        Ok(())
    }

    /// Failing executions with inputs for which all of these hold are of no interest any more.
    pub(super) fn block_inputs(&mut self, pool: &ExprPool, all: &[ExprId]) -> Result<(), DiagnoseError> {
        let class = self.class(pool, all)?;
        let terms = &mut self.question.encoding.terms;
        let switch = terms.constant(&format!("blocked({})", self.blocked.len()), Sort::Bool)?;
        let outside = terms.not(class)?;
        let clause = terms.implies(switch, outside)?;
        self.smt.assert(terms, clause).map_err(|error| DiagnoseError::Solver(error.into()))?;
        self.blocked.push(switch);
        Ok(())
    }

    /// Does an execution pass with inputs of one of these classes?
    pub(super) fn passes_with(
        &mut self,
        pool: &ExprPool,
        classes: &[Vec<ExprId>],
    ) -> Result<bool, DiagnoseError> {
        let mut ways = Vec::new();
        for class in classes {
            ways.push(self.class(pool, class)?);
        }
        let terms = &mut self.question.encoding.terms;
        let any = terms.or(&ways)?;
        self.smt.assert(terms, any).map_err(|error| DiagnoseError::Solver(error.into()))?;
        Ok(matches!(self.find(Wanted::Passing, &[])?, Found::Some(_)))
    }

    /// All of these hold of the inputs.
    fn class(&mut self, pool: &ExprPool, all: &[ExprId]) -> Result<TermId, DiagnoseError> {
        let encoding = &mut self.question.encoding;
        let mut inputs = Vec::new();
        for input in 0..encoding.forest.inputs().len() as u32 {
            inputs.push(encoding.input(input)?);
        }
        let mut parts = Vec::new();
        for &expr in all {
            let known = |_: &mut Terms, input: u32| Ok(inputs[input as usize]);
            parts.push(lowered(&mut encoding.terms, pool, expr, known)?);
        }
        Ok(encoding.terms.and(&parts)?)
    }

    /// The execution of a model, as a schedule.
    pub(super) fn execution(&mut self, model: &Model) -> Result<crate::answer::Execution, DiagnoseError> {
        let execution = crate::answer::Execution::of(&mut self.question.encoding, model);
        let encoding = &self.question.encoding;
        crate::answer::Reference::run(encoding.forest, &encoding.options, &execution)
            .map_err(|mismatch| DiagnoseError::Bug { mismatch: Box::new(mismatch) })?;
        Ok(execution)
    }

    /// Who answers.
    pub(super) fn solver(&self) -> String {
        self.smt.describe()
    }
}
