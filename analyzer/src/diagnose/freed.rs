//! Storage that was given back: an event that uses it fails if and only if that came first.
//!
//! Such a failure and the event it stands for are alternatives in a tree, and the formula leaves open which of them
//! happens. To tell failing from passing executions it must not; and a use that comes too late is the failure of its
//! place, even where no run has shown it.

use std::collections::BTreeMap;

use warpath_solvers::term::{TermError, TermId};
use warpath_trace::event::{FailureKind, Op};
use warpath_trace::ids::ObjectId;

use crate::encode::{Encoding, Point, sync_objects};
use crate::model::{Forest, NodeId};

/// A use of storage, and when it comes too late.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub(super) node: NodeId,
    /// The storage has been given back by then.
    pub(super) late: TermId,
}

/// Does a failure of this kind come of storage that was given back?
pub(super) fn is_late(kind: FailureKind) -> bool {
    matches!(kind, FailureKind::UseAfterFree | FailureKind::DoubleFree)
}

/// Every use of storage that somebody gives back. None if no failure comes of that.
pub(super) fn uses(encoding: &mut Encoding<'_>) -> Result<Vec<Use>, TermError> {
    let forest = encoding.forest;
    let matters = |id: NodeId| matches!(forest.node(id).op, Op::Failure { kind, .. } if is_late(kind));
    if !forest.ids().any(matters) {
        return Ok(Vec::new());
    }
    let mut frees: BTreeMap<ObjectId, Vec<NodeId>> = BTreeMap::new();
    for id in forest.ids() {
        if let Op::Free { object } = forest.node(id).op {
            frees.entry(object).or_default().push(id);
        }
    }
    let mut uses = Vec::new();
    for node in forest.ids() {
        let mut ways = Vec::new();
        for &free in objects(forest, node).iter().filter_map(|object| frees.get(object)).flatten() {
            ways.extend(comes_before(encoding, free, node)?);
        }
        if !ways.is_empty() {
            uses.push(Use { node, late: encoding.terms.or(&ways)? });
        }
    }
    Ok(uses)
}

/// What must hold of each failure that comes of a late use: it was late.
pub(super) fn failures_are_late(encoding: &mut Encoding<'_>) -> Result<Vec<TermId>, TermError> {
    let forest = encoding.forest;
    let mut all = Vec::new();
    for failure in forest.ids() {
        let Op::Failure { kind, .. } = forest.node(failure).op else { continue };
        let Some((parent, outcome)) = forest.node(failure).parent.filter(|_| is_late(kind)) else { continue };
        let others = forest.node(parent).children.iter().filter(|child| child.outcome == outcome);
        let stands_for: Vec<ObjectId> = others.flat_map(|child| objects(forest, child.node)).collect();
        if stands_for.is_empty() {
            continue;
        }
        let mut ways = Vec::new();
        for free in forest.ids() {
            if matches!(forest.node(free).op, Op::Free { object } if stands_for.contains(&object)) {
                ways.extend(comes_before(encoding, free, failure)?);
            }
        }
        let (en, late) = (encoding.en(failure)?, encoding.terms.or(&ways)?);
        all.push(encoding.terms.implies(en, late)?);
    }
    Ok(all)
}

/// The storage that an event uses or gives back.
fn objects(forest: &Forest, id: NodeId) -> Vec<ObjectId> {
    let op = &forest.node(id).op;
    match *op {
        Op::Free { object } => return vec![object],
        // To wake needs the address alone, not what is there.
        Op::FutexWake { .. } | Op::FutexRequeue { .. } | Op::FutexResume { .. } => return Vec::new(),
        _ => {}
    }
    let data = op.read_location().or(op.written().map(|(location, _)| location));
    let locations = data.into_iter().chain(sync_objects(op));
    let mut objects: Vec<ObjectId> =
        locations.map(|location| forest.places.location(location).object).collect();
    objects.dedup();
    objects
}

/// The one is executed, before the other; `None` if it never is.
fn comes_before(encoding: &mut Encoding<'_>, free: NodeId, id: NodeId) -> Result<Option<TermId>, TermError> {
    if free == id || !encoding.must.compatible(free, id) || encoding.must.before(id, free) {
        return Ok(None);
    }
    let parts = [encoding.en(free)?, encoding.before(Point::Issue(free), Point::Issue(id))?];
    encoding.terms.and(&parts).map(Some)
}
