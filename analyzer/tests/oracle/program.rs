//! The language: a main thread that forks all others at the start and joins them at the end, registers of
//! 8 bits, shared cells of one or two bytes that may overlap, and every kind of synchronisation.

use warpath_trace::event::{Attempt, MemoryOrder, RwMode, SyncKind};
use warpath_trace::thread::ThreadKey;

/// A register of a thread.
pub type Reg = u8;

/// Registers that each thread has; all are 0 at its start.
pub const REGISTERS: usize = 8;

/// A thread: 0 is the main thread, `n` the `n`-th one it forks.
pub type ThreadNr = usize;

/// The key of a thread.
pub fn key(thread: ThreadNr) -> ThreadKey {
    match thread {
        0 => ThreadKey::main(),
        n => ThreadKey::main().child(n as u32 - 1),
    }
}

/// A concurrent program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    pub storages: Vec<Storage>,
    pub cells: Vec<Cell>,
    pub syncs: Vec<Sync>,
    pub inputs: Vec<Input>,
    /// What the main thread does between its forks and its joins.
    pub main: Vec<Statement>,
    pub threads: Vec<Vec<Statement>>,
}

/// A piece of storage. The main thread allocates those on the heap before it forks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storage {
    pub name: String,
    pub heap: bool,
    /// The bytes at the start.
    pub bytes: Vec<u8>,
}

/// Bytes of a storage that are accessed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    pub name: String,
    /// By position in [`Program::storages`].
    pub storage: usize,
    pub offset: usize,
    /// Bytes, 1 or 2.
    pub size: usize,
}

impl Cell {
    /// Do the two share a byte?
    pub fn overlaps(&self, other: &Cell) -> bool {
        self.storage == other.storage
            && self.offset < other.offset + other.size
            && other.offset < self.offset + self.size
    }
}

/// A synchronisation object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sync {
    pub name: String,
    pub kind: SyncKind,
}

/// An input: any value below `domain`. At most one statement takes it, and no loop repeats that statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    pub name: String,
    pub domain: u8,
}

/// A statement and its number, which is also its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// From 1, by [`Program::numbered`].
    pub id: u32,
    pub what: What,
}

/// What a statement does. Cells, synchronisation objects and inputs are positions in the program's tables;
/// `order` of `None` is a plain access; values of a cell go byte by byte, the lowest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    Assign {
        to: Reg,
        value: Expr,
    },
    Input {
        to: Reg,
        input: usize,
    },
    Load {
        to: Vec<Reg>,
        cell: usize,
        order: Option<MemoryOrder>,
    },
    Store {
        cell: usize,
        value: Vec<Expr>,
        order: Option<MemoryOrder>,
    },
    /// `to` gets the old value of the cell, which has one byte.
    Rmw {
        to: Reg,
        cell: usize,
        update: Update,
        order: MemoryOrder,
    },
    Fence {
        order: MemoryOrder,
    },
    If {
        condition: Cond,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    Switch {
        on: Expr,
        cases: Vec<(u8, Vec<Statement>)>,
        default: Vec<Statement>,
    },
    Repeat {
        times: u8,
        body: Vec<Statement>,
    },
    Assert {
        condition: Cond,
    },
    Assume {
        condition: Cond,
    },
    /// `to` gets 1 if the mutex was acquired, else 0: an error-checking mutex refuses its owner.
    Lock {
        mutex: usize,
        attempt: Attempt,
        to: Option<Reg>,
    },
    Unlock {
        mutex: usize,
    },
    /// `to` as for a mutex.
    RwLock {
        lock: usize,
        mode: RwMode,
        attempt: Attempt,
        to: Option<Reg>,
    },
    RwUnlock {
        lock: usize,
    },
    /// `to` gets 1 if the thread was woken, 0 if it timed out.
    CondWait {
        condition: usize,
        mutex: usize,
        attempt: Attempt,
        to: Option<Reg>,
    },
    Signal {
        condition: usize,
    },
    Broadcast {
        condition: usize,
    },
    /// `to` gets 1 if a unit was taken, else 0.
    SemWait {
        semaphore: usize,
        attempt: Attempt,
        to: Option<Reg>,
    },
    SemPost {
        semaphore: usize,
    },
    /// `to` gets the number of units.
    SemValue {
        semaphore: usize,
        to: Reg,
    },
    Barrier {
        barrier: usize,
    },
    Once {
        once: usize,
        body: Vec<Statement>,
    },
    Atomic {
        body: Vec<Statement>,
    },
    /// The word is a cell of one byte. `to` gets 1 if the thread was woken, 0 if it timed out, and stays as it is if
    /// the thread was not queued.
    FutexWait {
        cell: usize,
        expected: Expr,
        attempt: Attempt,
        to: Option<Reg>,
    },
    FutexWake {
        cell: usize,
        limit: u32,
    },
    /// Wakes waiters of one word and moves others to another word.
    FutexRequeue {
        from: usize,
        to: usize,
        wake: u32,
        moves: u32,
    },
    /// Gives a storage of the heap back.
    Free {
        storage: usize,
    },
}

/// How a read-modify-write makes the new value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update {
    Add(Expr),
    Exchange(Expr),
    CompareExchange { expected: Expr, desired: Expr },
}

/// A value of 8 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    Const(u8),
    Reg(Reg),
    Binary(Arith, Box<Expr>, Box<Expr>),
    Ite(Box<Cond>, Box<Expr>, Box<Expr>),
}

/// Operations on values; they wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arith {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cond {
    Compare(Comparison, Expr, Expr),
    Not(Box<Cond>),
    And(Box<Cond>, Box<Cond>),
    Or(Box<Cond>, Box<Cond>),
}

/// Comparisons of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    BelowUnsigned,
    BelowSigned,
}

impl What {
    /// The blocks of statements inside.
    pub fn blocks(&self) -> Vec<&Vec<Statement>> {
        match self {
            What::If { then, otherwise, .. } => vec![then, otherwise],
            What::Switch { cases, default, .. } => {
                cases.iter().map(|(_, block)| block).chain([default]).collect()
            }
            What::Repeat { body, .. } | What::Once { body, .. } | What::Atomic { body } => vec![body],
            _ => Vec::new(),
        }
    }

    /// The blocks of statements inside, in the same order.
    pub fn blocks_mut(&mut self) -> Vec<&mut Vec<Statement>> {
        match self {
            What::If { then, otherwise, .. } => vec![then, otherwise],
            What::Switch { cases, default, .. } => {
                cases.iter_mut().map(|(_, block)| block).chain([default]).collect()
            }
            What::Repeat { body, .. } | What::Once { body, .. } | What::Atomic { body } => vec![body],
            _ => Vec::new(),
        }
    }
}

impl Program {
    /// The same program with its statements numbered from 1 in the order of its text.
    pub fn numbered(mut self) -> Program {
        fn number(block: &mut [Statement], next: &mut u32) {
            for statement in block {
                statement.id = *next;
                *next += 1;
                for block in statement.what.blocks_mut() {
                    number(block, next);
                }
            }
        }
        let mut next = 1;
        for block in self.blocks_mut() {
            number(block, &mut next);
        }
        self
    }

    /// The outermost blocks: the main thread's, then that of each other thread.
    pub fn blocks(&self) -> impl Iterator<Item = &Vec<Statement>> {
        std::iter::once(&self.main).chain(&self.threads)
    }

    /// The same, to be changed.
    pub fn blocks_mut(&mut self) -> impl Iterator<Item = &mut Vec<Statement>> {
        std::iter::once(&mut self.main).chain(&mut self.threads)
    }

    /// Every statement, with the thread whose text has it.
    pub fn statements(&self) -> Vec<(ThreadNr, &Statement)> {
        fn collect<'p>(thread: ThreadNr, block: &'p [Statement], all: &mut Vec<(ThreadNr, &'p Statement)>) {
            for statement in block {
                all.push((thread, statement));
                for block in statement.what.blocks() {
                    collect(thread, block, all);
                }
            }
        }
        let mut all = Vec::new();
        for (thread, block) in self.blocks().enumerate() {
            collect(thread, block, &mut all);
        }
        all
    }

    /// How many threads there are, the main thread included.
    pub fn thread_count(&self) -> usize {
        self.threads.len() + 1
    }
}
