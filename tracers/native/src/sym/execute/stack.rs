//! The stack. Its pointer is concrete here: an address (see `prepare`).

use iced_x86::OpKind;
use warpath_trace::event::Concretised;
use warpath_trace::expr::Width;

use super::Step;
use super::moves::LOW_BYTE;
use crate::cpu::Gpr;
use crate::sym::access::AccessKind;
use crate::sym::bits::Bits;
use crate::sym::flags::{ALL, StatusFlag};

/// Where overflow stands in RFLAGS.
const OVERFLOW_BIT: Width = 11;
/// What else of RFLAGS a program can set: trap, direction, nested task, alignment check, identification. They are always
/// concrete.
const OTHER_BITS: [Width; 5] = [8, 10, 14, 18, 21];

impl Step<'_> {
    pub fn push(&mut self) -> Option<()> {
        let value = match self.instruction.op0_kind() {
            OpKind::Register | OpKind::Memory => self.operand(0)?,
            _ => {
                let store = self.next_store()?;
                Bits::concrete(store.width, store.value)
            }
        };
        self.store(value)
    }

    pub fn pop(&mut self) -> Option<()> {
        let value = self.load()?;
        self.set_operand(0, value)
    }

    /// What the next store stores, as a number.
    fn next_store(&self) -> Option<Bits> {
        let rest = self.accesses.get(self.stores..)?;
        let store = rest.iter().find(|access| !matches!(access.kind, AccessKind::Read(_)))?;
        Some(Bits::concrete(store.size * 8, store.value))
    }

    pub fn pushf(&mut self) -> Option<()> {
        let mut image = self.next_store()?;
        if image.width != 64 {
            return None;
        }
        for (flag, at) in LOW_BYTE.into_iter().chain([(StatusFlag::Overflow, OVERFLOW_BIT)]) {
            let truth = self.flag(flag);
            image = self.insert_bit(image, at, truth);
        }
        self.store(image)
    }

    pub fn popf(&mut self) -> Option<()> {
        let image = self.load()?;
        if image.width != 64 {
            return None;
        }
        for at in OTHER_BITS {
            let bit = self.build.extract(at, at, image);
            self.concretise(bit, Concretised::Other);
        }
        let mut single = [(StatusFlag::Overflow, self.build.bit(OVERFLOW_BIT, image)); 6];
        for (entry, (flag, at)) in single.iter_mut().zip(LOW_BYTE) {
            *entry = (flag, self.build.bit(at, image));
        }
        self.set_flags(ALL, None, &single);
        Some(())
    }

    /// `enter` without nesting.
    pub fn enter(&mut self) -> Option<()> {
        if self.instruction.immediate8_2nd() != 0 {
            return None;
        }
        // `prepare` has not looked at the old frame pointer: it is data here.
        let frame = self.gpr(Gpr::Rbp as usize, 64);
        self.store(frame)?;
        self.thread.set(Gpr::Rbp, None);
        Some(())
    }

    pub fn leave(&mut self) -> Option<()> {
        let value = self.load()?;
        self.thread.set(Gpr::Rsp, None);
        self.write_gpr(Gpr::Rbp as usize, value);
        Some(())
    }
}
