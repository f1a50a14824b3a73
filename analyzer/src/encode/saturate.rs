//! What must happen before what because values are pinned, and because locks are.
//!
//! The must-order of a forest knows program order, forks and joins. Where a trace has values only, control went
//! on behind a read because it found a certain value. Whatever comes behind it then also comes behind *some* write
//! that can have left that value, and so behind all that these writes have in common. And if something in one
//! critical section must come before something in another of the same lock, the whole first section does.
//!
//! All of it is true of every execution in which an event has been executed *or is the next one of its thread*: what
//! a read finds counts for the events behind it, not for the read.
//!
//! Under sequential consistency only: with store buffers, a write that was issued first need not take effect first.

use std::collections::HashMap;
use std::sync::Arc;

use warpath_trace::event::{Datum, Op, WaitResult};
use warpath_trace::header::MemoryModel;

use super::Options;
use super::accesses::Accesses;
use super::lock::{Acquisition, Holdings, conflict};
use super::object_tree::ObjectTrees;
use super::unseen::dependent;
use crate::model::{CellId, Cells, Forest, MustOrder, NodeId, Outcome, part};

/// Each round can only find what the ones before have made visible; few rounds find all but everything.
const MOST_ROUNDS: usize = 16;

/// The must-order that these options ask for.
pub(crate) fn must_order(forest: &Forest, options: &Options) -> Arc<MustOrder> {
    let applies = options.reductions.saturate && options.model == MemoryModel::Sc;
    let decides = |id| pins(forest, id).is_some();
    let order = match applies && (forest.is_memory_unseen() || forest.ids().any(decides)) {
        true => forest.saturated_order(|order| Saturation::new(forest, order).saturated()),
        false => forest.must_order(),
    };
    Arc::clone(order)
}

/// The read directly before an event that has found a certain value if the event comes next, and the value.
fn pins(forest: &Forest, id: NodeId) -> Option<(NodeId, u128)> {
    let node = forest.node(id);
    let (parent, outcome) = node.parent?;
    let above = forest.node(parent);
    // What was never observed may be impossible, and then anything could be said about it.
    if forest.is_settled(parent) || node.observed == u32::MAX {
        return None;
    }
    match (above.op, outcome) {
        (Op::Read { .. } | Op::AtomicRead { .. }, Outcome::Value(value)) => Some((parent, value)),
        (Op::Rmw { old, .. }, _) if above.pinned => Some((parent, old)),
        _ => None,
    }
}

/// A lock that is held, by an event's thread.
struct Section {
    acquisition: Acquisition,
    lock: warpath_trace::ids::LocationId,
}

struct Saturation<'f> {
    forest: &'f Forest,
    cells: &'f Cells,
    order: MustOrder,
    accesses: Accesses,
    sections: Vec<Section>,
    /// Per event: the sections that its thread is in when the event is the next one.
    inside: HashMap<NodeId, Vec<usize>>,
    /// The section that an event enters.
    entered: HashMap<NodeId, usize>,
    /// Per event: the releases, one of which comes before it because of what was not recorded.
    released: HashMap<NodeId, Vec<NodeId>>,
}

impl<'f> Saturation<'f> {
    fn new(forest: &'f Forest, order: MustOrder) -> Self {
        let cells = forest.cells();
        let accesses = Accesses::of(forest, cells, |_| true);
        let trees = ObjectTrees::of(forest, |_| true);
        let mut sections = Vec::new();
        let mut inside: HashMap<NodeId, Vec<usize>> = HashMap::new();
        let mut entered = HashMap::new();
        let mut released = HashMap::new();
        for (&lock, nodes) in &accesses.sync {
            for section in dependent(forest, &trees, lock, nodes) {
                // Said of what is behind them, since an event that is the next one need not be possible.
                for &id in &section.decided {
                    for child in &forest.node(id).children {
                        released.insert(child.node, section.releases.clone());
                    }
                }
            }
            for acquisition in Holdings::of(forest, &trees, lock, nodes).acquisitions {
                let below = |id: NodeId| forest.node(id).children.iter().map(|child| child.node);
                let mut stack: Vec<NodeId> = below(acquisition.node).collect();
                while let Some(id) = stack.pop() {
                    inside.entry(id).or_default().push(sections.len());
                    if !acquisition.releases.contains(&id) {
                        stack.extend(below(id));
                    }
                }
                entered.insert(acquisition.node, sections.len());
                sections.push(Section { acquisition, lock });
            }
        }
        Saturation { forest, cells, order, accesses, sections, inside, entered, released }
    }

    /// The order with all that follows; `None` if the traces contradict themselves.
    fn saturated(mut self) -> Option<MustOrder> {
        for _ in 0..MOST_ROUNDS {
            let mut grown = false;
            for id in self.forest.ids() {
                grown |= self.order.inherit(self.forest, id);
                grown |= self.behind_writes(id);
                grown |= self.behind_sections(id);
                grown |= self.behind_releases(id);
            }
            if !grown {
                break;
            }
        }
        self.order.close(self.forest).then_some(self.order)
    }

    /// Behind a pinned read: behind what all writes have in common that can have left its value.
    fn behind_writes(&mut self, id: NodeId) -> bool {
        let Some((read, value)) = pins(self.forest, id) else { return false };
        let Some(location) = self.forest.node(read).op.read_location() else { return false };
        let start = self.forest.places.location(location).offset;
        let mut grown = false;
        for &cell in self.cells.row(location) {
            let entry = self.cells.cell(cell);
            let wanted = part(value, entry.offset - start, entry.size.into());
            if let Some(common) = self.common(id, read, cell, wanted) {
                grown |= self.order.join_row(id, &common);
            }
        }
        grown
    }

    /// What comes before all writes that can have left the value in the cell; `None` if that is nothing.
    fn common(&self, id: NodeId, read: NodeId, cell: CellId, wanted: u128) -> Option<Vec<Option<NodeId>>> {
        let writes = self.accesses.writes(cell);
        // What a join waits for comes before it, but not before the read.
        let joins = matches!(self.forest.node(id).op, Op::Join { result: WaitResult::Done, .. });
        let sure = self.order.row(if joins { read } else { id });
        // The last write of each thread that surely comes before the read.
        let mut last: Vec<NodeId> = Vec::new();
        for tree in self.forest.trees() {
            let Some(until) = sure[tree.index()] else { continue };
            let before = writes
                .iter()
                .copied()
                .filter(|&write| write != read && write != id && self.order.is_above(write, until));
            last.extend(before.max_by_key(|&write| self.forest.node(write).depth));
        }
        let initial = self.cells.cell(cell).initial;
        if last.is_empty() && initial.is_none_or(|initial| initial == wanted) {
            return None;
        }
        let mut common: Option<Vec<Option<NodeId>>> = None;
        for &write in writes {
            let overwritten = |&other: &NodeId| other != write && self.order.before(write, other);
            if !self.leaves(write, cell, wanted)
                || write == read
                || self.order.before(read, write)
                || !self.order.agree(id, write)
                || last.iter().any(overwritten)
            {
                continue;
            }
            let row = self.order.row(write);
            match &mut common {
                None => common = Some(row.to_vec()),
                Some(common) => self.order.meet(self.forest, common, row),
            }
            if common.iter().flatten().all(Option::is_none) {
                return None;
            }
        }
        common
    }

    /// Can the write leave this value in the cell?
    fn leaves(&self, write: NodeId, cell: CellId, wanted: u128) -> bool {
        let node = self.forest.node(write);
        match node.op.written() {
            Some((location, Datum { value, expr: None })) if node.observed != u32::MAX => {
                let entry = self.cells.cell(cell);
                let offset = entry.offset - self.forest.places.location(location).offset;
                part(value, offset, entry.size.into()) == wanted
            }
            _ => true,
        }
    }

    /// Inside a critical section: behind every other one of the same lock in which something must come before.
    fn behind_sections(&mut self, id: NodeId) -> bool {
        if self.forest.node(id).observed == u32::MAX {
            return false;
        }
        let mut grown = false;
        for &own in self.inside.get(&id).map_or(&[][..], |inside| inside) {
            let own = &self.sections[own];
            for tree in self.forest.trees().filter(|&tree| tree != self.forest.node(id).tree) {
                let Some(last) = self.order.last_of(tree, id) else { continue };
                for other in self.sections_behind(last) {
                    let other = &self.sections[other];
                    let settled =
                        [own, other].iter().all(|section| self.forest.is_settled(section.acquisition.node));
                    if other.lock != own.lock
                        || settled
                        || !conflict(own.acquisition.mode, other.acquisition.mode)
                    {
                        continue;
                    }
                    let Some(common) = self.in_common(id, &other.acquisition.releases) else { continue };
                    grown |= self.order.join_row(id, &common);
                }
            }
        }
        grown
    }

    /// Behind what the releases of the section that was there before have in common.
    fn behind_releases(&mut self, id: NodeId) -> bool {
        let Some(releases) = self.released.get(&id) else { return false };
        match self.in_common(id, releases) {
            Some(common) => self.order.join_row(id, &common),
            None => false,
        }
    }

    /// What comes before each of these releases that can have happened with the event; `None` if there is none.
    fn in_common(&self, id: NodeId, releases: &[NodeId]) -> Option<Vec<Option<NodeId>>> {
        let mut possible = releases.iter().filter(|&&release| self.order.agree(id, release));
        let mut common = self.order.row(*possible.next()?).to_vec();
        for &release in possible {
            self.order.meet(self.forest, &mut common, self.order.row(release));
        }
        Some(common)
    }

    /// The sections that a thread is in behind an event.
    fn sections_behind(&self, id: NodeId) -> Vec<usize> {
        let inside = self.inside.get(&id).map_or(&[][..], |inside| inside).iter().copied();
        let mut behind: Vec<usize> =
            inside.filter(|&section| !self.sections[section].acquisition.releases.contains(&id)).collect();
        behind.extend(self.entered.get(&id));
        behind
    }
}
