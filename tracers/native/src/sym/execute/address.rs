//! What an instruction decides before it touches memory: where.

use iced_x86::{Mnemonic, OpKind, Register};
use warpath_trace::event::Concretised;

use super::Step;
use crate::cpu::Gpr;
use crate::sym::operand::{Part, part};
use crate::sym::path::essence;

impl Step<'_> {
    /// Replaces the symbolic addresses of the instruction by their numbers.
    pub fn prepare(&mut self) {
        use Mnemonic::*;
        match self.instruction.mnemonic() {
            Lea | Nop | Prefetchnta | Prefetcht0 | Prefetcht1 | Prefetcht2 | Prefetchw => return,
            Push | Pop | Pushfq | Popfq | Enter | Call | Ret => self.use_register(Gpr::Rsp),
            Leave => self.use_register(Gpr::Rbp),
            Maskmovdqu => self.use_register(Gpr::Rdi),
            Bt | Bts | Btr | Btc => self.use_bit_offset(),
            _ if self.instruction.is_string_instruction() => return self.prepare_string(),
            _ => {}
        }
        self.use_memory_operand();
    }

    fn use_memory_operand(&mut self) {
        let instruction = self.instruction;
        if !(0..instruction.op_count()).any(|operand| instruction.op_kind(operand) == OpKind::Memory) {
            return;
        }
        let (base, index) = (part(instruction.memory_base()), part(instruction.memory_index()));
        let symbolic = |step: &Self, register: Option<Part>| {
            register.is_some_and(|part| step.thread.gpr[part.number].is_some())
        };
        if !symbolic(self, base) && !symbolic(self, index) {
            return;
        }
        let Some(address) = self.address() else { return };
        // A jump through a table: which entry is a decision of the program, not of ours.
        if matches!(instruction.mnemonic(), Mnemonic::Jmp | Mnemonic::Call) {
            self.path().switch(address);
        } else {
            self.concretise(address, Concretised::Address);
        }
        for register in [base, index].into_iter().flatten() {
            self.settle(register.number);
        }
    }

    /// A bit offset in a register reaches memory beyond the operand.
    fn use_bit_offset(&mut self) {
        let instruction = self.instruction;
        if instruction.op0_kind() == OpKind::Memory && instruction.op1_kind() == OpKind::Register {
            let register = instruction.op1_register();
            if let Some(offset) = self.read_register(register) {
                self.concretise(offset, Concretised::Address);
            }
            if let Some(part) = part(register) {
                self.settle(part.number);
            }
        }
    }

    /// Uses a general register as an address.
    pub fn use_register(&mut self, register: Gpr) {
        let number = register as usize;
        if self.thread.gpr[number].is_some() {
            let address = self.gpr(number, 64);
            self.concretise(address, Concretised::Address);
            self.thread.gpr[number] = None;
        }
    }

    /// Makes a register concrete if the path has decided its value.
    pub fn settle(&mut self, number: usize) {
        if let Some(expr) = self.thread.gpr[number] {
            let (expr, _) = essence(self.build, expr, 0);
            if self.thread.decided.contains_key(&expr) {
                self.thread.gpr[number] = None;
            }
        }
    }

    pub fn lea(&mut self) -> Option<()> {
        let address = self.address()?;
        let width = self.operand_width(0);
        let result = self.build.low(width, address);
        self.set_operand(0, result)
    }

    pub fn xlat(&mut self) -> Option<()> {
        let byte = self.load()?;
        self.write_register(Register::AL, byte)
    }
}
