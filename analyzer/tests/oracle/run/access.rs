//! What accesses to memory do and how they are recorded.

use warpath_trace::event::{Attempt, MemoryOrder, Op};
use warpath_trace::ids::ThreadIx;

use super::machine::Machine;
use super::record::number;
use super::thread::Next;
use super::values::{Value, updated, value};
use crate::oracle::program::{Expr, Reg, Statement, ThreadNr, Update, What};

impl<'p> Machine<'p> {
    fn value(&mut self, nr: ThreadNr, expr: &Expr) -> Value {
        value(self.recorder.pool(), &self.threads[nr].registers, expr)
    }

    /// A load, store, read-modify-write, fence or free.
    pub fn access(&mut self, nr: ThreadNr, statement: &'p Statement) {
        let id = statement.id;
        match &statement.what {
            What::Load { to, cell, order } => {
                let bytes = self.bytes_found(nr, *cell, id);
                let (location, value) = (self.recorder.cells[*cell], number(&bytes));
                let op = match *order {
                    None => Op::Read { location, value },
                    Some(order) => Op::AtomicRead { location, value, order },
                };
                let event = self.recorder.event(nr, id, op);
                let found = self.recorder.found(nr, event, &bytes);
                for (&to, value) in to.iter().zip(found) {
                    self.threads[nr].registers[usize::from(to)] = value;
                }
            }
            What::Store { cell, value, order } => {
                self.note_use(nr, *cell, id);
                let values: Vec<Value> = value.iter().map(|byte| self.value(nr, byte)).collect();
                let (location, value) = (self.recorder.cells[*cell], self.recorder.datum(&values));
                let op = match *order {
                    None => Op::Write { location, value },
                    Some(order) => Op::AtomicWrite { location, value, order },
                };
                let event = self.recorder.event(nr, id, op);
                let bytes: Vec<u8> = values.iter().map(|byte| byte.value).collect();
                match self.memory.is_buffered(*order) {
                    true => self.threads[nr].buffer.push(*cell, bytes, *order, event, id),
                    false => self.memory.write(&self.program.cells[*cell], &bytes),
                }
            }
            What::Rmw { to, cell, update, order } => self.update(nr, id, (*to, *cell), update, *order),
            What::Fence { order } => {
                self.recorder.event(nr, id, Op::Fence { order: *order });
                self.threads[nr].buffer.fence(*order);
            }
            What::Free { storage } => {
                self.recorder.event(nr, id, Op::Free { object: self.recorder.storages[*storage] });
                self.memory.freed[*storage] = true;
            }
            other => unreachable!("{other:?} is no access"),
        }
    }

    fn update(
        &mut self,
        nr: ThreadNr,
        id: u32,
        (to, cell): (Reg, usize),
        update: &Update,
        order: MemoryOrder,
    ) {
        let old = self.bytes_found(nr, cell, id)[0];
        // Operands are computed before the event, but the new value refers to what the event itself found.
        let operands = match update {
            Update::Add(value) | Update::Exchange(value) => [self.value(nr, value), Value::default()],
            Update::CompareExchange { expected, desired } => {
                [self.value(nr, expected), self.value(nr, desired)]
            }
        };
        let event = self.recorder.trace.threads[nr].len() as u32;
        let found = self.recorder.found(nr, event, &[old])[0];
        let new = updated(self.recorder.pool(), update, found, operands);
        let datum = self.recorder.datum(&[new]);
        let op = Op::Rmw { location: self.recorder.cells[cell], old: old.into(), new: datum, order };
        self.recorder.event(nr, id, op);
        self.memory.write(&self.program.cells[cell], &[new.value]);
        self.threads[nr].registers[usize::from(to)] = found;
    }

    /// A futex operation; true if the thread was queued.
    pub fn futex(&mut self, nr: ThreadNr, statement: &'p Statement) -> bool {
        let id = statement.id;
        match &statement.what {
            What::FutexWait { cell, expected, attempt, .. } => {
                let value = self.bytes_found(nr, *cell, id)[0];
                let expected = self.value(nr, expected);
                let queued = value == expected.value;
                let op = Op::FutexWait {
                    word: self.recorder.cells[*cell],
                    value: value.into(),
                    expected: self.recorder.datum(&[expected]),
                    bitset: u32::MAX,
                    attempt: *attempt,
                    queued,
                };
                self.recorder.event(nr, id, op);
                if queued {
                    let wait = self.futexes.wait(*cell, *attempt == Attempt::Timed);
                    self.threads[nr].next = Next::Resume { statement, wait };
                }
                queued
            }
            What::FutexWake { cell, limit } => {
                let word = self.recorder.cells[*cell];
                let op = Op::FutexWake { word, limit: *limit, bitset: u32::MAX, woken: 0 };
                let event = self.recorder.event(nr, id, op);
                self.futexes.wake(*cell, *limit, (ThreadIx::from(nr), event));
                false
            }
            What::FutexRequeue { from, to, wake, moves } => {
                let (first, second) = (self.recorder.cells[*from], self.recorder.cells[*to]);
                let op = Op::FutexRequeue {
                    from: first,
                    to: second,
                    wake_limit: *wake,
                    move_limit: *moves,
                    woken: 0,
                    moved: 0,
                };
                let event = self.recorder.event(nr, id, op);
                self.futexes.requeue((*from, *to), *wake, *moves, (ThreadIx::from(nr), event));
                false
            }
            other => unreachable!("{other:?} is no futex operation"),
        }
    }

    fn bytes_found(&mut self, nr: ThreadNr, cell: usize, id: u32) -> Vec<u8> {
        self.note_use(nr, cell, id);
        self.memory.read(self.program, &self.threads[nr].buffer, &self.program.cells[cell])
    }

    fn note_use(&mut self, nr: ThreadNr, cell: usize, id: u32) {
        if self.memory.freed[self.program.cells[cell].storage] {
            self.uses_after_free.insert((nr, id));
        }
    }
}
