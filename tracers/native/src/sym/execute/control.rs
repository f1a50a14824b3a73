//! Jumps, calls, and instructions that do one of two things by the flags.

use iced_x86::{ConditionCode, FlowControl, Mnemonic, OpKind};
use warpath_trace::expr::Width;

use super::Step;
use crate::sym::bits::Bits;
use crate::sym::flags::StatusFlag;

impl Step<'_> {
    /// `jcc`, `setcc`, `cmovcc`.
    pub fn conditional(&mut self) -> Option<()> {
        let instruction = self.instruction;
        let code = instruction.condition_code();
        if code == ConditionCode::None {
            return None;
        }
        let holds = |step: &mut Self| step.thread.flags.condition(step.build, step.before.flags, code);
        match (instruction.flow_control(), instruction.op_count()) {
            (FlowControl::ConditionalBranch, _) => {
                let condition = holds(self);
                self.branch(condition);
                Some(())
            }
            (_, 1) => {
                let condition = holds(self);
                let byte = self.build.number(condition, 8);
                self.set_operand(0, byte)
            }
            (_, 2) if self.operand_width(0) <= 64 => {
                let (old, new) = (self.operand(0)?, self.operand(1)?);
                let condition = holds(self);
                // A 32-bit move that does not happen clears the upper half all the same.
                let result = self.build.ite(condition, new, old);
                self.set_operand(0, result)
            }
            _ => None,
        }
    }

    pub fn jmp(&mut self) -> Option<()> {
        self.jump_to_operand()
    }

    pub fn call(&mut self) -> Option<()> {
        self.jump_to_operand()?;
        self.store(Bits::concrete(64, self.instruction.next_ip().into()))
    }

    fn jump_to_operand(&mut self) -> Option<()> {
        if matches!(self.instruction.op0_kind(), OpKind::Register | OpKind::Memory) {
            let target = self.operand(0)?;
            self.path().switch(target);
        }
        Some(())
    }

    pub fn ret(&mut self) -> Option<()> {
        let target = self.load()?;
        self.path().switch(target);
        Some(())
    }

    /// `jrcxz`, `loop` and its kind.
    pub fn jump_on_counter(&mut self) -> Option<()> {
        let mnemonic = self.instruction.mnemonic();
        let code = self.instruction.code().op_code();
        let width: Width = if code.address_size() == 32 { 32 } else { 64 };
        let counter = self.gpr(1, width);
        if matches!(mnemonic, Mnemonic::Jrcxz | Mnemonic::Jecxz) {
            let none = self.build.is_zero(counter);
            self.branch(none);
            return Some(());
        }
        let left = self.build.sub(counter, Bits::concrete(width, 1));
        let none = self.build.is_zero(left);
        self.branch(none);
        if mnemonic != Mnemonic::Loop && !none.value {
            let zero = self.flag(StatusFlag::Zero);
            self.branch(zero);
        }
        self.write_gpr(1, left);
        Some(())
    }
}
