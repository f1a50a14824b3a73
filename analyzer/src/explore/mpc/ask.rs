//! Asking whether path prefixes are possible, and running those that are.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use warpath_solvers::Query;
use warpath_solvers::term::TermError;
use warpath_trace::event::Op;

use crate::answer::Mismatch;
use crate::encode::{About, Options};
use crate::explore::lane::Lane;
use crate::explore::runner::{Following, Learnt, Observed, Request, Runner, RunnerError};
use crate::model::{Forest, TreeIx};
use crate::queries::{Manifest, PathPrefix, Verdict};

/// A question.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) prefix: PathPrefix,
    pub(super) want: Answers,
}

/// What is wanted to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answers {
    /// A run, if it is possible.
    Run,
    /// The same, and if it is impossible, why.
    RunOrCore,
    /// Whether it is possible.
    Verdict,
}

/// What came of a question.
pub(super) enum Answer {
    /// It was run.
    Ran(Box<Observed>),
    /// It can be; a run was not wanted.
    Possible,
    /// It cannot be; these threads are in each other's way, if that was wanted and the solver said so.
    Impossible(Option<Core>),
    /// The solver did not say.
    Unknown(String),
    /// The time was over.
    NotAsked,
}

/// Why a prefix is impossible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Core {
    /// Those that contribute anything.
    pub(super) threads: BTreeSet<TreeIx>,
    /// Those whose decisions are in it: that these decisions are wanted is enough to make it impossible.
    pub(super) asked: BTreeSet<TreeIx>,
    /// Is it about how threads decide, and about nothing that they wait for?
    pub(super) deciding: bool,
}

/// Why there is no answer, and will be none.
pub(super) enum Trouble {
    Formula(TermError),
    Runner(RunnerError),
    Bug(Box<Mismatch>),
}

/// What a lane is to do.
pub(super) struct Task {
    pub(super) forest: Arc<Forest>,
    pub(super) questions: Vec<Question>,
    pub(super) formula: Options,
    pub(super) query: Query,
    /// When to leave the rest.
    pub(super) until: Option<Instant>,
    pub(super) scripts: bool,
    pub(super) base: Request,
}

/// What a lane has done.
pub(super) struct Done {
    pub(super) lane: Lane,
    pub(super) answers: Result<Vec<Answer>, Trouble>,
    pub(super) lesson: Option<Learnt>,
    pub(super) scripts: Vec<(String, Manifest)>,
    pub(super) asked: (warpath_solvers::Statistics, warpath_solvers::Statistics),
    pub(super) running: Duration,
    pub(super) thinking: Duration,
}

/// Asks one question after the other, and runs what comes of it.
pub(super) fn work(lane: Lane, task: Task, runner: &mut dyn Runner) -> Done {
    let before = lane.smt.statistics();
    let begun = Instant::now();
    let mut work = Work { lane, task, scripts: Vec::new(), running: Duration::ZERO };
    let mut answers = Ok(Vec::new());
    let questions = std::mem::take(&mut work.task.questions);
    let mut renewed = false;
    for question in &questions {
        match (&mut answers, work.answer(question, runner)) {
            (Ok(answers), Ok(answer)) => {
                renewed |= matches!(&answer, Answer::Ran(run) if run.renewed);
                answers.push(answer);
            }
            (_, Err(trouble)) => {
                answers = Err(trouble);
                break;
            }
            (Err(_), _) => break,
        }
    }
    let Work { lane, scripts, running, .. } = work;
    let asked = (before, lane.smt.statistics());
    let thinking = begun.elapsed().saturating_sub(running);
    Done { lane, answers, lesson: renewed.then(|| runner.learnt()), scripts, asked, running, thinking }
}

struct Work {
    lane: Lane,
    task: Task,
    scripts: Vec<(String, Manifest)>,
    running: Duration,
}

impl Work {
    fn answer(&mut self, question: &Question, runner: &mut dyn Runner) -> Result<Answer, Trouble> {
        let over = self.task.until.is_some_and(|until| Instant::now() >= until);
        if over || self.task.query.cancel.is_cancelled() {
            return Ok(Answer::NotAsked);
        }
        let (grown, nodes) = question.prefix.place(&self.task.forest);
        let forest = grown.as_ref().unwrap_or(&self.task.forest);
        let asked = question.prefix.question_at(forest, &nodes, self.task.formula);
        let mut asked = asked.map_err(Trouble::Formula)?;
        if self.task.scripts {
            self.scripts.push(asked.script().map_err(Trouble::Formula)?);
        }
        let smt = &mut *self.lane.smt;
        let query = &self.task.query;
        match asked.solve(smt, query).map_err(Trouble::Formula)? {
            Verdict::Impossible => {
                let wanted = question.want == Answers::RunOrCore;
                let core = wanted.then(|| asked.explain(smt, query)).flatten();
                Ok(Answer::Impossible(core.map(|core| Core::of(forest, &question.prefix, &core))))
            }
            Verdict::Unknown(reason) => Ok(Answer::Unknown(reason.to_string())),
            Verdict::Bug(bug) => Err(Trouble::Bug(Box::new(bug.1))),
            Verdict::Possible(_) if question.want == Answers::Verdict => Ok(Answer::Possible),
            Verdict::Possible(found) => {
                let si = found.0.si(forest, self.task.formula.model);
                let request = Request {
                    inputs: si.inputs,
                    schedule: si.schedule,
                    following: Following::Strictly,
                    ..self.task.base.clone()
                };
                let begun = Instant::now();
                let run = runner.run(&request);
                self.running += begun.elapsed();
                run.map(|run| Answer::Ran(Box::new(run))).map_err(Trouble::Runner)
            }
        }
    }
}

impl Core {
    fn of(forest: &Forest, prefix: &PathPrefix, core: &[About]) -> Core {
        let deciding = |about: &About| match *about {
            About::Target(_) | About::Order(_) => true,
            // The first event of a thread waits for a fork, a join for an end.
            About::Thread(id) => {
                let node = forest.node(id);
                node.parent.is_some() && !matches!(node.op, Op::Join { .. })
            }
            _ => false,
        };
        let asked = core.iter().filter_map(|about| match *about {
            About::Target(n) => prefix.decisions.get(n as usize).map(|decision| decision.thread(forest)),
            _ => None,
        });
        Core {
            threads: prefix.threads_in(forest, core),
            asked: asked.collect(),
            deciding: core.iter().all(deciding),
        }
    }
}
