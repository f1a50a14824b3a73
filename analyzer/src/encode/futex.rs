//! **Futex.** A wait that was queued resumes by a wake after it that reaches its bits; a wake reaches at most
//! as many waits as its limit. A requeue wakes some and moves others to a second word, where a wake may
//! reach them: for words that requeues connect see `requeue`; what is here is for those that are too many for it.
//!
//! How many a wake reached is a number the program could look at; programs do not, and it is left open here.

use warpath_solvers::term::{Sort, TermError, TermId};
use warpath_trace::event::{Op, WaitResult};
use warpath_trace::ids::LocationId;

use super::{About, Encoding, Point};
use crate::model::NodeId;

impl Encoding<'_> {
    pub(super) fn futexes(&mut self, word: LocationId) -> Result<(), TermError> {
        if let Some(family) = self.family(word) {
            return match family.is_first(word) {
                true => self.futex_family(&family),
                false => Ok(()),
            };
        }
        let nodes = self.on(word);
        // What each waker hands out, to be bounded by its limit.
        let mut woken: Vec<(NodeId, u32, Vec<TermId>)> = Vec::new();
        let mut moved: Vec<(NodeId, u32, Vec<TermId>)> = Vec::new();
        for &resume in &nodes {
            let Op::FutexResume { result: WaitResult::Done, .. } = self.op(resume) else { continue };
            let is_wait = |id: NodeId| matches!(self.forest.node(id).op, Op::FutexWait { .. });
            let Some(wait) = self.object_trees.last_above(word, resume, is_wait) else { continue };
            let Op::FutexWait { bitset: listens, .. } = self.op(wait) else { continue };
            let mut ways = Vec::new();
            for &id in &nodes {
                match self.op(id) {
                    Op::FutexWake { limit, bitset, .. } if bitset & listens != 0 => {
                        let during = self.during(id, wait, resume)?;
                        ways.extend(self.hand_out(&mut woken, id, limit, resume, during)?);
                    }
                    Op::FutexRequeue { from, to, wake_limit, move_limit, .. } if from == word => {
                        let during = self.during(id, wait, resume)?;
                        ways.extend(self.hand_out(&mut woken, id, wake_limit, resume, during)?);
                        let there = self.woken_there(id, to, resume)?;
                        let way = self.terms.and(&[during, there])?;
                        ways.extend(self.hand_out(&mut moved, id, move_limit, resume, way)?);
                    }
                    _ => {}
                }
            }
            let way = self.terms.or(&ways)?;
            let en = self.en(resume)?;
            self.require(About::Futex(resume), en, way)?;
        }
        for (id, limit, given) in woken.into_iter().chain(moved) {
            if given.len() > limit as usize {
                let bounded = self.terms.at_most(limit as usize, &given)?;
                self.constrain(About::Futex(id), bounded);
            }
        }
        Ok(())
    }

    /// A literal for "this waker reaches this wait", under its condition.
    fn hand_out(
        &mut self,
        given: &mut Vec<(NodeId, u32, Vec<TermId>)>,
        waker: NodeId,
        limit: u32,
        resume: NodeId,
        condition: TermId,
    ) -> Result<Option<TermId>, TermError> {
        if condition == self.terms.bool(false) || limit == 0 {
            return Ok(None);
        }
        let turn = given.iter().map(|(_, _, given)| given.len()).sum::<usize>();
        let name = format!("woken({},{},{turn})", self.forest.name(waker), self.forest.name(resume));
        let gets = self.terms.constant(&name, Sort::Bool)?;
        self.require(About::Futex(resume), gets, condition)?;
        match given.iter_mut().find(|(id, ..)| *id == waker) {
            Some((_, _, list)) => list.push(gets),
            None => given.push((waker, limit, vec![gets])),
        }
        Ok(Some(gets))
    }

    /// Some wake of the second word after the move and before the resumption.
    fn woken_there(&mut self, requeue: NodeId, to: LocationId, resume: NodeId) -> Result<TermId, TermError> {
        let mut ways = Vec::new();
        for id in self.on(to) {
            if let Op::FutexWake { word, .. } = self.op(id)
                && word == to
            {
                let before = self.done_before(id, resume)?;
                let en = self.en(id)?;
                let after = self.before(Point::Issue(requeue), Point::Issue(id))?;
                ways.push(self.terms.and(&[en, before, after])?);
            }
        }
        self.terms.or(&ways)
    }
}
