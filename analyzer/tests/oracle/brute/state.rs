//! A state of the whole program, in plain numbers.

use std::hash::{BuildHasherDefault, Hasher};

use warpath_trace::event::{MutexKind, SyncKind};

use super::watch::Watch;
use crate::oracle::program::{Arith, Comparison, Cond, Expr, Program, REGISTERS, Reg, ThreadNr};

/// How far a thread's life is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Life {
    NotForked,
    Alive,
    Ended,
    /// By an assumption or an assertion that does not hold.
    Stopped,
}

/// A write in a store buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pending {
    pub cell: u8,
    pub value: [u8; 2],
    /// Under PSO: everything older goes first.
    pub release: bool,
    /// If somebody watches: the statement, and which of the buffer's writes it is.
    pub watched: (u32, u8),
    /// Under PSO: how many release fences lie between the oldest write in the buffer and this one.
    pub fences: u8,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Local {
    pub life: Life,
    pub at: u16,
    pub registers: [u8; REGISTERS],
    /// Which registers depend on inputs or reads, one bit each.
    pub symbolic: u8,
    /// Its decisions so far, by number.
    pub history: u32,
    pub buffer: Vec<Pending>,
    /// Release fences since the oldest write in the buffer.
    pub fences: u8,
    /// Taken out of the queue it waits in by a wake.
    pub woken: bool,
    /// Left the queue because its deadline passed.
    pub late: bool,
    /// How deep it held the mutex that its wait gave up.
    pub depth: u8,
    /// Which round of the barrier it waits for.
    pub round: u8,
    /// If somebody watches: what matters for the properties.
    pub watch: Option<Box<Watch>>,
}

/// A synchronisation object. Threads are numbers; sets of threads have a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Object {
    Mutex {
        owner: Option<u8>,
        depth: u8,
        kind: MutexKind,
    },
    /// How often each thread holds it as a reader.
    RwLock {
        writer: Option<u8>,
        readers: [u8; 8],
    },
    Condition {
        waiting: u8,
    },
    Semaphore {
        count: u8,
        maximum: u8,
    },
    Barrier {
        arrived: u8,
        parties: u8,
    },
    Once {
        by: Option<u8>,
        done: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub threads: Vec<Local>,
    pub memory: Vec<u8>,
    /// One bit per storage.
    pub freed: u32,
    pub objects: Vec<Object>,
    /// Per cell, who waits on it.
    pub futexes: Vec<u8>,
    /// Who is in an atomic region.
    pub region: Option<u8>,
    /// If somebody watches: bytes that have been written, one bit each.
    pub written: u32,
}

impl State {
    pub fn initial(program: &Program, watched: bool) -> State {
        let count = program.thread_count();
        assert!(count <= 8, "sets of threads have eight bits");
        let thread = |nr: ThreadNr| Local {
            life: if nr == 0 { Life::Alive } else { Life::NotForked },
            at: 0,
            registers: [0; REGISTERS],
            symbolic: 0,
            history: 0,
            buffer: Vec::new(),
            fences: 0,
            woken: false,
            late: false,
            depth: 0,
            round: 0,
            watch: watched.then(Box::default),
        };
        State {
            threads: (0..count).map(thread).collect(),
            memory: program.storages.iter().flat_map(|storage| storage.bytes.clone()).collect(),
            freed: 0,
            objects: program.syncs.iter().map(|sync| Object::new(sync.kind)).collect(),
            futexes: vec![0; program.cells.len()],
            region: None,
            written: 0,
        }
    }
}

impl Object {
    fn new(kind: SyncKind) -> Object {
        match kind {
            SyncKind::Mutex { kind, .. } => Object::Mutex { owner: None, depth: 0, kind },
            SyncKind::RwLock => Object::RwLock { writer: None, readers: [0; 8] },
            SyncKind::Condition => Object::Condition { waiting: 0 },
            SyncKind::Semaphore { initial, maximum } => Object::Semaphore {
                count: initial as u8,
                maximum: maximum.map_or(u8::MAX, |most| most as u8),
            },
            SyncKind::Barrier { parties } => Object::Barrier { arrived: 0, parties: parties as u8 },
            SyncKind::Once => Object::Once { by: None, done: false },
            SyncKind::Futex => panic!("a futex is a cell, not an object of its own"),
        }
    }

    /// Who must do something before somebody else can have it.
    pub fn holders(&self) -> Vec<ThreadNr> {
        match *self {
            Object::Mutex { owner, .. } => owner.map(usize::from).into_iter().collect(),
            Object::RwLock { writer, readers } => {
                let reading = (0..8).filter(|&nr| readers[nr] > 0);
                writer.map(usize::from).into_iter().chain(reading).collect()
            }
            Object::Once { by, .. } => by.map(usize::from).into_iter().collect(),
            _ => Vec::new(),
        }
    }
}

impl Local {
    pub fn value(&self, expr: &Expr) -> u8 {
        match expr {
            Expr::Const(value) => *value,
            Expr::Reg(register) => self.registers[usize::from(*register)],
            Expr::Binary(op, a, b) => {
                let (a, b) = (u32::from(self.value(a)), u32::from(self.value(b)));
                let wide = match op {
                    Arith::Add => a + b,
                    Arith::Sub => a + 256 - b,
                    Arith::Mul => a * b,
                    Arith::And => a & b,
                    Arith::Or => a | b,
                    Arith::Xor => a ^ b,
                };
                (wide % 256) as u8
            }
            Expr::Ite(condition, then, otherwise) => {
                self.value(if self.holds(condition) { then } else { otherwise })
            }
        }
    }

    pub fn holds(&self, condition: &Cond) -> bool {
        match condition {
            Cond::Compare(Comparison::Equal, a, b) => self.value(a) == self.value(b),
            Cond::Compare(Comparison::BelowUnsigned, a, b) => self.value(a) < self.value(b),
            // Adding 128 turns the signed order into the unsigned one.
            Cond::Compare(Comparison::BelowSigned, a, b) => (self.value(a) ^ 128) < (self.value(b) ^ 128),
            Cond::Not(inner) => !self.holds(inner),
            Cond::And(a, b) => self.holds(a) && self.holds(b),
            Cond::Or(a, b) => self.holds(a) || self.holds(b),
        }
    }

    /// Does the expression mention a register that depends on inputs or reads?
    pub fn is_symbolic(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Const(_) => false,
            Expr::Reg(register) => self.symbolic >> register & 1 == 1,
            Expr::Binary(_, a, b) => self.is_symbolic(a) || self.is_symbolic(b),
            Expr::Ite(condition, a, b) => {
                self.depends(condition) || self.is_symbolic(a) || self.is_symbolic(b)
            }
        }
    }

    /// The same of a condition.
    pub fn depends(&self, condition: &Cond) -> bool {
        match condition {
            Cond::Compare(_, a, b) => self.is_symbolic(a) || self.is_symbolic(b),
            Cond::Not(inner) => self.depends(inner),
            Cond::And(a, b) | Cond::Or(a, b) => self.depends(a) || self.depends(b),
        }
    }

    pub fn set(&mut self, register: Reg, value: u8, symbolic: bool) {
        self.registers[usize::from(register)] = value;
        self.symbolic = self.symbolic & !(1 << register) | u8::from(symbolic) << register;
        self.set_dependence(register, Default::default());
    }

    /// What a dead thread knew is of no importance, and states that differ only in it are one.
    pub fn forget(&mut self) {
        self.registers = [0; REGISTERS];
        self.symbolic = 0;
        (0..REGISTERS as Reg).for_each(|register| self.set_dependence(register, Default::default()));
    }
}

/// A quick hash: states come from our own enumeration, nobody chooses them to collide.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mixer(u64);

pub type Mixed = BuildHasherDefault<Mixer>;

impl Mixer {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, word: u8) {
        self.mix(word.into());
    }

    fn write_u16(&mut self, word: u16) {
        self.mix(word.into());
    }

    fn write_u32(&mut self, word: u32) {
        self.mix(word.into());
    }

    fn write_u64(&mut self, word: u64) {
        self.mix(word);
    }

    fn write_usize(&mut self, word: usize) {
        self.mix(word as u64);
    }

    fn finish(&self) -> u64 {
        // The table takes the low bits for the slot, and multiplication leaves them weak.
        self.0 ^ (self.0 >> 32)
    }
}
