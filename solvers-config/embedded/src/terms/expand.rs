//! Functions with parameters: a body over placeholders, which calls replace.
//!
//! The body is kept as a term, not as text: a call then costs the number of *different* sub-terms of the body.

use crate::error::Complaint;
use rustc_hash::FxHashMap;
use warpath_solvers::term::{Shape, Sort, TermId, Terms};

/// A defined function.
#[derive(Debug)]
pub(crate) struct Macro {
    /// Constants of the arena that stand for the parameters in the body, and nowhere else.
    pub(crate) parameters: Vec<TermId>,
    pub(crate) body: TermId,
}

/// Most sub-terms that the calls of one command may go through: functions that call each other twice double the work
/// each time.
const MAX_STEPS: u64 = 20_000_000;

/// The body with arguments in place of the parameters.
pub(crate) fn expand(
    terms: &mut Terms,
    function: &Macro,
    args: &[TermId],
    steps: &mut u64,
) -> Result<TermId, Complaint> {
    let mut done: FxHashMap<TermId, TermId> =
        function.parameters.iter().copied().zip(args.iter().copied()).collect();
    let mut stack = vec![function.body];
    let mut replaced = Vec::new();
    while let Some(&id) = stack.last() {
        *steps += 1;
        if *steps > MAX_STEPS {
            return Err(Complaint::TooMuchWork { limit: MAX_STEPS });
        }
        if done.contains_key(&id) {
            stack.pop();
            continue;
        }
        let Shape::App(op, old) = terms.shape(id) else {
            done.insert(id, id);
            continue;
        };
        let waiting = stack.len();
        stack.extend(old.iter().filter(|arg| !done.contains_key(arg)));
        if stack.len() > waiting {
            continue;
        }
        replaced.clear();
        replaced.extend(old.iter().map(|arg| done[arg]));
        let same = replaced == old;
        let new = if same { id } else { terms.apply(op, &replaced)? };
        done.insert(id, new);
    }
    Ok(done[&function.body])
}

/// A name that no symbol of a user can have: symbols hold no bars.
pub(crate) fn placeholder(terms: &mut Terms, index: usize, sort: Sort) -> Result<TermId, Complaint> {
    Ok(terms.constant(&format!("parameter|{index}|{sort}"), sort)?)
}
