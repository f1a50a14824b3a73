//! The failure to be explained: what went wrong and where, whichever thread and path led there.

use warpath_solvers::term::{TermError, TermId};
use warpath_trace::event::{FailureKind, Op};
use warpath_trace::failed::Failed;

use super::occurrence::Occurrences;
use super::ordering::effect;
use crate::encode::{Encoding, Point};
use crate::model::{Forest, NodeId};

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
    /// The failure that a run ended with.
    pub fn of(failed: &Failed) -> Failure {
        let mut places: Vec<String> = match failed.waits.is_empty() {
            true => vec![failed.place.clone()],
            false => failed.waits.iter().map(|wait| wait.place.clone()).collect(),
        };
        places.sort_unstable();
        Failure { kind: failed.kind, places, message: failed.message.clone() }
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

/// One of these failures happens, and nothing after it: it ends the run.
pub(super) fn failed(
    encoding: &mut Encoding<'_>,
    occurrences: &Occurrences,
    failures: &[NodeId],
) -> Result<TermId, TermError> {
    let forest = encoding.forest;
    let mut ways = Vec::new();
    for &failure in failures {
        let mut parts = vec![encoding.en(failure)?];
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
