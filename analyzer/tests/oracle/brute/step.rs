//! What can happen next in a state.

use warpath_trace::event::MemoryOrder;
use warpath_trace::header::MemoryModel;

use super::Explorer;
use super::code::Op;
use super::simple::doing;
use super::state::{Life, Object, State};
use super::watch::Way;
use crate::oracle::decision::Decision;
use crate::oracle::program::{ThreadNr, What};

impl<'p> Explorer<'p> {
    pub(super) fn successors(&mut self, state: &State) -> Vec<State> {
        let mut all = Vec::new();
        for nr in 0..state.threads.len() {
            if state.region.is_some_and(|inside| usize::from(inside) != nr) {
                continue;
            }
            self.commits(state, nr, &mut all);
            self.deadline(state, nr, &mut all);
            let Some(instruction) = self.current(state, nr).cloned() else { continue };
            if self.drains(&instruction.op) && !state.threads[nr].buffer.is_empty() {
                continue;
            }
            for mut next in self.visible(state, nr, instruction.id, &instruction.op) {
                self.stepped(&mut next, nr);
                all.extend(self.settle(next, nr));
            }
        }
        all
    }

    fn drains(&self, op: &Op) -> bool {
        let seq_cst = |order: MemoryOrder| order == MemoryOrder::SeqCst;
        match op {
            Op::Begin | Op::Simple(What::Load { .. } | What::Free { .. }) => false,
            Op::Simple(What::Store { order, .. }) => order.is_some_and(seq_cst),
            Op::Simple(What::Fence { order }) => seq_cst(*order),
            _ => true,
        }
    }

    /// A buffered write reaches memory.
    fn commits(&mut self, state: &State, nr: ThreadNr, all: &mut Vec<State>) {
        let buffer = &state.threads[nr].buffer;
        for (nth, write) in buffer.iter().enumerate() {
            let cells = &self.program.cells;
            let held_back = match self.model {
                MemoryModel::Pso => buffer[..nth].iter().any(|older| {
                    write.release
                        || older.fences != write.fences
                        || cells[usize::from(older.cell)].overlaps(&cells[usize::from(write.cell)])
                }),
                _ => nth > 0,
            };
            if held_back {
                continue;
            }
            let mut next = state.clone();
            let cell = usize::from(write.cell);
            self.put(&mut next, cell, &write.value);
            self.committed(&mut next, nr, write.watched.0, cell, write.watched.1);
            let thread = &mut next.threads[nr];
            thread.buffer.remove(nth);
            // Fences are counted from the oldest write, so that equal buffers are equal states.
            let passed = thread.buffer.first().map_or(thread.fences, |oldest| oldest.fences);
            thread.fences -= passed;
            thread.buffer.iter_mut().for_each(|write| write.fences -= passed);
            all.push(next);
        }
    }

    /// The deadline of a timed wait on a condition or futex passes: the thread leaves the queue.
    fn deadline(&self, state: &State, nr: ThreadNr, all: &mut Vec<State>) {
        let Some(instruction) = self.current(state, nr) else { return };
        let thread = &state.threads[nr];
        if thread.woken || thread.late {
            return;
        }
        let mut next = state.clone();
        next.threads[nr].late = true;
        match instruction.op {
            Op::CondWake { condition, timed: true, .. } => {
                if let Object::Condition { waiting } = &mut next.objects[condition] {
                    *waiting &= !(1 << nr);
                }
            }
            Op::FutexResume { timed: true, .. } => {
                next.futexes.iter_mut().for_each(|waiting| *waiting &= !(1 << nr));
            }
            _ => return,
        }
        all.push(next);
    }

    /// The states behind the thread's visible event; none if it cannot happen.
    fn visible(&mut self, state: &State, nr: ThreadNr, id: u32, op: &Op<'p>) -> Vec<State> {
        let mut next = state.clone();
        next.threads[nr].at += 1;
        let me = Some(nr as u8);
        match *op {
            Op::Begin | Op::Init => {}
            Op::Fork(child) => next.threads[child].life = Life::Alive,
            Op::Join(child) if state.threads[child].life == Life::Ended => {}
            Op::Join(_) => return Vec::new(),
            Op::End => {
                let thread = &mut next.threads[nr];
                thread.at -= 1;
                thread.life = Life::Ended;
                thread.forget();
            }
            Op::AtomicBegin => next.region = me,
            Op::AtomicEnd => next.region = None,
            Op::OnceEnter { once, past } => match state.objects[once] {
                Object::Once { done: true, .. } => {
                    next.threads[nr].at = past as u16;
                    self.decide(&mut next, nr, Decision::RunsOnce(false));
                }
                Object::Once { by: None, .. } => {
                    next.objects[once] = Object::Once { by: me, done: false };
                    self.decide(&mut next, nr, Decision::RunsOnce(true));
                }
                _ => return Vec::new(),
            },
            Op::OnceFinish(once) => next.objects[once] = Object::Once { by: None, done: true },
            Op::Arrive(barrier) => {
                if let Object::Barrier { arrived, parties } = &mut next.objects[barrier] {
                    next.threads[nr].round = *arrived / *parties;
                    *arrived += 1;
                }
            }
            Op::Leave(barrier) => match state.objects[barrier] {
                Object::Barrier { arrived, parties }
                    if arrived >= (state.threads[nr].round + 1) * parties =>
                {
                    next.threads[nr].round = 0;
                }
                _ => return Vec::new(),
            },
            Op::CondBlock { condition, mutex } => {
                if let Object::Condition { waiting } = &mut next.objects[condition] {
                    *waiting |= 1 << nr;
                }
                match &mut next.objects[mutex] {
                    Object::Mutex { owner, depth, .. } if *owner == me => {
                        *owner = None;
                        next.threads[nr].depth = std::mem::take(depth);
                    }
                    _ => {
                        self.truth.misuses.insert((nr, id));
                    }
                }
            }
            Op::CondWake { mutex, to, .. } => {
                let woken = state.threads[nr].woken;
                let Object::Mutex { owner: None, .. } = state.objects[mutex] else { return Vec::new() };
                if !woken && !state.threads[nr].late {
                    return Vec::new();
                }
                let thread = &mut next.threads[nr];
                let held = std::mem::take(&mut thread.depth).max(1);
                (thread.woken, thread.late) = (false, false);
                if let Some(to) = to {
                    thread.set(to, woken.into(), false);
                }
                if let Object::Mutex { owner, depth, .. } = &mut next.objects[mutex] {
                    (*owner, *depth) = (me, held);
                }
                self.decide(&mut next, nr, Decision::Woken(woken));
            }
            Op::FutexBlock { cell, expected, past } => {
                self.use_of(state, nr, id, cell);
                self.accessed(&mut next, nr, doing(id, cell, Way::Look));
                let queued = self.get(state, nr, cell)[0] == state.threads[nr].value(expected);
                match queued {
                    true => next.futexes[cell] |= 1 << nr,
                    false => next.threads[nr].at = past as u16,
                }
                self.decide(&mut next, nr, Decision::Queued(queued));
            }
            Op::FutexResume { to, .. } => {
                let woken = std::mem::take(&mut next.threads[nr].woken);
                if !std::mem::take(&mut next.threads[nr].late) && !woken {
                    return Vec::new();
                }
                if let Some(to) = to {
                    next.threads[nr].set(to, woken.into(), false);
                }
                self.decide(&mut next, nr, Decision::Woken(woken));
            }
            Op::Simple(what) => return self.simple(next, nr, id, what),
            _ => unreachable!("{op:?} is local"),
        }
        vec![next]
    }
}
