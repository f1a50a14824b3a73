//! **Semaphore.** Each wait needs a unit of its own: a post before it, given to no other wait, or one of the
//! initial units. A try that failed, or a reading of the count, counts.
//!
//! A semaphore that holds at most one unit (a parking permit) forgets posts that find it full: there the unit
//! comes from a post with no other wait in between.

use warpath_solvers::term::{Sort, TermError, TermId};
use warpath_trace::event::{Op, WaitResult};
use warpath_trace::ids::LocationId;

use super::{About, Encoding, Point};
use crate::model::NodeId;

/// The events of one semaphore.
struct Uses {
    initial: u32,
    binary: bool,
    taken: Vec<NodeId>,
    posts: Vec<NodeId>,
    /// Events that say what the count was.
    counted: Vec<(NodeId, u32)>,
}

impl Encoding<'_> {
    pub(super) fn semaphores(&mut self, semaphore: LocationId) -> Result<(), TermError> {
        let uses = self.semaphore_uses(semaphore);
        let mut given = Vec::new();
        let mut first_units = Vec::new();
        for &wait in &uses.taken {
            let mut ways = Vec::new();
            for &post in &uses.posts {
                let before = self.done_before(post, wait)?;
                if before == self.terms.bool(false) {
                    continue;
                }
                let name = format!("unit({},{})", self.forest.name(post), self.forest.name(wait));
                let gets = self.terms.constant(&name, Sort::Bool)?;
                let mut needs = vec![self.en(post)?, before];
                if uses.binary {
                    needs.extend(self.no_wait_between(&uses.taken, Some(post), wait)?);
                }
                let needs = self.terms.and(&needs)?;
                self.require(About::Semaphore(wait), gets, needs)?;
                ways.push(gets);
                given.push((post, wait, gets));
            }
            if uses.initial > 0 {
                let name = format!("unit(initial,{})", self.forest.name(wait));
                let gets = self.terms.constant(&name, Sort::Bool)?;
                if uses.binary {
                    let alone = self.no_wait_between(&uses.taken, None, wait)?;
                    let alone = self.terms.and(&alone)?;
                    self.require(About::Semaphore(wait), gets, alone)?;
                }
                ways.push(gets);
                first_units.push(gets);
            }
            let way = self.terms.or(&ways)?;
            let en = self.en(wait)?;
            self.require(About::Semaphore(wait), en, way)?;
        }
        self.injective(&given)?;
        if let Some(&wait) = uses.taken.first()
            && first_units.len() > uses.initial as usize
            && !uses.binary
        {
            let bounded = self.terms.at_most(uses.initial as usize, &first_units)?;
            self.constrain(About::Semaphore(wait), bounded);
        }
        for &(id, value) in &uses.counted {
            self.counted(id, value, &uses)?;
        }
        Ok(())
    }

    fn semaphore_uses(&self, semaphore: LocationId) -> Uses {
        let mut uses =
            Uses { initial: 0, binary: false, taken: Vec::new(), posts: Vec::new(), counted: Vec::new() };
        (uses.initial, uses.binary) = self.forest.semaphore(semaphore);
        for &id in self.accesses.sync(semaphore) {
            match self.forest.node(id).op {
                Op::SemPost { .. } => uses.posts.push(id),
                Op::SemWait { result: WaitResult::Done, .. } => uses.taken.push(id),
                Op::SemWait { result: WaitResult::Busy | WaitResult::TimedOut, .. } => {
                    uses.counted.push((id, 0));
                }
                Op::SemValue { value, .. } => uses.counted.push((id, value)),
                _ => {}
            }
        }
        uses
    }

    /// No other wait takes a unit between the post (or the beginning) and this wait.
    fn no_wait_between(
        &mut self,
        waits: &[NodeId],
        post: Option<NodeId>,
        wait: NodeId,
    ) -> Result<Vec<TermId>, TermError> {
        let mut needs = Vec::new();
        for &other in waits.iter().filter(|&&other| other != wait) {
            if !self.must.compatible(other, wait) {
                continue;
            }
            let en = self.en(other)?;
            let mut ways = vec![self.terms.not(en)?];
            ways.push(self.before(Point::Issue(wait), Point::Issue(other))?);
            if let Some(post) = post
                && self.must.compatible(other, post)
            {
                ways.push(self.before(Point::Issue(other), Point::Issue(post))?);
            }
            needs.push(self.terms.or(&ways)?);
        }
        Ok(needs)
    }

    /// The count is `value` when this happens: posts and initial units before it, less the waits before it.
    fn counted(&mut self, id: NodeId, value: u32, uses: &Uses) -> Result<(), TermError> {
        let mut given = Vec::new();
        for &post in &uses.posts {
            given.push(self.done_before(post, id)?);
        }
        let mut taken = Vec::new();
        for &wait in &uses.taken {
            taken.push(self.done_before(wait, id)?);
        }
        let limit = uses.initial + value + (given.len() + taken.len()) as u32;
        let given = self.count(uses.initial, &given, limit)?;
        let taken = self.count(value, &taken, limit)?;
        let equal = self.terms.eq(given, taken)?;
        let en = self.en(id)?;
        self.require(About::Semaphore(id), en, equal)
    }
}
