//! Mutexes, spin locks, read/write locks; objects coming and going.

use warpath_trace::event::{Attempt, FailureKind, MutexKind, Op, RwMode, SyncKind, WaitResult};

use crate::run::action::{Api, mutex_kind};
use crate::run::error::RunError;
use crate::run::kernel::Next;
use crate::run::machine::Machine;
use crate::run::outcome::{End, Failure};
use crate::run::sync::{Mutex, Object, RwLock, bytes};

/// What a function of this family returns.
pub(super) fn status(result: WaitResult, api: Api) -> u64 {
    let errno = match result {
        WaitResult::Done | WaitResult::Spurious | WaitResult::Pending => 0,
        WaitResult::Busy => libc::EBUSY,
        WaitResult::TimedOut => libc::ETIMEDOUT,
        WaitResult::WouldDeadlock => libc::EDEADLK,
        WaitResult::OwnerDied => libc::EOWNERDEAD,
        WaitResult::Interrupted => libc::EINTR,
        WaitResult::Failed(errno) => errno as i32,
    };
    match (api, errno) {
        (_, 0) => 0,
        (Api::C11, libc::EBUSY) => 1,
        (Api::C11, libc::ETIMEDOUT) => 4,
        (Api::C11, _) => 2,
        (_, errno) => errno as u64,
    }
}

impl Machine {
    pub(super) fn init_object(&mut self, t: usize, object: u64, kind: SyncKind) -> Result<Next, RunError> {
        // A condition's clock was noted when its attribute was read.
        let fresh = Object::new(kind);
        let size = fresh.bytes();
        match (&fresh, self.objects.get(object)) {
            (Object::Condition(_), Some(Object::Condition(_))) => {}
            _ => self.objects.insert(object, fresh),
        }
        let location = self.location(object, size)?;
        self.record(t, Op::SyncInit { object: location, kind })?;
        Ok(self.return_from(t, 0))
    }

    pub(super) fn destroy_object(&mut self, t: usize, object: u64) -> Result<Next, RunError> {
        let busy = matches!(self.objects.get(object), Some(Object::Mutex(Mutex { owner: Some(_), .. })));
        let size = self.objects.get(object).map_or(bytes::MUTEX, Object::bytes);
        let location = self.location(object, size)?;
        self.record(t, Op::SyncDestroy { object: location })?;
        if busy {
            return Ok(self.return_from(t, libc::EBUSY as u64));
        }
        self.objects.remove(object);
        Ok(self.return_from(t, 0))
    }

    /// The mutex at an address; one that was never initialised by a call has what its initialiser put there.
    fn mutex_at(&mut self, address: u64) -> &mut Mutex {
        if self.objects.mutex(address).is_none() {
            let word = self.peek_word::<4>(address.wrapping_add(16)).unwrap_or(0) as u32;
            let (kind, robust) = mutex_kind(word);
            self.objects.insert(address, Object::new(SyncKind::Mutex { kind, robust }));
        }
        match self.objects.mutex(address) {
            Some(mutex) => mutex,
            None => unreachable!("the object was put there"),
        }
    }

    pub(super) fn can_lock(&self, t: usize, mutex: u64) -> bool {
        match self.objects.get(mutex) {
            Some(Object::Mutex(mutex)) => match mutex.owner {
                None => true,
                Some((owner, _)) => owner == t && mutex.kind != MutexKind::Normal,
            },
            _ => true,
        }
    }

    pub(super) fn lock(
        &mut self,
        t: usize,
        address: u64,
        attempt: Attempt,
        deadline: Option<u64>,
        api: Api,
    ) -> Result<Next, RunError> {
        let mutex = match api {
            Api::Spin if self.objects.get(address).is_none() => {
                self.objects
                    .insert(address, Object::new(SyncKind::Mutex { kind: MutexKind::Normal, robust: false }));
                self.mutex_at(address)
            }
            _ => self.mutex_at(address),
        };
        let result = match mutex.owner {
            None if mutex.orphaned => {
                mutex.orphaned = false;
                mutex.owner = Some((t, 1));
                WaitResult::OwnerDied
            }
            None => {
                mutex.owner = Some((t, 1));
                WaitResult::Done
            }
            Some((owner, count)) if owner == t && mutex.kind == MutexKind::Recursive => {
                mutex.owner = Some((t, count + 1));
                WaitResult::Done
            }
            Some((owner, _))
                if owner == t && mutex.kind == MutexKind::ErrorCheck && attempt != Attempt::Try =>
            {
                WaitResult::WouldDeadlock
            }
            Some(_) if attempt == Attempt::Try => WaitResult::Busy,
            Some(_) => {
                self.time_is_up(deadline);
                WaitResult::TimedOut
            }
        };
        let size = api.mutex_bytes();
        let mutex = self.location(address, size)?;
        self.record(t, Op::Lock { mutex, attempt, result })?;
        Ok(self.return_from(t, status(result, api)))
    }

    pub(super) fn unlock(&mut self, t: usize, address: u64, api: Api) -> Result<Next, RunError> {
        let mutex = self.mutex_at(address);
        let kind = mutex.kind;
        let mine = match mutex.owner {
            Some((owner, count)) if owner == t => {
                mutex.owner = (count > 1).then_some((t, count - 1));
                true
            }
            _ => false,
        };
        let result = if mine { WaitResult::Done } else { WaitResult::Failed(libc::EPERM as u32) };
        let size = api.mutex_bytes();
        let location = self.location(address, size)?;
        self.record(t, Op::Unlock { mutex: location, result })?;
        // Only these kinds promise an error; with the others the program has no defined future.
        if !mine && kind == MutexKind::Normal && api != Api::Spin {
            let name = self.recorder.location_name(location);
            let message = format!("`{name}` is unlocked by a thread that does not hold it");
            return Ok(Next::End(End::Failed(Failure::new(FailureKind::UnlockNotHeld, message))));
        }
        if !mine && api == Api::Spin {
            self.mutex_at(address).owner = None;
        }
        Ok(self.return_from(t, status(result, api)))
    }

    fn rw_at(&mut self, address: u64) -> &mut RwLock {
        if !matches!(self.objects.get(address), Some(Object::RwLock(_))) {
            self.objects.insert(address, Object::RwLock(RwLock::default()));
        }
        match self.objects.get_mut(address) {
            Some(Object::RwLock(lock)) => lock,
            _ => unreachable!("the object was put there"),
        }
    }

    pub(super) fn can_rw_lock(&self, t: usize, lock: u64, mode: RwMode) -> bool {
        let Some(Object::RwLock(lock)) = self.objects.get(lock) else { return true };
        match mode {
            // The writer that asks again is refused at once.
            RwMode::Read => lock.writer.is_none_or(|writer| writer == t),
            RwMode::Write => lock.writer.map_or(lock.readers.is_empty(), |writer| writer == t),
        }
    }

    pub(super) fn rw_lock(
        &mut self,
        t: usize,
        address: u64,
        mode: RwMode,
        attempt: Attempt,
        deadline: Option<u64>,
    ) -> Result<Next, RunError> {
        let possible = self.can_rw_lock(t, address, mode);
        let lock = self.rw_at(address);
        let result = if lock.writer == Some(t) {
            if attempt == Attempt::Try { WaitResult::Busy } else { WaitResult::WouldDeadlock }
        } else if possible {
            match mode {
                RwMode::Read => *lock.readers.entry(t).or_default() += 1,
                RwMode::Write => lock.writer = Some(t),
            }
            WaitResult::Done
        } else if attempt == Attempt::Try {
            WaitResult::Busy
        } else {
            self.time_is_up(deadline);
            WaitResult::TimedOut
        };
        let lock = self.location(address, bytes::RW_LOCK)?;
        self.record(t, Op::RwLock { lock, mode, attempt, result })?;
        Ok(self.return_from(t, status(result, Api::Posix)))
    }

    pub(super) fn rw_unlock(&mut self, t: usize, address: u64) -> Result<Next, RunError> {
        let lock = self.rw_at(address);
        let (mode, held) = if lock.writer == Some(t) {
            lock.writer = None;
            (RwMode::Write, true)
        } else {
            let held = match lock.readers.get_mut(&t) {
                Some(count) => {
                    *count -= 1;
                    if *count == 0 {
                        lock.readers.remove(&t);
                    }
                    true
                }
                None => false,
            };
            (RwMode::Read, held)
        };
        let result = if held { WaitResult::Done } else { WaitResult::Failed(libc::EPERM as u32) };
        let location = self.location(address, bytes::RW_LOCK)?;
        self.record(t, Op::RwUnlock { lock: location, mode, result })?;
        if !held {
            let name = self.recorder.location_name(location);
            let message = format!("`{name}` is unlocked by a thread that does not hold it");
            return Ok(Next::End(End::Failed(Failure::new(FailureKind::UnlockNotHeld, message))));
        }
        Ok(self.return_from(t, 0))
    }
}
