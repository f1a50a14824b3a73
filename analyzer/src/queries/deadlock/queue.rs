//! Queues of waiters, exactly: who takes which wake.
//!
//! For executions it is enough that whoever was woken can have been. To say that a wait is *not* woken, the
//! queue must be followed: a signal wakes one of those that wait at that moment, and is lost only if there is
//! none.

use std::collections::HashMap;

use warpath_solvers::term::{Sort, TermError, TermId};
use warpath_trace::event::{Attempt, Op, WaitResult};
use warpath_trace::ids::LocationId;

use crate::encode::{Encoding, Point};
use crate::model::{Forest, NodeId, Outcome};

/// Above so many clauses a queue is not followed: with thousands of signals the formula would not fit.
const MOST_CLAUSES: usize = 1_000_000;

/// The events of a queue.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    /// Where threads begin to wait.
    pub(super) waits: Vec<NodeId>,
    /// What wakes them, and how many at most.
    pub(super) wakers: Vec<(NodeId, u32)>,
    /// Are waiters moved to another queue? Then the formula itself follows this one, if it can.
    moved: bool,
}

impl Queue {
    pub(super) fn of(forest: &Forest, object: LocationId) -> Queue {
        let mut queue = Queue::default();
        for id in forest.ids() {
            match forest.node(id).op {
                Op::CondWait { condition: queued, .. } | Op::FutexWait { word: queued, .. }
                    if queued == object =>
                {
                    queue.waits.push(id);
                }
                Op::Signal { condition, .. } if condition == object => queue.wakers.push((id, 1)),
                Op::Broadcast { condition, .. } if condition == object => queue.wakers.push((id, u32::MAX)),
                Op::FutexWake { word, limit, .. } if word == object => queue.wakers.push((id, limit)),
                Op::FutexRequeue { from, to, .. } if from == object || to == object => queue.moved = true,
                _ => {}
            }
        }
        queue
    }

    /// Can it be said who takes what?
    pub(super) fn can_be_followed(&self) -> bool {
        let clauses = self.wakers.len().saturating_mul(self.wakers.len()).saturating_mul(self.waits.len());
        !self.moved && clauses <= MOST_CLAUSES
    }
}

/// Who takes which wake.
pub(super) struct Taken {
    takes: HashMap<(NodeId, NodeId), TermId>,
    wakers: Vec<(NodeId, u32)>,
}

impl Taken {
    /// Writes down the queue; what must hold goes to `needs`.
    pub(super) fn of(
        encoding: &mut Encoding<'_>,
        queue: &Queue,
        needs: &mut Vec<TermId>,
    ) -> Result<Taken, TermError> {
        let mut taken = Taken { takes: HashMap::new(), wakers: queue.wakers.clone() };
        for &(waker, _) in &queue.wakers {
            for &wait in &queue.waits {
                taken.take(encoding, waker, wait, needs)?;
            }
        }
        for &wait in &queue.waits {
            let once = taken.by(wait);
            needs.push(encoding.terms.at_most(1, &once)?);
            taken.woken(encoding, wait, needs)?;
        }
        for &(waker, limit) in &queue.wakers {
            let given = taken.from(waker, &queue.waits);
            let full = match limit as usize >= given.len() {
                true => encoding.terms.bool(false),
                false => {
                    needs.push(encoding.terms.at_most(limit as usize, &given)?);
                    encoding.terms.at_least(limit as usize, &given)?
                }
            };
            for &wait in &queue.waits {
                taken.not_lost(encoding, waker, wait, full, needs)?;
            }
        }
        Ok(taken)
    }

    /// The wait took some wake.
    pub(super) fn is_woken(&self, encoding: &mut Encoding<'_>, wait: NodeId) -> Result<TermId, TermError> {
        encoding.terms.or(&self.by(wait))
    }

    fn by(&self, wait: NodeId) -> Vec<TermId> {
        self.wakers.iter().filter_map(|&(waker, _)| self.takes.get(&(waker, wait)).copied()).collect()
    }

    fn from(&self, waker: NodeId, waits: &[NodeId]) -> Vec<TermId> {
        waits.iter().filter_map(|&wait| self.takes.get(&(waker, wait)).copied()).collect()
    }

    /// `takes(s,k)`: the wait is in the queue when the waker comes, and has not ended before.
    fn take(
        &mut self,
        encoding: &mut Encoding<'_>,
        waker: NodeId,
        wait: NodeId,
        needs: &mut Vec<TermId>,
    ) -> Result<(), TermError> {
        let forest = encoding.forest;
        let own = forest.node(waker).tree == forest.node(wait).tree;
        if own || !reaches(forest, waker, wait) || encoding.must.before(waker, wait) {
            return Ok(());
        }
        let name = format!("takes({},{})", forest.name(waker), forest.name(wait));
        let takes = encoding.terms.constant(&name, Sort::Bool)?;
        let mut parts = vec![
            encoding.en(waker)?,
            is_queued(encoding, wait)?,
            encoding.before(Point::Issue(wait), Point::Issue(waker))?,
        ];
        for (ended, result) in endings(encoding, wait) {
            let en = encoding.en(ended)?;
            let not_ended = encoding.terms.not(en)?;
            parts.push(match result {
                WaitResult::Done => {
                    let before = encoding.before(Point::Issue(waker), Point::Issue(ended))?;
                    encoding.terms.or(&[not_ended, before])?
                }
                _ => not_ended,
            });
        }
        let parts = encoding.terms.and(&parts)?;
        needs.push(encoding.terms.implies(takes, parts)?);
        self.takes.insert((waker, wait), takes);
        Ok(())
    }

    /// A wait that ended by a wake took one.
    fn woken(
        &self,
        encoding: &mut Encoding<'_>,
        wait: NodeId,
        needs: &mut Vec<TermId>,
    ) -> Result<(), TermError> {
        let any = encoding.terms.or(&self.by(wait))?;
        for (ended, result) in endings(encoding, wait) {
            if result == WaitResult::Done && !encoding.options.spurious_wakeups {
                let en = encoding.en(ended)?;
                needs.push(encoding.terms.implies(en, any)?);
            }
        }
        Ok(())
    }

    /// Who is in the queue when a waker comes takes it, unless it has gone to as many others as it can.
    fn not_lost(
        &self,
        encoding: &mut Encoding<'_>,
        waker: NodeId,
        wait: NodeId,
        full: TermId,
        needs: &mut Vec<TermId>,
    ) -> Result<(), TermError> {
        let Some(&takes) = self.takes.get(&(waker, wait)) else { return Ok(()) };
        let here = [
            encoding.en(waker)?,
            is_queued(encoding, wait)?,
            encoding.before(Point::Issue(wait), Point::Issue(waker))?,
        ];
        let here = encoding.terms.and(&here)?;
        let mut ways = vec![takes, full, left_by_itself(encoding, wait)?];
        for &(other, _) in self.wakers.iter().filter(|&&(other, _)| other != waker) {
            if let Some(&earlier) = self.takes.get(&(other, wait)) {
                let before = encoding.before(Point::Issue(other), Point::Issue(waker))?;
                ways.push(encoding.terms.and(&[earlier, before])?);
            }
        }
        let ways = encoding.terms.or(&ways)?;
        needs.push(encoding.terms.implies(here, ways)?);
        Ok(())
    }
}

/// The thread waits from here on.
fn is_queued(encoding: &mut Encoding<'_>, wait: NodeId) -> Result<TermId, TermError> {
    let mut parts = vec![encoding.en(wait)?];
    if matches!(encoding.forest.node(wait).op, Op::FutexWait { .. }) {
        parts.extend(encoding.outcome(wait, Outcome::Held(true))?);
    }
    encoding.terms.and(&parts)
}

/// The ways in which the wait was seen to end, as far as they take part.
fn endings(encoding: &Encoding<'_>, wait: NodeId) -> Vec<(NodeId, WaitResult)> {
    let forest = encoding.forest;
    let children = forest.node(wait).children.iter().map(|child| child.node);
    let ended = |id: NodeId| match forest.node(id).op {
        Op::CondWake { result, .. } | Op::FutexResume { result, .. } => Some((id, result)),
        _ => None,
    };
    children.filter(|&id| encoding.has(id)).filter_map(ended).collect()
}

/// The wait ended, or can have ended, without a wake: a deadline, an interrupt. When, is not known.
fn left_by_itself(encoding: &mut Encoding<'_>, wait: NodeId) -> Result<TermId, TermError> {
    let timed = match encoding.forest.node(wait).op {
        Op::CondWait { attempt, .. } | Op::FutexWait { attempt, .. } => attempt != Attempt::Block,
        _ => false,
    };
    let mut ways = Vec::new();
    for (ended, result) in endings(encoding, wait) {
        let en = encoding.en(ended)?;
        if timed && result == WaitResult::Done {
            ways.push(encoding.terms.not(en)?);
        } else if !timed && result != WaitResult::Done {
            ways.push(en);
        }
    }
    match timed {
        true => encoding.terms.and(&ways),
        false => encoding.terms.or(&ways),
    }
}

/// Does a wake of this kind reach a wait of that kind?
fn reaches(forest: &Forest, waker: NodeId, wait: NodeId) -> bool {
    match (forest.node(waker).op, forest.node(wait).op) {
        (Op::FutexWake { bitset, .. }, Op::FutexWait { bitset: listens, .. }) => bitset & listens != 0,
        (Op::FutexWake { .. }, _) | (_, Op::FutexWait { .. }) => false,
        _ => true,
    }
}
