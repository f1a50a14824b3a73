//! Every way in which the events of a window can go, tried one by one on the forest of the whole trace.

use std::collections::BTreeSet;
use std::ops::Range;

use warpath_analyzer::answer::{Execution, Final};
use warpath_analyzer::encode::Point;
use warpath_analyzer::model::{Forest, NodeId, Outcome};
use warpath_trace::event::{MemoryOrder, Op};
use warpath_trace::header::MemoryModel;

use super::replay::run;

/// Races and failing assertions of a window, by the events' names.
#[derive(Debug, Default)]
pub struct Possible {
    pub races: BTreeSet<[String; 2]>,
    pub failures: BTreeSet<String>,
    /// How many orders were tried.
    pub orders: usize,
}

/// Tries all orders of the window's events behind the recorded ones before it, under sequential consistency and with
/// the recorded inputs; `None` if there are too many.
pub fn possible(forest: &Forest, window: Range<u32>, inputs: &[u128], most: usize) -> Option<Possible> {
    // A thread stops before an assumption that does not hold.
    let stopped = |id: &NodeId| {
        let node = forest.node(*id);
        matches!(node.op, Op::Assume { .. }) && node.stops.contains(&Outcome::Held(false))
    };
    let earlier = forest.ids().filter(|&id| forest.node(id).observed < window.start);
    let mut before: Vec<NodeId> = earlier.filter(|id| !stopped(id)).collect();
    before.sort_by_key(|&id| forest.node(id).observed);
    let steps = before.into_iter().map(Point::Issue).collect();
    let execution = Execution { steps, inputs: inputs.to_vec(), initials: Vec::new() };
    let mut trial = Trial { forest, window, most, execution, possible: Possible::default() };
    let end = run(forest, MemoryModel::Sc, &trial.execution)
        .unwrap_or_else(|error| panic!("the recorded run: {error}"));
    trial.from(&end).then_some(trial.possible)
}

struct Trial<'f> {
    forest: &'f Forest,
    window: Range<u32>,
    most: usize,
    execution: Execution,
    possible: Possible,
}

impl Trial<'_> {
    /// Notes what is possible here and goes on in every way; answers whether there were few enough.
    fn from(&mut self, end: &Final) -> bool {
        self.possible.orders += 1;
        if self.possible.orders > self.most {
            return false;
        }
        let next = self.next(end);
        // Whoever is kept out by an atomic region is not about to do anything.
        let next: Vec<NodeId> = next.into_iter().filter(|&id| !self.is_kept_out(id)).collect();
        for (n, &b) in next.iter().enumerate() {
            for &a in &next[..n] {
                if races(self.forest, a, b) {
                    let mut pair = [a, b].map(|id| self.forest.name(id));
                    pair.sort_unstable();
                    self.possible.races.insert(pair);
                }
            }
        }
        for id in next {
            self.execution.steps.push(Point::Issue(id));
            let goes_on = match run(self.forest, MemoryModel::Sc, &self.execution) {
                Err(_) => true,
                Ok(end) => {
                    let tree = self.forest.node(id).tree;
                    let fails = end.ends.get(&tree) == Some(&(id, Outcome::Held(false)));
                    if fails && matches!(self.forest.node(id).op, Op::Assert { .. }) {
                        self.possible.failures.insert(self.forest.name(id));
                    }
                    self.from(&end)
                }
            };
            self.execution.steps.pop();
            if !goes_on {
                return false;
            }
        }
        true
    }

    fn is_kept_out(&mut self, id: NodeId) -> bool {
        let node = self.forest.node(id);
        if node.op.read_location().is_none() && node.op.written().is_none() {
            return false;
        }
        self.execution.steps.push(Point::Issue(id));
        let ran = run(self.forest, MemoryModel::Sc, &self.execution);
        self.execution.steps.pop();
        ran.is_err()
    }

    /// The next events of all threads, as far as they are in the window.
    fn next(&self, end: &Final) -> Vec<NodeId> {
        let next = self.forest.trees().filter_map(|tree| match end.ends.get(&tree) {
            Some(&(at, outcome)) => {
                let children = &self.forest.node(at).children;
                children.iter().find(|child| child.outcome == outcome).map(|child| child.node)
            }
            None => {
                let forks = self.forest.forks(tree);
                let done = |fork: &NodeId| self.execution.steps.contains(&Point::Issue(*fork));
                self.forest.root(tree).filter(|_| forks.is_empty() || forks.iter().any(done))
            }
        });
        next.filter(|&id| self.window.contains(&self.forest.node(id).observed)).collect()
    }
}

/// Do the two conflict?
fn races(forest: &Forest, a: NodeId, b: NodeId) -> bool {
    let (Some(a), Some(b)) = (access(forest, a), access(forest, b)) else { return false };
    let overlap = a.object == b.object && a.bytes.start < b.bytes.end && b.bytes.start < a.bytes.end;
    overlap && (a.writes || b.writes) && !(a.atomic && b.atomic)
}

struct Access {
    object: u32,
    bytes: Range<u64>,
    writes: bool,
    atomic: bool,
}

fn access(forest: &Forest, id: NodeId) -> Option<Access> {
    let op = forest.node(id).op;
    let location = op.read_location().or(op.written().map(|(location, _)| location))?;
    let place = forest.places.location(location);
    let atomic = match op {
        Op::AtomicRead { order, .. } | Op::AtomicWrite { order, .. } | Op::Rmw { order, .. } => {
            order != MemoryOrder::Volatile
        }
        Op::FutexWait { .. } => true,
        _ => false,
    };
    let bytes = place.offset..place.offset + u64::from(place.size);
    Some(Access { object: place.object.0, bytes, writes: op.written().is_some(), atomic })
}
