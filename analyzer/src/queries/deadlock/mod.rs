//! **Deadlock**: threads that wait for ever, in a cycle of any length.
//!
//! Per wait `b` a Boolean `blocked(b)`: the thread stands before `b`, and what it needs can only come from
//! threads that are blocked themselves, or have ended. Such Booleans may support each other, and that is what a
//! cycle is. A wait for a wake, a unit or the others at a barrier is blocked if it has not got it and nobody is
//! left who could give it.

mod idle;
mod queue;
mod waits;

use std::collections::BTreeMap;

use warpath_solvers::term::{Model, Sort, TermError, TermId};
use warpath_trace::event::RwMode;
use warpath_trace::ids::LocationId;

use super::ask::{Question, under};
use super::pending::{pending, pending_cone};
use super::survey::Survey;
use crate::encode::{Encoding, Family, Options};
use crate::model::{Forest, NodeId, TreeIx};
use queue::{Queue, Taken};
use waits::{Ends, self_blocked, together};

pub(crate) use waits::{Need, Wait, Waits, holds};

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeadlockOptions {
    /// The formula.
    pub(crate) formula: Options,
    /// Can others wait for ever when the main thread has ended?
    pub(crate) main_ends: bool,
}

/// `blocked(b)` of each wait.
type Literals = Vec<(Wait, TermId)>;

/// A question for a deadlock, and the terms that say who is blocked in it.
pub(crate) struct Deadlock<'f> {
    pub(crate) question: Question<'f>,
    blocked: Literals,
}

impl Deadlock<'_> {
    /// Who is blocked in a model.
    pub(crate) fn blocked(&self, model: &Model) -> Vec<Wait> {
        let is_true = |term| model.get(term).and_then(|value| value.as_bool()) == Some(true);
        self.blocked.iter().filter(|&&(_, term)| is_true(term)).map(|&(wait, _)| wait).collect()
    }
}

/// Queues among the needs of these waits that are too large to be followed. Waits in them count as woken.
pub(crate) fn not_followed(survey: &Survey<'_>, waits: &[Wait]) -> Vec<LocationId> {
    let mut queues: Vec<LocationId> = waits.iter().filter_map(queue_of).collect();
    queues.sort_unstable();
    queues.dedup();
    queues.retain(|&queue| {
        !Queue::of(survey.forest, queue).can_be_followed() && family(survey.forest, queue).is_none()
    });
    queues
}

/// The futex words that are followed together with this one, because waiters are moved between them.
fn family(forest: &Forest, queue: LocationId) -> Option<Family> {
    Family::of(forest, queue, |_| true)
}

fn queue_of(wait: &Wait) -> Option<LocationId> {
    match wait.need {
        Need::Wake { queue, timed: false, .. } => Some(queue),
        _ => None,
    }
}

/// Can some of these waits last for ever? `known` are sets of positions whose deadlocks have been found.
pub(crate) fn deadlock<'f>(
    survey: &Survey<'f>,
    options: DeadlockOptions,
    waits: &[Wait],
    known: &[Vec<String>],
) -> Result<Deadlock<'f>, TermError> {
    let forest = survey.forest;
    let mut blocked = Vec::new();
    let builder = Builder::new(survey, options, waits);
    let cone = builder.cone();
    let described = match known {
        [] => format!("Can threads wait for ever? ({})", under(&options.formula)),
        known => format!(
            "Can threads wait for ever, other than in the {} ways found? ({})",
            known.len(),
            under(&options.formula)
        ),
    };
    let question = Question::new(forest, options.formula, &cone, described, |encoding| {
        let mut targets = Vec::new();
        let terms = builder.encode(encoding, &mut targets)?;
        let any: Vec<TermId> = terms.iter().map(|&(_, term)| term).collect();
        targets.push(encoding.terms.or(&any)?);
        for places in known {
            targets.push(not_again(encoding, &terms, places)?);
        }
        blocked = terms;
        Ok(targets)
    })?;
    Ok(Deadlock { question, blocked })
}

/// Threads wait for ever at each of these positions, on the formula of a whole forest.
pub(crate) fn stuck_at<'f>(
    survey: &Survey<'f>,
    options: DeadlockOptions,
    encoding: &mut Encoding<'f>,
    places: &[String],
) -> Result<TermId, TermError> {
    let waits = Waits::of(survey, options.main_ends, options.formula.spurious_wakeups);
    let mut all = Vec::new();
    let blocked = Builder::new(survey, options, &waits.left).encode(encoding, &mut all)?;
    for place in places {
        all.push(blocked_at(encoding, &blocked, place)?);
    }
    encoding.terms.and(&all)
}

/// A thread is blocked at this position.
fn blocked_at(
    encoding: &mut Encoding<'_>,
    blocked: &[(Wait, TermId)],
    place: &str,
) -> Result<TermId, TermError> {
    let here = blocked.iter().filter(|(wait, _)| encoding.forest.place(wait.node) == place);
    let here: Vec<TermId> = here.map(|&(_, term)| term).collect();
    encoding.terms.or(&here)
}

/// Not all of these positions have a blocked thread.
fn not_again(
    encoding: &mut Encoding<'_>,
    blocked: &[(Wait, TermId)],
    places: &[String],
) -> Result<TermId, TermError> {
    let mut all = Vec::new();
    for place in places {
        all.push(blocked_at(encoding, blocked, place)?);
    }
    let all = encoding.terms.and(&all)?;
    encoding.terms.not(all)
}

struct Builder<'a, 'f> {
    survey: &'a Survey<'f>,
    options: DeadlockOptions,
    waits: &'a [Wait],
    ends: Ends,
    queues: BTreeMap<LocationId, Queue>,
}

impl<'a, 'f> Builder<'a, 'f> {
    fn new(survey: &'a Survey<'f>, options: DeadlockOptions, waits: &'a [Wait]) -> Self {
        let queues =
            waits.iter().filter_map(queue_of).map(|object| (object, Queue::of(survey.forest, object)));
        let queues = queues.filter(|(_, queue)| queue.can_be_followed()).collect();
        Builder { survey, options, waits, ends: Ends::of(survey, options.main_ends), queues }
    }

    /// Every event that the terms speak of.
    fn cone(&self) -> Vec<NodeId> {
        let forest = self.survey.forest;
        let mut cone: Vec<NodeId> =
            self.waits.iter().flat_map(|wait| pending_cone(forest, wait.node)).collect();
        cone.extend(self.ends.ends.iter().chain(&self.ends.forks).flatten());
        for queue in self.queues.values() {
            cone.extend(&queue.waits);
            cone.extend(queue.wakers.iter().map(|&(waker, _)| waker));
        }
        for queue in self.waits.iter().filter_map(queue_of) {
            cone.extend(family(forest, queue).iter().flat_map(Family::events));
        }
        for wait in self.waits {
            match wait.need {
                Need::Unit(object) | Need::Round(object) => cone.extend(idle::uses(forest, object)),
                _ => {}
            }
        }
        cone.sort_unstable();
        cone.dedup();
        cone
    }

    /// `blocked(b)` for every wait, and what must hold for it.
    fn encode(&self, encoding: &mut Encoding<'f>, needs: &mut Vec<TermId>) -> Result<Literals, TermError> {
        let mut blocked = Vec::new();
        for &wait in self.waits {
            let name = format!("blocked({})", encoding.forest.name(wait.node));
            blocked.push((wait, encoding.terms.constant(&name, Sort::Bool)?));
        }
        let mut taken = BTreeMap::new();
        for (&object, queue) in &self.queues {
            taken.insert(object, Taken::of(encoding, queue, needs)?);
        }
        let state = Blocked { blocked, taken };
        for &(wait, term) in &state.blocked {
            let stands = pending(encoding, wait.node)?;
            let stuck = self.stuck(encoding, &state, wait)?;
            let both = encoding.terms.and(&[stands, stuck])?;
            needs.push(encoding.terms.implies(term, both)?);
        }
        if !self.options.main_ends {
            self.main_goes_on(encoding, needs)?;
        }
        Ok(state.blocked)
    }

    /// The main thread has not ended, and the process with it.
    fn main_goes_on(&self, encoding: &mut Encoding<'f>, needs: &mut Vec<TermId>) -> Result<(), TermError> {
        let forest = self.survey.forest;
        for id in forest.ids() {
            let main = self.ends.forks[forest.node(id).tree.index()].is_empty();
            if main && encoding.has(id) && matches!(forest.node(id).op, warpath_trace::event::Op::End) {
                let en = encoding.en(id)?;
                needs.push(encoding.terms.not(en)?);
            }
        }
        Ok(())
    }

    /// What the wait needs does not come any more.
    fn stuck(&self, encoding: &mut Encoding<'f>, state: &Blocked, wait: Wait) -> Result<TermId, TermError> {
        let tree = encoding.forest.node(wait.node).tree;
        match wait.need {
            Need::Object(object, mode) => self.held(encoding, state, wait.node, object, mode.into()),
            Need::End(child) => {
                let waiting = state.of_thread(encoding, child);
                encoding.terms.or(&waiting)
            }
            Need::Wake { queue, mutex, .. } => {
                let mut ways = Vec::new();
                let begin = self.survey.stand(wait.node).map_or(wait.node, |(begin, _)| begin);
                let woken = match (state.taken.get(&queue), encoding.family(queue)) {
                    (Some(taken), _) => Some(taken.is_woken(encoding, begin)?),
                    (None, Some(family)) => Some(encoding.futex_taken(&family, begin)?),
                    (None, None) => None,
                };
                if let Some(woken) = woken
                    && !encoding.options.spurious_wakeups
                    && queue_of(&wait).is_some()
                {
                    let unwoken = encoding.terms.not(woken)?;
                    let alone = self.nobody_left(encoding, state, tree)?;
                    ways.push(encoding.terms.and(&[unwoken, alone])?);
                }
                if let Some(mutex) = mutex {
                    ways.push(self.held(encoding, state, wait.node, mutex, RwMode::Write)?);
                }
                encoding.terms.or(&ways)
            }
            Need::Unit(semaphore) => {
                let empty = idle::empty(encoding, semaphore)?;
                let alone = self.nobody_left(encoding, state, tree)?;
                encoding.terms.and(&[empty, alone])
            }
            Need::Round(barrier) => {
                let missing = idle::incomplete(encoding, barrier, wait.node)?;
                let alone = self.nobody_left(encoding, state, tree)?;
                encoding.terms.and(&[missing, alone])
            }
        }
    }

    /// Somebody holds it who is blocked or has ended; or the thread waits for itself.
    fn held(
        &self,
        encoding: &mut Encoding<'f>,
        state: &Blocked,
        node: NodeId,
        object: LocationId,
        mode: RwMode,
    ) -> Result<TermId, TermError> {
        if self_blocked(self.survey, node, object) {
            return Ok(encoding.terms.bool(true));
        }
        let holders = state.blocked.iter().filter(|(other, _)| {
            holds(self.survey, other.node, object, mode) && together(self.survey, node, other.node)
        });
        let mut ways: Vec<TermId> = holders.map(|&(_, term)| term).collect();
        for &end in self.ends.ends.iter().flatten() {
            if holds(self.survey, end, object, mode) && together(self.survey, node, end) {
                ways.push(encoding.en(end)?);
            }
        }
        encoding.terms.or(&ways)
    }

    /// Every other thread is blocked, has ended, or was never started and never will be.
    fn nobody_left(
        &self,
        encoding: &mut Encoding<'f>,
        state: &Blocked,
        tree: TreeIx,
    ) -> Result<TermId, TermError> {
        let mut all = Vec::new();
        for other in encoding.forest.trees().filter(|&other| other != tree) {
            let mut ways = state.of_thread(encoding, other);
            for &end in &self.ends.ends[other.index()] {
                ways.push(encoding.en(end)?);
            }
            let forks = &self.ends.forks[other.index()];
            if !forks.is_empty() {
                let started: Vec<TermId> =
                    forks.iter().map(|&fork| encoding.en(fork)).collect::<Result<_, _>>()?;
                let started = encoding.terms.or(&started)?;
                ways.push(encoding.terms.not(started)?);
            }
            all.push(encoding.terms.or(&ways)?);
        }
        encoding.terms.and(&all)
    }
}

struct Blocked {
    blocked: Literals,
    taken: BTreeMap<LocationId, Taken>,
}

impl Blocked {
    fn of_thread(&self, encoding: &Encoding<'_>, tree: TreeIx) -> Vec<TermId> {
        let here = |wait: &Wait| encoding.forest.node(wait.node).tree == tree;
        self.blocked.iter().filter(|(wait, _)| here(wait)).map(|&(_, term)| term).collect()
    }
}
