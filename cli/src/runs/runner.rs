//! The native tracer, as exploration wants it.

use std::sync::Arc;

use warpath_analyzer::explore::{
    Ended, Following, Free, Learnt, Observed, Request, Runner, RunnerError, Runners,
};
use warpath_native::run::{
    End, Follow, Knowledge, Output, Plan, Policy, RunOptions, Strictness, Together, Why,
};

use warpath_trace::si::Si;

use super::program::{explained, open};
use crate::options::Program;

/// Opens native programs; what their runs access is looked at together.
pub(crate) struct NativeRunners {
    program: Program,
    options: RunOptions,
    together: Together,
    /// A schedule that says which memory is shared.
    known: Option<Si>,
}

impl NativeRunners {
    /// Runs this program in this way; the output of the runs is not shown.
    pub(crate) fn new(program: Program, options: RunOptions) -> NativeRunners {
        let options = RunOptions { output: Output::Discard, ..options };
        NativeRunners { program, options, together: Together::default(), known: None }
    }

    /// The same, knowing from the start what a schedule says is shared: it can be followed at once.
    pub(crate) fn knowing(self, si: &Si) -> NativeRunners {
        NativeRunners { known: (!si.shared.is_empty()).then(|| si.clone()), ..self }
    }
}

impl Runners for NativeRunners {
    fn open(&self) -> Result<Box<dyn Runner>, RunnerError> {
        let mut program = open(&self.program).map_err(boxed)?;
        program.run_with(&self.together);
        if let Some(known) = &self.known {
            program.share(known);
        }
        Ok(Box::new(NativeRunner { program, options: self.options.clone() }))
    }
}

struct NativeRunner {
    program: warpath_native::run::Program,
    options: RunOptions,
}

impl Runner for NativeRunner {
    fn run(&mut self, request: &Request) -> Result<Observed, RunnerError> {
        let run = self.program.run(&self.plan(request));
        let run = run.map_err(|error| boxed(explained(error)))?;
        let renewed = run.sharing_grew || matches!(run.end, End::Stopped(Why::Sharing));
        Ok(Observed { ended: ended(&run.end), trace: run.trace, renewed, hardware_steps: run.hardware_steps })
    }

    fn learnt(&self) -> Learnt {
        Arc::new(self.program.knowledge().clone())
    }

    fn learn(&mut self, from: &Learnt) -> bool {
        from.downcast_ref::<Knowledge>().is_some_and(|knowledge| self.program.learn(knowledge))
    }
}

impl NativeRunner {
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
            Why::Output(limit) => Ended::Cut(format!("{limit} bytes of output in a run")),
            Why::Executed => {
                Ended::Lost("the program became another one by exec, which is not followed".into())
            }
            Why::Sharing | Why::Main => Ended::Normally,
        },
    }
}
