//! Orderings between events of different threads, as they are assumed, blamed and forbidden.
//!
//! `a → b` says: *if b happens, a has happened before*. So it holds where b never happens, and where both happen in
//! this order; it does not hold where b happens and a does not, or only later. That is what makes an explanation
//! natural: "the check comes before the store, and the store before the use" (Section 3.3 of the thesis on
//! ConcBugAssist) needs both parts, since without the first one the use may never happen. If `a → b` *and* `b → a`
//! hold, neither of the two happens.

use warpath_solvers::term::{TermError, TermId};
use warpath_trace::event::{Op, WaitResult};

use super::conflict::Conflicts;
use super::occurrence::{OccurrenceId, Occurrences};
use crate::encode::{Encoding, Point};
use crate::model::{Forest, MustOrder, NodeId, TreeIx};

/// One event comes before another one of another thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ordering {
    /// What comes first.
    pub first: OccurrenceId,
    /// What comes later, if it comes at all.
    pub second: OccurrenceId,
}

impl Ordering {
    /// The same two the other way round.
    #[must_use]
    pub fn reversed(self) -> Ordering {
        Ordering { first: self.second, second: self.first }
    }
}

/// Tells which events come in the same order in every execution that has both, even where either may be missing.
struct Certain<'f> {
    forest: &'f Forest,
    must: &'f MustOrder,
}

impl Certain<'_> {
    /// Does the first always come before the second, where both happen?
    fn before(&self, a: NodeId, b: NodeId) -> bool {
        self.must.before(a, b)
            || self.over_before(self.forest.node(a).tree, b, 0)
            || self.starts_behind(a, b, 0)
    }

    /// Is the thread over before the event? It was joined on the way, or by somebody who was.
    fn over_before(&self, tree: TreeIx, b: NodeId, depth: usize) -> bool {
        if depth > self.forest.keys().len() {
            return false;
        }
        let joined = |id: NodeId| match self.forest.node(id).op {
            Op::Join { child, result: WaitResult::Done, .. } => {
                let child = TreeIx(child.0);
                let ends = self.forest.ends(child);
                let over = |&end: &NodeId| self.over_before(tree, end, depth + 1);
                child == tree || (!ends.is_empty() && ends.iter().all(over))
            }
            _ => false,
        };
        let forks = self.forest.forks(self.forest.node(b).tree);
        self.forest.path_up(b).any(joined)
            || (!forks.is_empty() && forks.iter().all(|&fork| self.over_before(tree, fork, depth + 1)))
    }

    /// Is the event's thread started behind the other event, directly or by somebody who was?
    fn starts_behind(&self, a: NodeId, b: NodeId, depth: usize) -> bool {
        let forks = self.forest.forks(self.forest.node(b).tree);
        let behind = |&fork: &NodeId| {
            let never_both = !self.must.compatible(a, fork);
            never_both || self.must.is_above(a, fork) || self.starts_behind(a, fork, depth + 1)
        };
        depth <= self.forest.keys().len() && !forks.is_empty() && forks.iter().all(behind)
    }
}

/// Every two events of different threads whose order can make a difference and is not the same in every execution.
pub(super) fn pairs(
    forest: &Forest,
    must: &MustOrder,
    conflicts: &Conflicts<'_>,
    occurrences: &Occurrences,
) -> Vec<Ordering> {
    let certain = Certain { forest, must };
    let mut pairs = Vec::new();
    for first in occurrences.ids() {
        for second in occurrences.ids().skip(first.index() + 1) {
            let (a, b) = (occurrences.get(first), occurrences.get(second));
            if a.tree == b.tree {
                continue;
            }
            let free = |a: NodeId, b: NodeId| {
                conflicts.between(a, b) && must.agree(a, b) && !certain.before(a, b) && !certain.before(b, a)
            };
            if a.nodes.iter().any(|&a| b.nodes.iter().any(|&b| free(a, b))) {
                pairs.push(Ordering { first, second });
            }
        }
    }
    pairs
}

/// What an ordering means in the formula.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meaning {
    /// `a → b`.
    pub(super) holds: TermId,
    /// The same, and `a` happens.
    pub(super) happens: TermId,
}

impl Meaning {
    pub(super) fn of(
        encoding: &mut Encoding<'_>,
        occurrences: &Occurrences,
        ordering: Ordering,
    ) -> Result<Meaning, TermError> {
        let first = &occurrences.get(ordering.first).nodes;
        let second = &occurrences.get(ordering.second).nodes;
        let mut needs = Vec::new();
        for &later in second {
            let mut ways = Vec::new();
            for &earlier in first {
                if encoding.must.compatible(earlier, later) {
                    let en = encoding.en(earlier)?;
                    let before = encoding.before(effect(encoding, earlier), effect(encoding, later))?;
                    ways.push(encoding.terms.and(&[en, before])?);
                }
            }
            let before = encoding.terms.or(&ways)?;
            let en = encoding.en(later)?;
            needs.push(encoding.terms.implies(en, before)?);
        }
        let holds = encoding.terms.and(&needs)?;
        let happens = any(encoding, first)?;
        Ok(Meaning { holds, happens: encoding.terms.and(&[happens, holds])? })
    }
}

/// One of these events is executed.
pub(super) fn any(encoding: &mut Encoding<'_>, nodes: &[NodeId]) -> Result<TermId, TermError> {
    let mut ways = Vec::new();
    for &node in nodes {
        ways.push(encoding.en(node)?);
    }
    encoding.terms.or(&ways)
}

/// When others notice an event.
pub(super) fn effect(encoding: &Encoding<'_>, id: NodeId) -> Point {
    match encoding.is_buffered(id) {
        true => Point::Commit(id),
        false => Point::Issue(id),
    }
}
