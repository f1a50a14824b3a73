//! What a cause says, asked anew: for those who do not take a search's word for it.

use warpath_solvers::Query;

use super::DiagnoseError;
use super::failure::Failure;
use super::occurrence::Occurrences;
use super::ordering::Ordering;
use super::session::{Assumed, Found, Session, Wanted};
use crate::answer::Execution;
use crate::encode::Options;
use crate::model::Forest;
use crate::window::OpenSolvers;

/// An execution that passes and in which all of these orderings hold, if there is one. A solver of its own is asked,
/// which is told of no other orderings. So a set of orderings is a cause if there is none, and there is one without any
/// one of them.
pub fn passing_with(
    forest: &Forest,
    failure: &Failure,
    formula: &Options,
    orderings: &[Ordering],
    query: Query,
    open: &OpenSolvers<'_>,
) -> Result<Option<Execution>, DiagnoseError> {
    let occurrences = Occurrences::of(forest);
    let smt = open().map_err(DiagnoseError::Solver)?;
    let known = (failure, &occurrences);
    let mut session = Session::new(forest, *formula, known, orderings, smt, (query, None))?;
    let all: Vec<Assumed> = (0..orderings.len()).map(Assumed::Holds).collect();
    match session.find(Wanted::Passing, &all)? {
        Found::Some(model) => session.execution(&model).map(Some),
        Found::None(_) => Ok(None),
    }
}
