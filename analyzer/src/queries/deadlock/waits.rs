//! Events at which a thread can wait for ever, and which of them linear-time tests leave over.
//!
//! The tests are those of lock-order graphs with gate locks, for all kinds of waits: a wait for a lock needs a
//! wait behind which that lock is held, a join needs a wait in the other thread, and so on until nothing more
//! can be ruled out.

use std::collections::BTreeMap;

use warpath_trace::event::{Attempt, OnceStep, Op, RwMode, WaitResult};
use warpath_trace::ids::LocationId;

use crate::encode::conflict;
use crate::model::{NodeId, TreeIx};
use crate::queries::survey::Survey;

/// What a wait needs to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// Something that others hold: a lock, or a once-only initialisation that somebody runs.
    Object(LocationId, ModeKey),
    /// The end of another thread.
    End(TreeIx),
    /// A signal or a wake, and then this mutex.
    Wake {
        /// The condition or futex word.
        queue: LocationId,
        /// To be acquired again.
        mutex: Option<LocationId>,
        /// Does waiting for the wake end by itself?
        timed: bool,
    },
    /// A unit of a semaphore.
    Unit(LocationId),
    /// The others at a barrier.
    Round(LocationId),
}

/// [`RwMode`] with an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ModeKey {
    Read,
    Write,
}

impl From<RwMode> for ModeKey {
    fn from(mode: RwMode) -> Self {
        match mode {
            RwMode::Read => ModeKey::Read,
            RwMode::Write => ModeKey::Write,
        }
    }
}

impl From<ModeKey> for RwMode {
    fn from(mode: ModeKey) -> Self {
        match mode {
            ModeKey::Read => RwMode::Read,
            ModeKey::Write => RwMode::Write,
        }
    }
}

/// An event at which its thread can wait for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) node: NodeId,
    pub(crate) need: Need,
}

impl Wait {
    /// The wait at a node; none where it is over. Of the ways in which one wait can end, the first stands for it.
    fn at(survey: &Survey<'_>, id: NodeId) -> Option<Wait> {
        if survey.forest.is_settled(id) {
            return None;
        }
        let need = need(survey, id)?;
        if let Some((parent, outcome)) = survey.stand(id) {
            let children = &survey.forest.node(parent).children;
            let first = children
                .iter()
                .find(|child| child.outcome == outcome && self::need(survey, child.node).is_some());
            if first.is_some_and(|first| first.node != id) {
                return None;
            }
        }
        Some(Wait { node: id, need })
    }
}

fn need(survey: &Survey<'_>, id: NodeId) -> Option<Need> {
    let object = |object, mode| {
        let own = survey.held(id).iter().any(|held| held.object == object);
        (!own || self_blocked(survey, id, object)).then_some(Need::Object(object, mode))
    };
    match survey.forest.node(id).op {
        Op::Lock { mutex, attempt: Attempt::Block, result } if result.acquired() => {
            object(mutex, ModeKey::Write)
        }
        Op::RwLock { lock, mode, attempt: Attempt::Block, result } if result.acquired() => {
            object(lock, mode.into())
        }
        Op::Once { once, step: OnceStep::Run | OnceStep::Seen } => object(once, ModeKey::Write),
        Op::Join { child, attempt: Attempt::Block, result: WaitResult::Done } => {
            Some(Need::End(TreeIx(child.0)))
        }
        Op::CondWake { condition, mutex, .. } => {
            let timed = match survey.forest.node(survey.stand(id)?.0).op {
                // What an interrupt needs in order to end the wait is said behind it.
                Op::CondWait { attempt, .. } => attempt != Attempt::Block || was_interrupted(survey, id),
                _ => return None,
            };
            Some(Need::Wake { queue: condition, mutex: Some(mutex), timed })
        }
        Op::FutexResume { word, .. } => match survey.forest.node(survey.stand(id)?.0).op {
            Op::FutexWait { attempt: Attempt::Block, .. } => {
                Some(Need::Wake { queue: word, mutex: None, timed: false })
            }
            _ => None,
        },
        Op::SemWait { semaphore, attempt: Attempt::Block, result: WaitResult::Done } => {
            Some(Need::Unit(semaphore))
        }
        Op::BarrierLeave { barrier, .. } => Some(Need::Round(barrier)),
        _ => None,
    }
}

/// Was this wait, or another way in which it ended, seen to end by an interrupt?
fn was_interrupted(survey: &Survey<'_>, id: NodeId) -> bool {
    let ends = |node: NodeId| {
        matches!(survey.forest.node(node).op, Op::CondWake { result: WaitResult::Interrupted, .. })
    };
    ends(id)
        || survey.stand(id).is_some_and(|(parent, outcome)| {
            let children = &survey.forest.node(parent).children;
            children.iter().any(|child| child.outcome == outcome && ends(child.node))
        })
}

/// Does the thread hold the object already, and would wait for itself? Not if it was ever seen to go on.
pub(super) fn self_blocked(survey: &Survey<'_>, id: NodeId, object: LocationId) -> bool {
    survey.held(id).iter().any(|held| held.object == object)
        && survey.forest.node(id).observed == u32::MAX
        && survey.waits_for_itself(object)
}

/// Does the thread of `c`, while it waits there, hold what `b` needs?
pub(crate) fn holds(survey: &Survey<'_>, c: NodeId, object: LocationId, mode: RwMode) -> bool {
    survey.held(c).iter().any(|held| held.object == object && conflict(held.mode, mode))
}

/// Can both threads wait at these events at the same time? Not if both hold a lock of which there is one.
pub(super) fn together(survey: &Survey<'_>, b: NodeId, c: NodeId) -> bool {
    survey.forest.node(b).tree != survey.forest.node(c).tree && survey.common_lock(b, c).is_none()
}

/// The waits of a forest.
#[derive(Debug)]
pub(crate) struct Waits {
    /// How many there are.
    pub(crate) all: u64,
    /// Those that linear-time tests leave over, ascending.
    pub(crate) left: Vec<Wait>,
}

/// Waits of one thread with the same need and the same things held: alike for every test here.
type ClassKey = (TreeIx, Need, u32);

impl Waits {
    /// Finds them. `main_ends`: can others wait for ever when the main thread has ended?
    pub(crate) fn of(survey: &Survey<'_>, main_ends: bool, spurious: bool) -> Waits {
        let mut classes: BTreeMap<ClassKey, Vec<Wait>> = BTreeMap::new();
        let mut all = 0;
        for wait in survey.forest.ids().filter_map(|id| Wait::at(survey, id)) {
            all += 1;
            let key = (survey.forest.node(wait.node).tree, wait.need, survey.held_class(wait.node));
            classes.entry(key).or_default().push(wait);
        }
        let mut classes: Vec<(ClassKey, Vec<Wait>)> = classes.into_iter().collect();
        let ends = Ends::of(survey, main_ends);
        loop {
            let alive: Vec<bool> = classes
                .iter()
                .map(|class| Possible { survey, classes: &classes, ends: &ends, spurious }.can_block(class))
                .collect();
            if alive.iter().all(|&alive| alive) {
                break;
            }
            let mut alive = alive.into_iter();
            classes.retain(|_| alive.next().unwrap_or(false));
        }
        let mut left: Vec<Wait> = classes.into_iter().flat_map(|(_, waits)| waits).collect();
        left.sort_unstable_by_key(|wait| wait.node);
        Waits { all, left }
    }
}

/// How threads can be out of the way of a wait, other than by waiting themselves.
#[derive(Debug)]
pub(super) struct Ends {
    /// Per thread, where it ends.
    pub(super) ends: Vec<Vec<NodeId>>,
    /// Per thread, where it is started.
    pub(super) forks: Vec<Vec<NodeId>>,
}

impl Ends {
    pub(super) fn of(survey: &Survey<'_>, main_ends: bool) -> Ends {
        let trees = survey.forest.keys().len();
        let forest = survey.forest;
        let mut found = Ends {
            ends: forest.trees().map(|tree| forest.ends(tree).to_vec()).collect(),
            forks: forest.trees().map(|tree| forest.forks(tree).to_vec()).collect(),
        };
        if !main_ends {
            for tree in 0..trees {
                if found.forks[tree].is_empty() {
                    found.ends[tree].clear();
                }
            }
        }
        found
    }
}

struct Possible<'a, 'f> {
    survey: &'a Survey<'f>,
    classes: &'a [(ClassKey, Vec<Wait>)],
    ends: &'a Ends,
    spurious: bool,
}

impl Possible<'_, '_> {
    fn can_block(&self, ((tree, need, _), waits): &(ClassKey, Vec<Wait>)) -> bool {
        let node = waits[0].node;
        match *need {
            Need::Object(object, mode) => {
                waits.iter().any(|wait| self_blocked(self.survey, wait.node, object))
                    || self.is_held(node, object, mode.into())
            }
            Need::End(child) => self.classes.iter().any(|((tree, ..), _)| *tree == child),
            Need::Wake { mutex, timed, .. } => {
                let unwoken = !timed && !self.spurious && self.nobody_left(*tree);
                unwoken || mutex.is_some_and(|mutex| self.is_held(node, mutex, RwMode::Write))
            }
            Need::Unit(_) | Need::Round(_) => self.nobody_left(*tree),
        }
    }

    /// Can somebody hold it for ever?
    fn is_held(&self, node: NodeId, object: LocationId, mode: RwMode) -> bool {
        let waiting = self.classes.iter().any(|(_, waits)| {
            let other = waits[0].node;
            holds(self.survey, other, object, mode) && together(self.survey, node, other)
        });
        let mut ends = self.ends.ends.iter().flatten();
        waiting || ends.any(|&end| holds(self.survey, end, object, mode) && together(self.survey, node, end))
    }

    /// Can all others have ended, or wait for ever, or never start?
    fn nobody_left(&self, tree: TreeIx) -> bool {
        self.survey.forest.trees().filter(|&other| other != tree).all(|other| {
            !self.ends.ends[other.index()].is_empty()
                || !self.ends.forks[other.index()].is_empty()
                || self.classes.iter().any(|((waiting, ..), _)| *waiting == other)
        })
    }
}
