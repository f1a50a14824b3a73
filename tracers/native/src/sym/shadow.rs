//! The symbolic part of a run: its expressions and the symbolic bytes of its memory.

use iced_x86::Instruction;
use warpath_trace::event::Concretised;
use warpath_trace::expr::{ExprPool, Node, Width};
use warpath_trace::ids::{ExprId, InputId};

use super::access::Access;
use super::bits::Bits;
use super::build::Builder;
use super::bytes::{ByteRef, gather, run_length, scatter};
use super::effect::{Effects, Mark};
use super::execute::Step;
use super::memory::ShadowMemory;
use super::path::Path;
use super::thread::ThreadShadow;
use crate::cpu::{Gpr, Registers};

/// Settings of a [`Shadow`].
#[derive(Clone, Copy, Debug)]
pub struct ShadowOptions {
    /// Nodes of the table of expressions after which results become concrete and are counted as [lost](Shadow::lost).
    pub max_expressions: usize,
}

impl Default for ShadowOptions {
    fn default() -> Self {
        // About four gigabytes.
        ShadowOptions { max_expressions: 1 << 25 }
    }
}

/// Shadow memory and the expressions of one run. Clones share what neither changes, except the expressions.
#[derive(Clone, Debug)]
pub struct Shadow {
    pub(super) build: Builder,
    pub(super) memory: ShadowMemory,
    disagreements: u64,
}

impl Shadow {
    /// Everything is concrete.
    pub fn new(options: ShadowOptions) -> Self {
        Shadow {
            build: Builder::new(options.max_expressions),
            memory: ShadowMemory::default(),
            disagreements: 0,
        }
    }

    /// All expressions.
    pub fn pool(&self) -> &ExprPool {
        &self.build.pool
    }

    /// All expressions, to add to.
    pub fn pool_mut(&mut self) -> &mut ExprPool {
        &mut self.build.pool
    }

    /// How many results became concrete because there was no room for their expressions: each is an approximation.
    pub fn lost(&self) -> u64 {
        self.build.lost
    }

    /// How many results of instructions were not what their expressions say. Each was made concrete and is an
    /// approximation; more than none is a defect of this module or of the interpreter.
    pub fn disagreements(&self) -> u64 {
        self.disagreements
    }

    /// What an instruction must decide before it touches memory: symbolic addresses get their concrete values. Called
    /// before the concrete step, so that these conditions come before the visible event of the access.
    pub fn prepare(
        &mut self,
        thread: &mut ThreadShadow,
        instruction: &Instruction,
        before: &Registers,
        effects: &mut Effects,
    ) {
        self.step(thread, instruction, before, before, &[], effects, |step| step.prepare());
    }

    /// Follows one instruction (of a repeated string instruction, one turn) that has been executed.
    ///
    /// `accesses` are its loads and stores in the order they happened. They may be missing if the hardware executed an
    /// instruction that the interpreter does not know; then its operands are used by their concrete values.
    pub fn execute(
        &mut self,
        thread: &mut ThreadShadow,
        instruction: &Instruction,
        before: &Registers,
        after: &Registers,
        accesses: &[Access],
        effects: &mut Effects,
    ) {
        self.step(thread, instruction, before, after, accesses, effects, |step| step.execute());
    }

    /// Follows a division that ended in a divide error: says of which condition that was the outcome.
    pub fn divide_error(
        &mut self,
        thread: &mut ThreadShadow,
        instruction: &Instruction,
        before: &Registers,
        accesses: &[Access],
        effects: &mut Effects,
    ) {
        self.step(thread, instruction, before, before, accesses, effects, |step| step.divide_error());
    }

    #[allow(clippy::too_many_arguments, reason = "private, and each is a different thing")]
    fn step(
        &mut self,
        thread: &mut ThreadShadow,
        instruction: &Instruction,
        before: &Registers,
        after: &Registers,
        accesses: &[Access],
        effects: &mut Effects,
        run: impl FnOnce(&mut Step),
    ) {
        let (build, memory) = (&mut self.build, &mut self.memory);
        let mut step = Step::new(build, memory, thread, instruction, before, after, accesses, effects);
        run(&mut step);
        self.disagreements += step.disagreements();
    }

    /// Makes memory an input: `width / 8` bytes from `address` on, whose value in this run is `value`.
    pub fn input(&mut self, address: u64, input: InputId, width: Width, value: u128) {
        let expr = self.build.leaf(Node::Input { input, width });
        self.write(address, width / 8, value, expr);
    }

    /// Puts a value of up to 16 bytes and its expression (of eight times the size in bits) into shadow memory.
    pub fn write(&mut self, address: u64, size: u8, value: u128, expr: Option<ExprId>) {
        let mut refs = [ByteRef::CONCRETE; 16];
        let refs = &mut refs[..usize::from(size.min(16))];
        scatter(&self.build, Bits { value, width: size * 8, expr }, refs);
        self.memory.store(address, &value.to_le_bytes(), refs);
    }

    /// The expression of up to 16 bytes of memory whose value is `value`, of eight times the size in bits; `None` if
    /// they are concrete.
    pub fn read(&mut self, address: u64, size: u8, value: u128) -> Option<ExprId> {
        let mut refs = [ByteRef::CONCRETE; 16];
        let refs = &mut refs[..usize::from(size.min(16))];
        self.memory.load(address, &value.to_le_bytes(), refs);
        gather(&mut self.build, refs, value).expr
    }

    /// Makes a range of memory concrete: something wrote there that this module did not see.
    pub fn clear(&mut self, address: u64, len: u64) {
        self.memory.clear(address, len);
    }

    /// Copies a range of shadow memory to another; they may overlap.
    pub fn copy(&mut self, from: u64, to: u64, len: u64) {
        self.memory.copy(from, to, len);
    }

    /// Is any byte of the range symbolic?
    pub fn is_symbolic(&self, address: u64, len: u64) -> bool {
        self.memory.is_symbolic(address, len)
    }

    /// The symbolic bytes of a range, as (address, length), in order.
    pub fn symbolic_ranges(&self, address: u64, len: u64) -> Vec<(u64, u64)> {
        self.memory.ranges(address, len)
    }

    /// What became symbolic or concrete in memory since the last call.
    pub fn take_marks(&mut self) -> std::vec::Drain<'_, Mark> {
        self.memory.take_marks()
    }

    /// Uses a range of memory, which holds `bytes`, by its concrete value (an argument of a system call, say). The range
    /// is concrete afterwards.
    pub fn concretise_range(
        &mut self,
        thread: &mut ThreadShadow,
        address: u64,
        bytes: &[u8],
        why: Concretised,
        effects: &mut Effects,
    ) {
        for (start, len) in self.memory.ranges(address, bytes.len() as u64) {
            let from = start.wrapping_sub(address) as usize;
            let numbers = &bytes[from..from + len as usize];
            let mut refs = vec![ByteRef::CONCRETE; numbers.len()];
            self.memory.load(start, numbers, &mut refs);
            let mut done = 0;
            while done < refs.len() {
                let run = run_length(&refs[done..]).min(16);
                let mut value = [0; 16];
                value[..run].copy_from_slice(&numbers[done..done + run]);
                let value = gather(&mut self.build, &refs[done..done + run], u128::from_le_bytes(value));
                Path { build: &mut self.build, decided: &mut thread.decided, effects }.concretise(value, why);
                done += run;
            }
        }
        self.memory.clear(address, bytes.len() as u64);
    }

    /// Uses a general register, all 64 bits, by its concrete value. It is concrete afterwards.
    pub fn concretise_register(
        &mut self,
        thread: &mut ThreadShadow,
        register: Gpr,
        registers: &Registers,
        why: Concretised,
        effects: &mut Effects,
    ) {
        if let Some(expr) = thread.gpr[register as usize].take() {
            let value = Bits {
                value: registers.get(register).into(),
                width: self.build.pool.width(expr),
                expr: Some(expr),
            };
            Path { build: &mut self.build, decided: &mut thread.decided, effects }.concretise(value, why);
        }
    }

    /// The expression of a register's low `width` bits; `None` if they are concrete.
    pub fn register(
        &mut self,
        thread: &ThreadShadow,
        register: Gpr,
        width: Width,
        registers: &Registers,
    ) -> Option<ExprId> {
        super::operand::low_bits(&mut self.build, thread, registers, register as usize, width).expr
    }

    /// The Boolean expression "the register's low `width` bits are not zero"; `None` if that is concrete.
    pub fn truth(
        &mut self,
        thread: &ThreadShadow,
        register: Gpr,
        width: Width,
        registers: &Registers,
    ) -> Option<ExprId> {
        let bits = super::operand::low_bits(&mut self.build, thread, registers, register as usize, width);
        let zero = self.build.is_zero(bits);
        self.build.not(zero).expr
    }
}
