//! Diagnosis: why a run failed, and what would prevent it.
//!
//! From a failing run and what else is known of the program with the same inputs, this finds the few orderings between
//! threads that together lead to the failure: a *cause* is a smallest set of orderings such that no execution with all
//! of them passes. Causes are looked for until every failing schedule shows one. It follows Algorithm 1 of the thesis on
//! ConcBugAssist (Khoshnood; Virginia Tech 2015); `causes` says where it deviates, `ordering` what an ordering means.

mod ahead;
mod causes;
mod check;
mod conflict;
mod ends;
mod failure;
mod freed;
mod hitting;
mod inputs;
mod minimal;
mod occurrence;
mod ordering;
mod prefer;
mod repair;
mod result;
mod schedule;
mod session;

pub use check::passing_with;
pub use failure::Failure;
pub use inputs::{InputCondition, PathError, Region as InputRegion, Shape, input_condition};
pub use occurrence::{Occurrence, OccurrenceId, Occurrences};
pub use ordering::Ordering;
pub use repair::{Repair, spot_of};
pub use result::{Cause, Diagnosis, Scope, Verdict};
pub use schedule::{Happened, schedule};

use std::time::{Duration, Instant};

use warpath_solvers::term::TermError;
use warpath_solvers::{CancelToken, Query, Reason};

use crate::answer::{Execution, Mismatch};
use crate::encode::{Options, Point, must_order};
use crate::model::{Forest, Moment, Run};
use crate::window::OpenSolvers;
use ahead::Ahead;
use causes::{Looked, Search};
use conflict::Conflicts;
use ordering::pairs;
use prefer::{Moments, by_preference};
use repair::Verifier;
use session::Session;

/// Time for repairs if there is no bound.
const REPAIRING: Duration = Duration::from_secs(30);

/// How to diagnose.
#[derive(Clone, Debug)]
pub struct DiagnoseOptions {
    /// The formula: memory model, encoding, reductions.
    pub formula: Options,
    /// What the forest is known to have.
    pub scope: Scope,
    /// Stop after that many causes.
    pub most_causes: usize,
    /// Look for repairs, too?
    pub repairs: bool,
    /// Let a solver that has MaxSAT find the passing executions nearest to a failing one by itself. Causes do not
    /// depend on it.
    pub max_sat: bool,
    /// Time for each question; by default what the solver's configuration says.
    pub timeout: Option<Duration>,
    /// Time for everything. A third of it is left for repairs, a sixth if causes are hard to find.
    pub time: Option<Duration>,
    /// Of that time so much is left to the caller, unless it is needed for a first cause and its repairs.
    pub spare: Duration,
    /// Solvers at the same time; 0 is one. The result does not depend on it.
    pub jobs: usize,
    /// With several solvers, a search for causes is helped when its questions have taken so long; by default when that
    /// is worth it.
    pub help_after: Option<Duration>,
    /// Ends the search: what is known by then is the result.
    pub cancel: CancelToken,
}

impl Default for DiagnoseOptions {
    fn default() -> Self {
        DiagnoseOptions {
            formula: Options::default(),
            scope: Scope::TraceOnly,
            most_causes: 64,
            repairs: true,
            max_sat: false,
            timeout: None,
            time: None,
            spare: Duration::ZERO,
            jobs: 1,
            help_after: None,
            cancel: CancelToken::default(),
        }
    }
}

/// Why a diagnosis could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DiagnoseError {
    /// The forest's latest run did not fail, or nobody knows in which order its events happened.
    #[error("the run to be explained did not fail as {kind}, or its events have no known order")]
    NoFailingRun {
        /// How it should have failed.
        kind: String,
    },
    /// No solver, or it cannot be used any more.
    #[error("cannot use a solver: {0}")]
    Solver(Box<dyn std::error::Error + Send + Sync>),
    /// A formula could not be built.
    #[error("cannot build the formula: {0}")]
    Formula(#[from] TermError),
    /// A question was not answered.
    #[error("{0}")]
    Unanswered(Reason),
    /// What a decision of an execution means for the inputs could not be worked out.
    #[error("cannot say what a failing execution needs of its inputs: {0}")]
    Path(#[from] PathError),
    /// There is a run that fails so, and no execution of the formula.
    #[error("the formula does not know how it fails")]
    Unknown,
    /// The time for everything is up.
    #[error("there was no time left")]
    Late,
    /// The formula and the reference interpreter disagree: a bug of ours.
    #[error("the solver's answer cannot be executed: {mismatch}; this is a bug of Warpath, please report it")]
    Bug {
        /// The step that cannot happen.
        mismatch: Box<Mismatch>,
    },
}

/// Explains the failure of the latest run that was merged into the forest.
pub fn diagnose(
    forest: &Forest,
    failure: &Failure,
    options: &DiagnoseOptions,
    open: &OpenSolvers<'_>,
) -> Result<Diagnosis, DiagnoseError> {
    let begun = Instant::now();
    let no_run = || DiagnoseError::NoFailingRun { kind: failure.kind.to_string() };
    let run = forest.run().ok_or_else(no_run)?;
    let occurrences = Occurrences::of(forest);
    let moments = Moments::of_run(forest, &options.formula, &occurrences, run);
    let must = must_order(forest, &options.formula);
    let conflicts = Conflicts::of(forest, failure);
    let pairs = pairs(forest, &must, &conflicts, &occurrences);
    let orderings = by_preference(forest, &occurrences, failure.kind, &moments, pairs);
    let query = Query { timeout: options.timeout, cancel: options.cancel.clone(), ..Query::default() };
    let smt = open().map_err(DiagnoseError::Solver)?;
    // A first cause is worth more time than others: without one there is nothing to repair.
    let part = |of_six: u32, spare: Duration| {
        let part = |time: Duration| if options.repairs { time * of_six / 6 } else { time };
        options.time.and_then(|time| begun.checked_add(part(time.saturating_sub(spare))))
    };
    let until = part(5, Duration::ZERO);
    let bounds = (query.clone(), until);
    let mut session =
        Session::new(forest, options.formula, (failure, &occurrences), &orderings, smt, bounds)?;
    session.max_sat = options.max_sat;
    let first: Vec<usize> = (0..orderings.len()).filter(|&n| moments.has(orderings[n])).collect();
    let failing = run_of(run);
    let mut diagnosis = Diagnosis {
        verdict: Verdict::Explained,
        scope: options.scope,
        failure: failure.clone(),
        raw: first.len(),
        causes: Vec::new(),
        repairs: Vec::new(),
        iterations: 0,
        is_complete: false,
        unfinished: None,
        failing,
        nearest: None,
        solver: session.solver(),
        questions: 0,
        solving: Duration::ZERO,
        time: Duration::ZERO,
        occurrences,
    };
    let (ahead, known) = (Ahead::after(options.help_after), diagnosis.occurrences.clone());
    let cancel = options.cancel.child();
    let helper = || {
        let smt = open().map_err(DiagnoseError::Solver)?;
        let bounds = (Query { cancel: cancel.clone(), ..query.clone() }, until);
        Session::new(forest, options.formula, (failure, &known), &orderings, smt, bounds)
    };
    let outcome = std::thread::scope(|scope| {
        let _ending = ahead.until_dropped(cancel.clone());
        for _ in 1..options.jobs {
            scope.spawn(|| ahead.help(helper));
        }
        search((&mut session, &ahead), (options, part(4, options.spare)), &orderings, first, &mut diagnosis)
    });
    diagnosis.questions = session.questions;
    diagnosis.solving = session.time;
    drop(session);
    for cause in &mut diagnosis.causes {
        // As they came in the failing run, where they did.
        let key = |ordering: &Ordering| {
            let at = moments.get(ordering.first).unwrap_or(usize::MAX);
            (at, moments.get(ordering.second).unwrap_or(usize::MAX), *ordering)
        };
        cause.orderings.sort_by_cached_key(key);
    }
    let mut is_cut = false;
    if options.repairs && !diagnosis.causes.is_empty() {
        // Even if the time for causes is up: verifying does not rest on knowing all of them.
        let now = Instant::now();
        let until = options.time.map_or(now + REPAIRING, |time| {
            let least = now + (begun + time).saturating_duration_since(now) / 2;
            least.max(begun + time.saturating_sub(options.spare))
        });
        let candidates =
            repair::candidates(forest, &options.formula, &diagnosis.occurrences, &diagnosis.causes);
        let verifier = Verifier {
            forest,
            formula: options.formula,
            failure,
            occurrences: &diagnosis.occurrences,
            open,
            query: &query,
            until: Some(until),
            jobs: options.jobs.max(1),
        };
        let verified = verifier.repairs(&candidates)?;
        is_cut = verified.repairs.is_empty() && verified.is_cut;
        diagnosis.repairs = verified.repairs;
        diagnosis.questions += verified.questions;
        diagnosis.solving += verified.solving;
    }
    diagnosis.time = begun.elapsed();
    match outcome {
        Ok(()) => {}
        // What was found is a result; what was not is named.
        Err(error @ (DiagnoseError::Unanswered(_) | DiagnoseError::Late)) => {
            diagnosis.is_complete = false;
            diagnosis.unfinished = Some(error.to_string());
            if diagnosis.causes.is_empty() {
                diagnosis.verdict = Verdict::Unknown(error.to_string());
            }
        }
        Err(error) => return Err(error),
    }
    if is_cut && diagnosis.unfinished.is_none() {
        diagnosis.unfinished = Some("there was no time to try all repairs".to_owned());
    }
    Ok(diagnosis)
}

/// A run as an execution.
fn run_of(run: &Run) -> Execution {
    let point = |step: &Moment| match *step {
        Moment::Event(id) => Point::Issue(id),
        Moment::Commit(id) => Point::Commit(id),
    };
    let steps = run.steps.iter().map(point).collect();
    Execution { steps, inputs: run.inputs.clone(), initials: Vec::new() }
}

/// Fills in causes until every failing schedule shows one. After the first one there is time until `until`.
fn search(
    (session, ahead): (&mut Session<'_>, &Ahead),
    (options, until): (&DiagnoseOptions, Option<Instant>),
    orderings: &[Ordering],
    first: Vec<usize>,
    diagnosis: &mut Diagnosis,
) -> Result<(), DiagnoseError> {
    let mut search = Search::new(session, ahead);
    let (mut of, mut shown_in) = (first, diagnosis.failing.clone());
    let mut found = Vec::new();
    loop {
        let cause = match search.cause(&of)? {
            Looked::Cause(cause) => cause,
            Looked::NothingPasses => {
                diagnosis.verdict = Verdict::EverySchedule;
                diagnosis.is_complete = true;
                return Ok(());
            }
            Looked::Undetermined => {
                diagnosis.verdict = Verdict::Unknown(
                    "an execution with all orderings of the failing run passes: something else decides"
                        .to_owned(),
                );
                return Ok(());
            }
        };
        if diagnosis.iterations == 0
            && let Some((_, model)) = search.nearest.take()
        {
            diagnosis.nearest = Some(search.session.execution(&model)?);
        }
        diagnosis.iterations += 1;
        search.session.until = until;
        search.block(&cause.orderings)?;
        diagnosis.causes.push(Cause {
            orderings: cause.orderings.iter().map(|&n| orderings[n]).collect(),
            of: cause.of.len(),
            is_smallest: cause.is_smallest,
            shown_in: shown_in.clone(),
        });
        found.push(cause);
        if found.len() >= options.most_causes {
            diagnosis.unfinished = Some(format!("the search stops after {} causes", found.len()));
            break;
        }
        match search.next_failing(orderings.len())? {
            Some((next, model)) => {
                of = next;
                shown_in = search.session.execution(&model)?;
            }
            None => {
                diagnosis.is_complete = true;
                break;
            }
        }
    }
    if diagnosis.is_complete && !search.can_fail()? {
        // Only the run itself shows it: what else leads to it cannot be told.
        diagnosis.is_complete = false;
        diagnosis.unfinished = Some(DiagnoseError::Unknown.to_string());
    }
    if diagnosis.is_complete {
        let needed = search.needed(found.len())?;
        let mut n = 0;
        diagnosis.causes.retain(|_| {
            n += 1;
            needed.contains(&(n - 1))
        });
    }
    Ok(())
}
