//! Keys of thread-specific data.
//!
//! The C library numbers keys in the order in which they are made, whoever makes them: a thread would see by the number
//! of its own key what others have done before, without having looked at anything that they share with it. The program
//! gets other numbers, which depend on the thread and on how many it has made, and the C library gets its own.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use warpath_trace::event::{Datum, MemoryOrder, Op};
use warpath_trace::header::MemoryModel;

use super::{Function, Return};
use crate::cpu::Gpr;
use crate::run::action::Action;
use crate::run::error::RunError;
use crate::run::kernel::Next;
use crate::run::layout::Slot;
use crate::run::machine::Machine;

/// Bits of a key that count the keys of one thread; those above are the thread's.
const COUNT_BITS: u32 = 20;
/// A number that no key of the C library has.
const NO_KEY: u32 = u32::MAX;
/// Bytes of a key.
pub(crate) const SIZE: u32 = 4;

/// The keys that there are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys {
    /// The C library's number of each.
    real: BTreeMap<u32, u32>,
    made: FxHashMap<Slot, u32>,
}

impl Keys {
    /// What a new key of a thread is called.
    fn add(&mut self, slot: Slot, real: u32) -> u32 {
        let made = self.made.entry(slot).or_default();
        // The C library has fewer than a thread could ever have here, so one of them is free.
        let key = loop {
            let key = (slot.0 << COUNT_BITS) | (*made % (1 << COUNT_BITS));
            *made = made.wrapping_add(1);
            if !self.real.contains_key(&key) {
                break key;
            }
        };
        self.real.insert(key, real);
        key
    }

    fn real(&self, key: u32) -> u32 {
        self.real.get(&key).copied().unwrap_or(NO_KEY)
    }
}

impl Machine {
    pub(super) fn key_call(&mut self, t: usize, function: Function) -> Result<Next, RunError> {
        self.concretise_arguments(t, 1)?;
        let first = self.argument(t, 0);
        if function == Function::KeyCreate {
            return self.create_key(t, first);
        }
        let real = self.keys.real(first as u32);
        if function == Function::KeyDelete {
            self.keys.real.remove(&(first as u32));
        }
        self.set_argument(t, real.into());
        self.pass(t)
    }

    /// Lets the C library make a key and put its number below the stack, where nobody else looks.
    fn create_key(&mut self, t: usize, into: u64) -> Result<Next, RunError> {
        let registers = &self.threads[t].registers;
        let (entry, sp) = (registers.rip, registers.get(Gpr::Rsp));
        let (returns, number) = (sp.wrapping_sub(16), sp.wrapping_sub(8));
        // Without a stack, or a place to put it, the C library itself faults.
        if self.peek(into, SIZE as usize).is_none()
            || !self.poke(returns, &self.native.landing.to_le_bytes())
            || !self.poke(number, &[0; 8])
        {
            return self.pass(t);
        }
        self.update_marks();
        self.threads[t].registers.set(Gpr::Rsp, returns);
        self.set_argument(t, number);
        self.threads[t].returns.push(Return::Key { entry, sp, number, into });
        self.pass(t)
    }

    /// The C library has made a key, or has none left.
    pub(crate) fn key_created(&mut self, t: usize) -> Result<Next, RunError> {
        let Some(Return::Key { entry, sp, number, into }) = self.threads[t].returns.pop() else {
            return Ok(Next::Go);
        };
        let real = self.peek_word::<4>(number).map_or(NO_KEY, |word| word as u32);
        // Back to the entry: the key is given where the function is called.
        let thread = &mut self.threads[t];
        thread.registers.rip = entry;
        thread.registers.set(Gpr::Rsp, sp);
        let result = thread.registers.get(Gpr::Rax) as u32;
        if result != 0 {
            return Ok(self.return_from(t, result.into()));
        }
        let key = self.keys.add(self.threads[t].slot, real);
        match self.watched.overlaps(into..into + u64::from(SIZE)) {
            true => Ok(Next::Poise(Action::GiveKey { into, key })),
            false => self.give_key(t, into, key),
        }
    }

    /// Puts a new key where the program wants it, and returns from the function that made it.
    pub(crate) fn give_key(&mut self, t: usize, into: u64, key: u32) -> Result<Next, RunError> {
        let range = into..into + u64::from(SIZE);
        if self.watched.overlaps(range.clone()) {
            self.widen_sharing(into, SIZE.into());
            let location = self.location(into, SIZE)?;
            let value = Datum::concrete(key.into());
            let op = match self.options.model {
                MemoryModel::Sc => Op::Write { location, value },
                // It is in memory at once.
                _ => Op::AtomicWrite { location, value, order: MemoryOrder::SeqCst },
            };
            self.record(t, op)?;
        }
        self.poke(into, &key.to_le_bytes());
        self.update_marks();
        self.space.note_access(range, true);
        Ok(self.return_from(t, 0))
    }

    /// Changes the first argument of the function at whose entry the thread stands.
    fn set_argument(&mut self, t: usize, value: u64) {
        let thread = &mut self.threads[t];
        thread.registers.set(Gpr::Rdi, value);
        thread.shadow.set(Gpr::Rdi, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_do_not_depend_on_who_made_one_first() {
        let (mut one, mut other) = (Keys::default(), Keys::default());
        let first = [one.add(Slot(1), 0), one.add(Slot(2), 1), one.add(Slot(1), 2)];
        let [c, a, b] = [other.add(Slot(2), 0), other.add(Slot(1), 1), other.add(Slot(1), 2)];
        assert_eq!(first, [a, c, b]);
        assert_eq!(first.map(|key| one.real(key)), [0, 1, 2]);
        assert_eq!(other.real(c), 0);
        assert_eq!(one.real(77), NO_KEY);
    }

    #[test]
    fn a_key_in_use_is_not_given_again() {
        let mut keys = Keys::default();
        let kept = keys.add(Slot(3), 5);
        for _ in 1..1 << COUNT_BITS {
            let key = keys.add(Slot(3), 6);
            assert_eq!(key >> COUNT_BITS, 3);
            keys.real.remove(&key);
        }
        assert_ne!(keys.add(Slot(3), 7), kept);
        assert_eq!(keys.real(kept), 5);
    }
}
