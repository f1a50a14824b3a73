//! Explores a program of the oracle's language with the forest alone: run, merge, ask for an open end, run what
//! the solver says, until no end is left. What it has seen then must be what brute force finds.
#![allow(dead_code, reason = "each test binary uses some of these")]

pub mod campaign;
pub mod deadlocks;
pub mod findings;
pub mod frontier;
pub mod order;
pub mod pool;
pub mod read_off;
pub mod runner;

use std::time::Duration;

use warpath_analyzer::answer::Execution;
use warpath_analyzer::encode::Options;
use warpath_analyzer::model::Forest;
use warpath_analyzer::queries::{OpenEnd, Question, Verdict, Want, open_ends};
use warpath_solvers::{Query, Smt};
use warpath_trace::trace::Trace;

use crate::oracle::decision::View;
use crate::oracle::pin::pin;
use crate::oracle::program::Program;
use crate::oracle::run::{Act, Choice, Policy, Run, run as oracle_run};
use campaign::Case;
use read_off::{left_in_buffer, schedule};

/// Why an exploration could not be trusted.
#[derive(Debug)]
pub enum Trouble {
    /// The formula or the reference interpreter is wrong.
    Ours(String),
    /// The solver gave no answer.
    Solver(String),
}

/// A program under exploration.
pub struct Explored<'p> {
    program: &'p Program,
    options: Options,
    view: View,
    /// Values of the inputs where the traces do not know of them.
    inputs: Vec<(String, u8)>,
    pub forest: Forest,
    /// The traces merged, in order.
    pub traces: Vec<Trace>,
    pub questions: usize,
    /// Places behind which a thread could not go on although nothing else was in its way: it waits there.
    waiting: Vec<OpenEnd>,
}

/// A pinned trace does not know of inputs: they are what they were.
pub fn fixed_inputs(program: &Program, case: &Case, view: View) -> Vec<(String, u8)> {
    let value = |domain: u8| (case.seed % u64::from(domain)) as u8;
    match view {
        View::Pinned => {
            program.inputs.iter().map(|input| (input.name.clone(), value(input.domain))).collect()
        }
        View::Symbolic | View::Nothing => Vec::new(),
    }
}

/// Runs and asks until no open end is left.
pub fn explore<'p>(
    program: &'p Program,
    options: Options,
    view: View,
    inputs: &[(String, u8)],
    open: &mut dyn FnMut() -> Box<dyn Smt>,
) -> Result<Explored<'p>, Trouble> {
    let mut explored = Explored::new(program, options, view, inputs);
    explored.observe(Policy::RunToBlock { first: None })?;
    explored.close(|_, _| true, open)?;
    Ok(explored)
}

impl<'p> Explored<'p> {
    pub fn new(program: &'p Program, options: Options, view: View, inputs: &[(String, u8)]) -> Self {
        Explored {
            program,
            options,
            view,
            inputs: inputs.to_vec(),
            forest: Forest::new(),
            traces: Vec::new(),
            questions: 0,
            waiting: Vec::new(),
        }
    }

    /// Merges a run that nobody directs.
    pub fn observe(&mut self, policy: Policy) -> Result<(), Trouble> {
        let inputs = self.inputs.clone();
        let run = oracle_run(self.program, &inputs, &[], self.options.model, policy);
        self.merge(&run)
    }

    /// Follows open ends of some kind until none can be reached.
    pub fn close(
        &mut self,
        wanted: impl Fn(&Forest, &OpenEnd) -> bool,
        open: &mut dyn FnMut() -> Box<dyn Smt>,
    ) -> Result<(), Trouble> {
        'grown: loop {
            for end in open_ends(&self.forest) {
                if self.waiting.contains(&end) || !wanted(&self.forest, &end) {
                    continue;
                }
                if let Some(execution) = self.ask(&end, open)? {
                    self.follow(&end, &execution)?;
                    continue 'grown;
                }
            }
            return Ok(());
        }
    }

    /// How an open end can be reached, if it can.
    pub fn ask(
        &mut self,
        end: &OpenEnd,
        open: &mut dyn FnMut() -> Box<dyn Smt>,
    ) -> Result<Option<Execution>, Trouble> {
        self.questions += 1;
        let query = Query::within(Duration::from_secs(60));
        let verdict = Question::reach(&self.forest, end, self.options, &mut *open(), &query);
        match verdict.map_err(|error| Trouble::Ours(error.to_string()))? {
            Verdict::Impossible => Ok(None),
            Verdict::Unknown(reason) => Err(Trouble::Solver(format!("{reason:?}"))),
            Verdict::Bug(bug) => Err(Trouble::Ours(format!("{end:?}: {}\n{:?}", bug.1, bug.0))),
            Verdict::Possible(found) => Ok(Some(found.0)),
        }
    }

    /// Runs what the solver said; it must lead where it was to lead.
    pub fn follow(&mut self, end: &OpenEnd, execution: &Execution) -> Result<(), Trouble> {
        let (grown, _) = end.place(&self.forest);
        let forest = grown.as_ref().unwrap_or(&self.forest);
        let mut schedule = schedule(forest, execution);
        let known = forest.inputs().iter().zip(&execution.inputs);
        // Those that are fixed count before what the formula, which does not know of them, says.
        let mut inputs = self.inputs.clone();
        inputs.extend(known.map(|(input, &value)| (input.name.clone(), value as u8)));
        let thread = forest.key(end.thread(forest)).clone();
        // What comes next is not known, only whose turn it is. The run may be about to fail, and end with the
        // schedule: so the schedule has one step more.
        let beyond = matches!(end.want, Want::Further(_) | Want::Start(_));
        if beyond {
            // What comes next may wait until nothing is left in the thread's buffer.
            schedule.extend(left_in_buffer(forest, execution, end.thread(forest), self.options.model));
            schedule.push(Choice { thread: thread.clone(), act: Act::Step });
        }
        let model = self.options.model;
        let run =
            oracle_run(self.program, &inputs, &schedule, model, Policy::RunToBlock { first: Some(thread) });
        if run.followed + usize::from(beyond) < schedule.len() {
            return Err(Trouble::Ours(format!(
                "for {end:?}: step {} of the schedule cannot be followed: {:?}\n{schedule:?}",
                run.followed, schedule[run.followed]
            )));
        }
        self.merge(&run)?;
        if run.followed < schedule.len() {
            // It waits there: stopping at that point shows for what.
            schedule.pop();
            self.merge(&oracle_run(self.program, &inputs, &schedule, model, Policy::Stop))?;
        }
        if open_ends(&self.forest).contains(end) {
            match end.want {
                Want::Further(_) | Want::Start(_) => self.waiting.push(end.clone()),
                _ => {
                    let what = format!("the run that was to reach {end:?} did not\n{schedule:?} {inputs:?}");
                    return Err(Trouble::Ours(what));
                }
            }
        }
        Ok(())
    }

    fn merge(&mut self, run: &Run) -> Result<(), Trouble> {
        let trace = match self.view {
            View::Symbolic => run.trace.clone(),
            View::Pinned => pin(&run.trace),
            View::Nothing => unreachable!("a trace shows something"),
        };
        trace.check().map_err(|error| Trouble::Ours(format!("the oracle's trace: {error}")))?;
        self.forest.merge(&trace).map_err(|error| Trouble::Ours(error.to_string()))?;
        self.traces.push(trace);
        Ok(())
    }
}
