//! One line of work: a solver that looks for a schedule, and the run of what it finds.
//!
//! How many lanes there are, and what each of them does, depends on the search alone. Workers take lanes as they come,
//! so that what is found does not depend on their number.

use std::sync::Arc;
use std::time::{Duration, Instant};

use warpath_solvers::term::TermError;
use warpath_solvers::{Query, Smt};

use super::runner::{Following, Observed, Request, Runner, RunnerError};
use crate::answer::Mismatch;
use crate::encode::Options;
use crate::model::Forest;
use crate::queries::{Manifest, OpenEnd, Question, Several, Verdict, reach_several};

/// A solver of its own.
pub(super) struct Lane {
    pub(super) smt: Box<dyn Smt>,
}

/// What a lane is to do: reach as many of these ends as it can.
pub(super) struct Task {
    pub(super) forest: Arc<Forest>,
    pub(super) ends: Vec<OpenEnd>,
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
    pub(super) ends: Vec<OpenEnd>,
    pub(super) answer: Result<Several, TermError>,
    pub(super) run: Option<Result<Observed, RunnerError>>,
    pub(super) scripts: Vec<(String, Manifest)>,
    pub(super) asked: (warpath_solvers::Statistics, warpath_solvers::Statistics),
    pub(super) running: Duration,
    pub(super) thinking: Duration,
}

impl Lane {
    /// Asks, and runs what comes of it.
    pub(super) fn work(mut self, task: Task, runner: &mut dyn Runner) -> Done {
        let before = self.smt.statistics();
        let begun = Instant::now();
        let answer = self.ask(&task);
        let scripts = if task.scripts { scripts(&task) } else { Vec::new() };
        let thinking = begun.elapsed();
        let request = answer.as_ref().ok().and_then(|several| task.request(several));
        let begun = Instant::now();
        let run = request.map(|request| runner.run(&request));
        let running = if run.is_some() { begun.elapsed() } else { Duration::ZERO };
        let asked = (before, self.smt.statistics());
        Done { lane: self, ends: task.ends, answer, run, scripts, asked, running, thinking }
    }

    fn ask(&mut self, task: &Task) -> Result<Several, TermError> {
        let Task { forest, ends, formula, query, .. } = task;
        match &ends[..] {
            [end] if !end.is_in_forest() => {
                let verdict = Question::reach(forest, end, *formula, &mut *self.smt, query)?;
                let (mut impossible, mut unknown) = (Vec::new(), Vec::new());
                match &verdict {
                    Verdict::Impossible => impossible.push(0),
                    Verdict::Unknown(reason) => unknown.push((0, reason.clone())),
                    Verdict::Possible(_) | Verdict::Bug(_) => {}
                }
                let reached = if matches!(verdict, Verdict::Possible(_)) { vec![0] } else { Vec::new() };
                Ok(Several { verdict, reached, impossible, unknown })
            }
            _ => reach_several(forest, ends, *formula, &mut *self.smt, query, ends.len()),
        }
    }
}

impl Task {
    /// The run that an answer asks for.
    fn request(&self, several: &Several) -> Option<Request> {
        let Verdict::Possible(found) = &several.verdict else { return None };
        let first = &self.ends[*several.reached.first()?];
        // The unseen node of an end that is not in the forest has no name but in the forest that it was added to.
        let (grown, _) = first.place(&self.forest);
        let forest = grown.as_ref().unwrap_or(&self.forest);
        let si = found.0.si(forest, self.formula.model);
        Some(Request {
            then: Some(forest.key(first.thread(forest)).clone()),
            inputs: si.inputs,
            schedule: si.schedule,
            following: Following::Strictly,
            ..self.base.clone()
        })
    }
}

/// Every question, each for itself.
fn scripts(task: &Task) -> Vec<(String, Manifest)> {
    let script = |end: &OpenEnd| {
        let (grown, node) = end.place(&task.forest);
        let forest = grown.as_ref().unwrap_or(&task.forest);
        Question::at(forest, end, node, task.formula).and_then(|mut question| question.script()).ok()
    };
    task.ends.iter().filter_map(script).collect()
}

/// The mismatch of an answer that the reference interpreter could not execute.
pub(super) fn mismatch(several: &Several) -> Option<&Mismatch> {
    match &several.verdict {
        Verdict::Bug(bug) => Some(&bug.1),
        _ => None,
    }
}
