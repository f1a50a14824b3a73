//! Preemptions: switches away from a thread that could have gone on.
//!
//! A solver's schedule switches between threads for no reason. So it is put in order first: steps that have nothing to
//! do with each other change places, such that a thread goes on as long as it can. That is a good schedule of the same
//! events, not always the best, and another schedule may need fewer: the bound is on what was found.

use std::collections::BTreeSet;

use warpath_trace::event::{Attempt, Op};
use warpath_trace::ids::LocationId;

use crate::answer::{Execution, Final, Reference};
use crate::encode::{Options, Point, sync_objects};
use crate::model::{Forest, NodeId, TreeIx};

/// Schedules longer than this are left as they are: every pair of steps is looked at.
const LONGEST: usize = 4096;
/// Threads that are tried as the one to go first.
const MOST_THREADS: usize = 16;

/// Schedules of a forest after which a thread goes on.
pub(super) struct Preemptions<'a> {
    pub(super) forest: &'a Forest,
    pub(super) options: &'a Options,
    /// The thread that goes on when the schedule is over.
    pub(super) then: TreeIx,
}

/// What a step has to do with others.
#[derive(Default)]
struct Footprint {
    /// Storage it uses: object, first byte, the byte behind the last, and whether it changes it.
    storage: Vec<(u32, u64, u64, bool)>,
    /// Threads it starts, waits for, begins or ends.
    threads: Vec<TreeIx>,
    /// It may have to do with anything.
    with_all: bool,
}

impl Footprint {
    fn meets(&self, other: &Footprint) -> bool {
        let shared = |a: &(u32, u64, u64, bool), b: &(u32, u64, u64, bool)| {
            a.0 == b.0 && a.1 < b.2 && b.1 < a.2 && (a.3 || b.3)
        };
        self.with_all
            || other.with_all
            || self.threads.iter().any(|thread| other.threads.contains(thread))
            || self.storage.iter().any(|a| other.storage.iter().any(|b| shared(a, b)))
    }
}

impl Preemptions<'_> {
    /// The same events in an order with fewer switches, if that can be executed.
    pub(super) fn fewer(&self, execution: &Execution) -> Option<(Execution, Final)> {
        let steps = &execution.steps;
        if steps.len() > LONGEST {
            return None;
        }
        let prints: Vec<Footprint> = steps.iter().map(|&point| self.footprint(point)).collect();
        let tree = |n: usize| self.forest.node(steps[n].node()).tree;
        let mut waits_for = vec![0usize; steps.len()];
        let mut frees: Vec<Vec<usize>> = vec![Vec::new(); steps.len()];
        for later in 0..steps.len() {
            for earlier in 0..later {
                if tree(earlier) == tree(later) || prints[earlier].meets(&prints[later]) {
                    waits_for[later] += 1;
                    frees[earlier].push(later);
                }
            }
        }
        let trees: BTreeSet<TreeIx> = (0..steps.len()).map(tree).collect();
        // Which thread goes first where one has to stop makes a difference; each is tried.
        let orders = trees.into_iter().take(MOST_THREADS).map(|favourite| {
            let mut waits_for = waits_for.clone();
            let mut ready: Vec<usize> = (0..steps.len()).filter(|&n| waits_for[n] == 0).collect();
            let mut ordered = Vec::new();
            let mut running = None;
            let rank = |running: Option<TreeIx>, n: usize| {
                let tree = tree(n);
                // The thread that goes on at the end comes last.
                (Some(tree) != running, tree == self.then, tree != favourite, n)
            };
            while let Some(best) = (0..ready.len()).min_by_key(|&k| rank(running, ready[k])) {
                let next = ready.swap_remove(best);
                running = Some(tree(next));
                ordered.push(steps[next]);
                for &later in &frees[next] {
                    waits_for[later] -= 1;
                    if waits_for[later] == 0 {
                        ready.push(later);
                    }
                }
            }
            Execution { steps: ordered, ..execution.clone() }
        });
        let fewer = orders.min_by_key(|order| self.count(order))?;
        if self.count(&fewer) >= self.count(execution) {
            return None;
        }
        let leaves = Reference::run(self.forest, self.options, &fewer).ok()?;
        Some((fewer, leaves))
    }

    /// How many preemptions a schedule has.
    pub(super) fn count(&self, execution: &Execution) -> usize {
        // A write that leaves its buffer is no step of the thread.
        let steps: Vec<NodeId> = execution
            .steps
            .iter()
            .filter_map(|&point| match point {
                Point::Issue(id) if self.forest.node(id).op.is_visible() => Some(id),
                Point::Issue(_) | Point::Commit(_) => None,
            })
            .collect();
        let tree = |id: NodeId| self.forest.node(id).tree;
        let preempted = |n: &usize| {
            let left = tree(steps[*n]);
            let next = steps.get(n + 1).map_or(self.then, |&id| tree(id));
            left != next && self.could_go_on(&steps, *n)
        };
        (0..steps.len()).filter(preempted).count()
    }

    /// Could the thread of this step have gone on, instead of another?
    fn could_go_on(&self, steps: &[NodeId], n: usize) -> bool {
        let tree = self.forest.node(steps[n]).tree;
        let mut rest = steps.iter().enumerate().skip(n + 1);
        match rest.find(|(_, id)| self.forest.node(**id).tree == tree) {
            Some((again, &id)) => {
                let wait = self.footprint(Point::Issue(id));
                let enabled_by = |other: &NodeId| self.footprint(Point::Issue(*other)).meets(&wait);
                !blocks(&self.forest.node(id).op) || !steps[n + 1..again].iter().any(enabled_by)
            }
            None => {
                let next = self.next_steps(steps[n]);
                !next.is_empty() && next.iter().all(|&id| !blocks(&self.forest.node(id).op))
            }
        }
    }

    /// The steps that are known to come next in the thread.
    fn next_steps(&self, from: NodeId) -> Vec<NodeId> {
        let mut next = Vec::new();
        let mut pending = vec![from];
        while let Some(id) = pending.pop() {
            for child in &self.forest.node(id).children {
                match self.forest.node(child.node).op.is_visible() {
                    true => next.push(child.node),
                    false => pending.push(child.node),
                }
            }
        }
        next
    }

    fn footprint(&self, point: Point) -> Footprint {
        let node = self.forest.node(point.node());
        let mut print = Footprint::default();
        let range = |location: LocationId, writes: bool| {
            let place = self.forest.places.location(location);
            (place.object.0, place.offset, place.offset + u64::from(place.size.max(1)), writes)
        };
        match node.op {
            Op::Read { location, .. } | Op::AtomicRead { location, .. } => {
                print.storage.push(range(location, false));
            }
            Op::Write { location, .. } | Op::AtomicWrite { location, .. } | Op::Rmw { location, .. } => {
                print.storage.push(range(location, true));
            }
            Op::Fork { child } | Op::Join { child, .. } | Op::Detach { child } => {
                print.threads.push(TreeIx(child.0));
            }
            Op::Begin | Op::End => print.threads.push(node.tree),
            Op::SyncInit { object, .. } | Op::SyncDestroy { object } => {
                print.storage.push(range(object, true))
            }
            op if sync_objects(&op).next().is_some() => {
                print.storage.extend(sync_objects(&op).map(|object| range(object, true)));
            }
            op => print.with_all = op.is_visible(),
        }
        print
    }
}

/// Can the thread have to wait for this?
fn blocks(op: &Op) -> bool {
    match *op {
        Op::Join { attempt, .. }
        | Op::Lock { attempt, .. }
        | Op::RwLock { attempt, .. }
        | Op::SemWait { attempt, .. } => attempt != Attempt::Try,
        Op::CondWake { .. } | Op::BarrierLeave { .. } | Op::FutexResume { .. } | Op::Once { .. } => true,
        _ => false,
    }
}
