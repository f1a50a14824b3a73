//! Read-modify-write instructions that synchronisation is made of. Other threads do not matter here: who reads what
//! from whom is the caller's, who gives the load its expression.

use iced_x86::{Mnemonic, Register};
use warpath_trace::expr::Width;

use super::Step;
use crate::sym::access::AccessKind;
use crate::sym::bits::Bits;
use crate::sym::bytes::{ByteRef, scatter};
use crate::sym::flags::{ALL, StatusFlag};
use crate::sym::operand::{Part, part};
use crate::sym::operation::{Operation, Setter};

impl Step<'_> {
    pub fn xadd(&mut self) -> Option<()> {
        let (a, b) = (self.operand(0)?, self.operand(1)?);
        let result = self.build.add(a, b);
        self.set_operand(1, a)?;
        self.set_operand(0, result)?;
        self.set_flags(ALL, Some(Operation { setter: Setter::Add, a, b, result }), &[]);
        Some(())
    }

    pub fn cmpxchg(&mut self) -> Option<()> {
        let (old, new) = (self.operand(0)?, self.operand(1)?);
        let accumulator = match old.width {
            8 => Register::AL,
            16 => Register::AX,
            32 => Register::EAX,
            _ => Register::RAX,
        };
        let expected = self.read_register(accumulator)?;
        let equal = self.build.equal(expected, old);
        let kept = self.gpr_kept(0, old.width);
        let loaded = self.build.zero_extend(kept.width, old);
        let found = self.build.ite(equal, kept, loaded);
        let target = part(self.instruction.op0_register());
        let left = match target {
            None => self.build.ite(equal, new, old),
            Some(target) if target.high => self.build.ite(equal, new, old),
            Some(target) => {
                let kept = self.gpr_kept(target.number, old.width);
                let new = self.build.zero_extend(kept.width, new);
                self.build.ite(equal, new, kept)
            }
        };
        self.write_part(Part { number: 0, width: found.width, high: false }, found);
        match target {
            None => self.leave_in_memory(left)?,
            Some(target) => self.write_part(Part { width: left.width, ..target }, left),
        }
        let result = Bits::zero(old.width);
        self.set_flags(ALL, Some(Operation { setter: Setter::Sub, a: expected, b: old, result }), &[]);
        Some(())
    }

    /// The store of a compare-and-swap, which is also there, as a value, if the comparison failed and nothing was stored.
    fn leave_in_memory(&mut self, bits: Bits) -> Option<()> {
        if self.accesses.iter().any(|access| !matches!(access.kind, AccessKind::Read(_))) {
            return self.store_all(bits);
        }
        let mut refs = [ByteRef::CONCRETE; 16];
        let refs = &mut refs[..usize::from(bits.width / 8)];
        scatter(self.build, bits, refs);
        let address = self.accesses.first()?.address;
        self.memory.store(address, &bits.value.to_le_bytes(), refs);
        Some(())
    }

    /// `cmpxchg8b`, `cmpxchg16b`.
    pub fn cmpxchg_wide(&mut self) -> Option<()> {
        let half: Width = if self.instruction.mnemonic() == Mnemonic::Cmpxchg8b { 32 } else { 64 };
        let old = self.load_all(half * 2)?;
        let pair = |step: &mut Self, high, low| {
            let (high, low) = (step.gpr(high, half), step.gpr(low, half));
            step.build.concat(high, low)
        };
        let expected = pair(self, 2, 0);
        let new = pair(self, 1, 3);
        let equal = self.build.equal(expected, old);
        for (number, low) in [(0, 0), (2, half)] {
            let loaded = self.build.extract(low + half - 1, low, old);
            let kept = self.gpr(number, 64);
            let loaded = self.build.zero_extend(64, loaded);
            let found = self.build.ite(equal, kept, loaded);
            self.write_gpr(number, found);
        }
        let left = self.build.ite(equal, new, old);
        self.leave_in_memory(left)?;
        self.set_flags(StatusFlag::Zero.mask(), None, &[(StatusFlag::Zero, equal)]);
        Some(())
    }

    /// A value that may be loaded in several pieces, lowest first.
    fn load_all(&mut self, width: Width) -> Option<Bits> {
        let mut whole = self.load()?;
        while whole.width < width {
            let above = self.load()?;
            whole = self.build.concat(above, whole);
        }
        (whole.width == width).then_some(whole)
    }

    /// A value that may be stored in several pieces, lowest first.
    fn store_all(&mut self, bits: Bits) -> Option<()> {
        let mut done = 0;
        while done < bits.width {
            let is_store = |index: &usize| !matches!(self.accesses[*index].kind, AccessKind::Read(_));
            let next = (self.stores..self.accesses.len()).find(is_store)?;
            let end = done + self.accesses[next].size * 8;
            if end > bits.width {
                return None;
            }
            let piece = self.build.extract(end - 1, done, bits);
            self.store(piece)?;
            done = end;
        }
        Some(())
    }
}
