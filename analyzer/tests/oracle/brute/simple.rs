//! Statements that are one visible event each.

use warpath_trace::event::{Attempt, MemoryOrder};
use warpath_trace::header::MemoryModel;

use super::Explorer;
use super::objects::{enter, give_back, leave, move_some, refuses, take, wake};
use super::state::{Object, Pending, State};
use super::watch::{Doing, Way};
use crate::oracle::decision::Decision;
use crate::oracle::program::{ThreadNr, Update, What};

impl Explorer<'_> {
    /// A statement that is one visible event; the thread already stands behind it.
    pub(super) fn simple(&mut self, mut next: State, nr: ThreadNr, id: u32, what: &What) -> Vec<State> {
        match what {
            What::Load { to, cell, .. } => {
                self.use_of(&next, nr, id, *cell);
                let bytes = self.get(&next, nr, *cell);
                self.accessed(&mut next, nr, doing(id, *cell, Way::Read));
                for (&to, &value) in to.iter().zip(&bytes) {
                    next.threads[nr].set(to, value, true);
                    self.loaded(&mut next, nr, to, *cell);
                }
                let value = bytes.iter().rev().fold(0, |value, &byte| value << 8 | u16::from(byte));
                self.found(&mut next, nr, Decision::Found(value));
            }
            What::Store { cell, value, order } => {
                self.use_of(&next, nr, id, *cell);
                let mut bytes = [0; 2];
                for (byte, expr) in bytes.iter_mut().zip(value) {
                    *byte = next.threads[nr].value(expr);
                }
                let depends = next.threads[nr].all_dependences(value);
                let writing = Doing { value: depends, ..doing(id, *cell, Way::Write) };
                if self.model == MemoryModel::Sc || *order == Some(MemoryOrder::SeqCst) {
                    self.accessed(&mut next, nr, writing);
                    self.put(&mut next, *cell, &bytes);
                } else {
                    let tag = self.watches.then(|| free_tag(&next.threads[nr].buffer));
                    self.accessed(&mut next, nr, Doing { buffered: tag, ..writing });
                    let watched = tag.map_or((0, 0), |tag| (id, tag));
                    let release = matches!(order, Some(MemoryOrder::Release | MemoryOrder::AcqRel));
                    let thread = &mut next.threads[nr];
                    let (cell, fences) = (*cell as u8, thread.fences);
                    // Only PSO asks for these; elsewhere they would make two states of one.
                    let pso = self.model == MemoryModel::Pso;
                    let release = release && pso;
                    thread.buffer.push(Pending { cell, value: bytes, release, watched, fences });
                }
            }
            What::Rmw { to, cell, update, .. } => {
                self.use_of(&next, nr, id, *cell);
                let old = self.get(&next, nr, *cell)[0];
                self.accessed(&mut next, nr, doing(id, *cell, Way::Update));
                let thread = &mut next.threads[nr];
                let new = match update {
                    Update::Add(value) => old.wrapping_add(thread.value(value)),
                    Update::Exchange(value) => thread.value(value),
                    Update::CompareExchange { expected, desired } if thread.value(expected) == old => {
                        thread.value(desired)
                    }
                    Update::CompareExchange { .. } => old,
                };
                thread.set(*to, old, true);
                self.put(&mut next, *cell, &[new]);
                self.found(&mut next, nr, Decision::Updated(old));
            }
            What::Fence { order } => {
                let thread = &mut next.threads[nr];
                let orders_stores = matches!(order, MemoryOrder::Release | MemoryOrder::AcqRel);
                // Several fences in a row are as good as one.
                let fenced = thread.buffer.last().is_none_or(|youngest| youngest.fences < thread.fences);
                if self.model == MemoryModel::Pso && orders_stores && !fenced {
                    thread.fences += 1;
                }
            }
            What::Free { storage } => {
                if next.freed >> storage & 1 == 1 {
                    self.truth.double_frees.insert((nr, id));
                }
                next.freed |= 1 << storage;
            }
            What::Lock { mutex, attempt: Attempt::Block | Attempt::Timed, to }
                if refuses(&next.objects[*mutex], nr) =>
            {
                if let Some(to) = to {
                    next.threads[nr].set(*to, 0, false);
                }
                let attempt = matches!(what, What::Lock { attempt: Attempt::Timed, .. });
                if attempt {
                    self.decide(&mut next, nr, Decision::Acquired(false));
                }
            }
            What::Lock { mutex: object, attempt, to } | What::SemWait { semaphore: object, attempt, to } => {
                let free = take(&mut next.objects[*object], nr);
                return self.attempt(next, nr, free, *attempt, *to);
            }
            What::RwLock { lock, mode, attempt, to } => {
                let free = enter(&mut next.objects[*lock], nr, *mode);
                return self.attempt(next, nr, free, *attempt, *to);
            }
            What::Unlock { mutex } => {
                if !give_back(&mut next.objects[*mutex], nr) {
                    self.truth.misuses.insert((nr, id));
                }
            }
            What::RwUnlock { lock } => {
                if !leave(&mut next.objects[*lock], nr) {
                    self.truth.misuses.insert((nr, id));
                }
            }
            What::SemPost { semaphore } => {
                if let Object::Semaphore { count, maximum } = &mut next.objects[*semaphore] {
                    *count = (*count + 1).min(*maximum);
                }
            }
            What::SemValue { semaphore, to } => {
                let Object::Semaphore { count, .. } = next.objects[*semaphore] else { return Vec::new() };
                next.threads[nr].set(*to, count, false);
                self.decide(&mut next, nr, Decision::Counted(count));
            }
            What::Signal { condition } => {
                let Object::Condition { waiting } = next.objects[*condition] else { return Vec::new() };
                return wake(next, waiting, 1, |state, left| {
                    state.objects[*condition] = Object::Condition { waiting: left };
                });
            }
            What::Broadcast { condition } => {
                let Object::Condition { waiting } = next.objects[*condition] else { return Vec::new() };
                return wake(next, waiting, 8, |state, left| {
                    state.objects[*condition] = Object::Condition { waiting: left };
                });
            }
            What::FutexWake { cell, limit } => {
                let waiting = next.futexes[*cell];
                return wake(next, waiting, *limit, |state, left| state.futexes[*cell] = left);
            }
            What::FutexRequeue { from, to, wake: limit, moves } => {
                let waiting = next.futexes[*from];
                let woken = wake(next, waiting, *limit, |state, left| state.futexes[*from] = left);
                return woken.into_iter().flat_map(|state| move_some(state, *from, *to, *moves)).collect();
            }
            other => unreachable!("{other:?} is not a simple statement"),
        }
        vec![next]
    }

    /// The end of an acquisition that may have failed.
    fn attempt(
        &mut self,
        mut next: State,
        nr: ThreadNr,
        taken: bool,
        attempt: Attempt,
        to: Option<u8>,
    ) -> Vec<State> {
        if attempt == Attempt::Block && !taken {
            return Vec::new();
        }
        if let Some(to) = to {
            next.threads[nr].set(to, taken.into(), false);
        }
        if attempt != Attempt::Block {
            self.decide(&mut next, nr, Decision::Acquired(taken));
        }
        vec![next]
    }

    pub(super) fn use_of(&mut self, state: &State, nr: ThreadNr, id: u32, cell: usize) {
        if state.freed >> self.program.cells[cell].storage & 1 == 1 {
            self.truth.uses_after_free.insert((nr, id));
        }
    }

    /// A cell as a thread sees it: memory with the thread's own writes, oldest first, laid over it.
    pub(super) fn get(&self, state: &State, nr: ThreadNr, cell: usize) -> Vec<u8> {
        let wanted = &self.program.cells[cell];
        let base = self.bases[wanted.storage];
        let mut bytes = state.memory[base..self.bases[wanted.storage + 1]].to_vec();
        for write in &state.threads[nr].buffer {
            let written = &self.program.cells[usize::from(write.cell)];
            if written.storage == wanted.storage {
                bytes[written.offset..written.offset + written.size]
                    .copy_from_slice(&write.value[..written.size]);
            }
        }
        bytes[wanted.offset..wanted.offset + wanted.size].to_vec()
    }

    pub(super) fn put(&self, state: &mut State, cell: usize, value: &[u8]) {
        let cell = &self.program.cells[cell];
        let at = self.bases[cell.storage] + cell.offset;
        state.memory[at..at + cell.size].copy_from_slice(&value[..cell.size]);
    }
}

/// An access that takes effect at once.
pub(super) fn doing(id: u32, cell: usize, way: Way) -> Doing {
    Doing { id, cell, way, buffered: None, value: Default::default() }
}

/// A number that no write in the buffer has.
fn free_tag(buffer: &[Pending]) -> u8 {
    (0..).find(|tag| buffer.iter().all(|write| write.watched.1 != *tag)).expect("buffers are short")
}
