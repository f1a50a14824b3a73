//! **Thread.** `en(n) → en(parent)`, in order; below a decision, the outcome. The first node of a thread needs
//! a fork, a join needs the end of the other thread, an assumption needs its condition.

use warpath_solvers::term::{Sort, TermError, TermId};
use warpath_trace::event::{Op, WaitResult};

use super::{About, Encoding};
use crate::model::{NodeId, Outcome, TreeIx};

impl Encoding<'_> {
    pub(super) fn thread(&mut self, id: NodeId) -> Result<(), TermError> {
        let node = self.forest.node(id);
        let en = self.en(id)?;
        let mut needs = Vec::new();
        match node.parent {
            Some((parent, outcome)) => {
                needs.push(self.en(parent)?);
                needs.extend(self.outcome(parent, outcome)?);
            }
            None => needs.extend(self.forked(id)?),
        }
        match node.op {
            Op::Join { child, result: WaitResult::Done, .. } => needs.push(self.joined(id, TreeIx(child.0))?),
            Op::Assume { condition: Some(condition), .. } => needs.push(self.expr(condition)?),
            _ => {}
        }
        if node.pinned
            && let Op::Rmw { location, old, .. } = node.op
        {
            needs.push(self.found_is(id, location, old)?);
        }
        // What the must-order knows is folded away elsewhere. Said here, it does not matter what it rested on.
        for before in self.must.newly_before(self.forest, id) {
            let here = self.takes_part[before.index()];
            debug_assert!(here || self.is_part, "the cone has what must come before its events");
            needs.push(if here { self.en(before)? } else { self.terms.bool(false) });
        }
        let needs = self.terms.and(&needs)?;
        self.require(About::Thread(id), en, needs)?;
        self.alternatives(id)
    }

    /// `∨ over its fork nodes f: en(f) ∧ o(f) < o(n)`; nothing for a thread that nobody forks.
    fn forked(&mut self, root: NodeId) -> Result<Option<TermId>, TermError> {
        let forks = self.forest.forks(self.forest.node(root).tree);
        if forks.is_empty() {
            return Ok(None);
        }
        let mut ways = Vec::new();
        for &fork in forks {
            ways.push(self.executed_before(fork, root)?);
        }
        self.terms.or(&ways).map(Some)
    }

    /// `∨ over the child's end nodes e: en(e) ∧ o(e) < o(j)`.
    fn joined(&mut self, join: NodeId, child: TreeIx) -> Result<TermId, TermError> {
        let mut ways = Vec::new();
        for &end in self.forest.ends(child) {
            ways.push(self.executed_before(end, join)?);
        }
        self.terms.or(&ways)
    }

    /// `en(a) ∧ o(a) < o(b)`, with `en(a)` said even where the order is known: this is what makes it known.
    fn executed_before(&mut self, a: NodeId, b: NodeId) -> Result<TermId, TermError> {
        if !self.takes_part[a.index()] {
            return Ok(self.terms.bool(false));
        }
        let parts = [self.en(a)?, self.before(super::Point::Issue(a), super::Point::Issue(b))?];
        self.terms.and(&parts)
    }

    /// Of several ways in which a wait can end, one.
    fn alternatives(&mut self, id: NodeId) -> Result<(), TermError> {
        let children = &self.forest.node(id).children;
        for (n, b) in children.iter().enumerate() {
            for a in &children[..n] {
                let both_here = self.takes_part[a.node.index()] && self.takes_part[b.node.index()];
                if a.outcome == b.outcome && both_here {
                    let (first, second) = (self.en(a.node)?, self.en(b.node)?);
                    self.exclude(About::Alternatives(a.node, b.node), first, second)?;
                }
            }
        }
        Ok(())
    }

    /// What must hold for control to go on behind a node with this outcome; `None` if nothing depends on it.
    pub fn outcome(&mut self, id: NodeId, outcome: Outcome) -> Result<Option<TermId>, TermError> {
        // Behind a settled event control has gone on the way it went.
        if self.forest.is_settled(id) {
            return Ok(None);
        }
        match (self.op(id), outcome) {
            (_, Outcome::Next) => Ok(None),
            (Op::FutexWait { word, expected, .. }, Outcome::Held(queued)) => {
                let equal = match expected.expr {
                    Some(expr) => {
                        let (found, expected) = (self.found_whole(id, word)?, self.expr(expr)?);
                        self.terms.eq(found, expected)?
                    }
                    None => self.found_is(id, word, expected.value)?,
                };
                Ok(Some(if queued { equal } else { self.terms.not(equal)? }))
            }
            (op, Outcome::Value(value)) if op.read_location().is_some() => {
                let Some(location) = op.read_location() else { return Ok(None) };
                self.found_is(id, location, value).map(Some)
            }
            (_, outcome) => {
                let Some(condition) = self.decision(id)? else { return Ok(None) };
                let value = match (outcome, self.terms.sort(condition)) {
                    (Outcome::Value(value), Sort::Bits(width)) => self.terms.bits(value, width)?,
                    (Outcome::Held(held), _) => self.terms.bool(held),
                    (Outcome::Value(value), _) => self.terms.bool(value != 0),
                    (Outcome::Next, _) => return Ok(None),
                };
                self.terms.eq(condition, value).map(Some)
            }
        }
    }

    /// The term that a decision node decides on: a Boolean or a bit-vector.
    pub(crate) fn decision(&mut self, id: NodeId) -> Result<Option<TermId>, TermError> {
        match self.op(id) {
            Op::Branch { condition: expr, .. }
            | Op::Switch { on: expr, .. }
            | Op::Concretise { expr, .. }
            | Op::Assume { condition: Some(expr), .. }
            | Op::Assert { condition: Some(expr), .. } => self.expr(expr).map(Some),
            _ => Ok(None),
        }
    }
}
