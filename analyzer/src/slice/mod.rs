//! Which events of a run matter to how it ended.
//!
//! A run of thousands of events fails because of a few of them: the decisions of the thread that failed, the reads
//! these rest on, the writes that the reads took their values from, and so on backwards. That is a dynamic slice; here
//! it is ranked, so that a report which has room for twenty lines can leave out what explains least.
//!
//! It is made for people who read a report, not for proofs: nothing is concluded from what it leaves out.

mod ends;
mod taken;

pub use ends::{Ends, ends_of_failure, ends_of_finding};

use std::collections::{BTreeMap, BTreeSet};

use warpath_trace::event::{Event, FailureKind, Op, Ref};
use warpath_trace::expr::Leaf;
use warpath_trace::header::Values;
use warpath_trace::ids::{ExprId, LocationId, ThreadIx};
use warpath_trace::order::{Contradiction, ordered_location};
use warpath_trace::trace::Trace;

/// An event of a trace: its thread and its index there.
pub type At = (ThreadIx, u32);

/// How much an event explains; what comes first explains most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// What the end itself depends on: values that decided it, and where they came from.
    Cause,
    /// What made another thread come to a cause.
    Way,
    /// A write to the same storage that no cause took its value from: it came too early, or was overwritten.
    Other,
    /// What orders the causes: operations on synchronisation objects that several of their threads use.
    Order,
}

/// The events that matter to the end of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// The events, with how much they explain.
    pub events: BTreeMap<At, Rank>,
    /// Of reads among them, the write that the value came from; a read without one found what was there at the start.
    pub taken: BTreeMap<At, At>,
    /// The reads that the last decision before the end rests on.
    pub decisive: Vec<At>,
}

impl Slice {
    /// Looks backwards from the end of a run.
    pub fn of(trace: &Trace, ends: &Ends) -> Result<Slice, Contradiction> {
        let order: Vec<At> = trace.in_order()?.map(|(thread, index, _)| (thread, index)).collect();
        let position: BTreeMap<At, usize> = order.iter().enumerate().map(|(n, &at)| (at, n)).collect();
        let last = ends.events.iter().filter_map(|at| position.get(at)).max().copied();
        let order = &order[..last.map_or(0, |last| last + 1)];
        let mut slicing = Slicing {
            trace,
            taken: taken::taken(trace, order),
            ends: ends.events.iter().map(|&(thread, _)| thread).collect(),
            thrown: ends.events.iter().filter_map(|&at| Some((at, thrown(trace, at)?))).collect(),
            looked: BTreeMap::new(),
            open: BTreeSet::new(),
            slice: Slice::default(),
        };
        for &at in &ends.events {
            slicing.add(at, Rank::Cause);
        }
        slicing.run();
        let mut slice = slicing.finish(order);
        slice.decisive = decisive(trace, ends);
        Ok(slice)
    }
}

struct Slicing<'a> {
    trace: &'a Trace,
    taken: BTreeMap<At, At>,
    /// The threads in which the run ended: all their decisions are causes.
    ends: BTreeSet<ThreadIx>,
    /// Where the exceptions were thrown that ended threads: what came behind was cleaning up.
    thrown: BTreeMap<At, u32>,
    /// Decisions of a thread before this event have been followed, at this rank or a better one.
    looked: BTreeMap<(ThreadIx, Rank), u32>,
    open: BTreeSet<(Rank, At)>,
    slice: Slice,
}

impl Slicing<'_> {
    fn add(&mut self, at: At, rank: Rank) {
        if self.trace.event(at.0, at.1).is_none() {
            return;
        }
        let known = self.slice.events.get(&at).copied();
        if known.is_none_or(|known| rank < known) {
            self.slice.events.insert(at, rank);
            self.open.insert((rank, at));
        }
    }

    fn run(&mut self) {
        while let Some((rank, at)) = self.open.pop_first() {
            if self.slice.events.get(&at) != Some(&rank) {
                continue;
            }
            let Some(event) = self.trace.event(at.0, at.1) else { continue };
            if let Some(&write) = self.taken.get(&at) {
                self.slice.taken.insert(at, write);
                self.add(write, rank);
            }
            self.follow(event, rank);
            let way = if self.ends.contains(&at.0) { rank } else { rank.max(Rank::Way) };
            self.decisions(at, way);
        }
    }

    /// What the values of an event rest on.
    fn follow(&mut self, event: &Event, rank: Rank) {
        for read in reads(self.trace, exprs(event)) {
            self.add(read, rank);
        }
    }

    /// What the decisions rest on that led a thread to an event.
    fn decisions(&mut self, (thread, upto): At, rank: Rank) {
        let upto = self.thrown.get(&(thread, upto)).copied().unwrap_or(upto);
        let better = [Rank::Cause, Rank::Way].into_iter().filter(|&better| better <= rank);
        let from = better.filter_map(|better| self.looked.get(&(thread, better))).max().copied().unwrap_or(0);
        if from >= upto {
            return;
        }
        self.looked.insert((thread, rank), upto);
        let pinned = self.trace.header.values == Values::Pinned;
        for index in from..upto {
            let Some(&event) = self.trace.event(thread, index) else { break };
            if decides(&event.op) {
                self.follow(&event, rank);
            } else if pinned && event.op.read_location().is_some() {
                self.add((thread, index), rank);
            }
        }
    }

    /// Adds what else happened to the storage of the causes, and what ordered them.
    fn finish(mut self, order: &[At]) -> Slice {
        let causes = self.slice.events.iter().filter(|(_, rank)| **rank <= Rank::Way);
        let (mut storage, mut threads) = (BTreeSet::new(), BTreeSet::new());
        for (&(thread, index), _) in causes {
            threads.insert(thread);
            storage.extend(self.trace.event(thread, index).and_then(|event| accessed(&event.op)));
        }
        let mut users: BTreeMap<LocationId, BTreeSet<ThreadIx>> = BTreeMap::new();
        for &(thread, index) in order {
            if let Some(event) = self.trace.event(thread, index)
                && let Some(object) = synchronises(&event.op)
            {
                users.entry(object).or_default().insert(thread);
            }
        }
        for &at in order {
            let Some(event) = self.trace.event(at.0, at.1) else { continue };
            let rank = match event.op.written() {
                Some((location, _)) if self.overlaps(location, &storage) => Rank::Other,
                _ => match synchronises(&event.op).and_then(|object| users.get(&object)) {
                    Some(users) if threads.contains(&at.0) && users.intersection(&threads).count() > 1 => {
                        Rank::Order
                    }
                    _ => continue,
                },
            };
            self.slice.events.entry(at).or_insert(rank);
        }
        // A buffered write matters when it reaches memory.
        for &(thread, index) in order {
            if let Some(Event { op: Op::Commit { write }, .. }) = self.trace.event(thread, index)
                && let Some(&rank) = self.slice.events.get(&(thread, *write))
            {
                self.slice.events.insert((thread, index), rank);
            }
        }
        self.slice
    }

    fn overlaps(&self, location: LocationId, storage: &BTreeSet<LocationId>) -> bool {
        let locations = self.trace.tables.locations();
        let Some(location) = locations.get(location.index()) else { return false };
        storage.iter().filter_map(|id| locations.get(id.index())).any(|other| other.overlaps(location))
    }
}

/// The reads of the last decision before the end that rests on any.
fn decisive(trace: &Trace, ends: &Ends) -> Vec<At> {
    let Some(&(thread, end)) = ends.events.first() else { return Vec::new() };
    let end = thrown(trace, (thread, end)).unwrap_or(end);
    let before = (0..=end).rev().filter_map(|index| trace.event(thread, index));
    let decisions = before.filter(|event| decides(&event.op));
    decisions.map(|event| reads(trace, exprs(event))).find(|reads| !reads.is_empty()).unwrap_or_default()
}

/// The number of events up to where the exception was thrown that ended a thread: between there and the end of the thread
/// handlers may have run, as those of a pool do.
fn thrown(trace: &Trace, (thread, end): At) -> Option<u32> {
    let failure = trace.event(thread, end)?;
    let Op::Failure { kind: FailureKind::UncaughtException | FailureKind::Panic, .. } = failure.op else {
        return None;
    };
    let sources = trace.tables.sources();
    let place = |event: &Event| sources.get(event.at.index()).map(|at| (at.file, at.line, at.function));
    let there = place(failure).filter(|(_, line, _)| *line > 0)?;
    let is_there = |event: &Event| decides(&event.op) && place(event) == Some(there);
    let decided = |index: &u32| {
        trace
            .event(thread, *index)
            .is_some_and(|event| is_there(event) && !reads(trace, exprs(event)).is_empty())
    };
    (0..end).rev().find(decided).map(|index| index + 1)
}

/// Did control, or what memory is accessed, depend on values here?
fn decides(op: &Op) -> bool {
    matches!(
        op,
        Op::Branch { .. } | Op::Switch { .. } | Op::Concretise { .. } | Op::Assume { .. } | Op::Assert { .. }
    )
}

/// The data that an event accesses.
fn accessed(op: &Op) -> Option<LocationId> {
    op.read_location().or_else(|| op.written().map(|(location, _)| location))
}

/// The synchronisation object that an event is about.
fn synchronises(op: &Op) -> Option<LocationId> {
    match op {
        Op::SyncInit { .. } | Op::SyncDestroy { .. } => None,
        _ if accessed(op).is_some() => None,
        _ => ordered_location(op),
    }
}

/// The expressions of an event.
fn exprs(event: &Event) -> Vec<ExprId> {
    let mut exprs = Vec::new();
    // References can be visited for change only; a copy is changed here, or would be.
    let mut copy = *event;
    let _ = copy.try_refs(|reference| {
        if let Ref::Expr(id) = reference {
            exprs.push(*id);
        }
        Ok::<(), std::convert::Infallible>(())
    });
    exprs
}

/// The reads that expressions rest on, in the order of the threads.
fn reads(trace: &Trace, exprs: Vec<ExprId>) -> Vec<At> {
    let mut found = BTreeSet::new();
    trace.tables.exprs.visit_once(exprs, |_, node| {
        if let Some(Leaf::Read(thread, event)) = node.leaf() {
            found.insert((thread, event));
        }
    });
    found.into_iter().collect()
}

#[cfg(test)]
mod tests;
