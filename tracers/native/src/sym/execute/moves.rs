//! Moves between general registers and memory, widening, and flags as data.

use iced_x86::{Mnemonic, Register};
use warpath_trace::expr::Width;

use super::Step;
use crate::sym::bits::{Bits, Truth};
use crate::sym::flags::StatusFlag;

/// Where each status flag stands in the byte that `lahf` loads.
pub(super) const LOW_BYTE: [(StatusFlag, Width); 5] = [
    (StatusFlag::Carry, 0),
    (StatusFlag::Parity, 2),
    (StatusFlag::Adjust, 4),
    (StatusFlag::Zero, 6),
    (StatusFlag::Sign, 7),
];

impl Step<'_> {
    pub fn mov(&mut self) -> Option<()> {
        let value = self.operand(1)?;
        self.set_operand(0, value)
    }

    pub fn movzx(&mut self) -> Option<()> {
        let value = self.operand(1)?;
        let wide = self.build.zero_extend(self.operand_width(0), value);
        self.set_operand(0, wide)
    }

    pub fn movsx(&mut self) -> Option<()> {
        let value = self.operand(1)?;
        let wide = self.build.sign_extend(self.operand_width(0), value);
        self.set_operand(0, wide)
    }

    pub fn xchg(&mut self) -> Option<()> {
        let (a, b) = (self.operand(0)?, self.operand(1)?);
        self.set_operand(0, b)?;
        self.set_operand(1, a)
    }

    pub fn bswap(&mut self) -> Option<()> {
        let value = self.operand(0)?;
        if value.width < 32 {
            return None;
        }
        let mut swapped = self.build.low(8, value);
        for low in (8..value.width).step_by(8) {
            let byte = self.build.extract(low + 7, low, value);
            swapped = self.build.concat(swapped, byte);
        }
        self.set_operand(0, swapped)
    }

    /// `cbw`, `cwde`, `cdqe`.
    pub fn widen_accumulator(&mut self) -> Option<()> {
        let (from, to) = match self.instruction.mnemonic() {
            Mnemonic::Cbw => (Register::AL, Register::AX),
            Mnemonic::Cwde => (Register::AX, Register::EAX),
            _ => (Register::EAX, Register::RAX),
        };
        let value = self.read_register(from)?;
        let wide = self.build.sign_extend((to.size() * 8) as Width, value);
        self.write_register(to, wide)
    }

    /// `cwd`, `cdq`, `cqo`.
    pub fn spread_sign(&mut self) -> Option<()> {
        let (from, to) = match self.instruction.mnemonic() {
            Mnemonic::Cwd => (Register::AX, Register::DX),
            Mnemonic::Cdq => (Register::EAX, Register::EDX),
            _ => (Register::RAX, Register::RDX),
        };
        let value = self.read_register(from)?;
        let wide = self.build.sign_extend(value.width * 2, value);
        let high = self.build.extract(wide.width - 1, value.width, wide);
        self.write_register(to, high)
    }

    /// The byte that `lahf` loads.
    pub fn low_flags(&mut self) -> Bits {
        let mut byte = Bits::concrete(8, u128::from(self.before.flags & 0xff));
        for (flag, at) in LOW_BYTE {
            let truth = self.flag(flag);
            byte = self.insert_bit(byte, at, truth);
        }
        byte
    }

    /// The value with one bit replaced.
    pub fn insert_bit(&mut self, of: Bits, at: Width, truth: Truth) -> Bits {
        if truth.expr.is_none() && !of.is_symbolic() {
            let bit = 1u128 << at;
            return Bits { value: of.value & !bit | if truth.value { bit } else { 0 }, ..of };
        }
        let mut whole = self.build.number(truth, 1);
        if at > 0 {
            let below = self.build.extract(at - 1, 0, of);
            whole = self.build.concat(whole, below);
        }
        if at + 1 < of.width {
            let above = self.build.extract(of.width - 1, at + 1, of);
            whole = self.build.concat(above, whole);
        }
        whole
    }

    pub fn lahf(&mut self) -> Option<()> {
        let byte = self.low_flags();
        self.write_register(Register::AH, byte)
    }

    pub fn sahf(&mut self) -> Option<()> {
        let byte = self.read_register(Register::AH)?;
        let single = LOW_BYTE.map(|(flag, at)| (flag, self.build.bit(at, byte)));
        let written = single.iter().fold(0, |mask, (flag, _)| mask | flag.mask());
        self.set_flags(written, None, &single);
        Some(())
    }

    /// `clc`, `stc`, `cmc`.
    pub fn set_carry(&mut self) -> Option<()> {
        let single: &[_] = if self.instruction.mnemonic() == Mnemonic::Cmc {
            let carry = self.flag(StatusFlag::Carry);
            &[(StatusFlag::Carry, self.build.not(carry))]
        } else {
            &[]
        };
        self.set_flags(StatusFlag::Carry.mask(), None, single);
        Some(())
    }
}
