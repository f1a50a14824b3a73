//! Recorded runs of random programs: threads that take locks, read and write shared cells, and branch on what
//! they read.
//!
//! Of ten cells, seven belong to a lock and are nearly always accessed under it; three are free for all. Of ten
//! steps outside a critical section, four enter one, the others access free cells. A critical section has 2 to 6
//! accesses. Sixty accesses in a hundred read. Every third read is followed by a branch on its value; half of the
//! writes store something computed from what the thread read last, the others a small constant. The scheduler
//! lets a thread run for 1 to 8 events. The source lines of accesses are those of a program ([`Lines::OfCode`]) or
//! drawn by lot ([`Lines::Scattered`]).

use warpath_trace::event::{Attempt, Datum, Event, MutexKind, Op, SyncKind, WaitResult};
use warpath_trace::expr::BinaryOp;
use warpath_trace::header::{Header, Outcome, Values};
use warpath_trace::ids::{ExprId, LocationId, StringId, ThreadIx};
use warpath_trace::place::{Location, Object, ObjectClass};
use warpath_trace::thread::Thread;
use warpath_trace::trace::Trace;

use super::Error;

/// What to generate.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// About so many events.
    pub events: u32,
    /// Threads, the main one among them.
    pub threads: u32,
    /// Branches with conditions, or values only.
    pub values: Values,
    /// Where accesses are.
    pub lines: Lines,
    /// Different runs.
    pub seed: u64,
}

/// Where in the program an access is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// As in code: threads run one of three functions, and a line of a function reads or writes one variable.
    OfCode,
    /// Any of 160 lines, whatever is accessed: nearly every pair of accesses is a candidate of its own.
    Scattered,
}

/// A small generator of its own (xorshift*), so that every run measures the same trace.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    pub fn below(&mut self, bound: u32) -> u32 {
        (self.next() % u64::from(bound.max(1))) as u32
    }
}

/// Where a thread is.
#[derive(Clone, Copy, Default)]
struct Running {
    /// The lock it holds or waits for, and how many accesses are left before it is given back.
    section: Option<(u32, u32)>,
    holds: bool,
    /// The value read last, and its term.
    last: Option<(u128, ExprId)>,
}

const WIDTH: u8 = 32;

/// Source lines that accesses are scattered over.
const LINES: u32 = 160;

/// Functions that threads run.
const FUNCTIONS: u32 = 3;

struct Generator {
    trace: Trace,
    random: Random,
    symbolic: bool,
    lines: Lines,
    locks: Vec<LocationId>,
    holders: Vec<Option<usize>>,
    cells: Vec<LocationId>,
    memory: Vec<u128>,
    threads: Vec<Running>,
}

impl Workload {
    /// The recorded run.
    pub fn trace(self) -> Result<Trace, Error> {
        let header = Header { program: "random".to_owned(), values: self.values, ..Header::default() };
        let mut trace = Trace::new(header);
        let locks = 2 + self.threads / 2;
        let cells = (self.events / 24).clamp(10, 400);
        let location = |trace: &mut Trace, name: String| -> Result<LocationId, Error> {
            let name = trace.tables.string(name)?;
            let object = Object { class: ObjectClass::Global, owner: None, nth: 0, size: 4, name };
            let object = trace.tables.object(object)?;
            Ok(trace.tables.location(Location { object, offset: 0, size: 4, initial: Some(0), name })?)
        };
        let locks: Vec<LocationId> =
            (0..locks).map(|n| location(&mut trace, format!("lock{n}"))).collect::<Result<_, _>>()?;
        let cells: Vec<LocationId> =
            (0..cells).map(|n| location(&mut trace, format!("cell{n}"))).collect::<Result<_, _>>()?;
        for nth in 0..self.threads {
            let parent = nth.checked_sub(1).map(|nth| (ThreadIx(0), nth));
            let thread = Thread { parent, start: StringId::EMPTY, argument: None, name: StringId::EMPTY };
            trace.add_thread(thread)?;
        }
        let mut generator = Generator {
            trace,
            random: Random::new(self.seed),
            symbolic: self.values == Values::Symbolic,
            lines: self.lines,
            holders: vec![None; locks.len()],
            memory: vec![0; cells.len()],
            locks,
            cells,
            threads: vec![Running::default(); self.threads as usize],
        };
        generator.run(self)?;
        generator.trace.finish(Outcome::Exited(0));
        Ok(generator.trace)
    }
}

impl Generator {
    fn run(&mut self, workload: Workload) -> Result<(), Error> {
        let main = ThreadIx(0);
        self.push(main, 1, Op::Begin)?;
        for lock in self.locks.clone() {
            let kind = SyncKind::Mutex { kind: MutexKind::Normal, robust: false };
            self.push(main, 2, Op::SyncInit { object: lock, kind })?;
        }
        for child in 1..workload.threads {
            self.push(main, 3, Op::Fork { child: ThreadIx(child) })?;
        }
        for child in 1..workload.threads {
            self.push(ThreadIx(child), 4, Op::Begin)?;
        }
        let end = u64::from(workload.events.saturating_sub(2 * workload.threads));
        while self.trace.len() < end {
            let thread = self.random.below(workload.threads) as usize;
            for _ in 0..1 + self.random.below(8) {
                if !self.step(thread)? {
                    break;
                }
            }
        }
        // Whoever holds a lock lets go of it; whoever waits gives up.
        for thread in 0..workload.threads as usize {
            if let (Some((lock, _)), true) = (self.threads[thread].section, self.threads[thread].holds) {
                self.unlock(thread, lock)?;
            }
        }
        for child in 1..workload.threads {
            self.push(ThreadIx(child), 5, Op::End)?;
        }
        for child in 1..workload.threads {
            let child = ThreadIx(child);
            self.push(main, 6, Op::Join { child, attempt: Attempt::Block, result: WaitResult::Done })?;
        }
        self.push(main, 7, Op::End)?;
        Ok(())
    }

    /// One step of a thread; `false` if it has to wait.
    fn step(&mut self, thread: usize) -> Result<bool, Error> {
        match (self.threads[thread].section, self.threads[thread].holds) {
            (Some((lock, left)), false) => {
                if self.holders[lock as usize].is_some() {
                    return Ok(false);
                }
                self.holders[lock as usize] = Some(thread);
                self.threads[thread].section = Some((lock, left));
                self.threads[thread].holds = true;
                let mutex = self.locks[lock as usize];
                let line = 10 + lock;
                self.push(
                    ThreadIx(thread as u32),
                    line,
                    Op::Lock { mutex, attempt: Attempt::Block, result: WaitResult::Done },
                )?;
            }
            (Some((lock, 0)), true) => self.unlock(thread, lock)?,
            (Some((lock, left)), true) => {
                self.threads[thread].section = Some((lock, left - 1));
                let cell = self.cell(Some(lock));
                self.access(thread, cell)?;
            }
            (None, _) if self.random.below(10) < 4 => {
                let lock = self.random.below(self.locks.len() as u32);
                self.threads[thread].section = Some((lock, 2 + self.random.below(5)));
            }
            (None, _) => {
                let cell = self.cell(None);
                self.access(thread, cell)?;
            }
        }
        Ok(true)
    }

    /// A cell that belongs to the lock; a free one without; now and then any.
    fn cell(&mut self, lock: Option<u32>) -> usize {
        let cells = self.cells.len() as u32;
        let free = cells * 3 / 10;
        match lock {
            Some(lock) if self.random.below(100) != 0 => {
                let locks = self.locks.len() as u32;
                let mine = (cells - free - lock).div_ceil(locks).max(1);
                (free + lock + locks * self.random.below(mine)).min(cells - 1) as usize
            }
            None if self.random.below(100) != 0 => self.random.below(free) as usize,
            _ => self.random.below(cells) as usize,
        }
    }

    fn unlock(&mut self, thread: usize, lock: u32) -> Result<(), Error> {
        self.holders[lock as usize] = None;
        self.threads[thread].section = None;
        self.threads[thread].holds = false;
        let mutex = self.locks[lock as usize];
        self.push(ThreadIx(thread as u32), 10 + lock, Op::Unlock { mutex, result: WaitResult::Done })?;
        Ok(())
    }

    fn access(&mut self, thread: usize, cell: usize) -> Result<(), Error> {
        let location = self.cells[cell];
        let ix = ThreadIx(thread as u32);
        let reads = self.random.below(10) < 6;
        let line = 30
            + match self.lines {
                Lines::Scattered => self.random.below(LINES),
                Lines::OfCode => {
                    let function = thread as u32 % FUNCTIONS;
                    (function * self.cells.len() as u32 + cell as u32) * 2 + u32::from(reads)
                }
            };
        if reads {
            let value = self.memory[cell];
            let event = self.push(ix, line, Op::Read { location, value })?;
            if self.symbolic {
                let read = self.trace.tables.exprs.read(ix, event, WIDTH)?;
                self.threads[thread].last = Some((value, read));
                if self.random.below(3) == 0 {
                    self.branch(ix, line, value, read)?;
                }
            } else {
                self.threads[thread].last = Some((value, ExprId(0)));
            }
            return Ok(());
        }
        let constant = u128::from(self.random.below(6));
        let value = match self.threads[thread].last {
            Some((last, expr)) if self.random.below(2) == 0 => {
                let sum = (last + constant) & u128::from(u32::MAX);
                if self.symbolic {
                    let constant = self.trace.tables.exprs.constant(WIDTH, constant)?;
                    let expr = self.trace.tables.exprs.binary(BinaryOp::Add, expr, constant)?;
                    Datum { value: sum, expr: Some(expr) }
                } else {
                    Datum::concrete(sum)
                }
            }
            _ => Datum::concrete(constant),
        };
        self.memory[cell] = value.value;
        self.push(ix, line, Op::Write { location, value })?;
        Ok(())
    }

    fn branch(&mut self, thread: ThreadIx, line: u32, value: u128, read: ExprId) -> Result<(), Error> {
        let bound = u128::from(self.random.below(8));
        let exprs = &mut self.trace.tables.exprs;
        let constant = exprs.constant(WIDTH, bound)?;
        let (condition, taken) = match self.random.below(2) {
            0 => (exprs.binary(BinaryOp::Ult, read, constant)?, value < bound),
            _ => (exprs.equal(read, constant)?, value == bound),
        };
        self.push(thread, line, Op::Branch { condition, taken })?;
        Ok(())
    }

    fn push(&mut self, thread: ThreadIx, line: u32, op: Op) -> Result<u32, Error> {
        let at = self.trace.tables.source_line("random.c", line)?;
        Ok(self.trace.push(thread, Event { op, at })?)
    }
}
