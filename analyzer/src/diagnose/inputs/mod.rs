//! With which inputs a failure can happen at all, where the inputs are free.
//!
//! Each failing execution is generalised: the conditions of its decisions, as expressions over inputs, make a *class*
//! of inputs with which the same schedule fails. Classes are collected until no failing execution has inputs outside of
//! them. So the condition, their union, is *sufficient* by the way it is made (each of its inputs fails under a
//! schedule that is known), and *necessary* once the solver has found no other failing execution and the forest is
//! known to have them all.
//!
//! Then it is made readable: as boxes (an interval for each input) if a few of them, or all but a few, are just that;
//! else as expressions; else as the smallest box around it, which is only necessary. What is shown does not depend on
//! the solver, except for expressions.

mod classes;
mod condition;
mod cover;
mod path;
mod readable;
mod region;
mod shorten;
mod space;
mod words;

pub use condition::{InputCondition, Shape};
pub use path::PathError;
pub use region::Region;
pub(super) use space::lowered;

use std::time::{Duration, Instant};

use warpath_solvers::Query;

use super::session::Session;
use super::{DiagnoseError, DiagnoseOptions, Failure, Occurrences, Scope};
use crate::model::Forest;
use crate::window::OpenSolvers;
use classes::Classes;
use space::Space;

/// Time to make a condition readable at most.
const READING: Duration = Duration::from_secs(15);

/// The condition on inputs under which the failure can happen. The forest must not be about one choice of inputs
/// alone; its latest run is one that failed so.
pub fn input_condition(
    forest: &Forest,
    failure: &Failure,
    options: &DiagnoseOptions,
    open: &OpenSolvers<'_>,
) -> Result<InputCondition, DiagnoseError> {
    let begun = Instant::now();
    let occurrences = Occurrences::of(forest);
    let query = Query { timeout: options.timeout, cancel: options.cancel.clone(), ..Query::default() };
    let until = options.time.and_then(|time| begun.checked_add(time));
    let smt = open().map_err(DiagnoseError::Solver)?;
    let bounds = (query.clone(), until);
    let mut session = Session::new(forest, options.formula, (failure, &occurrences), &[], smt, bounds)?;
    let mut classes = Classes::of_run(forest, failure, &options.formula)?;
    let collected = classes.collect(&mut session);
    let (unfinished, is_complete) = match collected {
        Ok(is_complete) => ((!is_complete).then(|| classes.too_many()), is_complete),
        Err(error @ (DiagnoseError::Unanswered(_) | DiagnoseError::Late)) if !classes.all.is_empty() => {
            (Some(error.to_string()), false)
        }
        Err(error) => return Err(error),
    };
    if classes.all.is_empty() {
        return Err(DiagnoseError::Unknown);
    }
    let always_fails = options.scope == Scope::Exhausted
        && is_complete
        && matches!(session.passes_with(&classes.pool, &classes.all), Ok(false));
    let (questions, solving) = (session.questions, session.time);
    drop(session);
    let smt = open().map_err(DiagnoseError::Solver)?;
    let until = begun.elapsed().checked_add(READING).and_then(|time| begun.checked_add(time));
    let mut space = Space::new(forest.inputs(), smt, query, until)?;
    let failing = classes.run_inputs();
    let read = readable::readable(&mut space, &classes.pool, &classes.all, &failing)?;
    // A box around the classes has inputs of which nothing was proved but that they may fail.
    let is_exact = !matches!(read.shape, Shape::Within(_));
    Ok(InputCondition {
        is_necessary: is_complete && options.scope == Scope::Exhausted,
        is_sufficient: classes.are_sure && is_exact,
        // Outside of some of the classes it may well fail.
        spared: if is_complete { read.spared } else { Vec::new() },
        shape: read.shape,
        inputs: forest.inputs().to_vec(),
        always_fails: always_fails && is_exact,
        classes: classes.all.len(),
        unfinished,
        questions: questions + space.questions,
        solving: solving + space.time,
        pool: classes.pool,
    })
}
