//! The failure to be explained: what went wrong and where, whichever thread and path led there.

use warpath_solvers::term::{TermError, TermId};
use warpath_trace::event::{FailureKind, Op};
use warpath_trace::failed::Wait;
use warpath_trace::trace::Trace;

use super::freed::{Use, is_late};
use super::occurrence::Occurrences;
use super::ordering::effect;
use crate::encode::{Encoding, Point};
use crate::model::{Forest, NodeId};
use crate::queries::deadlock::{DeadlockOptions, stuck_at};
use crate::queries::survey::Survey;

/// What went wrong and where. Failures that agree in both are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong.
    pub kind: FailureKind,
    /// Where; in a deadlock where each thread waits, sorted.
    pub places: Vec<String>,
    /// In words; may be empty.
    pub message: String,
}

impl Failure {
    /// The failure that a run ended with; `None` if it did not fail.
    pub fn of(trace: &Trace) -> Option<Failure> {
        let failed = trace.failed()?;
        // Who waits for the end of a thread that is stuck only shares its fate.
        let joins = |wait: &&Wait| {
            let op = trace.event(wait.thread, wait.event).map(|event| event.op);
            matches!(op, Some(Op::Join { .. }))
        };
        let mut waits: Vec<&Wait> = failed.waits.iter().filter(|wait| !joins(wait)).collect();
        if waits.is_empty() {
            waits = failed.waits.iter().collect();
        }
        let mut places: Vec<String> = match waits.is_empty() {
            true => vec![failed.place.clone()],
            false => waits.into_iter().map(|wait| wait.place.clone()).collect(),
        };
        places.sort_unstable();
        places.dedup();
        Some(Failure { kind: failed.kind, places, message: failed.message })
    }

    /// Are threads stuck, rather than that one of them does something wrong?
    pub fn is_stuck(&self) -> bool {
        matches!(self.kind, FailureKind::Deadlock | FailureKind::Livelock)
    }

    /// The events of a forest that are this failure.
    pub(super) fn nodes(&self, forest: &Forest) -> Vec<NodeId> {
        let same = |id: &NodeId| match forest.node(*id).op {
            Op::Failure { kind, .. } => kind == self.kind && self.places.contains(&forest.node(*id).at),
            _ => false,
        };
        forest.ids().filter(same).collect()
    }
}

/// The failure happens.
pub(super) fn failed<'f>(
    encoding: &mut Encoding<'f>,
    occurrences: &Occurrences,
    failure: &Failure,
    uses: &[Use],
) -> Result<TermId, TermError> {
    match failure.is_stuck() {
        true => {
            let formula = encoding.options;
            let survey = Survey::of(encoding.forest, &formula);
            stuck_at(&survey, DeadlockOptions { formula, main_ends: false }, encoding, &failure.places)
        }
        false => {
            let nodes = failure.nodes(encoding.forest);
            let mut failures: Vec<(NodeId, Option<TermId>)> =
                nodes.into_iter().map(|id| (id, None)).collect();
            if is_late(failure.kind) {
                let here = uses.iter().filter(|used| {
                    let node = encoding.forest.node(used.node);
                    let frees = matches!(node.op, Op::Free { .. });
                    failure.places.contains(&node.at) && frees == (failure.kind == FailureKind::DoubleFree)
                });
                failures.extend(here.map(|used| (used.node, Some(used.late))));
            }
            happened(encoding, occurrences, &failures)
        }
    }
}

/// One of these events happens, under its condition, and nothing after it: it ends the run.
fn happened(
    encoding: &mut Encoding<'_>,
    occurrences: &Occurrences,
    failures: &[(NodeId, Option<TermId>)],
) -> Result<TermId, TermError> {
    let forest = encoding.forest;
    let mut ways = Vec::new();
    for &(failure, condition) in failures {
        let mut parts = vec![encoding.en(failure)?];
        parts.extend(condition);
        let others = occurrences.all.iter().filter(|other| other.tree != forest.node(failure).tree);
        for &other in others.flat_map(|other| &other.nodes) {
            if encoding.must.before(other, failure) {
                continue;
            }
            let en = encoding.en(other)?;
            let before = encoding.before(effect(encoding, other), Point::Issue(failure))?;
            parts.push(encoding.terms.implies(en, before)?);
        }
        ways.push(encoding.terms.and(&parts)?);
    }
    encoding.terms.or(&ways)
}
