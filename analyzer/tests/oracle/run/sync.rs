//! Synchronisation objects at run time.

use warpath_trace::event::{MutexKind, RwMode, SyncKind};

use super::wakeups::Wakeups;
use crate::oracle::program::ThreadNr;

/// The state of a synchronisation object.
#[derive(Clone, Debug)]
pub enum Object {
    Mutex {
        owner: Option<ThreadNr>,
        depth: u32,
        kind: MutexKind,
    },
    /// A reader is listed as often as it holds the lock.
    RwLock {
        writer: Option<ThreadNr>,
        readers: Vec<ThreadNr>,
    },
    Condition(Wakeups),
    Semaphore {
        count: u32,
        maximum: Option<u32>,
    },
    Barrier {
        arrived: u32,
        parties: u32,
    },
    Once(OnceState),
}

/// How far a once-only initialisation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnceState {
    New,
    RunBy(ThreadNr),
    Done,
}

impl Object {
    pub fn new(kind: SyncKind) -> Object {
        match kind {
            SyncKind::Mutex { kind, .. } => Object::Mutex { owner: None, depth: 0, kind },
            SyncKind::RwLock => Object::RwLock { writer: None, readers: Vec::new() },
            SyncKind::Condition => Object::Condition(Wakeups::default()),
            SyncKind::Semaphore { initial, maximum } => Object::Semaphore { count: initial, maximum },
            SyncKind::Barrier { parties } => Object::Barrier { arrived: 0, parties },
            SyncKind::Once => Object::Once(OnceState::New),
            SyncKind::Futex => panic!("a futex is a cell, not an object of its own"),
        }
    }

    /// Can this thread acquire the mutex or semaphore now?
    pub fn is_available(&self, thread: ThreadNr) -> bool {
        match self {
            Object::Mutex { owner, kind, .. } => {
                owner.is_none() || (*kind == MutexKind::Recursive && *owner == Some(thread))
            }
            Object::Semaphore { count, .. } => *count > 0,
            other => panic!("{other:?} is not acquired like a mutex"),
        }
    }

    /// Does an error-checking mutex tell this thread that it holds it already?
    pub fn refuses(&self, thread: ThreadNr) -> bool {
        matches!(self, Object::Mutex { owner, kind: MutexKind::ErrorCheck, .. } if *owner == Some(thread))
    }

    /// Can the read/write lock be acquired now?
    pub fn is_open(&self, mode: RwMode) -> bool {
        match self {
            Object::RwLock { writer, readers } => {
                writer.is_none() && (mode == RwMode::Read || readers.is_empty())
            }
            other => panic!("{other:?} is not a read/write lock"),
        }
    }

    /// Takes the mutex `times` deep, or one unit of the semaphore.
    pub fn acquire(&mut self, thread: ThreadNr, times: u32) {
        match self {
            Object::Mutex { owner, depth, .. } => {
                *owner = Some(thread);
                *depth += times;
            }
            Object::Semaphore { count, .. } => *count -= 1,
            other => panic!("{other:?} is not acquired like a mutex"),
        }
    }

    /// Gives the mutex back once; false if this thread does not hold it.
    pub fn release(&mut self, thread: ThreadNr) -> bool {
        let Object::Mutex { owner, depth, .. } = self else { panic!("{self:?} is not a mutex") };
        if *owner != Some(thread) {
            return false;
        }
        *depth -= 1;
        if *depth == 0 {
            *owner = None;
        }
        true
    }

    /// Gives the mutex up for a wait. Answers how deep the thread held it.
    pub fn suspend(&mut self, thread: ThreadNr) -> u32 {
        let Object::Mutex { owner, depth, .. } = self else { panic!("{self:?} is not a mutex") };
        if *owner != Some(thread) {
            return 0;
        }
        *owner = None;
        std::mem::take(depth)
    }

    /// Takes the read/write lock.
    pub fn enter(&mut self, thread: ThreadNr, mode: RwMode) {
        match (self, mode) {
            (Object::RwLock { readers, .. }, RwMode::Read) => readers.push(thread),
            (Object::RwLock { writer, .. }, RwMode::Write) => *writer = Some(thread),
            (other, _) => panic!("{other:?} is not a read/write lock"),
        }
    }

    /// Gives the read/write lock back. Answers as what this thread held it, if it did.
    pub fn leave(&mut self, thread: ThreadNr) -> Option<RwMode> {
        let Object::RwLock { writer, readers } = self else { panic!("{self:?} is not a read/write lock") };
        if *writer == Some(thread) {
            *writer = None;
            return Some(RwMode::Write);
        }
        let nth = readers.iter().position(|&reader| reader == thread)?;
        readers.remove(nth);
        Some(RwMode::Read)
    }

    pub fn wakeups(&self) -> &Wakeups {
        match self {
            Object::Condition(wakeups) => wakeups,
            other => panic!("{other:?} is not a condition variable"),
        }
    }

    pub fn wakeups_mut(&mut self) -> &mut Wakeups {
        match self {
            Object::Condition(wakeups) => wakeups,
            other => panic!("{other:?} is not a condition variable"),
        }
    }

    /// Threads that hold it.
    pub fn holders(&self) -> Vec<ThreadNr> {
        match self {
            Object::Mutex { owner, .. } => owner.iter().copied().collect(),
            Object::RwLock { writer, readers } => writer.iter().chain(readers).copied().collect(),
            Object::Once(OnceState::RunBy(thread)) => vec![*thread],
            _ => Vec::new(),
        }
    }
}
