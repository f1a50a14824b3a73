//! One line of work: a solver that looks for a schedule, and the run of what it finds.
//!
//! How many lanes there are, and what each of them does, depends on the search alone. Workers take lanes as they come,
//! so that what is found does not depend on their number.

use std::sync::Arc;
use std::time::{Duration, Instant};

use warpath_solvers::term::TermError;
use warpath_solvers::{Query, Reason, Smt, Statistics};
use warpath_trace::header::Values;

use super::preemption::Preemptions;
use super::runner::{Following, Observed, Request, Runner, RunnerError};
use crate::answer::Mismatch;
use crate::encode::Options;
use crate::model::{Forest, NodeId};
use crate::queries::{
    GrowingSolver, Interferences, Manifest, OpenEnd, Question, Several, Verdict, Wish, reach_several_within,
    with_interferences,
};

/// A solver of its own.
pub(super) struct Lane {
    pub(super) smt: Box<dyn Smt>,
    /// One that knows what it was told of the forest before.
    pub(super) growing: GrowingSolver,
}

/// How ends are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// To run what is found.
    Reach,
    /// The same, with at most so many interferences.
    Within(Interferences),
    /// Only to know, with at most so many interferences or with any number.
    Ask(Option<Interferences>),
}

impl Aim {
    /// The limit that is asked with.
    pub(super) fn most(self) -> Option<Interferences> {
        match self {
            Aim::Within(most) => Some(most),
            Aim::Ask(most) => most,
            Aim::Reach => None,
        }
    }

    /// Is what is found run?
    pub(super) fn runs(self) -> bool {
        !matches!(self, Aim::Ask(_))
    }
}

/// What a lane is to do: reach as many of these ends as it can.
pub(super) struct Task {
    pub(super) forest: Arc<Forest>,
    pub(super) wishes: Vec<Wish>,
    pub(super) aim: Aim,
    /// Preemptions that a schedule may have to be run.
    pub(super) preemptions: Option<usize>,
    pub(super) formula: Options,
    pub(super) query: Query,
    /// Are the questions wanted as scripts?
    pub(super) scripts: bool,
    /// What every run has, whatever the solver says.
    pub(super) base: Request,
}

/// What a lane has done.
pub(super) struct Done {
    pub(super) lane: Lane,
    pub(super) wishes: Vec<Wish>,
    pub(super) answer: Result<Several, TermError>,
    pub(super) run: Option<Result<Observed, RunnerError>>,
    /// What was found was not run: it has too many preemptions.
    pub(super) too_many: bool,
    pub(super) scripts: Vec<(String, Manifest)>,
    pub(super) asked: (warpath_solvers::Statistics, warpath_solvers::Statistics),
    pub(super) running: Duration,
    pub(super) thinking: Duration,
}

impl Lane {
    /// Asks, and runs what comes of it.
    pub(super) fn work(mut self, task: Task, runner: &mut dyn Runner) -> Done {
        let before = self.statistics();
        let begun = Instant::now();
        let mut answer = self.ask(&task);
        let too_many = task.aim.runs() && answer.as_mut().is_ok_and(|several| task.has_too_many(several));
        let scripts = if task.scripts { scripts(&task) } else { Vec::new() };
        let thinking = begun.elapsed();
        let wanted = answer.as_ref().ok().filter(|_| task.aim.runs() && !too_many);
        let request = wanted.and_then(|several| task.request(several));
        let begun = Instant::now();
        let run = request.map(|request| runner.run(&request));
        let running = if run.is_some() { begun.elapsed() } else { Duration::ZERO };
        let asked = (before, self.statistics());
        Done { lane: self, wishes: task.wishes, answer, run, too_many, scripts, asked, running, thinking }
    }

    fn ask(&mut self, task: &Task) -> Result<Several, TermError> {
        let Task { forest, wishes, formula, query, aim, .. } = task;
        match &wishes[..] {
            [Wish { end, .. }] if !end.is_in_forest() => {
                let (grown, node) = end.place(forest);
                let verdict = question(grown.as_ref().unwrap_or(forest), end, node, task)?
                    .solve(&mut *self.smt, query)?;
                let (mut impossible, mut unknown) = (Vec::new(), Vec::new());
                match &verdict {
                    Verdict::Impossible => impossible.push(0),
                    Verdict::Unknown(reason) => unknown.push((0, reason.clone())),
                    Verdict::Possible(_) | Verdict::Bug(_) => {}
                }
                let reached = if matches!(verdict, Verdict::Possible(_)) { vec![0] } else { Vec::new() };
                Ok(Several { verdict, reached, impossible, unknown })
            }
            _ => match aim.most() {
                None if wishes.len() == 1 => self.ask_twice(task),
                None => self.growing.reach_several(forest, wishes, *formula, query),
                most => reach_several_within(forest, wishes, *formula, most, &mut *self.smt, query),
            },
        }
    }

    /// What a solver that knows everything else cannot tell in half the time, one that knows only what the question is
    /// about may.
    fn ask_twice(&mut self, task: &Task) -> Result<Several, TermError> {
        let Task { forest, wishes, formula, query, .. } = task;
        let begun = Instant::now();
        let half = Query { timeout: query.timeout.map(|time| time / 2), ..query.clone() };
        let several = self.growing.reach_several(forest, wishes, *formula, &half)?;
        if !matches!(several.verdict, Verdict::Unknown(Reason::Timeout { .. })) {
            return Ok(several);
        }
        let rest = Query {
            timeout: query.timeout.map(|time| time.saturating_sub(begun.elapsed())),
            ..query.clone()
        };
        reach_several_within(forest, wishes, *formula, None, &mut *self.smt, &rest)
    }

    /// Of both solvers together.
    fn statistics(&self) -> Statistics {
        let (one, other) = (self.smt.statistics(), self.growing.statistics());
        Statistics {
            queries: one.queries + other.queries,
            sat: one.sat + other.sat,
            unsat: one.unsat + other.unsat,
            unknown: one.unknown + other.unknown,
            starts: one.starts + other.starts,
            time: one.time + other.time,
        }
    }
}

impl Task {
    /// Has the schedule that was found more preemptions than it may have? It is put in order first, so that it has
    /// none for nothing.
    fn has_too_many(&self, several: &mut Several) -> bool {
        let (Some(most), Verdict::Possible(found)) = (self.preemptions, &mut several.verdict) else {
            return false;
        };
        let Some(first) = several.reached.first().map(|&n| &self.wishes[n].end) else { return false };
        let (grown, _) = first.place(&self.forest);
        let forest = grown.as_ref().unwrap_or(&self.forest);
        let preemptions = Preemptions { forest, options: &self.formula, then: first.thread(forest) };
        if let Some(fewer) = preemptions.fewer(&found.0) {
            **found = fewer;
        }
        preemptions.count(&found.0) > most
    }

    /// The run that an answer asks for.
    fn request(&self, several: &Several) -> Option<Request> {
        let Verdict::Possible(found) = &several.verdict else { return None };
        let first = &self.wishes[*several.reached.first()?].end;
        // The unseen node of an end that is not in the forest has no name but in the forest that it was added to.
        let (grown, _) = first.place(&self.forest);
        let forest = grown.as_ref().unwrap_or(&self.forest);
        let si = found.0.si(forest, self.formula.model);
        Some(Request {
            then: Some(forest.key(first.thread(forest)).clone()),
            // Where values are decisions, inputs are not: they stay what they are.
            inputs: match self.base.values {
                Values::Symbolic => si.inputs,
                Values::Pinned => self.base.inputs.clone(),
            },
            schedule: si.schedule,
            following: Following::Strictly,
            ..self.base.clone()
        })
    }
}

/// The question about one end, which is at `node`.
fn question<'f>(
    forest: &'f Forest,
    end: &OpenEnd,
    node: NodeId,
    task: &Task,
) -> Result<Question<'f>, TermError> {
    match task.aim.most() {
        Some(most) => with_interferences(forest, end, node, task.formula, most),
        None => Question::at(forest, end, node, task.formula),
    }
}

/// Every question, each for itself.
fn scripts(task: &Task) -> Vec<(String, Manifest)> {
    let script = |end: &OpenEnd| {
        let (grown, node) = end.place(&task.forest);
        let forest = grown.as_ref().unwrap_or(&task.forest);
        question(forest, end, node, task).and_then(|mut question| question.script()).ok()
    };
    task.wishes.iter().map(|wish| &wish.end).filter_map(script).collect()
}

/// The mismatch of an answer that the reference interpreter could not execute.
pub(super) fn mismatch(several: &Several) -> Option<&Mismatch> {
    match &several.verdict {
        Verdict::Bug(bug) => Some(&bug.1),
        _ => None,
    }
}
