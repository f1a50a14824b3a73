//! Atomicity and order violations by their definition, along every execution.
//!
//! *Atomicity*: two consecutive accesses of a thread to one byte, both plain reads or writes, that belong together:
//! what the second writes, or a decision in between, depends on what the first read (and they are not one read
//! repeated), or a lock is held from the first to the second. Between them an access of another thread takes
//! effect that no serial order explains: a write, or a read between two writes.
//!
//! *Order*: a read before any write to its bytes has taken effect.
//!
//! Whether a value depends on a read is a matter of degree: `r * 0` mentions it and does not depend on it. So
//! there are two answers, what may depend (it is mentioned) and what certainly does (another value read would
//! make a difference).

use super::Explorer;
use super::state::{Local, Object, State};
use crate::oracle::program::{Arith, Comparison, Cond, Expr, REGISTERS, ThreadNr};

/// A set of bytes of the memory, one bit each.
pub type Bytes = u32;

/// What a thread has done that matters for the properties; empty where nobody looks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Watch {
    /// The thread's last access to each byte.
    last: Vec<Option<Last>>,
    /// Pairs whose second access is a write that has not left the buffer.
    pairs: Vec<OpenPair>,
    depends: [Dependence; REGISTERS],
}

/// What a value depends on: reads, by the bytes whose last access they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Dependence {
    may: Bytes,
    certain: Bytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    Read,
    Write,
    /// Reads and writes, atomic by itself.
    Update,
    /// Compares, as a futex wait does.
    Look,
}

impl Way {
    fn writes(self) -> bool {
        matches!(self, Way::Write | Way::Update)
    }
}

/// Whether a write is in its buffer, as which of its thread's.
type Buffered = Option<u8>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Last {
    id: u32,
    way: Way,
    buffered: Buffered,
    /// Objects held ever since, one bit each.
    held: u32,
    /// Has a decision since depended on it?
    may_decide: bool,
    decides: bool,
    since: Vec<Remote>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct OpenPair {
    byte: usize,
    first: Last,
    second: u32,
    second_buffered: u8,
    wanted: Way,
    why: Why,
}

/// An access of another thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Remote {
    id: u32,
    reads: bool,
    writes: bool,
}

/// Why two accesses belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Why {
    Section,
    Depends,
    MayDepend,
}

/// An access as it happens.
#[derive(Clone, Copy, Debug)]
pub struct Doing {
    pub id: u32,
    pub cell: usize,
    pub way: Way,
    pub buffered: Buffered,
    /// What the value written depends on.
    pub value: Dependence,
}

impl Explorer<'_> {
    fn bytes(&self, cell: usize) -> std::ops::Range<usize> {
        let cell = &self.program.cells[cell];
        let start = self.bases[cell.storage] + cell.offset;
        start..start + cell.size
    }

    /// A thread accesses memory. For a buffered write this is the moment it enters the buffer.
    pub(super) fn accessed(&mut self, state: &mut State, nr: ThreadNr, doing: Doing) {
        if !self.watches {
            return;
        }
        let bytes = self.bytes(doing.cell);
        let touched: Bytes = bytes.clone().map(|byte| 1 << byte).sum();
        if doing.way == Way::Read && state.written & touched == 0 {
            self.truth.early.insert((nr, doing.id));
        }
        if doing.way.writes() {
            self.truth.writers.insert((doing.cell, nr));
        }
        if doing.buffered.is_none() {
            self.takes_effect(state, nr, doing.id, doing.cell, doing.way);
        }
        let held = held(state, nr);
        for byte in bytes {
            let Some(watch) = &mut state.threads[nr].watch else { return };
            watch.last.resize(watch.last.len().max(byte + 1), None);
            if let Some(mut first) = watch.last[byte].take() {
                first.held &= held;
                self.pair(state, nr, byte, first, doing);
            }
            let Some(watch) = &mut state.threads[nr].watch else { return };
            let (id, way, buffered) = (doing.id, doing.way, doing.buffered);
            watch.last[byte] =
                Some(Last { id, way, buffered, held, may_decide: false, decides: false, since: Vec::new() });
            for depends in &mut watch.depends {
                depends.may &= !(1 << byte);
                depends.certain &= !(1 << byte);
            }
        }
    }

    fn pair(&mut self, state: &mut State, nr: ThreadNr, byte: usize, first: Last, doing: Doing) {
        let bit = 1 << byte;
        let wanted = match (first.way, doing.way) {
            (Way::Write, Way::Write) => Way::Read,
            (Way::Read | Way::Write, Way::Read | Way::Write) => Way::Write,
            _ => return,
        };
        let repeated = (first.way, doing.way) == (Way::Read, Way::Read) && first.id == doing.id;
        let reads = first.way == Way::Read && !repeated;
        let why = if first.held != 0 {
            Why::Section
        } else if reads && (first.decides || doing.value.certain & bit != 0) {
            Why::Depends
        } else if reads && (first.may_decide || doing.value.may & bit != 0) {
            Why::MayDepend
        } else {
            return;
        };
        match doing.buffered {
            // Its first half takes effect later than its second.
            None if first.buffered.is_some() => {}
            None => self.interrupted(&first, doing.id, wanted, why),
            Some(second_buffered) => {
                let pair = OpenPair { byte, first, second: doing.id, second_buffered, wanted, why };
                state.threads[nr].watch.as_mut().into_iter().for_each(|watch| watch.pairs.push(pair.clone()));
            }
        }
    }

    fn interrupted(&mut self, first: &Last, second: u32, wanted: Way, why: Why) {
        for remote in &first.since {
            if (wanted == Way::Read && remote.reads) || (wanted == Way::Write && remote.writes) {
                let mut lines = [first.id, remote.id, second];
                lines.sort_unstable();
                let found = &mut self.truth.interruptions;
                found.possible.insert(lines);
                if why != Why::MayDepend {
                    found.certain.insert(lines);
                }
                if why == Why::Section {
                    found.in_sections.insert(lines);
                }
            }
        }
    }

    /// An access takes effect: others see it come between theirs.
    fn takes_effect(&mut self, state: &mut State, nr: ThreadNr, id: u32, cell: usize, way: Way) {
        let remote = Remote { id, reads: way != Way::Write, writes: way.writes() };
        for byte in self.bytes(cell) {
            if remote.writes {
                state.written |= 1 << byte;
            }
            for (other, thread) in state.threads.iter_mut().enumerate() {
                let Some(watch) = thread.watch.as_mut().filter(|_| other != nr) else { continue };
                let last = watch.last.get_mut(byte).into_iter().flatten();
                let pairs = watch.pairs.iter_mut().filter(|pair| pair.byte == byte);
                for first in last.chain(pairs.map(|pair| &mut pair.first)) {
                    if first.buffered.is_none()
                        && let Err(at) = first.since.binary_search(&remote)
                    {
                        first.since.insert(at, remote);
                    }
                }
            }
        }
    }

    /// A write leaves the buffer.
    pub(super) fn committed(&mut self, state: &mut State, nr: ThreadNr, id: u32, cell: usize, tag: u8) {
        if !self.watches {
            return;
        }
        self.takes_effect(state, nr, id, cell, Way::Write);
        let Some(watch) = &mut state.threads[nr].watch else { return };
        let last = watch.last.iter_mut().flatten();
        for first in last.chain(watch.pairs.iter_mut().map(|pair| &mut pair.first)) {
            if first.buffered == Some(tag) {
                first.buffered = None;
            }
        }
        let (done, open) = std::mem::take(&mut watch.pairs)
            .into_iter()
            .partition::<Vec<OpenPair>, _>(|pair| pair.second_buffered == tag);
        watch.pairs = open;
        for OpenPair { first, second, wanted, why, .. } in done {
            self.interrupted(&first, second, wanted, why);
        }
    }

    /// Behind every step of a thread: what it has given back, it has not held ever since.
    pub(super) fn stepped(&self, state: &mut State, nr: ThreadNr) {
        let held = held(state, nr);
        if let Some(watch) = &mut state.threads[nr].watch {
            watch.last.iter_mut().flatten().for_each(|last| last.held &= held);
        }
    }

    /// A register has what a read found in this cell.
    pub(super) fn loaded(&self, state: &mut State, nr: ThreadNr, register: u8, cell: usize) {
        let all: Bytes = self.bytes(cell).map(|byte| 1 << byte).sum();
        state.threads[nr].set_dependence(register, Dependence { may: all, certain: all });
    }
}

/// The objects that a thread holds, one bit each.
fn held(state: &State, nr: ThreadNr) -> u32 {
    let me = Some(nr as u8);
    let is_held = |object: &Object| match object {
        Object::Mutex { owner, .. } => *owner == me,
        Object::RwLock { writer, readers } => *writer == me || readers[nr] > 0,
        Object::Once { by, .. } => *by == me,
        _ => false,
    };
    state.objects.iter().enumerate().filter(|(_, object)| is_held(object)).map(|(nth, _)| 1 << nth).sum()
}

impl Local {
    /// What the value of an expression depends on. It certainly does if it takes every value as the byte read
    /// does, whatever else is the case.
    pub fn dependence(&self, expr: &Expr) -> Dependence {
        match expr {
            Expr::Const(_) => Dependence::default(),
            Expr::Reg(register) => self
                .watch
                .as_ref()
                .map_or_else(Default::default, |watch| watch.depends[usize::from(*register)]),
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.dependence(a), self.dependence(b));
                let certain = match op {
                    Arith::Add | Arith::Sub | Arith::Xor => (a.certain & !b.may) | (b.certain & !a.may),
                    Arith::Mul | Arith::And | Arith::Or => 0,
                };
                Dependence { may: a.may | b.may, certain }
            }
            Expr::Ite(condition, a, b) => {
                let parts = [self.condition_dependence(condition), self.dependence(a), self.dependence(b)];
                Dependence { may: parts.iter().fold(0, |all, part| all | part.may), certain: 0 }
            }
        }
    }

    /// What any of these values depends on.
    pub fn all_dependences(&self, values: &[Expr]) -> Dependence {
        let all = values.iter().map(|value| self.dependence(value));
        all.fold(Dependence::default(), |all, one| Dependence {
            may: all.may | one.may,
            certain: all.certain | one.certain,
        })
    }

    /// The same of a condition: it certainly depends on a byte if not all its values decide alike.
    pub fn condition_dependence(&self, condition: &Cond) -> Dependence {
        match condition {
            Cond::Compare(comparison, a, b) => {
                let (left, right) = (self.dependence(a), self.dependence(b));
                let may = left.may | right.may;
                let mut certain = 0;
                if !self.is_symbolic(b) && both_ways(|value| holds(*comparison, value, self.value(b))) {
                    certain |= left.certain & !right.may;
                }
                if !self.is_symbolic(a) && both_ways(|value| holds(*comparison, self.value(a), value)) {
                    certain |= right.certain & !left.may;
                }
                Dependence { may, certain }
            }
            Cond::Not(inner) => self.condition_dependence(inner),
            Cond::And(a, b) | Cond::Or(a, b) => {
                let (a, b) = (self.condition_dependence(a), self.condition_dependence(b));
                Dependence { may: a.may | b.may, certain: 0 }
            }
        }
    }

    /// A decision is taken on something that depends on these.
    pub fn decides_on(&mut self, on: Dependence) {
        let last = self.watch.iter_mut().flat_map(|watch| watch.last.iter_mut().enumerate());
        for (byte, last) in last.filter_map(|(byte, last)| Some((byte, last.as_mut()?))) {
            last.may_decide |= on.may >> byte & 1 == 1;
            last.decides |= on.certain >> byte & 1 == 1;
        }
    }

    /// The register has a value that depends on this.
    pub fn set_dependence(&mut self, register: u8, depends: Dependence) {
        if let Some(watch) = &mut self.watch {
            watch.depends[usize::from(register)] = depends;
        }
    }
}

fn holds(comparison: Comparison, a: u8, b: u8) -> bool {
    match comparison {
        Comparison::Equal => a == b,
        Comparison::BelowUnsigned => a < b,
        Comparison::BelowSigned => (a as i8) < (b as i8),
    }
}

fn both_ways(decide: impl Fn(u8) -> bool) -> bool {
    (0..=u8::MAX).any(&decide) && !(0..=u8::MAX).all(&decide)
}
