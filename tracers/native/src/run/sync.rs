//! The modelled synchronisation objects: who holds them, who waits.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use warpath_trace::event::{MutexKind, SyncKind};

use super::queue::Queue;

/// All objects, by address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Objects(BTreeMap<u64, Object>);

/// One object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Object {
    Mutex(Mutex),
    RwLock(RwLock),
    Condition(Condition),
    Semaphore { count: u32 },
    Barrier(Barrier),
    Once(Once),
}

/// A mutex or spin lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mutex {
    pub kind: MutexKind,
    pub robust: bool,
    /// The holder and how often it has locked it.
    pub owner: Option<(usize, u32)>,
    /// Its last holder ended while holding it.
    pub orphaned: bool,
}

/// A read/write lock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RwLock {
    pub writer: Option<usize>,
    pub readers: FxHashMap<usize, u32>,
}

/// A condition variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Condition {
    pub queue: Queue,
    /// Which clock its deadlines are in.
    pub clock: u64,
}

/// A barrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Barrier {
    pub parties: u32,
    pub arrived: u32,
    pub round: u64,
}

/// A once-only initialisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Once {
    New,
    Running(usize),
    Done,
}

impl Objects {
    pub(crate) fn get(&self, address: u64) -> Option<&Object> {
        self.0.get(&address)
    }

    pub(crate) fn get_mut(&mut self, address: u64) -> Option<&mut Object> {
        self.0.get_mut(&address)
    }

    pub(crate) fn insert(&mut self, address: u64, object: Object) {
        self.0.insert(address, object);
    }

    pub(crate) fn remove(&mut self, address: u64) -> Option<Object> {
        self.0.remove(&address)
    }

    pub(crate) fn mutex(&mut self, address: u64) -> Option<&mut Mutex> {
        match self.get_mut(address) {
            Some(Object::Mutex(mutex)) => Some(mutex),
            _ => None,
        }
    }

    pub(crate) fn condition(&mut self, address: u64) -> Option<&mut Condition> {
        match self.get_mut(address) {
            Some(Object::Condition(condition)) => Some(condition),
            _ => None,
        }
    }

    /// A thread is gone: robust mutexes that it held are orphaned; others stay locked for ever.
    pub(crate) fn thread_ended(&mut self, thread: usize) {
        for object in self.0.values_mut() {
            if let Object::Mutex(mutex) = object
                && mutex.robust
                && mutex.owner.is_some_and(|(owner, _)| owner == thread)
            {
                mutex.owner = None;
                mutex.orphaned = true;
            }
        }
    }
}

/// Bytes of glibc's objects: what a name is given to.
pub(crate) mod bytes {
    pub const MUTEX: u32 = 40;
    pub const SPIN_LOCK: u32 = 4;
    pub const RW_LOCK: u32 = 56;
    pub const CONDITION: u32 = 48;
    pub const SEMAPHORE: u32 = 32;
    pub const BARRIER: u32 = 32;
    pub const ONCE: u32 = 4;
    /// The kernel's own, in fact.
    pub const FUTEX: u32 = 4;
}

impl Object {
    /// The bytes that a name is given to.
    pub(crate) fn bytes(&self) -> u32 {
        match self {
            Object::Mutex(_) => bytes::MUTEX,
            Object::RwLock(_) => bytes::RW_LOCK,
            Object::Condition(_) => bytes::CONDITION,
            Object::Semaphore { .. } => bytes::SEMAPHORE,
            Object::Barrier(_) => bytes::BARRIER,
            Object::Once(_) => bytes::ONCE,
        }
    }

    /// A new object of a kind.
    pub(crate) fn new(kind: SyncKind) -> Object {
        match kind {
            SyncKind::Mutex { kind, robust } => {
                Object::Mutex(Mutex { kind, robust, owner: None, orphaned: false })
            }
            SyncKind::RwLock => Object::RwLock(RwLock::default()),
            SyncKind::Condition => Object::Condition(Condition::default()),
            SyncKind::Semaphore { initial, .. } => Object::Semaphore { count: initial },
            SyncKind::Barrier { parties } => Object::Barrier(Barrier { parties, arrived: 0, round: 0 }),
            SyncKind::Once | SyncKind::Futex => Object::Once(Once::New),
        }
    }
}
