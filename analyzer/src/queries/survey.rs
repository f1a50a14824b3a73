//! What can be told about a forest in linear time, without a solver: what each thread holds where. Questions
//! that this answers are never asked.

use std::collections::HashMap;
use std::sync::Arc;

use warpath_trace::event::{MutexKind, OnceStep, Op, RwMode, SyncKind, WaitResult};
use warpath_trace::ids::LocationId;

use crate::encode::{Options, conflict, must_order};
use crate::model::{Cells, Forest, MustOrder, NodeId, Outcome};

/// Something that a thread holds: a lock, or a once-only initialisation that it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Held {
    /// What.
    pub(crate) object: LocationId,
    /// Alone, or with other readers.
    pub(crate) mode: RwMode,
    /// How often, for locks that their owner may acquire again.
    depth: u32,
}

/// What a thread has where it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Hands {
    held: Vec<Held>,
    /// Given up for a wait on a condition.
    suspended: Vec<Held>,
    /// Inside an atomic region?
    region: bool,
}

/// What can be told about a forest without a solver.
#[derive(Debug)]
pub(crate) struct Survey<'f> {
    pub(crate) forest: &'f Forest,
    pub(crate) cells: Arc<Cells>,
    pub(crate) must: Arc<MustOrder>,
    hands: Vec<Hands>,
    /// Per node, what the thread has behind it: a position in `hands`; 0 is nothing.
    after: Vec<u32>,
}

impl<'f> Survey<'f> {
    pub(crate) fn of(forest: &'f Forest, options: &Options) -> Survey<'f> {
        let mut survey = Survey {
            forest,
            cells: Arc::clone(forest.cells()),
            must: must_order(forest, options),
            hands: vec![Hands::default()],
            after: Vec::with_capacity(forest.nodes().len()),
        };
        let mut known: HashMap<Hands, u32> = HashMap::from([(Hands::default(), 0)]);
        for node in forest.nodes() {
            let before = node.parent.map_or(0, |(parent, _)| survey.after[parent.index()]);
            let after = match survey.hands[before as usize].after(&node.op) {
                None => before,
                Some(hands) => *known.entry(hands).or_insert_with_key(|hands| {
                    survey.hands.push(hands.clone());
                    survey.hands.len() as u32 - 1
                }),
            };
            survey.after.push(after);
        }
        survey
    }

    fn before(&self, id: NodeId) -> u32 {
        self.forest.node(id).parent.map_or(0, |(parent, _)| self.after[parent.index()])
    }

    /// What the thread holds when this event is its next one.
    pub(crate) fn held(&self, id: NodeId) -> &[Held] {
        &self.hands[self.before(id) as usize].held
    }

    /// Equal for events before which equal things are held.
    pub(crate) fn held_class(&self, id: NodeId) -> u32 {
        self.before(id)
    }

    /// Is the event inside an atomic region, which no other thread interrupts?
    pub(crate) fn in_region(&self, id: NodeId) -> bool {
        self.hands[self.before(id) as usize].region
    }

    /// Something that both hold, and cannot hold at the same time.
    pub(crate) fn common_lock(&self, a: NodeId, b: NodeId) -> Option<LocationId> {
        let theirs = self.held(b);
        let common = self.held(a).iter().find(|held| {
            theirs.iter().any(|other| other.object == held.object && conflict(other.mode, held.mode))
        });
        common.map(|held| held.object)
    }

    /// The event before it and the way control goes on from there to it.
    pub(crate) fn stand(&self, id: NodeId) -> Option<(NodeId, Outcome)> {
        self.forest.node(id).parent
    }

    /// The name of what an event accesses.
    pub(crate) fn storage(&self, id: NodeId) -> Option<String> {
        let op = &self.forest.node(id).op;
        let location = op.read_location().or(op.written().map(|(location, _)| location))?;
        Some(self.location(location).to_owned())
    }

    /// The name of a location or a synchronisation object.
    pub(crate) fn location(&self, location: LocationId) -> &str {
        &self.forest.places.location(location).name
    }

    /// Was the object made as a mutex that its owner may not acquire again?
    pub(crate) fn waits_for_itself(&self, lock: LocationId) -> bool {
        self.forest.kinds(lock).iter().all(|kind| match kind {
            SyncKind::Mutex { kind, .. } => *kind == MutexKind::Normal,
            _ => true,
        })
    }
}

impl Hands {
    /// What the thread has behind an event; `None` if that is the same.
    fn after(&self, op: &Op) -> Option<Hands> {
        let mut next = self.clone();
        match *op {
            Op::Lock { mutex, result, .. } if result.acquired() => next.take(mutex, RwMode::Write),
            Op::RwLock { lock, mode, result, .. } if result.acquired() => next.take(lock, mode),
            Op::Unlock { mutex: lock, result: WaitResult::Done }
            | Op::RwUnlock { lock, result: WaitResult::Done, .. } => next.give_back(lock),
            Op::Once { once, step: OnceStep::Run } => next.take(once, RwMode::Write),
            Op::Once { once, step: OnceStep::Finish | OnceStep::Abandon } => next.give_back(once),
            Op::CondWait { mutex, .. } => {
                let given_up = next.held.iter().position(|held| held.object == mutex)?;
                let given_up = next.held.remove(given_up);
                next.suspended.push(given_up);
            }
            Op::CondWake { mutex, .. } => {
                let at = next.suspended.iter().position(|held| held.object == mutex);
                match at {
                    Some(at) => {
                        let again = next.suspended.remove(at);
                        next.held.push(again);
                        next.held.sort_unstable_by_key(|held| held.object);
                    }
                    None => next.take(mutex, RwMode::Write),
                }
            }
            Op::AtomicBegin => next.region = true,
            Op::AtomicEnd => next.region = false,
            _ => return None,
        }
        Some(next)
    }

    fn take(&mut self, object: LocationId, mode: RwMode) {
        match self.held.iter_mut().find(|held| held.object == object) {
            Some(held) => held.depth += 1,
            None => {
                self.held.push(Held { object, mode, depth: 1 });
                self.held.sort_unstable_by_key(|held| held.object);
            }
        }
    }

    fn give_back(&mut self, object: LocationId) {
        if let Some(at) = self.held.iter().position(|held| held.object == object) {
            self.held[at].depth -= 1;
            if self.held[at].depth == 0 {
                self.held.remove(at);
            }
        }
    }
}
