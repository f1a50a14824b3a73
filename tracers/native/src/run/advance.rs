//! Invisible instructions: a thread runs until it is about to do something that others can notice.

use std::sync::atomic::Ordering;

use warpath_trace::event::{Concretised, FailureKind, MemoryOrder};

use super::action::{Action, Wait};
use super::cpuid::cpuid;
use super::error::RunError;
use super::kernel::{Next, Raised};
use super::machine::Machine;
use super::outcome::{End, Failure, Why};
use super::perform::Ability;
use super::thread::State;
use crate::cpu::{self, Exit, Gpr, Limits};
use crate::memory::{Fault, FaultKind};
use crate::process::Stop;
use crate::sym::Effects;

/// Instructions between two looks at the clock and the user.
const SLICE: u64 = 1 << 20;

impl Machine {
    /// Runs a thread up to its next visible step; `Some` if the run ended before.
    pub(crate) fn poise(&mut self, t: usize) -> Result<Option<End>, RunError> {
        self.current = t;
        self.space.set_thread(t as u16 + 1);
        while self.threads[t].state == State::Running {
            let next = self.advance(t)?;
            match next {
                Next::Go => {}
                Next::Poise(action) => self.threads[t].state = State::Poised(action),
                Next::End(end) => return Ok(Some(end)),
            }
        }
        Ok(None)
    }

    fn advance(&mut self, t: usize) -> Result<Next, RunError> {
        if self.options.cancel.load(Ordering::Relaxed) {
            return Ok(Next::End(End::Stopped(Why::Interrupted)));
        }
        let limit = self.options.max_instructions;
        if self.instructions >= limit {
            return Ok(Next::End(End::Stopped(Why::Instructions(limit))));
        }
        if self.threads[t].alone >= self.patience {
            return self.long_alone(t);
        }
        let rip = self.threads[t].registers.rip;
        // A hook that has been seen to, an instruction that is half done, a loop that may be idle: one instruction.
        let thread = &mut self.threads[t];
        let carefully = std::mem::take(&mut thread.pass)
            || !thread.held.is_empty()
            || thread.spin.close && !self.code.is_hooked(rip);
        let exit = if carefully {
            return self.carefully(t);
        } else {
            let thread = &mut self.threads[t];
            let mut limits = Limits { instructions: SLICE, symbolic: thread.shadow.symbolic() };
            let known = limits.symbolic;
            let (exit, executed) = match self.options.verify {
                false => cpu::run(&mut thread.registers, &mut self.code, &mut self.space, &mut limits),
                true => return self.verified(t),
            };
            self.instructions += executed;
            self.threads[t].alone += executed;
            if limits.symbolic != known {
                self.threads[t].shadow.keep_only(limits.symbolic);
            }
            exit
        };
        self.exit_for(t, exit)
    }

    /// What an exit of the interpreter means.
    pub(crate) fn exit_for(&mut self, t: usize, exit: Exit) -> Result<Next, RunError> {
        match exit {
            Exit::Budget => Ok(Next::Go),
            Exit::Syscall => self.syscall(t),
            Exit::Hook => self.hook(t),
            Exit::Hardware => self.by_hardware(t),
            Exit::Watched | Exit::Symbolic => self.carefully(t),
            Exit::Fault(fault) => self.fault(t, fault),
            Exit::DivideError => self
                .raise(t, Raised { signal: libc::SIGFPE, code: 1, address: self.threads[t].registers.rip }),
            Exit::Illegal => self
                .raise(t, Raised { signal: libc::SIGILL, code: 2, address: self.threads[t].registers.rip }),
            Exit::Breakpoint => self.raise(t, Raised { signal: libc::SIGTRAP, code: 128, address: 0 }),
            Exit::Cpuid => {
                let registers = &mut self.threads[t].registers;
                cpuid(registers);
                for register in [Gpr::Rax, Gpr::Rbx, Gpr::Rcx, Gpr::Rdx] {
                    self.threads[t].shadow.set(register, None);
                }
                Ok(Next::Go)
            }
            Exit::Rdtsc | Exit::Rdtscp => {
                self.tick();
                let now = self.kernel.clock;
                let thread = &mut self.threads[t];
                thread.registers.set(Gpr::Rax, now & 0xffff_ffff);
                thread.registers.set(Gpr::Rdx, now >> 32);
                thread.shadow.set(Gpr::Rax, None);
                thread.shadow.set(Gpr::Rdx, None);
                if exit == Exit::Rdtscp {
                    thread.registers.set(Gpr::Rcx, 0);
                    thread.shadow.set(Gpr::Rcx, None);
                }
                Ok(Next::Go)
            }
        }
    }

    /// The thread has computed for long without a visible step: others may have something to say.
    fn long_alone(&mut self, t: usize) -> Result<Next, RunError> {
        self.threads[t].alone = 0;
        // It may wait for what is only now known to be shared.
        if self.collect_sharing() && !self.known.is_final() {
            return Ok(Next::End(End::Stopped(Why::Sharing)));
        }
        let others: Vec<usize> =
            (0..self.threads.len()).filter(|&other| other != t && self.threads[other].alive()).collect();
        let stuck = others.iter().all(|&other| self.ability(other) == Ability::No);
        if stuck && self.idles(t)? {
            let message = format!("{} spins without end; nobody else can go on", self.threads[t].key);
            return Ok(Next::End(End::Failed(Failure::new(FailureKind::Livelock, message))));
        }
        if others.is_empty() || matches!(self.threads[t].state, State::Poised(_)) {
            return Ok(Next::Go);
        }
        self.threads[t].yielded = true;
        Ok(Next::Poise(Action::Blocked(Wait::Turn)))
    }

    fn hook(&mut self, t: usize) -> Result<Next, RunError> {
        let rip = self.threads[t].registers.rip;
        if rip == self.native.landing {
            return Ok(match self.threads[t].returns.last() {
                Some(super::calls::Return::Key { .. }) => return self.key_created(t),
                Some(super::calls::Return::Once { once, .. }) => {
                    Next::Poise(Action::Sync(super::action::Sync::OnceFinish { once: *once }))
                }
                Some(super::calls::Return::Atomic { .. }) => {
                    Next::Poise(Action::Sync(super::action::Sync::AtomicEnd { call: true }))
                }
                None => Next::End(End::Failed(Failure::new(
                    FailureKind::Other,
                    "control came to an address of the tracer",
                ))),
            });
        }
        match self.pass_marker(t) {
            Some(next) => Ok(next),
            None => self.hooked(t),
        }
    }

    fn fault(&mut self, t: usize, fault: Fault) -> Result<Next, RunError> {
        let (code, address) = match fault.kind {
            // A general protection fault has no address.
            FaultKind::Misaligned => (128, 0),
            _ if fault.mapped => (2, fault.address),
            _ => (1, fault.address),
        };
        self.raise(t, Raised { signal: libc::SIGSEGV, code, address })
    }

    /// An instruction that the interpreter does not know.
    fn by_hardware(&mut self, t: usize) -> Result<Next, RunError> {
        let rip = self.threads[t].registers.rip;
        let instruction = cpu::instruction_at(&mut self.code, &mut self.space, rip);
        if let Some(instruction) = &instruction {
            if cpu::is_fence(instruction) {
                if !self.images.is_c_library(rip) && !std::mem::take(&mut self.threads[t].fenced) {
                    return Ok(Next::Poise(Action::Fence(MemoryOrder::SeqCst)));
                }
                if instruction.mnemonic() == iced_x86::Mnemonic::Mfence {
                    self.threads[t].registers.rip = instruction.next_ip();
                    return Ok(Next::Go);
                }
            }
            let mut effects = Effects::new();
            let thread = &mut self.threads[t];
            self.shadow.prepare(&mut thread.shadow, instruction, &thread.registers, &mut effects);
            self.record_effects(t, &mut effects)?;
        }
        let before = self.threads[t].registers.clone();
        let written =
            instruction.as_ref().map_or(Vec::new(), |instruction| written_memory(instruction, &before));
        let stop = self.hardware_step(t)?;
        self.instructions += 1;
        for &(address, size) in &written {
            self.space.forget(address..address.saturating_add(size));
            self.kernel_wrote(t, address, size)?;
        }
        if let Some(instruction) = &instruction {
            // Unknown to the symbolic part as well: what it read is fixed, what it wrote is concrete.
            let mut effects = Effects::new();
            let thread = &mut self.threads[t];
            self.shadow.execute(
                &mut thread.shadow,
                instruction,
                &before,
                &thread.registers,
                &[],
                &mut effects,
            );
            self.record_effects(t, &mut effects)?;
            self.update_marks();
        }
        match stop {
            Stop::Trap => Ok(Next::Go),
            Stop::Signal { signal, code, address } if code > 0 => {
                self.raise(t, Raised { signal, code, address })
            }
            _ => Ok(Next::Go),
        }
    }

    /// Compares every instruction with the hardware.
    fn verified(&mut self, t: usize) -> Result<Next, RunError> {
        super::verify::step(self, t)
    }

    /// Fixes the symbolic values that a system call is given.
    pub(crate) fn concretise_call(&mut self, t: usize) -> Result<(), RunError> {
        let registers = [Gpr::Rax, Gpr::Rdi, Gpr::Rsi, Gpr::Rdx, Gpr::R10, Gpr::R8, Gpr::R9];
        self.concretise_registers(t, &registers)?;
        for register in [Gpr::Rax, Gpr::Rcx, Gpr::R11] {
            self.threads[t].shadow.set(register, None);
        }
        Ok(())
    }

    /// Fixes the symbolic values among a function's first arguments.
    pub(crate) fn concretise_arguments(&mut self, t: usize, count: usize) -> Result<(), RunError> {
        let registers = [Gpr::Rdi, Gpr::Rsi, Gpr::Rdx, Gpr::Rcx, Gpr::R8, Gpr::R9];
        self.concretise_registers(t, &registers[..count.min(6)])
    }

    fn concretise_registers(&mut self, t: usize, registers: &[Gpr]) -> Result<(), RunError> {
        if self.threads[t].shadow.symbolic() == cpu::RegisterSet::EMPTY {
            return Ok(());
        }
        let mut effects = Effects::new();
        let thread = &mut self.threads[t];
        for &register in registers {
            self.shadow.concretise_register(
                &mut thread.shadow,
                register,
                &thread.registers,
                Concretised::Outside,
                &mut effects,
            );
        }
        self.record_effects(t, &mut effects)
    }

    /// Tells the fast interpreter which bytes are symbolic now.
    pub(crate) fn update_marks(&mut self) {
        for mark in self.shadow.take_marks() {
            let range = mark.address..mark.address.saturating_add(mark.len);
            match mark.symbolic {
                true => self.space.mark_symbolic(range),
                false => self.space.unmark_symbolic(range),
            }
        }
    }
}

fn written_memory(instruction: &iced_x86::Instruction, registers: &cpu::Registers) -> Vec<(u64, u64)> {
    let mut factory = iced_x86::InstructionInfoFactory::new();
    let info = factory.info(instruction);
    let value = |register: iced_x86::Register, _: usize, _: usize| -> Option<u64> {
        use iced_x86::Register;
        Some(match register {
            Register::FS => registers.fs_base,
            Register::GS => registers.gs_base,
            Register::ES | Register::CS | Register::SS | Register::DS => 0,
            Register::RIP => registers.rip,
            register if register.is_gpr() => registers.gpr[register.full_register().number()],
            _ => return None,
        })
    };
    info.used_memory()
        .iter()
        .filter(|memory| {
            use iced_x86::OpAccess;
            matches!(
                memory.access(),
                OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
            )
        })
        .filter_map(|memory| {
            // XSAVE and its like do not say how much they write.
            let size = match memory.memory_size().size() {
                0 => 4096,
                size => size as u64,
            };
            Some((memory.virtual_address(0, value)?, size))
        })
        .collect()
}
