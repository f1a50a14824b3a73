//! Loops that wait for another thread by looking again and again.
//!
//! A turn of a loop that ends where it began, with the same registers, the same memory, and the same values read, will
//! be followed by the same turn until somebody else changes one of those values. Such a turn is recorded once, as an
//! *await*; then the thread waits for the change. A first turn raises the suspicion (same instruction, same
//! registers); in the next one every store is looked at.

use rustc_hash::FxHashMap;
use warpath_trace::event::Op;

use super::action::{Access, Action, Wait};
use super::careful::{Done, DoneKind};
use super::error::RunError;
use super::kernel::Next;
use super::machine::Machine;
use super::thread::State;
use crate::cpu::Registers;

/// Instructions that a turn may have and still be looked at closely.
const LONGEST_TURN: u64 = 20_000;
/// Reads of shared memory that a turn may have.
const MOST_READS: usize = 16;
/// Turns that a loop must have had before it is looked at closely.
const SUSPICIOUS: u32 = 2;

/// What is known of a thread's idle turns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spin {
    anchor: Option<Anchor>,
    /// Turns in a row with the same registers at the anchor.
    turns: u32,
    /// What the current turn has read from shared memory.
    reads: Vec<Seen>,
    /// Bytes that the current turn has changed, with what they were; only if every store is looked at.
    changed: FxHashMap<u64, (u8, u8)>,
    /// Is every store looked at?
    pub close: bool,
}

/// Where turns are counted from.
#[derive(Clone, Debug)]
struct Anchor {
    registers: Registers,
    /// The thread's events at that time.
    events: u32,
    instructions: u64,
}

/// A value of shared memory that a turn found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub address: u64,
    pub size: u32,
    pub value: u128,
}

impl Spin {
    /// The turn did something that others can notice.
    pub(crate) fn break_off(&mut self) {
        *self = Spin::default();
    }

    /// Notes stores of an instruction.
    pub(crate) fn note(&mut self, done: &[Done]) {
        for store in
            done.iter().filter(|done| matches!(done.kind, DoneKind::Store | DoneKind::SharedStore { .. }))
        {
            let bytes = store.old.to_le_bytes().into_iter().zip(store.value.to_le_bytes());
            for ((old, new), n) in bytes.take(store.size.into()).zip(0..) {
                let entry = self.changed.entry(store.address.wrapping_add(n)).or_insert((old, old));
                entry.1 = new;
            }
        }
    }

    fn changed_nothing(&self) -> bool {
        self.changed.values().all(|(before, after)| before == after)
    }
}

impl Machine {
    /// The thread is about to read (or update) shared memory: has it done so before in the very same situation?
    /// Answers what it does instead of looking again.
    pub(crate) fn spinning(&mut self, t: usize, access: Access) -> Result<Option<Next>, RunError> {
        let events = self.recorder.events(self.threads[t].ix) as u32;
        let value = self.view(t, access.address, access.size).unwrap_or(0);
        let instructions = self.instructions;
        let thread = &mut self.threads[t];
        let spin = &mut thread.spin;
        let same_place =
            spin.anchor.as_ref().is_some_and(|anchor| anchor.registers.rip == thread.registers.rip);
        let fresh =
            |registers: &Registers| Some(Anchor { registers: registers.clone(), events, instructions });
        let sites = &self.spin_sites;
        let close = sites.contains(&thread.registers.rip);
        if !same_place || !thread.held.is_empty() {
            // Not a place that it comes back to, or not the one that it was seen to spin at.
            let lost = spin.anchor.as_ref().is_none_or(|anchor| {
                instructions - anchor.instructions > LONGEST_TURN
                    || spin.reads.len() > MOST_READS
                    || close && !sites.contains(&anchor.registers.rip)
            });
            if lost && thread.held.is_empty() {
                *spin = Spin { anchor: fresh(&thread.registers), close, ..Spin::default() };
            }
            return Ok(None);
        }
        let Some(anchor) = &spin.anchor else { return Ok(None) };
        if anchor.registers != thread.registers {
            *spin = Spin { anchor: fresh(&thread.registers), close, ..Spin::default() };
            return Ok(None);
        }
        let idle = spin.close && spin.changed_nothing() && !spin.reads.is_empty();
        // Somebody has changed what it waits for: the next turn will not be idle.
        let unchanged =
            spin.reads.first().is_some_and(|first| first.address == access.address && first.value == value);
        if idle && unchanged {
            let cells = std::mem::take(&mut spin.reads);
            let window = events - anchor.events;
            *spin = Spin::default();
            // From now on its first turn is looked at, not its fourth.
            if self.spin_sites.insert(self.threads[t].registers.rip) {
                self.grown = true;
            }
            self.record(t, Op::Await { window })?;
            return Ok(Some(Next::Poise(Action::Blocked(Wait::Change(cells)))));
        }
        let turns = spin.turns + 1;
        *spin =
            Spin { anchor: fresh(&thread.registers), turns, close: turns >= SUSPICIOUS, ..Spin::default() };
        Ok(None)
    }

    /// Does the thread go round in a circle that touches nothing shared, without end?
    pub(crate) fn idles(&mut self, t: usize) -> Result<bool, RunError> {
        let start = self.threads[t].registers.clone();
        self.threads[t].spin = Spin { close: true, ..Spin::default() };
        let mut idle = false;
        for _ in 0..LONGEST_TURN {
            if self.code.is_hooked(self.threads[t].registers.rip) {
                break;
            }
            match self.carefully(t)? {
                Next::Go => {}
                Next::Poise(action) => {
                    self.threads[t].state = State::Poised(action);
                    break;
                }
                Next::End(_) => break,
            }
            let thread = &self.threads[t];
            if thread.registers == start && thread.spin.changed_nothing() {
                idle = true;
                break;
            }
        }
        self.threads[t].spin.break_off();
        Ok(idle)
    }

    /// Shared memory was read.
    pub(crate) fn saw(&mut self, t: usize, access: Access, value: u128) {
        self.threads[t].spin.reads.push(Seen { address: access.address, size: access.size, value });
    }

    /// Has one of the values changed that the thread waits for?
    pub(crate) fn has_changed(&mut self, t: usize, cells: &[Seen]) -> bool {
        cells.iter().any(|cell| self.view(t, cell.address, cell.size) != Some(cell.value))
    }
}
