//! The tracers, as exploration wants them.

use std::sync::Arc;

use warpath_analyzer::explore::{
    Ended, Following, Free, KeptRun, Learnt, Observed, Request, Runner, RunnerError, Runners,
};
use warpath_jvm::run as jvm;
use warpath_native::run::{self as native, End, Follow, Output, Plan, Policy, RunOptions, Strictness, Why};
use warpath_trace::si::Si;

use super::subject::Subject;
use crate::options::Program;

/// Opens a program again and again; what its runs access is looked at together.
pub(crate) struct TracedRunners {
    program: Program,
    options: RunOptions,
    together: (native::Together, jvm::Together),
    /// A schedule that says which memory is shared.
    known: Option<Si>,
    /// Runs of an earlier search, which say what was shared in them.
    remembered: Vec<Si>,
}

impl TracedRunners {
    /// Runs this program in this way; the output of the runs is not shown.
    pub(crate) fn new(program: Program, options: RunOptions) -> TracedRunners {
        let options = RunOptions { output: Output::Discard, ..options };
        TracedRunners { program, options, together: Default::default(), known: None, remembered: Vec::new() }
    }

    /// The same, knowing from the start what a schedule says is shared: it can be followed at once.
    pub(crate) fn knowing(self, si: &Si) -> TracedRunners {
        TracedRunners { known: (!si.shared.is_empty()).then(|| si.clone()), ..self }
    }

    /// The same, expecting that what runs of an earlier search shared is shared: they can be followed at once.
    pub(crate) fn remembering(self, runs: &[Si]) -> TracedRunners {
        TracedRunners { remembered: runs.to_vec(), ..self }
    }
}

impl Runners for TracedRunners {
    fn open(&self) -> Result<Box<dyn Runner>, RunnerError> {
        let mut program = Subject::open(&self.program).map_err(boxed)?;
        match &mut program {
            Subject::Native(program) => program.run_with(&self.together.0),
            Subject::Jvm(program) => {
                program.run_with(&self.together.1);
                self.remembered.iter().for_each(|run| program.expect(run));
            }
        }
        if let Some(known) = &self.known {
            program.share(known);
        }
        Ok(Box::new(TracedRunner { program, options: self.options.clone() }))
    }
}

struct TracedRunner {
    program: Subject,
    options: RunOptions,
}

impl Runner for TracedRunner {
    fn run(&mut self, request: &Request) -> Result<Observed, RunnerError> {
        let plan = self.plan(request);
        let again = match request.again {
            Some(kept) => self.program.again(kept.0, &plan).map_err(boxed)?,
            None => None,
        };
        let executed = again.is_none();
        let (run, kept) = match again {
            Some(run) => (run, request.again),
            None => {
                let (run, kept) = self.program.run_keeping(&plan).map_err(boxed)?;
                (run, kept.map(KeptRun))
            }
        };
        let renewed = run.sharing_grew || matches!(run.end, End::Stopped(Why::Sharing));
        Ok(Observed {
            ended: ended(&run.end),
            trace: run.trace,
            renewed,
            hardware_steps: run.hardware_steps,
            executed,
            kept,
        })
    }

    fn learnt(&self) -> Learnt {
        match &self.program {
            Subject::Native(program) => Arc::new(program.knowledge().clone()),
            Subject::Jvm(program) => Arc::new(program.knowledge().clone()),
        }
    }

    fn learn(&mut self, from: &Learnt) -> bool {
        match &mut self.program {
            Subject::Native(program) => from.downcast_ref().is_some_and(|knowledge| program.learn(knowledge)),
            Subject::Jvm(program) => from.downcast_ref().is_some_and(|knowledge| program.learn(knowledge)),
        }
    }
}

impl TracedRunner {
    fn plan(&self, request: &Request) -> Plan {
        let schedule = request.schedule.clone();
        let follow = match request.following {
            Following::Strictly => Follow::new(schedule, Strictness::Strict),
            Following::Loosely => Follow::new(schedule, Strictness::Lenient).passing_others(),
        };
        let mut options = RunOptions { values: request.values, ..self.options.clone() };
        // The first of a name counts.
        options.inputs.splice(0..0, request.inputs.iter().cloned());
        Plan {
            follow: match &request.then {
                Some(thread) => follow.then(thread.clone()),
                None => follow,
            },
            policy: match request.free {
                Free::RunToBlock => Policy::RunToBlock,
                Free::Random { seed } => Policy::Random { seed },
                Free::Pct { seed, depth, steps } => Policy::Pct { seed, depth, steps },
            },
            options,
        }
    }
}

/// Boxed so that the advice is still found in it.
fn boxed(error: anyhow::Error) -> RunnerError {
    RunnerError(error.reallocate_into_boxed_dyn_error_without_backtrace())
}

fn ended(end: &End) -> Ended {
    match end {
        End::Exited(_) => Ended::Normally,
        End::Failed(failure) => Ended::Failed(failure.kind),
        End::Stopped(why) => match why {
            Why::Assumption => Ended::Assumption,
            Why::Interrupted => Ended::Interrupted,
            Why::Diverged(divergence) => Ended::Diverged(divergence.to_string()),
            Why::Events(limit) => Ended::Cut(format!("{limit} visible events of a thread (--max-events)")),
            Why::Instructions(limit) => Ended::Cut(format!("{limit} instructions in a run")),
            Why::Expressions(limit) => Ended::Cut(format!("{limit} expressions in a run")),
            Why::Time(seconds) => Ended::Cut(format!("{seconds} s of a run")),
            Why::Output(limit) => Ended::Cut(format!("{limit} bytes of output in a run")),
            Why::Executed => {
                Ended::Lost("the program became another one by exec, which is not followed".into())
            }
            Why::Sharing | Why::Main => Ended::Normally,
        },
    }
}
