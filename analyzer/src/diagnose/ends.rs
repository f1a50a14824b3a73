//! When an execution has passed: every thread that was started has come to an end that is no failure.
//!
//! In a forest that was explored to its end these are the ends of threads. In one that was not, a thread may come to
//! where no run has been: that counts as passing, as far as is known.

use warpath_solvers::term::{TermError, TermId};
use warpath_trace::event::Op;

use super::freed::Use;
use super::ordering::any;
use crate::encode::Encoding;
use crate::model::{NodeId, Outcome, TreeIx};

/// Every thread that was started has ended, none by failing, and nothing was used too late.
pub(super) fn passed(encoding: &mut Encoding<'_>, uses: &[Use]) -> Result<TermId, TermError> {
    let mut all = Vec::new();
    for used in uses {
        let late = encoding.en(used.node)?;
        let late = encoding.terms.and(&[late, used.late])?;
        all.push(encoding.terms.not(late)?);
    }
    for tree in encoding.forest.trees() {
        let ended = ended(encoding, tree)?;
        let forks = encoding.forest.forks(tree).to_vec();
        all.push(match forks.is_empty() {
            true => ended,
            false => {
                let started = any(encoding, &forks)?;
                encoding.terms.implies(started, ended)?
            }
        });
    }
    encoding.terms.and(&all)
}

/// The thread has ended, or is where no run has been.
fn ended(encoding: &mut Encoding<'_>, tree: TreeIx) -> Result<TermId, TermError> {
    let forest = encoding.forest;
    let mut ways = Vec::new();
    for id in forest.ids().filter(|&id| forest.node(id).tree == tree) {
        let en = encoding.en(id)?;
        for beyond in beyond(encoding, id)? {
            ways.push(encoding.terms.and(&[en, beyond])?);
        }
    }
    if forest.root(tree).is_none() {
        // No run has shown what the thread does.
        ways.push(encoding.terms.bool(true));
    }
    encoding.terms.or(&ways)
}

/// What must hold for control to leave the tree behind a node, once for each way out that is no failure.
fn beyond(encoding: &mut Encoding<'_>, id: NodeId) -> Result<Vec<TermId>, TermError> {
    let forest = encoding.forest;
    let node = forest.node(id);
    let goes_on = |outcome: Outcome| node.children.iter().any(|child| child.outcome == outcome);
    let held = |fails: &[bool]| {
        let ways = [false, true].into_iter().filter(|held| !fails.contains(held)).map(Outcome::Held);
        ways.filter(|&way| !goes_on(way)).collect::<Vec<_>>()
    };
    let ways = match node.op {
        Op::End => return Ok(vec![encoding.terms.bool(true)]),
        Op::Failure { .. } => return Ok(Vec::new()),
        Op::Branch { .. } | Op::FutexWait { .. } => held(&[]),
        Op::Assert { condition: Some(_), .. } | Op::Assume { condition: Some(_), .. } => held(&[false]),
        Op::Assert { condition: None, .. } | Op::Assume { condition: None, .. } => {
            let seen = node.stops.iter().copied().filter(|&way| way != Outcome::Held(false));
            seen.filter(|&way| !goes_on(way)).collect()
        }
        Op::Switch { .. } | Op::Concretise { .. } => return other_value(encoding, id),
        op if node.pinned && op.read_location().is_some() && !matches!(op, Op::Rmw { .. }) => {
            return other_value(encoding, id);
        }
        _ if goes_on(Outcome::Next) => Vec::new(),
        _ => vec![Outcome::Next],
    };
    let mut terms = Vec::new();
    for way in ways {
        let taken = encoding.outcome(id, way)?;
        terms.push(taken.unwrap_or(encoding.terms.bool(true)));
    }
    Ok(terms)
}

/// A value other than those behind which something is known to come.
fn other_value(encoding: &mut Encoding<'_>, id: NodeId) -> Result<Vec<TermId>, TermError> {
    let known: Vec<Outcome> = encoding.forest.node(id).children.iter().map(|child| child.outcome).collect();
    let mut parts = Vec::new();
    for outcome in known {
        if let Some(same) = encoding.outcome(id, outcome)? {
            parts.push(encoding.terms.not(same)?);
        }
    }
    Ok(vec![encoding.terms.and(&parts)?])
}
