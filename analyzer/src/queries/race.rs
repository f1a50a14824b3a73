//! **Data race**: two accesses of different threads to one cell, at least one of them a write and not both
//! atomic, that are pending at the same time. Neither needs to complete.

use std::collections::{BTreeMap, HashMap};

use warpath_solvers::term::{TermError, TermId};
use warpath_trace::event::{MemoryOrder, Op};

use super::ask::under;
use super::groups::{Group, in_order};
use super::pending::{is_pending, pending, pending_cone};
use super::survey::Survey;
use super::violation::Violation;
use super::witness::Observed;
use crate::answer::{Execution, Final};
use crate::encode::{Encoding, Options};
use crate::model::{CellId, NodeId, TreeIx};

/// Accesses of one thread at one position, to one cell, holding the same: alike for every test but the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Class {
    place: u32,
    tree: TreeIx,
    held: u32,
    writes: bool,
    atomic: bool,
}

/// Two classes that may race, and the cell they have in common.
#[derive(Clone, Debug)]
struct Block {
    cell: CellId,
    first: Vec<NodeId>,
    second: Vec<NodeId>,
}

/// What became of the pairs of conflicting accesses before any question was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RaceFilter {
    /// Conflicting pairs of different threads.
    pub(crate) pairs: u64,
    /// Of these: a common lock keeps them apart.
    pub(crate) locked: u64,
    /// Of these: one must come before the other.
    pub(crate) ordered: u64,
    /// Of these: one is in an atomic region.
    pub(crate) in_region: u64,
}

/// The pairs that are left, by their positions in the program.
#[derive(Debug)]
pub(crate) struct RaceGroups {
    pub(crate) filter: RaceFilter,
    groups: BTreeMap<(u32, u32), Vec<Block>>,
}

impl RaceGroups {
    /// Linear in accesses × positions: pairs are counted, not listed.
    pub(crate) fn of(survey: &Survey<'_>) -> RaceGroups {
        let mut found = RaceGroups { filter: RaceFilter::default(), groups: BTreeMap::new() };
        for (cell, classes) in classes(survey) {
            let classes: Vec<(Class, Vec<NodeId>)> = classes.into_iter().collect();
            for (n, (b, seconds)) in classes.iter().enumerate() {
                for (a, firsts) in &classes[..n] {
                    let conflict = (a.writes || b.writes) && !(a.atomic && b.atomic) && a.tree != b.tree;
                    if conflict {
                        found.block(survey, cell, (a, firsts), (b, seconds));
                    }
                }
            }
        }
        found
    }

    fn block(
        &mut self,
        survey: &Survey<'_>,
        cell: CellId,
        (a, firsts): (&Class, &[NodeId]),
        (b, seconds): (&Class, &[NodeId]),
    ) {
        let pairs = firsts.len() as u64 * seconds.len() as u64;
        self.filter.pairs += pairs;
        if survey.in_region(firsts[0]) || survey.in_region(seconds[0]) {
            self.filter.in_region += pairs;
        } else if survey.common_lock(firsts[0], seconds[0]).is_some() {
            self.filter.locked += pairs;
        } else {
            let key = (a.place.min(b.place), a.place.max(b.place));
            let block = Block { cell, first: firsts.to_vec(), second: seconds.to_vec() };
            self.groups.entry(key).or_default().push(block);
        }
    }

    /// The pairs of each group that nothing orders, at most `limit` of each.
    pub(crate) fn groups(&mut self, survey: &Survey<'_>, limit: usize) -> Vec<Group<2>> {
        let mut all = Vec::new();
        for blocks in std::mem::take(&mut self.groups).into_values() {
            let mut group = Group::default();
            for block in &blocks {
                self.unordered(survey, block, &mut group, limit);
            }
            all.push(group);
        }
        in_order(survey, all, limit)
    }

    fn unordered(&mut self, survey: &Survey<'_>, block: &Block, group: &mut Group<2>, limit: usize) {
        for &a in &block.first {
            for &b in &block.second {
                let again = first_common_cell(survey, a, b) != Some(block.cell);
                if survey.must.before(a, b) || survey.must.before(b, a) {
                    self.filter.ordered += 1;
                } else if !again {
                    group.add(survey, [a.min(b), a.max(b)], limit);
                }
            }
        }
    }
}

/// Per cell, the classes of its accesses.
fn classes(survey: &Survey<'_>) -> BTreeMap<CellId, BTreeMap<Class, Vec<NodeId>>> {
    let forest = survey.forest;
    let mut places: HashMap<String, u32> = HashMap::new();
    let mut all: BTreeMap<CellId, BTreeMap<Class, Vec<NodeId>>> = BTreeMap::new();
    for id in forest.ids() {
        let Some((writes, atomic)) = access(&forest.node(id).op) else { continue };
        for &cell in touched(survey, id) {
            let next = places.len() as u32;
            let place = *places.entry(position(survey, id, cell)).or_insert(next);
            let tree = forest.node(id).tree;
            let class = Class { place, tree, held: survey.held_class(id), writes, atomic };
            all.entry(cell).or_default().entry(class).or_default().push(id);
        }
    }
    all
}

/// Where an access is in the program; without positions, whose it is and of what.
fn position(survey: &Survey<'_>, id: NodeId, cell: CellId) -> String {
    let node = survey.forest.node(id);
    match node.at.is_empty() {
        true => format!("{} {}", survey.forest.key(node.tree), survey.cells.cell(cell).name),
        false => node.at.clone(),
    }
}

/// Does it write, and is it atomic? `None` if it does not access data.
fn access(op: &Op) -> Option<(bool, bool)> {
    let atomic = |order: MemoryOrder| order != MemoryOrder::Volatile;
    match *op {
        Op::Read { .. } => Some((false, false)),
        Op::Write { .. } => Some((true, false)),
        Op::AtomicRead { order, .. } => Some((false, atomic(order))),
        Op::AtomicWrite { order, .. } => Some((true, atomic(order))),
        Op::Rmw { order, .. } => Some((true, atomic(order))),
        Op::FutexWait { .. } => Some((false, true)),
        _ => None,
    }
}

/// The cells of an access; none of one that is settled, which nothing can interfere with any more.
pub(super) fn touched<'s>(survey: &'s Survey<'_>, id: NodeId) -> &'s [CellId] {
    if survey.forest.is_settled(id) {
        return &[];
    }
    let op = &survey.forest.node(id).op;
    let location = op.read_location().or(op.written().map(|(location, _)| location));
    location.map_or(&[], |location| survey.cells.row(location))
}

/// The first cell that both access.
pub(crate) fn first_common_cell(survey: &Survey<'_>, a: NodeId, b: NodeId) -> Option<CellId> {
    let theirs = touched(survey, b);
    touched(survey, a).iter().copied().find(|cell| theirs.contains(cell))
}

/// Both accesses are pending.
pub(crate) struct Race;

impl Violation<2> for Race {
    const IS_WITNESSED: bool = true;

    fn cone(&self, survey: &Survey<'_>, member: [NodeId; 2]) -> Vec<NodeId> {
        member.iter().flat_map(|&id| pending_cone(survey.forest, id)).collect()
    }

    fn term(
        &self,
        _: &Survey<'_>,
        encoding: &mut Encoding<'_>,
        [a, b]: [NodeId; 2],
    ) -> Result<TermId, TermError> {
        let both = [pending(encoding, a)?, pending(encoding, b)?];
        encoding.terms.and(&both)
    }

    fn witness(&self, observed: &mut Observed<'_>, pair: [NodeId; 2]) -> Option<Execution> {
        observed.both_pending(pair)
    }

    fn is_shown(&self, survey: &Survey<'_>, end: &Final, pair: [NodeId; 2]) -> bool {
        pair.into_iter().all(|id| is_pending(survey.forest, end, id))
    }

    fn describe(&self, survey: &Survey<'_>, options: &Options, pairs: &[[NodeId; 2]]) -> String {
        let forest = survey.forest;
        let [a, b] = pairs[0];
        let others = match pairs.len() {
            1 => String::new(),
            count => format!(", or one of {} more pairs at the same positions", count - 1),
        };
        format!(
            "Can the accesses to {} of {} at {} and of {} at {} be adjacent{others}? ({})",
            first_common_cell(survey, a, b).map_or("storage", |cell| &survey.cells.cell(cell).name),
            forest.key(forest.node(a).tree),
            forest.place(a),
            forest.key(forest.node(b).tree),
            forest.place(b),
            under(options)
        )
    }
}
