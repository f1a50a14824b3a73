//! Explores a program of the oracle's language with the forest alone: run, merge, ask for an open end, run what
//! the solver says, until no end is left. What it has seen then must be what brute force finds.
#![allow(dead_code, reason = "each test binary uses some of these")]

use std::collections::BTreeSet;
use std::time::Duration;

use warpath_analyzer::answer::Execution;
use warpath_analyzer::encode::{Options, Point};
use warpath_analyzer::model::{Forest, NodeId, Outcome};
use warpath_analyzer::queries::{OpenEnd, Question, Verdict, Want, open_ends};
use warpath_solvers::{Query, SolverChoice, Solvers};
use warpath_trace::event::{Attempt, OnceStep, Op, WaitResult};

use crate::oracle::decision::Decision;
use crate::oracle::program::{Program, key};
use crate::oracle::run::{Act, Choice, Policy, run as oracle_run};

/// Why an exploration could not be trusted.
#[derive(Debug)]
pub enum Trouble {
    /// The formula or the reference interpreter is wrong.
    Ours(String),
    /// The solver gave no answer.
    Solver(String),
}

/// What an exploration did.
#[derive(Debug, Default)]
pub struct Explored {
    pub forest: Forest,
    pub runs: usize,
    pub questions: usize,
    /// Places behind which a thread could not go on although nothing else was in its way: it waits there.
    pub waiting: Vec<OpenEnd>,
}

/// Runs and asks until no open end is left.
pub fn explore(
    program: &Program,
    options: Options,
    solvers: &Solvers,
    solver: &str,
) -> Result<Explored, Trouble> {
    let mut explored = Explored::default();
    let first = oracle_run(program, &[], &[], options.model, Policy::RunToBlock { first: None });
    merge(&mut explored, &first.trace)?;
    loop {
        let mut grown = false;
        for end in open_ends(&explored.forest) {
            if explored.waiting.contains(&end) {
                continue;
            }
            explored.questions += 1;
            let choice = SolverChoice::named(solver);
            let mut smt = solvers.open(&choice).unwrap_or_else(|error| panic!("{error}; run scripts/setup"));
            let query = Query::within(Duration::from_secs(60));
            let verdict = Question::reach(&explored.forest, &end, options, &mut *smt, &query);
            match verdict.map_err(|error| Trouble::Ours(error.to_string()))? {
                Verdict::Impossible => {}
                Verdict::Unknown(reason) => return Err(Trouble::Solver(format!("{reason:?}"))),
                Verdict::Bug(bug) => {
                    return Err(Trouble::Ours(format!("{end:?}: {}\n{:?}", bug.1, bug.0)));
                }
                Verdict::Possible(found) => {
                    follow(program, options, &mut explored, &end, &found.0)?;
                    grown = true;
                    break;
                }
            }
        }
        if !grown {
            return Ok(explored);
        }
    }
}

/// Runs what the solver said; it must lead where it was to lead.
fn follow(
    program: &Program,
    options: Options,
    explored: &mut Explored,
    end: &OpenEnd,
    execution: &Execution,
) -> Result<(), Trouble> {
    let (grown, _) = end.place(&explored.forest);
    let forest = grown.as_ref().unwrap_or(&explored.forest);
    let mut schedule = schedule(forest, execution);
    let inputs: Vec<(String, u8)> = forest
        .inputs()
        .iter()
        .zip(&execution.inputs)
        .map(|(input, &value)| (input.name.clone(), value as u8))
        .collect();
    let thread = forest.key(end.thread(forest)).clone();
    // What comes next is not known, only whose turn it is. The run may be about to fail, and end with the
    // schedule: so the schedule has one step more.
    let beyond = matches!(end.want, Want::Further(_) | Want::Start(_));
    if beyond {
        schedule.push(Choice { thread: thread.clone(), act: Act::Step });
    }
    let policy = Policy::RunToBlock { first: Some(thread) };
    let run = oracle_run(program, &inputs, &schedule, options.model, policy);
    if run.followed + usize::from(beyond) < schedule.len() {
        return Err(Trouble::Ours(format!(
            "for {end:?}: step {} of the schedule cannot be followed: {:?}\n{schedule:?}",
            run.followed, schedule[run.followed]
        )));
    }
    merge(explored, &run.trace)?;
    if run.followed < schedule.len() {
        // It waits there: stopping at that point shows for what.
        schedule.pop();
        let stopped = oracle_run(program, &inputs, &schedule, options.model, Policy::Stop);
        merge(explored, &stopped.trace)?;
    }
    if open_ends(&explored.forest).contains(end) {
        match end.want {
            // There is always another value.
            Want::OtherThan(_) => {}
            Want::Further(_) | Want::Start(_) => explored.waiting.push(end.clone()),
            Want::Held(_) | Want::Executed | Want::Ending { .. } => {
                let what = format!("the run that was to reach {end:?} did not\n{schedule:?} {inputs:?}");
                return Err(Trouble::Ours(what));
            }
        }
    }
    Ok(())
}

fn merge(explored: &mut Explored, trace: &warpath_trace::trace::Trace) -> Result<(), Trouble> {
    trace.check().map_err(|error| Trouble::Ours(format!("the oracle's trace: {error}")))?;
    explored.runs += 1;
    explored.forest.merge(trace).map_err(|error| Trouble::Ours(error.to_string()))?;
    Ok(())
}

/// The visible steps of an execution as choices.
pub fn schedule(forest: &Forest, execution: &Execution) -> Vec<Choice> {
    let mut choices = Vec::new();
    for &point in &execution.steps {
        let node = forest.node(point.node());
        let act = match point {
            Point::Issue(_) if !node.op.is_visible() => continue,
            Point::Issue(_) => match node.op {
                Op::CondWake { result: WaitResult::TimedOut, .. }
                | Op::Lock { result: WaitResult::TimedOut, .. }
                | Op::RwLock { result: WaitResult::TimedOut, .. }
                | Op::SemWait { result: WaitResult::TimedOut, .. } => Act::TimeOut,
                _ => Act::Step,
            },
            Point::Commit(_) => {
                let (location, _) = node.op.written().expect("commits are of writes");
                Act::Commit(forest.places.location(location).name.clone())
            }
        };
        choices.push(Choice { thread: forest.key(node.tree).clone(), act });
    }
    choices
}

/// Per thread of the program, every sequence of decisions that the forest has seen.
pub fn histories(program: &Program, forest: &Forest) -> Vec<BTreeSet<Vec<Decision>>> {
    (0..program.thread_count())
        .map(|thread| {
            let mut seen = BTreeSet::from([Vec::new()]);
            let root = forest.tree(&key(thread)).and_then(|tree| forest.root(tree));
            let mut stack: Vec<(NodeId, Vec<Decision>)> =
                root.map(|root| (root, Vec::new())).into_iter().collect();
            while let Some((id, mut history)) = stack.pop() {
                let node = forest.node(id);
                if node.observed == u32::MAX {
                    continue;
                }
                history.extend(ending(&node.op));
                seen.insert(history.clone());
                let children = node.children.iter().map(|child| (child.outcome, Some(child.node)));
                let stops = node.stops.iter().map(|&outcome| (outcome, None));
                for (outcome, child) in children.chain(stops) {
                    let mut history = history.clone();
                    history.extend(decided(&node.op, outcome));
                    seen.insert(history.clone());
                    stack.extend(child.map(|child| (child, history)));
                }
            }
            seen
        })
        .collect()
}

fn ending(op: &Op) -> Option<Decision> {
    match *op {
        Op::Lock { attempt, result, .. }
        | Op::RwLock { attempt, result, .. }
        | Op::SemWait { attempt, result, .. }
            if attempt != Attempt::Block =>
        {
            Some(Decision::Acquired(result == WaitResult::Done))
        }
        Op::CondWake { result, .. } => Some(Decision::Woken(result == WaitResult::Done)),
        Op::Once { step: OnceStep::Run, .. } => Some(Decision::RunsOnce(true)),
        Op::Once { step: OnceStep::Seen, .. } => Some(Decision::RunsOnce(false)),
        _ => None,
    }
}

fn decided(op: &Op, outcome: Outcome) -> Option<Decision> {
    match (op, outcome) {
        (Op::Branch { .. }, Outcome::Held(taken)) => Some(Decision::Branch(taken)),
        (Op::Switch { .. }, Outcome::Value(value)) => Some(Decision::Switch(value as u8)),
        (Op::Assert { .. }, Outcome::Held(holds)) => Some(Decision::Assert(holds)),
        (Op::FutexWait { .. }, Outcome::Held(queued)) => Some(Decision::Queued(queued)),
        _ => None,
    }
}
