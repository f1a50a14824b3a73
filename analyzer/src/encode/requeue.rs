//! **Futex words between which waiters are moved.** Here it is not enough that whoever was woken can have been: a
//! requeue that finds waiters moves them, whether that helps or not. So the queues are followed exactly. A wake
//! takes as many of those that wait on its word as its limit allows; a requeue takes some, and moves as many of
//! the rest as it may.
//!
//! `takes(k,w)`: the waker `k` takes the wait `w` out of its queue. `moves(q,w)`: the requeue `q` moves it. `stays(k,w)`:
//! a wait with a deadline has not left by itself when `k` comes.

use std::collections::{BTreeSet, HashMap};

use warpath_solvers::term::{Sort, TermError, TermId};
use warpath_trace::event::{Attempt, Op, WaitResult};
use warpath_trace::ids::LocationId;

use super::{About, Encoding, Point};
use crate::model::{Forest, NodeId, Outcome};

/// Above so many clauses queues are not followed: whoever was woken need only have been able to.
const MOST_CLAUSES: usize = 1_000_000;

/// Words that requeues connect, with their events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Family {
    words: BTreeSet<LocationId>,
    waits: Vec<NodeId>,
    wakers: Vec<NodeId>,
}

impl Family {
    /// The words connected with this one and what happens on them; `None` if nothing is moved, or if there is too
    /// much to be followed.
    pub(crate) fn of(
        forest: &Forest,
        word: LocationId,
        takes_part: impl Fn(NodeId) -> bool,
    ) -> Option<Family> {
        let mut family = Family { words: connected(forest, word), ..Family::default() };
        if family.words.len() < 2 {
            return None;
        }
        for id in forest.ids().filter(|&id| takes_part(id)) {
            match forest.node(id).op {
                Op::FutexWait { word, .. } if family.words.contains(&word) => family.waits.push(id),
                Op::FutexWake { word, .. } | Op::FutexRequeue { from: word, .. }
                    if family.words.contains(&word) =>
                {
                    family.wakers.push(id);
                }
                _ => {}
            }
        }
        let clauses = family.wakers.len().saturating_pow(2).saturating_mul(family.waits.len());
        (clauses <= MOST_CLAUSES).then_some(family)
    }

    /// Everything that happens to the queues, ends of waits left out.
    pub(crate) fn events(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.waits.iter().chain(&self.wakers).copied()
    }

    /// Does this word stand for all of them?
    pub(super) fn is_first(&self, word: LocationId) -> bool {
        self.words.first() == Some(&word)
    }
}

/// The words that requeues connect with this one, itself included.
pub(super) fn connected(forest: &Forest, word: LocationId) -> BTreeSet<LocationId> {
    let mut words = BTreeSet::from([word]);
    loop {
        let before = words.len();
        for node in forest.nodes() {
            if let Op::FutexRequeue { from, to, .. } = node.op
                && (words.contains(&from) || words.contains(&to))
            {
                words.extend([from, to]);
            }
        }
        if words.len() == before {
            return words;
        }
    }
}

/// The literals of a family.
#[derive(Default)]
struct Literals {
    takes: HashMap<(NodeId, NodeId), TermId>,
    moves: HashMap<(NodeId, NodeId), TermId>,
    stays: HashMap<(NodeId, NodeId), TermId>,
}

impl Encoding<'_> {
    pub(super) fn futex_family(&mut self, family: &Family) -> Result<(), TermError> {
        let literals = self.family_literals(family)?;
        for &wait in &family.waits {
            self.leaves_once(family, &literals, wait)?;
            self.resumed(family, &literals, wait)?;
        }
        for &waker in &family.wakers {
            self.wakes(family, &literals, waker)?;
        }
        Ok(())
    }

    fn family_literals(&mut self, family: &Family) -> Result<Literals, TermError> {
        let mut literals = Literals::default();
        for &waker in &family.wakers {
            for &wait in &family.waits {
                if !self.may_meet(waker, wait) {
                    continue;
                }
                let literal = |encoding: &mut Self, verb: &str| {
                    let (waker, wait) = (encoding.forest.name(waker), encoding.forest.name(wait));
                    encoding.terms.constant(&format!("{verb}({waker},{wait})"), Sort::Bool)
                };
                if self.reaches(waker, wait) {
                    literals.takes.insert((waker, wait), literal(self, "takes")?);
                }
                if matches!(self.op(waker), Op::FutexRequeue { .. }) {
                    literals.moves.insert((waker, wait), literal(self, "moves")?);
                }
                if self.can_leave(wait) {
                    literals.stays.insert((waker, wait), literal(self, "stays")?);
                }
            }
        }
        Ok(literals)
    }

    /// Can the wait be in a queue when the waker comes? A thread that waits wakes nobody.
    fn may_meet(&self, waker: NodeId, wait: NodeId) -> bool {
        self.forest.node(waker).tree != self.forest.node(wait).tree && !self.must.before(waker, wait)
    }

    /// Does the waker listen to the bits of the wait, and wake anybody at all?
    fn reaches(&self, waker: NodeId, wait: NodeId) -> bool {
        match (self.op(waker), self.op(wait)) {
            (Op::FutexWake { bitset, limit, .. }, Op::FutexWait { bitset: listens, .. }) => {
                bitset & listens != 0 && limit > 0
            }
            (Op::FutexRequeue { wake_limit, .. }, _) => wake_limit > 0,
            _ => false,
        }
    }

    /// Can the wait end without a wake: by a deadline, an interrupt?
    fn can_leave(&self, wait: NodeId) -> bool {
        let timed = matches!(self.op(wait), Op::FutexWait { attempt, .. } if attempt != Attempt::Block);
        timed || self.resumptions(wait).iter().any(|&(_, result)| result != WaitResult::Done)
    }

    fn resumptions(&self, wait: NodeId) -> Vec<(NodeId, WaitResult)> {
        let children = self.forest.node(wait).children.iter().map(|child| child.node);
        let resumed = |id: NodeId| match self.op(id) {
            Op::FutexResume { result, .. } => Some((id, result)),
            _ => None,
        };
        children.filter(|id| self.takes_part[id.index()]).filter_map(resumed).collect()
    }

    /// Who has left the queue by itself does not come back.
    fn leaves_once(&mut self, family: &Family, literals: &Literals, wait: NodeId) -> Result<(), TermError> {
        for &later in &family.wakers {
            let Some(&stays) = literals.stays.get(&(later, wait)) else { continue };
            for &earlier in family.wakers.iter().filter(|&&earlier| earlier != later) {
                if let Some(&stayed) = literals.stays.get(&(earlier, wait)) {
                    let before = self.done_before(earlier, later)?;
                    let both = [self.en(later)?, stays, before];
                    let both = self.terms.and(&both)?;
                    self.require(About::Futex(wait), both, stayed)?;
                }
            }
        }
        Ok(())
    }

    /// A wait that ended by a wake was taken before; one that ended otherwise was not.
    fn resumed(&mut self, family: &Family, literals: &Literals, wait: NodeId) -> Result<(), TermError> {
        for (resume, result) in self.resumptions(wait) {
            let mut taken = Vec::new();
            for &waker in &family.wakers {
                if let Some(&takes) = literals.takes.get(&(waker, wait)) {
                    let before = self.done_before(waker, resume)?;
                    taken.push(self.terms.and(&[takes, before])?);
                }
            }
            let taken = self.terms.or(&taken)?;
            let way = match result {
                WaitResult::Done => taken,
                _ => self.terms.not(taken)?,
            };
            let en = self.en(resume)?;
            self.require(About::Futex(resume), en, way)?;
        }
        Ok(())
    }

    /// What a wake or a requeue does to everybody in its queue.
    fn wakes(&mut self, family: &Family, literals: &Literals, waker: NodeId) -> Result<(), TermError> {
        let (word, wake_limit, move_limit) = match self.op(waker) {
            Op::FutexWake { word, limit, .. } => (word, limit, 0),
            Op::FutexRequeue { from, wake_limit, move_limit, .. } => (from, wake_limit, move_limit),
            _ => return Ok(()),
        };
        let en = self.en(waker)?;
        let all_woken = self.limited(family, &literals.takes, waker, wake_limit)?;
        let all_moved = self.limited(family, &literals.moves, waker, move_limit)?;
        for &wait in &family.waits {
            if !self.may_meet(waker, wait) {
                continue;
            }
            let here = self.in_queue(family, literals, waker, wait, word)?;
            let both = self.terms.and(&[en, here])?;
            let takes = literals.takes.get(&(waker, wait)).copied();
            let moves = literals.moves.get(&(waker, wait)).copied();
            for literal in takes.into_iter().chain(moves) {
                self.require(About::Futex(waker), literal, both)?;
            }
            let mut ways: Vec<TermId> = takes.into_iter().collect();
            match moves {
                Some(moves) => {
                    if let Some(takes) = takes {
                        self.exclude(About::Futex(waker), takes, moves)?;
                    }
                    let moved = self.terms.or(&[moves, all_moved])?;
                    ways.push(self.terms.and(&[all_woken, moved])?);
                }
                // A wait that does not listen stays where it is.
                None if takes.is_none() => continue,
                None => ways.push(all_woken),
            }
            let way = self.terms.or(&ways)?;
            self.require(About::Futex(waker), both, way)?;
        }
        Ok(())
    }

    /// At most so many; answers whether it is that many.
    fn limited(
        &mut self,
        family: &Family,
        literals: &HashMap<(NodeId, NodeId), TermId>,
        waker: NodeId,
        limit: u32,
    ) -> Result<TermId, TermError> {
        let given: Vec<TermId> =
            family.waits.iter().filter_map(|&wait| literals.get(&(waker, wait)).copied()).collect();
        let limit = limit as usize;
        match limit {
            0 => {
                for literal in given {
                    let not = self.terms.not(literal)?;
                    self.constrain(About::Futex(waker), not);
                }
                Ok(self.terms.bool(true))
            }
            limit if limit > given.len() => Ok(self.terms.bool(false)),
            limit => {
                let bounded = self.terms.at_most(limit, &given)?;
                self.constrain(About::Futex(waker), bounded);
                self.terms.at_least(limit, &given)
            }
        }
    }

    /// The wait is in the queue of this word when the waker comes.
    fn in_queue(
        &mut self,
        family: &Family,
        literals: &Literals,
        waker: NodeId,
        wait: NodeId,
        word: LocationId,
    ) -> Result<TermId, TermError> {
        let mut parts = vec![self.done_before(wait, waker)?];
        parts.extend(self.outcome(wait, Outcome::Held(true))?);
        parts.extend(literals.stays.get(&(waker, wait)).copied());
        for (resume, _) in self.resumptions(wait) {
            let ended = self.done_before(resume, waker)?;
            parts.push(self.terms.not(ended)?);
        }
        for &other in family.wakers.iter().filter(|&&other| other != waker) {
            if let Some(&takes) = literals.takes.get(&(other, wait)) {
                let before = self.before(Point::Issue(other), Point::Issue(waker))?;
                let taken = self.terms.and(&[takes, before])?;
                parts.push(self.terms.not(taken)?);
            }
        }
        parts.push(self.waits_on(family, literals, waker, wait, word)?);
        self.terms.and(&parts)
    }

    /// The last move of the wait before the waker, if there was one, was to this word.
    fn waits_on(
        &mut self,
        family: &Family,
        literals: &Literals,
        waker: NodeId,
        wait: NodeId,
        word: LocationId,
    ) -> Result<TermId, TermError> {
        let mut moved = Vec::new();
        for &requeue in family.wakers.iter().filter(|&&requeue| requeue != waker) {
            if let (Some(&moves), Op::FutexRequeue { to, .. }) =
                (literals.moves.get(&(requeue, wait)), self.op(requeue))
            {
                let before = self.before(Point::Issue(requeue), Point::Issue(waker))?;
                moved.push((requeue, to, self.terms.and(&[moves, before])?));
            }
        }
        let mut ways = Vec::new();
        if matches!(self.op(wait), Op::FutexWait { word: own, .. } if own == word) {
            let any: Vec<TermId> = moved.iter().map(|&(.., term)| term).collect();
            let any = self.terms.or(&any)?;
            ways.push(self.terms.not(any)?);
        }
        for &(last, _, here) in moved.iter().filter(|&&(_, to, _)| to == word) {
            let mut parts = vec![here];
            for &(other, _, there) in moved.iter().filter(|&&(other, ..)| other != last) {
                let earlier = self.before(Point::Issue(other), Point::Issue(last))?;
                let not_moved = self.terms.not(there)?;
                parts.push(self.terms.or(&[not_moved, earlier])?);
            }
            ways.push(self.terms.and(&parts)?);
        }
        self.terms.or(&ways)
    }

    /// Some waker has taken the wait; its words must be a family that is followed.
    pub(crate) fn futex_taken(&mut self, family: &Family, wait: NodeId) -> Result<TermId, TermError> {
        let mut taken = Vec::new();
        for &waker in &family.wakers {
            if self.may_meet(waker, wait) && self.reaches(waker, wait) {
                let name = format!("takes({},{})", self.forest.name(waker), self.forest.name(wait));
                taken.push(self.terms.constant(&name, Sort::Bool)?);
            }
        }
        self.terms.or(&taken)
    }

    /// The family of a word, if its queues are followed.
    pub(crate) fn family(&self, word: LocationId) -> Option<Family> {
        Family::of(self.forest, word, |id| self.takes_part[id.index()])
    }
}
