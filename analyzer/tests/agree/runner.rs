//! Runs programs of the oracle's language for an exploration.

use std::sync::Arc;

use warpath_analyzer::explore::{Ended, Learnt, Observed, Request, Runner, RunnerError, Runners};
use warpath_trace::event::{FailureKind, Verb};
use warpath_trace::header::MemoryModel;
use warpath_trace::si::{Expected, Step, Visible};

use crate::oracle::program::Program;
use crate::oracle::run::{Act, Choice, Failure, Policy, run};

/// Opens runners of one program.
#[derive(Clone)]
pub struct OracleRunners {
    pub program: Arc<Program>,
    pub model: MemoryModel,
}

impl Runners for OracleRunners {
    fn open(&self) -> Result<Box<dyn Runner>, RunnerError> {
        Ok(Box::new(self.clone()))
    }
}

impl Runner for OracleRunners {
    fn run(&mut self, request: &Request) -> Result<Observed, RunnerError> {
        let schedule: Vec<Choice> = request.schedule.iter().map(choice).collect();
        let inputs: Vec<(String, u8)> =
            request.inputs.iter().map(|input| (input.name.clone(), input.value as u8)).collect();
        let policy = Policy::RunToBlock { first: request.then.clone() };
        let run = run(&self.program, &inputs, &schedule, self.model, policy);
        let ended = match run.failure {
            _ if run.followed < schedule.len() => {
                Ended::Diverged(format!("step {} of {schedule:?}", run.followed))
            }
            None => Ended::Normally,
            Some(Failure::Assertion { .. }) => Ended::Failed(FailureKind::Assertion),
            Some(Failure::Deadlock { .. }) => Ended::Failed(FailureKind::Deadlock),
        };
        Ok(Observed {
            trace: run.trace,
            ended,
            renewed: false,
            hardware_steps: 0,
            executed: true,
            kept: None,
        })
    }

    fn learnt(&self) -> Learnt {
        Arc::new(())
    }

    fn learn(&mut self, _: &Learnt) -> bool {
        false
    }
}

/// A schedule does not say whether a wait times out, so programs with deadlines cannot be run by one.
fn choice(step: &Step) -> Choice {
    let act = match &step.what {
        Visible::Event(Expected { verb: Verb::Commit, location: Some(location), .. }) => {
            Act::Commit(location.clone())
        }
        _ => Act::Step,
    };
    Choice { thread: step.thread.clone(), act }
}
