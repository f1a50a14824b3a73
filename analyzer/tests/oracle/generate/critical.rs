//! Random critical sections: whatever is taken is given back on every path.

use warpath_trace::event::{Attempt, RwMode};

use super::blocks::Context;
use super::{Features, Generator};
use crate::oracle::build::{eq, lock, r, stmt, unlock, when};
use crate::oracle::program::{Reg, Statement, What};

impl Generator {
    /// How patiently to acquire, and where the result goes.
    pub(super) fn attempt(&mut self, context: &mut Context) -> (Attempt, Option<Reg>) {
        if self.has(Features::ATTEMPT) && self.rng.percent(40) {
            let attempt = *self.rng.pick(&[Attempt::Try, Attempt::Try, Attempt::Timed]);
            return (attempt, Some(self.target(context)));
        }
        (Attempt::Block, None)
    }

    /// A mutex taken, something done, the mutex given back; now and then hand over hand with a second one.
    pub(super) fn critical(&mut self, context: &mut Context, body: &mut Vec<Statement>) {
        let kinds = [&self.kinds.mutexes, &self.kinds.recursive, &self.kinds.error_check];
        let all: Vec<usize> = kinds.into_iter().flatten().copied().collect();
        let mutex = *self.rng.pick(&all);
        if context.held.contains(&mutex) && self.kinds.error_check.contains(&mutex) {
            // It is refused, on every path.
            self.spend(context, 1);
            let attempt = *self.rng.pick(&[Attempt::Block, Attempt::Timed, Attempt::Try]);
            let to = Some(self.target(context));
            body.push(stmt(What::Lock { mutex, attempt, to }));
            return;
        }
        let again = context.held.contains(&mutex) && !self.kinds.recursive.contains(&mutex);
        if again && !(self.has(Features::SELF_DEADLOCK) && self.rng.percent(30)) {
            return;
        }
        self.spend(context, 2);
        let (attempt, to) = self.attempt(context);
        context.held.push(mutex);
        let mut inside = self.block(context, 4);
        let second = all.iter().copied().find(|other| !context.held.contains(other));
        if let Some(second) = second
            && to.is_none()
            && context.left >= 2
            && self.rng.percent(20)
        {
            self.spend(context, 2);
            context.held.push(second);
            inside.push(lock(second));
            inside.extend(self.block(context, 2));
            context.held.retain(|&held| held != second);
            inside.extend([unlock(mutex), unlock(second)]);
        } else {
            inside.push(unlock(mutex));
        }
        let at = context.held.iter().rposition(|&held| held == mutex);
        at.map(|at| context.held.remove(at));
        body.push(stmt(What::Lock { mutex, attempt, to }));
        match to {
            Some(to) => body.push(when(eq(r(to), 1), inside)),
            None => body.extend(inside),
        }
    }

    /// A read/write lock taken, something done, the lock given back.
    pub(super) fn rw_critical(&mut self, context: &mut Context, body: &mut Vec<Statement>) {
        let lock = *self.rng.pick(&self.kinds.rwlocks);
        if context.held.contains(&lock) {
            return;
        }
        let mode = if self.rng.percent(60) { RwMode::Read } else { RwMode::Write };
        self.spend(context, 2);
        let (attempt, to) = self.attempt(context);
        context.held.push(lock);
        let mut inside = self.block(context, 3);
        context.held.retain(|&held| held != lock);
        inside.push(stmt(What::RwUnlock { lock }));
        body.push(stmt(What::RwLock { lock, mode, attempt, to }));
        match to {
            Some(to) => body.push(when(eq(r(to), 1), inside)),
            None => body.extend(inside),
        }
    }

    /// A wait under its mutex, mostly if some condition on shared data does not hold.
    pub(super) fn cond_wait(&mut self, context: &mut Context, body: &mut Vec<Statement>) {
        let condition = *self.rng.pick(&self.kinds.conditions);
        // One mutex for all waits, as it should be; one that is held twice is given up whole.
        let mutex = *self.kinds.recursive.first().unwrap_or(&self.kinds.mutexes[0]);
        let timed = self.has(Features::TIMED_WAIT) && self.rng.percent(35);
        let (attempt, to) = match timed {
            true => (Attempt::Timed, Some(self.target(context))),
            false => (Attempt::Block, None),
        };
        let wait = stmt(What::CondWait { condition, mutex, attempt, to });
        if context.held.contains(&mutex) {
            self.spend(context, 2);
            body.push(wait);
            return;
        }
        body.push(lock(mutex));
        context.held.push(mutex);
        self.spend(context, 4);
        if context.left > 0 && self.has(Features::BRANCH) && self.rng.percent(60) {
            self.load(context, body);
            let condition = self.condition(context);
            body.push(when(condition, vec![wait]));
        } else {
            body.push(wait);
        }
        body.extend(self.block(context, 2));
        context.held.pop();
        body.push(unlock(mutex));
    }
}
