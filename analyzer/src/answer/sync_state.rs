//! The state of synchronisation objects in the reference interpreter.

use std::collections::BTreeMap;

use warpath_trace::event::{Attempt, MutexKind, OnceStep, RwMode, SyncKind, WaitResult};
use warpath_trace::ids::LocationId;

use crate::model::TreeIx;

/// A wait for a signal or a wake, or the giving of one.
#[derive(Clone, Copy, Debug)]
struct Token {
    moment: u64,
    left: u32,
    bitset: u32,
}

/// All locks, conditions, semaphores, barriers, onces and futexes.
#[derive(Clone, Debug, Default)]
pub(super) struct SyncState {
    clock: u64,
    kinds: BTreeMap<LocationId, SyncKind>,
    writers: BTreeMap<LocationId, (TreeIx, u32)>,
    readers: BTreeMap<LocationId, BTreeMap<TreeIx, u32>>,
    suspended: BTreeMap<(TreeIx, LocationId), u32>,
    waits: BTreeMap<(TreeIx, LocationId), (u64, u32)>,
    tokens: BTreeMap<LocationId, Vec<Token>>,
    /// When, from where and to where waiters of futex words may have been moved.
    moves: Vec<(u64, LocationId, LocationId)>,
    counts: BTreeMap<LocationId, u64>,
    arrivals: BTreeMap<LocationId, u64>,
    own_arrival: BTreeMap<(TreeIx, LocationId), u64>,
    once: BTreeMap<LocationId, OnceStep>,
}

/// What a step of synchronisation says: fine, or why it cannot happen now.
pub(super) type Step = Result<(), String>;

impl SyncState {
    pub(super) fn init(&mut self, object: LocationId, kind: SyncKind) {
        if let SyncKind::Semaphore { initial, .. } = kind {
            self.counts.insert(object, initial.into());
        }
        self.kinds.insert(object, kind);
    }

    fn is_recursive(&self, lock: LocationId) -> bool {
        matches!(self.kinds.get(&lock), None | Some(SyncKind::Mutex { kind: MutexKind::Recursive, .. }))
    }

    /// Who keeps this thread from acquiring the lock?
    fn obstacle(&self, tree: TreeIx, lock: LocationId, mode: RwMode) -> Option<TreeIx> {
        if let Some(&(owner, _)) = self.writers.get(&lock)
            && !(owner == tree && self.is_recursive(lock))
        {
            return Some(owner);
        }
        let readers = self.readers.get(&lock).filter(|_| mode == RwMode::Write)?;
        readers.iter().find(|(_, held)| **held > 0).map(|(&reader, _)| reader)
    }

    pub(super) fn acquire(
        &mut self,
        tree: TreeIx,
        lock: LocationId,
        mode: RwMode,
        attempt: Attempt,
        result: WaitResult,
    ) -> Step {
        let obstacle = self.obstacle(tree, lock, mode);
        match (result, obstacle) {
            (WaitResult::Done | WaitResult::OwnerDied, Some(owner)) => {
                Err(format!("the lock is held by thread {}", owner.0))
            }
            (WaitResult::Done | WaitResult::OwnerDied, None) => {
                self.hold(tree, lock, mode);
                Ok(())
            }
            (WaitResult::Busy | WaitResult::TimedOut, None) => {
                Err(format!("the {attempt:?} attempt failed, but nobody holds the lock"))
            }
            _ => Ok(()),
        }
    }

    /// The thread has the lock, once more than before.
    pub(super) fn hold(&mut self, tree: TreeIx, lock: LocationId, mode: RwMode) {
        match mode {
            RwMode::Write => self.writers.entry(lock).or_insert((tree, 0)).1 += 1,
            RwMode::Read => *self.readers.entry(lock).or_default().entry(tree).or_insert(0) += 1,
        }
    }

    pub(super) fn release(
        &mut self,
        tree: TreeIx,
        lock: LocationId,
        mode: RwMode,
        result: WaitResult,
    ) -> Step {
        if result != WaitResult::Done {
            return Ok(());
        }
        let not_held = || Err("released by a thread that does not hold it".to_owned());
        match mode {
            RwMode::Write => match self.writers.get_mut(&lock) {
                Some((owner, count)) if *owner == tree => {
                    *count -= 1;
                    if *count == 0 {
                        self.writers.remove(&lock);
                    }
                    Ok(())
                }
                _ => not_held(),
            },
            RwMode::Read => match self.readers.entry(lock).or_default().get_mut(&tree) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    Ok(())
                }
                _ => not_held(),
            },
        }
    }

    pub(super) fn cond_wait(&mut self, tree: TreeIx, condition: LocationId, mutex: LocationId) -> Step {
        match self.writers.get(&mutex) {
            Some((owner, _)) if *owner == tree => {
                self.give_up(tree, condition, mutex);
                Ok(())
            }
            _ => Err("waits on a condition without holding its mutex".to_owned()),
        }
    }

    /// The thread waits from now on, and has given up the mutex if it had it.
    pub(super) fn give_up(&mut self, tree: TreeIx, condition: LocationId, mutex: LocationId) {
        self.clock += 1;
        if let Some((_, count)) = self.writers.remove(&mutex) {
            self.suspended.insert((tree, mutex), count);
        }
        self.waits.insert((tree, condition), (self.clock, u32::MAX));
    }

    pub(super) fn cond_wake(
        &mut self,
        tree: TreeIx,
        condition: LocationId,
        mutex: LocationId,
        result: WaitResult,
        spurious: bool,
    ) -> Step {
        let given = match result {
            WaitResult::Done => spurious || self.take_token(tree, condition),
            _ => true,
        };
        if !given {
            return Err("woken without a signal".to_owned());
        }
        if let Some((owner, _)) = self.writers.get(&mutex) {
            return Err(format!("the mutex is held by thread {}", owner.0));
        }
        let count = self.suspended.remove(&(tree, mutex)).unwrap_or(1);
        self.writers.insert(mutex, (tree, count));
        Ok(())
    }

    /// Gives up to `limit` tokens to whoever has been waiting.
    pub(super) fn give(&mut self, object: LocationId, limit: u32, bitset: u32) {
        self.clock += 1;
        self.tokens.entry(object).or_default().push(Token { moment: self.clock, left: limit, bitset });
    }

    /// Takes the earliest token given since this thread began to wait. The earliest is the best choice: who
    /// began to wait later can only use later ones.
    fn take_token(&mut self, tree: TreeIx, object: LocationId) -> bool {
        let Some(&(since, listens)) = self.waits.get(&(tree, object)) else { return false };
        let tokens = self.tokens.entry(object).or_default();
        let token = tokens
            .iter_mut()
            .find(|token| token.moment > since && token.left > 0 && token.bitset & listens != 0);
        match token {
            Some(token) => {
                token.left = token.left.saturating_sub(u32::from(token.left != u32::MAX));
                self.waits.remove(&(tree, object));
                true
            }
            None => false,
        }
    }

    pub(super) fn sem_wait(&mut self, semaphore: LocationId, result: WaitResult) -> Step {
        let count = self.counts.entry(semaphore).or_insert(0);
        match result {
            WaitResult::Done if *count == 0 => Err("takes a unit of an empty semaphore".to_owned()),
            WaitResult::Done => {
                *count -= 1;
                Ok(())
            }
            WaitResult::Busy | WaitResult::TimedOut if *count > 0 => {
                Err("finds the semaphore empty, but it has units".to_owned())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn sem_post(&mut self, semaphore: LocationId) {
        let maximum = match self.kinds.get(&semaphore) {
            Some(SyncKind::Semaphore { maximum: Some(maximum), .. }) => u64::from(*maximum),
            _ => u64::MAX,
        };
        let count = self.counts.entry(semaphore).or_insert(0);
        *count = (*count + 1).min(maximum);
    }

    pub(super) fn sem_value(&self, semaphore: LocationId, value: u32) -> Step {
        let count = self.counts.get(&semaphore).copied().unwrap_or(0);
        if count == u64::from(value) {
            Ok(())
        } else {
            Err(format!("reads a count of {value}, but it is {count}"))
        }
    }

    pub(super) fn arrive(&mut self, tree: TreeIx, barrier: LocationId) {
        let arrivals = self.arrivals.entry(barrier).or_insert(0);
        self.own_arrival.insert((tree, barrier), *arrivals);
        *arrivals += 1;
    }

    pub(super) fn leave(&mut self, tree: TreeIx, barrier: LocationId) -> Step {
        let parties = match self.kinds.get(&barrier) {
            Some(SyncKind::Barrier { parties }) => u64::from((*parties).max(1)),
            _ => 1,
        };
        let own = self.own_arrival.get(&(tree, barrier)).copied().unwrap_or(0);
        let arrived = self.arrivals.get(&barrier).copied().unwrap_or(0);
        let needed = (own / parties + 1) * parties;
        if arrived >= needed {
            Ok(())
        } else {
            Err(format!("leaves a barrier with {arrived} of {needed} arrivals"))
        }
    }

    pub(super) fn once(&mut self, once: LocationId, step: OnceStep) -> Step {
        let state = self.once.get(&once).copied();
        let fine = match step {
            OnceStep::Run => matches!(state, None | Some(OnceStep::Abandon)),
            OnceStep::Finish | OnceStep::Abandon => state == Some(OnceStep::Run),
            OnceStep::Seen | OnceStep::Pending => state == Some(OnceStep::Finish),
        };
        if !fine {
            return Err(format!("{step:?} in a once-only initialisation that is at {state:?}"));
        }
        if !matches!(step, OnceStep::Seen | OnceStep::Pending) {
            self.set_once(once, step);
        }
        Ok(())
    }

    /// The initialisation stands here.
    pub(super) fn set_once(&mut self, once: LocationId, step: OnceStep) {
        self.once.insert(once, step);
    }

    pub(super) fn futex_queue(&mut self, tree: TreeIx, word: LocationId, bitset: u32) {
        self.clock += 1;
        self.waits.insert((tree, word), (self.clock, bitset));
    }

    /// Waiters may have been moved. Who, is not followed here: from now on, those of the first word may be woken
    /// where they can have been moved to, and limits are not counted.
    pub(super) fn futex_move(&mut self, from: LocationId, to: LocationId) {
        self.clock += 1;
        self.moves.push((self.clock, from, to));
    }

    /// Can a wait have been woken on some word that waiters were moved to?
    fn woken_elsewhere(&self, word: LocationId, since: u64, listens: u32) -> bool {
        let mut places = vec![(word, since)];
        for &(moment, from, to) in &self.moves {
            if places.iter().any(|&(place, since)| place == from && since < moment) {
                places.push((to, moment));
            }
        }
        let given = |token: &Token, since: u64| token.moment > since && token.bitset & listens != 0;
        let moved = |place: &LocationId| self.moves.iter().any(|(_, from, to)| from == place || to == place);
        places.iter().any(|&(place, since)| {
            moved(&place) && self.tokens.get(&place).into_iter().flatten().any(|token| given(token, since))
        })
    }

    /// The wait is over, whatever ended it.
    pub(super) fn futex_resumed(&mut self, tree: TreeIx, word: LocationId, result: WaitResult) {
        if self.futex_resume(tree, word, result).is_err() {
            self.waits.remove(&(tree, word));
        }
    }

    pub(super) fn futex_resume(&mut self, tree: TreeIx, word: LocationId, result: WaitResult) -> Step {
        let elsewhere = self
            .waits
            .get(&(tree, word))
            .is_some_and(|&(since, listens)| self.woken_elsewhere(word, since, listens));
        if result != WaitResult::Done || elsewhere || self.take_token(tree, word) {
            self.waits.remove(&(tree, word));
            return Ok(());
        }
        Err("resumes without a wake".to_owned())
    }
}
