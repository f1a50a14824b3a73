//! **Atomicity violation**: two consecutive accesses of a thread to one cell that belong together, and an access
//! of another thread between them that no serial order explains: read-**write**-read, write-**write**-read,
//! read-**write**-write, write-**read**-write.
//!
//! Two accesses belong together if what the second writes, or a decision on the way to it, depends on what the
//! first read; or if both are in one critical section. A read that is repeated at the same position is a loop
//! that waits, and means no harm.

use std::collections::{BTreeMap, HashMap, HashSet};

use warpath_solvers::term::{TermError, TermId};
use warpath_trace::event::Op;

use super::ask::under;
use super::depends::{decided_on, depends_on};
use super::groups::{Group, in_order};
use super::race::touched;
use super::survey::Survey;
use super::violation::Violation;
use crate::answer::Execution;
use crate::encode::{Encoding, Options, Point};
use crate::model::{CellId, NodeId};

/// Groups of `[first, remote, second]`, and how many there are.
pub(crate) struct Interruptions {
    pub(crate) groups: Vec<Group<3>>,
    pub(crate) all: u64,
    /// Of these: a common lock, or an atomic region, keeps the remote access out.
    pub(crate) locked: u64,
    /// Of these: the remote access must come before both or after both.
    pub(crate) ordered: u64,
}

/// Only reads, or only writes; a read-modify-write is atomic by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Read,
    Write,
}

fn way(op: &Op) -> Option<Way> {
    match op {
        Op::Read { .. } | Op::AtomicRead { .. } => Some(Way::Read),
        Op::Write { .. } | Op::AtomicWrite { .. } => Some(Way::Write),
        _ => None,
    }
}

/// What must be done between two accesses so that no serial order explains it.
fn harmful(first: Way, second: Way) -> Way {
    match (first, second) {
        (Way::Write, Way::Write) => Way::Read,
        _ => Way::Write,
    }
}

/// Every pair that belongs together with every access that may come between.
pub(crate) fn interruptions(survey: &Survey<'_>, limit: usize) -> Interruptions {
    let forest = survey.forest;
    let mut accesses: HashMap<(CellId, bool), Vec<NodeId>> = HashMap::new();
    for id in forest.ids() {
        let op = &forest.node(id).op;
        for &cell in touched(survey, id) {
            if op.written().is_some() {
                accesses.entry((cell, true)).or_default().push(id);
            }
            if op.read_location().is_some() {
                accesses.entry((cell, false)).or_default().push(id);
            }
        }
    }
    let mut groups: BTreeMap<[String; 3], Group<3>> = BTreeMap::new();
    let mut found = Interruptions { groups: Vec::new(), all: 0, locked: 0, ordered: 0 };
    // Accesses that have several cells in common are one candidate.
    let mut seen: ((NodeId, NodeId), HashSet<NodeId>) = ((NodeId(0), NodeId(0)), HashSet::new());
    for pair in pairs(survey) {
        let Pair { cell, first, second, .. } = pair;
        if seen.0 != (first, second) {
            seen = ((first, second), HashSet::new());
        }
        let (Some(before), Some(after)) = (way(&forest.node(first).op), way(&forest.node(second).op)) else {
            continue;
        };
        let wanted = harmful(before, after) == Way::Write;
        for &remote in accesses.get(&(cell, wanted)).map_or(&[][..], |list| list) {
            if forest.node(remote).tree == forest.node(first).tree || !seen.1.insert(remote) {
                continue;
            }
            found.all += 1;
            if pair.region || pair.shuts_out(survey, remote) {
                found.locked += 1;
            } else if survey.must.before(remote, first) || survey.must.before(second, remote) {
                found.ordered += 1;
            } else {
                let key = [forest.place(first), forest.place(remote), forest.place(second)];
                groups.entry(key).or_default().add(survey, [first, remote, second], limit);
            }
        }
    }
    found.groups = in_order(survey, groups.into_values(), limit);
    found
}

/// Two consecutive accesses of a thread to a cell that belong together.
struct Pair {
    cell: CellId,
    first: NodeId,
    second: NodeId,
    /// Locks held from the first to the second without a break.
    section: Vec<warpath_trace::ids::LocationId>,
    /// Both are in one atomic region.
    region: bool,
}

impl Pair {
    /// Does a lock held all the time keep the remote access out?
    fn shuts_out(&self, survey: &Survey<'_>, remote: NodeId) -> bool {
        let common = |held: &&super::survey::Held| self.section.contains(&held.object);
        survey.held(remote).iter().filter(common).any(|held| {
            let ours = survey.held(self.first).iter().find(|ours| ours.object == held.object);
            ours.is_some_and(|ours| crate::encode::conflict(ours.mode, held.mode))
        })
    }
}

fn pairs(survey: &Survey<'_>) -> Vec<Pair> {
    let forest = survey.forest;
    let mut pairs = Vec::new();
    for tree in forest.trees() {
        // The last access of each cell on the path walked; an entry goes when its branch has been walked.
        let mut latest: HashMap<CellId, Vec<NodeId>> = HashMap::new();
        let mut stack: Vec<(NodeId, bool)> =
            forest.root(tree).map(|root| (root, false)).into_iter().collect();
        while let Some((id, leaving)) = stack.pop() {
            for &cell in touched(survey, id) {
                let latest = latest.entry(cell).or_default();
                if leaving {
                    latest.pop();
                } else {
                    let before = latest.last().copied();
                    pairs.extend(before.and_then(|first| together(survey, cell, first, id)));
                    latest.push(id);
                }
            }
            if !leaving {
                stack.push((id, true));
                stack.extend(forest.node(id).children.iter().map(|child| (child.node, false)));
            }
        }
    }
    pairs.sort_unstable_by_key(|pair| (pair.first, pair.second, pair.cell));
    pairs
}

/// Do the two belong together?
fn together(survey: &Survey<'_>, cell: CellId, first: NodeId, second: NodeId) -> Option<Pair> {
    let forest = survey.forest;
    let (before, after) = (way(&forest.node(first).op)?, way(&forest.node(second).op)?);
    let between = || forest.path_up(second).skip(1).take_while(|&id| id != first);
    let mut section: Vec<_> = survey.held(first).iter().map(|held| held.object).collect();
    section.retain(|object| {
        survey.held(second).iter().any(|held| held.object == *object)
            && !between().any(|id| !survey.held(id).iter().any(|held| held.object == *object))
    });
    let region =
        survey.in_region(first) && survey.in_region(second) && between().all(|id| survey.in_region(id));
    let waits = (before, after) == (Way::Read, Way::Read) && forest.place(first) == forest.place(second);
    let written = forest.node(second).op.written().and_then(|(_, datum)| datum.expr);
    let depends = before == Way::Read
        && (written.is_some_and(|expr| depends_on(forest, expr, first))
            || between()
                .filter_map(|id| decided_on(&forest.node(id).op))
                .any(|expr| depends_on(forest, expr, first)));
    let belongs = !section.is_empty() || (depends && !waits);
    belongs.then_some(Pair { cell, first, second, section, region })
}

/// `[first, remote, second]`: the remote access comes between the other two.
pub(crate) struct Interrupted;

impl Violation<3> for Interrupted {
    fn cone(&self, _: &Survey<'_>, member: [NodeId; 3]) -> Vec<NodeId> {
        member.to_vec()
    }

    /// `o(first) < o(remote) < o(second)`, all executed; for a write it counts when it takes effect.
    fn term(
        &self,
        _: &Survey<'_>,
        encoding: &mut Encoding<'_>,
        member: [NodeId; 3],
    ) -> Result<TermId, TermError> {
        let mut parts = Vec::new();
        for id in member {
            parts.push(encoding.en(id)?);
            parts.push(encoding.takes_effect(id)?);
        }
        let [first, remote, second] = member.map(|id| effect(encoding, id));
        parts.push(encoding.before(first, remote)?);
        parts.push(encoding.before(remote, second)?);
        encoding.terms.and(&parts)
    }

    fn describe(&self, survey: &Survey<'_>, options: &Options, triples: &[[NodeId; 3]]) -> String {
        let forest = survey.forest;
        let [first, remote, second] = triples[0];
        format!(
            "Can {} at {} come between what {} does at {} and at {}? ({})",
            forest.key(forest.node(remote).tree),
            forest.place(remote),
            forest.key(forest.node(first).tree),
            forest.place(first),
            forest.place(second),
            under(options)
        )
    }
}

fn effect(encoding: &Encoding<'_>, id: NodeId) -> Point {
    match encoding.is_buffered(id) {
        true => Point::Commit(id),
        false => Point::Issue(id),
    }
}

/// Which of them an execution has.
pub(crate) fn which(execution: &Execution, triples: &[[NodeId; 3]]) -> Option<[NodeId; 3]> {
    let mut moments: HashMap<NodeId, usize> = HashMap::new();
    // The commit of a write comes after its issue, and replaces it here.
    moments.extend(execution.steps.iter().enumerate().map(|(moment, point)| (point.node(), moment)));
    let moment = |id| moments.get(&id).copied();
    let is_so = |triple: &[NodeId; 3]| {
        let [first, remote, second] = triple.map(moment);
        first.is_some() && first < remote && remote < second
    };
    triples.iter().copied().find(is_so)
}
