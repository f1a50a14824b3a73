//! Classes of inputs, each with a schedule that fails for all of its inputs.

use warpath_trace::expr::ExprPool;
use warpath_trace::ids::ExprId;

use super::path::path_condition;
use super::shorten::shortened;
use crate::answer::Execution;
use crate::diagnose::failure::Failure;
use crate::diagnose::freed::is_late;
use crate::diagnose::session::{Found, Session, Wanted};
use crate::diagnose::{DiagnoseError, run_of};
use crate::encode::Options;
use crate::model::{Forest, NodeId};

/// So many classes are collected.
const MOST: usize = 96;

/// What is known of the failing executions.
pub(super) struct Classes<'f> {
    forest: &'f Forest,
    failure: &'f Failure,
    options: Options,
    /// The expressions of the forest, and those of the classes.
    pub(super) pool: ExprPool,
    /// What must hold, for each class; of nothing, every input is in it.
    pub(super) all: Vec<Vec<ExprId>>,
    /// Does every input of a class fail, without doubt?
    pub(super) are_sure: bool,
}

impl<'f> Classes<'f> {
    /// Begins with the latest run, if that is one that comes to its end by failing.
    pub(super) fn of_run(
        forest: &'f Forest,
        failure: &'f Failure,
        options: &Options,
    ) -> Result<Self, DiagnoseError> {
        // Of a waiting loop nobody knows for which inputs else it would go on.
        let are_sure = !(failure.is_stuck() && forest.has_idle_turns());
        let mut classes = Classes {
            forest,
            failure,
            options: *options,
            pool: forest.exprs.clone(),
            all: Vec::new(),
            are_sure,
        };
        let run = forest.run().map(run_of);
        if let Some(run) = run.filter(|run| classes.failing_step(run).is_some()) {
            classes.add(run)?;
        }
        Ok(classes)
    }

    /// The inputs of the latest run, one for each input of the forest.
    pub(super) fn run_inputs(&self) -> Vec<u128> {
        let mut inputs = self.forest.run().map(|run| run.inputs.clone()).unwrap_or_default();
        inputs.resize(self.forest.inputs().len(), 0);
        inputs
    }

    /// Adds classes until there is no failing execution outside of them; `false` if there are too many.
    pub(super) fn collect(&mut self, session: &mut Session<'_>) -> Result<bool, DiagnoseError> {
        let mut told = 0;
        loop {
            for class in &self.all[told..] {
                session.block_inputs(&self.pool, class)?;
            }
            told = self.all.len();
            if told == MOST {
                return Ok(false);
            }
            match session.find(Wanted::Failing, &[])? {
                Found::None(_) => return Ok(true),
                Found::Some(model) => {
                    let execution = session.execution(&model)?;
                    self.add(execution)?;
                }
            }
        }
    }

    /// Why not all were collected.
    pub(super) fn too_many(&self) -> String {
        format!("the inputs that it fails with are of more than {MOST} classes")
    }

    fn add(&mut self, execution: Execution) -> Result<(), DiagnoseError> {
        let execution = match self.failing_step(&execution) {
            Some(failing) => shortened(self.forest, &self.options, execution, failing),
            None => execution,
        };
        let condition = path_condition(self.forest, self.options.model, &execution, &mut self.pool)?;
        self.are_sure &= !condition.rests_on_initials;
        self.all.push(condition.conjuncts);
        Ok(())
    }

    /// The event of an execution that is the failure; where threads are stuck, none.
    fn failing_step(&self, execution: &Execution) -> Option<NodeId> {
        if self.failure.is_stuck() {
            return None;
        }
        let failures = self.failure.nodes(self.forest);
        let mut nodes = execution.steps.iter().rev().map(|point| point.node());
        let shown = nodes.clone().find(|node| failures.contains(node));
        // A use that comes too late is the failure even if no run has shown it to fail.
        let late = is_late(self.failure.kind);
        shown.or_else(|| nodes.find(|&node| late && self.failure.places.contains(&self.forest.node(node).at)))
    }
}
