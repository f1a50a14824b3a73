//! Accesses to shared memory.

use std::collections::VecDeque;

use warpath_trace::event::{Datum, FailureKind, MemoryOrder, Op};
use warpath_trace::header::MemoryModel;

use crate::cpu::{self, Decoded, Exit};
use crate::run::action::{Access, AccessKind, Action};
use crate::run::careful::{Careful, Done, DoneKind, Mode, forwarded, word};
use crate::run::error::RunError;
use crate::run::kernel::Next;
use crate::run::machine::Machine;
use crate::run::outcome::{End, Failure, Why};
use crate::run::sharing::Sharing;
use crate::run::thread::{Buffered, Held};
use crate::sym::{Effects, Source};

impl Machine {
    /// The instruction at which the thread stands touches marked memory or symbolic data: what comes of it.
    pub(crate) fn carefully(&mut self, t: usize) -> Result<Next, RunError> {
        let decoded = match self.code.decode(&mut self.space, self.threads[t].registers.rip) {
            Ok(decoded) => decoded,
            Err(exit) => return self.exit_for(t, exit),
        };
        let instruction = decoded.instruction;
        let limit = self.options.max_expressions;
        if self.shadow.pool().len() > limit {
            return Ok(Next::End(End::Stopped(Why::Expressions(limit))));
        }
        // What must be decided to know which memory it touches comes before the accesses themselves.
        let mut effects = Effects::new();
        let thread = &mut self.threads[t];
        self.shadow.prepare(&mut thread.shadow, &instruction, &thread.registers, &mut effects);
        self.record_effects(t, &mut effects)?;

        let thread = &mut self.threads[t];
        let mut registers = thread.registers.clone();
        let (held, buffer) = (&thread.held, &thread.buffer);
        let nothing = Sharing::default();
        let shared = if is_own_stack(&instruction, buffer) { &nothing } else { &self.watched };
        let mut memory = Careful::new(&mut self.space, shared, held, buffer, Mode::Probe);
        let result = cpu::step(&mut registers, &decoded, &mut memory);
        let (found, suspect) = (memory.found, memory.suspect);
        if let Some(failure) = found.into_iter().chain(suspect).find_map(|access| self.misuse(t, access)) {
            return Ok(Next::End(End::Failed(failure)));
        }
        if let (Err(_), Some(mut access)) = (result, found) {
            if is_atomic(&instruction) {
                access.kind = AccessKind::Update;
            }
            self.widen_sharing(access.address, access.size.into());
            if access.kind == AccessKind::Write {
                self.threads[t].spin.break_off();
            } else if let Some(next) = self.spinning(t, access)? {
                return Ok(next);
            }
            return Ok(Next::Poise(Action::Access(access)));
        }
        self.finish_instruction(t, &decoded)
    }

    /// Is the access to freed storage, or beside any?
    pub(super) fn misuse(&self, t: usize, access: Access) -> Option<Failure> {
        // The C library reads strings many bytes at a time: over their ends, but never into another page.
        if access.kind == AccessKind::Read && self.images.is_c_library(self.threads[t].registers.rip) {
            return None;
        }
        let block = self.heap.block_at(access.address)?;
        let what = match access.kind {
            AccessKind::Read => "read",
            AccessKind::Write => "written",
            AccessKind::Update => "updated",
        };
        let (kind, how) = if block.freed {
            (FailureKind::UseAfterFree, "after it was freed")
        } else if access.address + u64::from(access.size) > block.address + block.size {
            (FailureKind::OutOfBounds, "beyond its end")
        } else {
            return None;
        };
        let message = format!(
            "storage of {} bytes ({}) is {what} {how}, at offset {}",
            block.size,
            block.name(),
            access.address.wrapping_sub(block.address) as i64
        );
        Some(Failure { address: Some(access.address), ..Failure::new(kind, message) })
    }

    /// Executes the instruction to its end; shared reads are held or part of an atomic instruction.
    fn finish_instruction(&mut self, t: usize, decoded: &Decoded) -> Result<Next, RunError> {
        let instruction = &decoded.instruction;
        let buffered = self.options.model != MemoryModel::Sc && !is_atomic(instruction);
        let thread = &mut self.threads[t];
        let before = thread.registers.clone();
        let held = std::mem::take(&mut thread.held);
        let buffer = std::mem::take(&mut thread.buffer);
        let mode = Mode::Execute { buffered };
        let nothing = Sharing::default();
        let shared = if is_own_stack(instruction, &buffer) { &nothing } else { &self.watched };
        let mut memory = Careful::new(&mut self.space, shared, &held, &buffer, mode);
        let result = cpu::step(&mut thread.registers, decoded, &mut memory);
        let done = std::mem::take(&mut memory.done);
        self.instructions += 1;
        self.threads[t].buffer = buffer;
        match result {
            Ok(_) => self.finished(t, instruction, &before, &held, &done),
            Err(Exit::DivideError) => {
                let accesses: Vec<_> =
                    done.iter().map(|done| done.symbolic(|done| self.source_of(t, done, &held))).collect();
                let mut effects = Effects::new();
                let thread = &mut self.threads[t];
                self.shadow.divide_error(&mut thread.shadow, instruction, &before, &accesses, &mut effects);
                self.record_effects(t, &mut effects)?;
                self.threads[t].held = held;
                self.exit_for(t, Exit::DivideError)
            }
            Err(exit) => {
                self.threads[t].held = held;
                self.exit_for(t, exit)
            }
        }
    }

    fn source_of(&self, t: usize, done: &Done, held: &[Held]) -> Source {
        match done.kind {
            DoneKind::HeldLoad(n) => {
                held.get(n).and_then(|held| held.expr).map_or(Source::Concrete, Source::Expr)
            }
            DoneKind::SharedLoad => self.threads[t].updating.map_or(Source::Concrete, Source::Expr),
            _ => Source::Memory,
        }
    }

    fn finished(
        &mut self,
        t: usize,
        instruction: &iced_x86::Instruction,
        before: &crate::cpu::Registers,
        held: &[Held],
        done: &[Done],
    ) -> Result<Next, RunError> {
        self.watch_flow(t, done);
        if self.threads[t].spin.close {
            self.threads[t].spin.note(done);
        }
        let accesses: Vec<_> =
            done.iter().map(|done| done.symbolic(|done| self.source_of(t, done, held))).collect();
        let mut effects = Effects::new();
        let thread = &mut self.threads[t];
        self.shadow.execute(
            &mut thread.shadow,
            instruction,
            before,
            &thread.registers,
            &accesses,
            &mut effects,
        );
        if self.options.check_expressions && self.shadow.disagreements() > 0 {
            let place = format!("{:#x} `{instruction}`", before.rip);
            return Err(RunError::Check { place, difference: "see the disagreement count".into() });
        }
        // A branch comes after the accesses of its instruction; nothing else is decided behind them.
        self.threads[t].stored = effects.held.clone();
        self.record_effects(t, &mut effects)?;
        self.update_marks();
        Ok(Next::Go)
    }

    /// Does an access to shared memory as an event.
    pub(super) fn perform_access(&mut self, t: usize, access: Access) -> Result<Next, RunError> {
        match access.kind {
            AccessKind::Read => self.read_shared(t, access),
            AccessKind::Write => self.write_shared(t, access),
            AccessKind::Update => self.update_shared(t, access),
        }
    }

    /// What the thread sees at an address.
    pub(crate) fn view(&mut self, t: usize, address: u64, size: u32) -> Option<u128> {
        let mut bytes = vec![0; size as usize];
        self.space.read_bytes(address, &mut bytes).ok()?;
        forwarded(&self.threads[t].buffer, address, &mut bytes);
        Some(word(&bytes))
    }

    fn read_shared(&mut self, t: usize, access: Access) -> Result<Next, RunError> {
        let location = self.location(access.address, access.size)?;
        let value = self.view(t, access.address, access.size).unwrap_or(0);
        let event = self.record(t, Op::Read { location, value })?;
        self.saw(t, access, value);
        let expr = self.read_expression(t, event, access.size)?;
        let bytes = value.to_le_bytes()[..access.size as usize].to_vec();
        self.threads[t].held.push(Held { address: access.address, bytes, expr });
        Ok(Next::Go)
    }

    fn write_shared(&mut self, t: usize, access: Access) -> Result<Next, RunError> {
        let location = self.location(access.address, access.size)?;
        let buffered = self.options.model != MemoryModel::Sc;
        // What it writes is known only when the instruction has been executed.
        let event = self.record(t, Op::Write { location, value: Datum::concrete(0) })?;
        let next = self.finish_here(t)?;
        let (value, expr) = match self.threads[t].stored.pop() {
            Some(stored) if buffered => (stored.value, stored.expr),
            _ => self.shared_datum(t, access),
        };
        self.recorder.amend(self.threads[t].ix, event, Op::Write { location, value: Datum { value, expr } });
        if buffered {
            let bytes = value.to_le_bytes()[..access.size as usize].to_vec();
            self.threads[t].buffer.push_back(Buffered { address: access.address, bytes, event, expr });
        } else {
            self.forget_expressions(access.address, access.size);
        }
        Ok(next)
    }

    fn update_shared(&mut self, t: usize, access: Access) -> Result<Next, RunError> {
        let location = self.location(access.address, access.size)?;
        let old = self.view(t, access.address, access.size).unwrap_or(0);
        let order = MemoryOrder::SeqCst;
        let event = self.record(t, Op::Rmw { location, old, new: Datum::concrete(0), order })?;
        self.threads[t].updating = self.read_expression(t, event, access.size)?;
        let next = self.finish_here(t);
        self.threads[t].updating = None;
        let (value, expr) = self.shared_datum(t, access);
        self.saw(t, access, old);
        if value != old {
            self.threads[t].spin.break_off();
        }
        self.recorder.amend(
            self.threads[t].ix,
            event,
            Op::Rmw { location, old, new: Datum { value, expr }, order },
        );
        self.forget_expressions(access.address, access.size);
        next
    }

    fn finish_here(&mut self, t: usize) -> Result<Next, RunError> {
        let rip = self.threads[t].registers.rip;
        match self.code.decode(&mut self.space, rip) {
            Ok(decoded) => self.finish_instruction(t, &decoded),
            Err(exit) => self.exit_for(t, exit),
        }
    }

    fn shared_datum(&mut self, t: usize, access: Access) -> (u128, Option<warpath_trace::ids::ExprId>) {
        let value = self.view(t, access.address, access.size).unwrap_or(0);
        (value, self.shadow.read(access.address, access.size as u8, value))
    }

    /// A buffered write reaches memory: the oldest, or under PSO the oldest of that address.
    pub(crate) fn commit(&mut self, t: usize, which: usize) -> Result<(), RunError> {
        let Some(write) = self.threads[t].buffer.remove(which) else { return Ok(()) };
        let size = write.bytes.len() as u32;
        self.location(write.address, size)?;
        // The page was writable when the store was made; if it no longer is, the write has nowhere to go.
        let _ = self.space.write_bytes(write.address, &write.bytes);
        self.forget_expressions(write.address, size);
        self.record(t, Op::Commit { write: write.event })?;
        Ok(())
    }

    /// Shared memory keeps no expressions of its own: a read of it is a fresh variable.
    fn forget_expressions(&mut self, address: u64, size: u32) {
        self.shadow.clear(address, size.into());
        self.update_marks();
    }
}

/// Does the instruction read and write memory in one step? `xchg` does so without a prefix.
fn is_atomic(instruction: &iced_x86::Instruction) -> bool {
    use iced_x86::{Mnemonic, OpKind};
    instruction.has_lock_prefix()
        || instruction.mnemonic() == Mnemonic::Xchg
            && (0..instruction.op_count()).any(|n| instruction.op_kind(n) == OpKind::Memory)
}

/// Does it only push to, or pop from, the stack? Nobody else has a part in that, even where a variable that others used
/// was in an earlier frame. But a write to such a variable that is still in the buffer has to be kept apart from it.
fn is_own_stack(instruction: &iced_x86::Instruction, buffer: &VecDeque<Buffered>) -> bool {
    let explicit = (0..instruction.op_count()).any(|n| instruction.op_kind(n) == iced_x86::OpKind::Memory);
    instruction.is_stack_instruction() && !explicit && buffer.is_empty()
}
