//! Changes of the program's memory that do not come from its instructions.

use std::ops::Range;

use warpath_trace::event::{Datum, MemoryOrder, Op};
use warpath_trace::header::{MemoryModel, SharedRange, Values};
use warpath_trace::ids::ExprId;

use super::action::Sync;
use super::error::RunError;
use super::machine::Machine;
use super::options::Source;
use super::outcome::{End, Failure};
use super::sync::{Object, bytes};
use crate::cpu::{self, Exit, Gpr, Limits};
use crate::process::Ended;
use warpath_trace::event::FailureKind;

impl Machine {
    /// The kernel or a modelled function writes concrete bytes; whether they could be written.
    pub(crate) fn kernel_write(&mut self, t: usize, address: u64, bytes: &[u8]) -> Result<bool, RunError> {
        if bytes.is_empty() {
            return Ok(true);
        }
        let length = bytes.len() as u64;
        // Values from before, for locations that are first seen now.
        self.shared_pieces(address, length)
            .into_iter()
            .try_for_each(|(address, size)| self.location(address, size).map(drop))?;
        if !self.poke(address, bytes) {
            return Ok(false);
        }
        self.kernel_wrote(t, address, length)?;
        Ok(true)
    }

    /// The kernel has written there: what was symbolic is not any more, and shared bytes have been written.
    pub(crate) fn kernel_wrote(&mut self, t: usize, address: u64, length: u64) -> Result<(), RunError> {
        self.shadow.clear(address, length);
        self.update_marks();
        self.space.note_access(address..address.saturating_add(length), true);
        for (address, size) in self.shared_pieces(address, length) {
            let location = self.location(address, size)?;
            let value = self.view(t, address, size).unwrap_or(0);
            self.record(t, Op::Write { location, value: Datum::concrete(value) })?;
        }
        Ok(())
    }

    /// An input is put into memory.
    pub(crate) fn store_input(
        &mut self,
        t: usize,
        address: u64,
        size: u8,
        value: u128,
        leaf: ExprId,
    ) -> Result<(), RunError> {
        let length = u64::from(size);
        let bytes = &value.to_le_bytes()[..usize::from(size)];
        if self.watched.overlaps(address..address + length) {
            self.widen_sharing(address, length);
            let location = self.location(address, size.into())?;
            let value = Datum::symbolic(value, leaf);
            let op = match self.options.model {
                MemoryModel::Sc => Op::Write { location, value },
                // It is in memory at once.
                _ => Op::AtomicWrite { location, value, order: MemoryOrder::SeqCst },
            };
            self.record(t, op)?;
            self.poke(address, bytes);
        } else {
            self.poke(address, bytes);
            self.shadow.write(address, size, value, Some(leaf));
        }
        self.space.note_access(address..address + length, true);
        self.update_marks();
        Ok(())
    }

    /// The shared parts of a range, in pieces that an event can name.
    fn shared_pieces(&mut self, address: u64, length: u64) -> Vec<(u64, u32)> {
        let end = address.saturating_add(length);
        if !self.watched.overlaps(address..end) {
            return Vec::new();
        }
        let mut pieces = Vec::new();
        let mut at = address;
        while at < end {
            let next = ((at & !7) + 8).min(end);
            if self.watched.overlaps(at..next) {
                pieces.push((at, (next - at) as u32));
            }
            at = next;
        }
        pieces
    }

    /// Sets the C library's `errno` of a thread.
    pub(crate) fn set_errno(&mut self, t: usize, errno: i32) {
        // Where it is, the C library itself says: its own function is asked, on the side.
        let Some(function) = self.images.symbol("__errno_location") else { return };
        let mut registers = self.threads[t].registers.clone();
        let sp = registers.get(Gpr::Rsp).wrapping_sub(256) & !15;
        let Some(below) = self.peek(sp, 8) else { return };
        self.poke(sp, &self.native.landing.to_le_bytes());
        registers.set(Gpr::Rsp, sp);
        registers.rip = function.address;
        let (exit, _) =
            cpu::run(&mut registers, &mut self.code, &mut self.space, &mut Limits::instructions(100));
        if exit == Exit::Hook && registers.rip == self.native.landing {
            self.poke(registers.get(Gpr::Rax), &errno.to_le_bytes());
        }
        self.poke(sp, &below);
    }

    /// The variable for what a read found.
    pub(crate) fn read_expression(
        &mut self,
        t: usize,
        event: u32,
        size: u32,
    ) -> Result<Option<ExprId>, RunError> {
        if self.options.values == Values::Pinned {
            return Ok(None);
        }
        let ix = self.threads[t].ix;
        Ok(Some(self.shadow.pool_mut().read(ix, event, (size * 8) as u8)?))
    }

    /// Bytes of the object of a step, for its name.
    pub(crate) fn object_size(&self, sync: &Sync) -> u32 {
        match sync {
            Sync::Init { kind, .. } => Object::new(*kind).bytes(),
            Sync::Destroy { object } => self.objects.get(*object).map_or(bytes::MUTEX, Object::bytes),
            Sync::Lock { api, .. } | Sync::Unlock { api, .. } => api.mutex_bytes(),
            Sync::RwLock { .. } | Sync::RwUnlock { .. } => bytes::RW_LOCK,
            Sync::CondWait { .. } | Sync::CondWake { .. } | Sync::Signal { .. } | Sync::Broadcast { .. } => {
                bytes::CONDITION
            }
            Sync::SemWait { .. } | Sync::SemPost { .. } | Sync::SemValue { .. } => bytes::SEMAPHORE,
            Sync::BarrierArrive { .. } | Sync::BarrierLeave { .. } => bytes::BARRIER,
            Sync::OnceEnter { .. } | Sync::OnceFinish { .. } => bytes::ONCE,
            Sync::Join { .. } | Sync::Detach { .. } | Sync::AtomicBegin { .. } | Sync::AtomicEnd { .. } => 0,
        }
    }

    pub(crate) fn source_name(&mut self, site: u64) -> Result<String, RunError> {
        let id = self.source(site)?;
        Ok(self.recorder.trace.tables.source_name(id))
    }

    /// A shared range as part of an object.
    pub(crate) fn shared_range(&mut self, range: Range<u64>) -> Result<Vec<SharedRange>, RunError> {
        let mut ranges = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let place = self.place_of(at, 1);
            let end = range.end.min(place.start.saturating_add(place.object.size.max(1))).max(at + 1);
            let object = self.object_of(&place)?;
            ranges.push(SharedRange { object, offset: at - place.start, size: end - at });
            at = end;
        }
        Ok(ranges)
    }

    /// Somebody ended the native process.
    pub(crate) fn ended_from_outside(&mut self, ended: Ended) -> End {
        match ended {
            Ended::Exited(status) => End::Exited(status),
            Ended::Killed(signal) => {
                let message = format!("ended from outside by signal {signal}");
                End::Failed(Failure::new(FailureKind::Killed(signal as u32), message))
            }
        }
    }

    /// Arguments and environment variables that are inputs.
    pub(crate) fn symbolic_strings(&mut self) -> Result<(), RunError> {
        let at = self.native.first_sp;
        let count = self.peek_word::<8>(at).unwrap_or(0);
        for source in self.options.symbolic.clone() {
            match source {
                Source::Argument(n) if (n as u64) < count => {
                    let address = self.peek_word::<8>(at + 8 + 8 * n as u64).unwrap_or(0);
                    self.symbolic_string(&format!("arg:{n}"), address)?;
                }
                Source::Environment(name) => {
                    let first = at + 8 * (count + 2);
                    let mut entry = first;
                    while let Some(address) = self.peek_word::<8>(entry).filter(|&address| address != 0) {
                        let text = self.peek_string(address, 1 << 17).unwrap_or_default();
                        if text.starts_with(name.as_bytes()) && text.get(name.len()) == Some(&b'=') {
                            self.symbolic_string(&format!("env:{name}"), address + name.len() as u64 + 1)?;
                        }
                        entry += 8;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn symbolic_string(&mut self, name: &str, address: u64) -> Result<(), RunError> {
        let text = self.peek_string(address, 1 << 16).unwrap_or_default();
        for n in 0..text.len() as u64 {
            self.take_byte(0, name, n, address + n)?;
        }
        Ok(())
    }
}
