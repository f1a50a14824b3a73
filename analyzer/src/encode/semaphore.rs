//! **Semaphore.** Each wait needs a unit of its own: a post before it, given to no other wait, or one of the
//! initial units. A try that failed, or a reading of the count, counts.
//!
//! A semaphore with a maximum forgets posts that find it full (a parking permit is one with a maximum of one).
//! There everything counts: a post is kept unless the count is at its maximum, and a wait needs a count above 0.

use warpath_solvers::term::{Op as TermOp, Sort, TermError, TermId};
use warpath_trace::event::{Op, WaitResult};
use warpath_trace::ids::LocationId;

use super::{About, Encoding};
use crate::model::NodeId;

/// The events of one semaphore.
struct Uses {
    initial: u32,
    maximum: Option<u32>,
    taken: Vec<NodeId>,
    posts: Vec<NodeId>,
    /// Events that say what the count was.
    counted: Vec<(NodeId, u32)>,
}

/// Units given and taken before an event: the count is their difference.
struct Units {
    given: TermId,
    taken: TermId,
}

impl Encoding<'_> {
    pub(super) fn semaphores(&mut self, semaphore: LocationId) -> Result<(), TermError> {
        let uses = self.semaphore_uses(semaphore);
        match uses.maximum {
            None => self.units_of_their_own(&uses)?,
            Some(maximum) => self.bounded_units(&uses, maximum)?,
        }
        for &(id, value) in &uses.counted {
            let units = self.units(id, &uses, value)?;
            let equal = self.terms.eq(units.given, units.taken)?;
            let en = self.en(id)?;
            self.require(About::Semaphore(id), en, equal)?;
        }
        Ok(())
    }

    fn semaphore_uses(&self, semaphore: LocationId) -> Uses {
        let (initial, maximum) = self.forest.semaphore(semaphore);
        let mut uses = Uses { initial, maximum, taken: Vec::new(), posts: Vec::new(), counted: Vec::new() };
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

    /// Every wait has its post, or one of the initial units.
    fn units_of_their_own(&mut self, uses: &Uses) -> Result<(), TermError> {
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
                let needs = [self.en(post)?, before];
                let needs = self.terms.and(&needs)?;
                self.require(About::Semaphore(wait), gets, needs)?;
                ways.push(gets);
                given.push((post, wait, gets));
            }
            if uses.initial > 0 {
                let name = format!("unit(initial,{})", self.forest.name(wait));
                let gets = self.terms.constant(&name, Sort::Bool)?;
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
        {
            let bounded = self.terms.at_most(uses.initial as usize, &first_units)?;
            self.constrain(About::Semaphore(wait), bounded);
        }
        Ok(())
    }

    /// A post is kept unless the semaphore is full, and a wait finds it not empty.
    fn bounded_units(&mut self, uses: &Uses, maximum: u32) -> Result<(), TermError> {
        for &post in &uses.posts {
            let units = self.units(post, uses, maximum)?;
            let full = self.terms.eq(units.given, units.taken)?;
            let not_full = self.terms.not(full)?;
            let kept = self.kept(post)?;
            let exactly = self.terms.eq(kept, not_full)?;
            let en = self.en(post)?;
            self.require(About::Semaphore(post), en, exactly)?;
        }
        for &wait in &uses.taken {
            let units = self.units(wait, uses, 0)?;
            let one = self.terms.apply(TermOp::BvUlt, &[units.taken, units.given])?;
            let en = self.en(wait)?;
            self.require(About::Semaphore(wait), en, one)?;
        }
        Ok(())
    }

    /// A post to a semaphore with a maximum does not find it full.
    pub(crate) fn kept(&mut self, post: NodeId) -> Result<TermId, TermError> {
        let name = format!("kept({})", self.forest.name(post));
        self.terms.constant(&name, Sort::Bool)
    }

    /// Posts and initial units before an event, and the waits before it and `more`.
    fn units(&mut self, id: NodeId, uses: &Uses, more: u32) -> Result<Units, TermError> {
        let mut given = Vec::new();
        for &post in uses.posts.iter().filter(|&&post| post != id) {
            let before = self.done_before(post, id)?;
            given.push(match uses.maximum {
                Some(_) => {
                    let kept = self.kept(post)?;
                    self.terms.and(&[before, kept])?
                }
                None => before,
            });
        }
        let mut taken = Vec::new();
        for &wait in uses.taken.iter().filter(|&&wait| wait != id) {
            taken.push(self.done_before(wait, id)?);
        }
        // The same width for both.
        let limit = u64::from(uses.initial) + u64::from(more) + (given.len() + taken.len()) as u64;
        let given = self.count(uses.initial, &given, limit)?;
        let taken = self.count(more, &taken, limit)?;
        Ok(Units { given, taken })
    }

    /// The count of a semaphore is this when the event happens.
    pub(crate) fn semaphore_count_is(
        &mut self,
        semaphore: LocationId,
        id: NodeId,
        value: u32,
    ) -> Result<TermId, TermError> {
        let uses = self.semaphore_uses(semaphore);
        let units = self.units(id, &uses, value)?;
        self.terms.eq(units.given, units.taken)
    }
}
