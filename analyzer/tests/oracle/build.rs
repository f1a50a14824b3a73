//! Short ways to write programs by hand.

use warpath_trace::event::{Attempt, MemoryOrder, MutexKind, RwMode, SyncKind};

use super::program::*;

impl Program {
    /// Adds a shared cell of one byte in a storage of its own.
    pub fn cell(&mut self, name: &str, initial: u8) -> usize {
        self.storages.push(global(name, &[initial]));
        self.part(name, self.storages.len() - 1, 0, 1)
    }

    /// Adds a cell of one byte in a storage of its own on the heap.
    pub fn heap_cell(&mut self, name: &str, initial: u8) -> usize {
        self.storages.push(Storage { heap: true, ..global(name, &[initial]) });
        self.part(name, self.storages.len() - 1, 0, 1)
    }

    /// Adds two cells of one byte and one of two bytes that overlaps both.
    pub fn overlapping(&mut self, low: &str, high: &str, both: &str) -> (usize, usize, usize) {
        self.storages.push(global(both, &[0, 0]));
        let storage = self.storages.len() - 1;
        (self.part(low, storage, 0, 1), self.part(high, storage, 1, 1), self.part(both, storage, 0, 2))
    }

    fn part(&mut self, name: &str, storage: usize, offset: usize, size: usize) -> usize {
        self.cells.push(Cell { name: name.to_owned(), storage, offset, size });
        self.cells.len() - 1
    }

    /// Adds a synchronisation object.
    pub fn sync(&mut self, name: &str, kind: SyncKind) -> usize {
        self.syncs.push(Sync { name: name.to_owned(), kind });
        self.syncs.len() - 1
    }

    /// Adds a mutex that its owner cannot lock twice.
    pub fn mutex(&mut self, name: &str) -> usize {
        self.sync(name, SyncKind::Mutex { kind: MutexKind::Normal, robust: false })
    }

    /// Adds an input of values below `domain`.
    pub fn input(&mut self, name: &str, domain: u8) -> usize {
        self.inputs.push(Input { name: name.to_owned(), domain });
        self.inputs.len() - 1
    }

    /// Adds a thread.
    pub fn thread(&mut self, body: Vec<Statement>) -> &mut Program {
        self.threads.push(body);
        self
    }
}

fn global(name: &str, bytes: &[u8]) -> Storage {
    Storage { name: name.to_owned(), heap: false, bytes: bytes.to_vec() }
}

impl From<u8> for Expr {
    fn from(value: u8) -> Expr {
        Expr::Const(value)
    }
}

/// The value of a register.
pub fn r(register: Reg) -> Expr {
    Expr::Reg(register)
}

/// An operation on two values.
pub fn arith(op: Arith, a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    Expr::Binary(op, Box::new(a.into()), Box::new(b.into()))
}

/// The sum.
pub fn sum(a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    arith(Arith::Add, a, b)
}

/// Equality.
pub fn eq(a: impl Into<Expr>, b: impl Into<Expr>) -> Cond {
    Cond::Compare(Comparison::Equal, a.into(), b.into())
}

/// Unsigned less-than.
pub fn below(a: impl Into<Expr>, b: impl Into<Expr>) -> Cond {
    Cond::Compare(Comparison::BelowUnsigned, a.into(), b.into())
}

/// Negation.
pub fn not(condition: Cond) -> Cond {
    Cond::Not(Box::new(condition))
}

/// Conjunction.
pub fn both(a: Cond, b: Cond) -> Cond {
    Cond::And(Box::new(a), Box::new(b))
}

/// A statement without number yet.
pub fn stmt(what: What) -> Statement {
    Statement { id: 0, what }
}

pub fn assign(to: Reg, value: impl Into<Expr>) -> Statement {
    stmt(What::Assign { to, value: value.into() })
}

pub fn take_input(to: Reg, input: usize) -> Statement {
    stmt(What::Input { to, input })
}

pub fn load(to: Reg, cell: usize) -> Statement {
    stmt(What::Load { to: vec![to], cell, order: None })
}

pub fn atomic_load(to: Reg, cell: usize, order: MemoryOrder) -> Statement {
    stmt(What::Load { to: vec![to], cell, order: Some(order) })
}

pub fn store(cell: usize, value: impl Into<Expr>) -> Statement {
    stmt(What::Store { cell, value: vec![value.into()], order: None })
}

pub fn atomic_store(cell: usize, value: impl Into<Expr>, order: MemoryOrder) -> Statement {
    stmt(What::Store { cell, value: vec![value.into()], order: Some(order) })
}

pub fn fetch_add(to: Reg, cell: usize, value: impl Into<Expr>) -> Statement {
    stmt(What::Rmw { to, cell, update: Update::Add(value.into()), order: MemoryOrder::SeqCst })
}

pub fn compare_exchange(to: Reg, cell: usize, expected: u8, desired: u8) -> Statement {
    let update = Update::CompareExchange { expected: expected.into(), desired: desired.into() };
    stmt(What::Rmw { to, cell, update, order: MemoryOrder::SeqCst })
}

pub fn fence(order: MemoryOrder) -> Statement {
    stmt(What::Fence { order })
}

pub fn when(condition: Cond, then: Vec<Statement>) -> Statement {
    stmt(What::If { condition, then, otherwise: Vec::new() })
}

pub fn either(condition: Cond, then: Vec<Statement>, otherwise: Vec<Statement>) -> Statement {
    stmt(What::If { condition, then, otherwise })
}

pub fn check(condition: Cond) -> Statement {
    stmt(What::Assert { condition })
}

pub fn assume(condition: Cond) -> Statement {
    stmt(What::Assume { condition })
}

pub fn lock(mutex: usize) -> Statement {
    stmt(What::Lock { mutex, attempt: Attempt::Block, to: None })
}

pub fn try_lock(mutex: usize, to: Reg) -> Statement {
    stmt(What::Lock { mutex, attempt: Attempt::Try, to: Some(to) })
}

pub fn unlock(mutex: usize) -> Statement {
    stmt(What::Unlock { mutex })
}

pub fn read_lock(lock: usize) -> Statement {
    stmt(What::RwLock { lock, mode: RwMode::Read, attempt: Attempt::Block, to: None })
}

pub fn write_lock(lock: usize) -> Statement {
    stmt(What::RwLock { lock, mode: RwMode::Write, attempt: Attempt::Block, to: None })
}

pub fn rw_unlock(lock: usize) -> Statement {
    stmt(What::RwUnlock { lock })
}

pub fn wait(condition: usize, mutex: usize) -> Statement {
    stmt(What::CondWait { condition, mutex, attempt: Attempt::Block, to: None })
}

pub fn timed_wait(condition: usize, mutex: usize, to: Reg) -> Statement {
    stmt(What::CondWait { condition, mutex, attempt: Attempt::Timed, to: Some(to) })
}

pub fn signal(condition: usize) -> Statement {
    stmt(What::Signal { condition })
}

pub fn broadcast(condition: usize) -> Statement {
    stmt(What::Broadcast { condition })
}

pub fn sem_wait(semaphore: usize) -> Statement {
    stmt(What::SemWait { semaphore, attempt: Attempt::Block, to: None })
}

pub fn sem_post(semaphore: usize) -> Statement {
    stmt(What::SemPost { semaphore })
}

pub fn barrier(barrier: usize) -> Statement {
    stmt(What::Barrier { barrier })
}

pub fn once(once: usize, body: Vec<Statement>) -> Statement {
    stmt(What::Once { once, body })
}

pub fn atomically(body: Vec<Statement>) -> Statement {
    stmt(What::Atomic { body })
}

pub fn futex_wait(cell: usize, expected: impl Into<Expr>) -> Statement {
    stmt(What::FutexWait { cell, expected: expected.into(), attempt: Attempt::Block, to: None })
}

pub fn futex_wake(cell: usize, limit: u32) -> Statement {
    stmt(What::FutexWake { cell, limit })
}

pub fn futex_requeue(from: usize, to: usize, wake: u32, moves: u32) -> Statement {
    stmt(What::FutexRequeue { from, to, wake, moves })
}

pub fn free(storage: usize) -> Statement {
    stmt(What::Free { storage })
}
