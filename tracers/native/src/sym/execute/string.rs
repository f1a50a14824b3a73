//! String instructions, one turn at a time. Whether there is another turn is a condition of the path.

use iced_x86::{Mnemonic, Register};
use warpath_trace::expr::Width;

use super::Step;
use crate::cpu::Gpr;
use crate::sym::bits::Bits;
use crate::sym::flags::{ALL, StatusFlag};
use crate::sym::operation::{Operation, Setter};

/// What a string instruction does in a turn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Move,
    Store,
    Load,
    Scan,
    Compare,
}

impl Kind {
    fn of(mnemonic: Mnemonic) -> Option<(Kind, Width)> {
        use Mnemonic::*;
        Some(match mnemonic {
            Movsb => (Kind::Move, 8),
            Movsw => (Kind::Move, 16),
            Movsd => (Kind::Move, 32),
            Movsq => (Kind::Move, 64),
            Stosb => (Kind::Store, 8),
            Stosw => (Kind::Store, 16),
            Stosd => (Kind::Store, 32),
            Stosq => (Kind::Store, 64),
            Lodsb => (Kind::Load, 8),
            Lodsw => (Kind::Load, 16),
            Lodsd => (Kind::Load, 32),
            Lodsq => (Kind::Load, 64),
            Scasb => (Kind::Scan, 8),
            Scasw => (Kind::Scan, 16),
            Scasd => (Kind::Scan, 32),
            Scasq => (Kind::Scan, 64),
            Cmpsb => (Kind::Compare, 8),
            Cmpsw => (Kind::Compare, 16),
            Cmpsd => (Kind::Compare, 32),
            Cmpsq => (Kind::Compare, 64),
            _ => return None,
        })
    }

    fn uses_source(self) -> bool {
        matches!(self, Kind::Move | Kind::Load | Kind::Compare)
    }

    fn uses_destination(self) -> bool {
        self != Kind::Load
    }
}

impl Step<'_> {
    fn is_repeated(&self) -> bool {
        self.instruction.has_rep_prefix() || self.instruction.has_repne_prefix()
    }

    /// Decides whether there is a turn at all, and then where.
    pub fn prepare_string(&mut self) {
        let Some((kind, _)) = Kind::of(self.instruction.mnemonic()) else { return };
        if self.is_repeated() {
            let counter = self.gpr(Gpr::Rcx as usize, 64);
            let none = self.build.is_zero(counter);
            self.branch(none);
            if none.value {
                return;
            }
        }
        if kind.uses_source() {
            self.use_register(Gpr::Rsi);
        }
        if kind.uses_destination() {
            self.use_register(Gpr::Rdi);
        }
    }

    pub fn string(&mut self) -> Option<()> {
        let (kind, width) = Kind::of(self.instruction.mnemonic())?;
        if self.is_repeated() && self.before.get(Gpr::Rcx) == 0 {
            return Some(());
        }
        let accumulator = match width {
            8 => Register::AL,
            16 => Register::AX,
            32 => Register::EAX,
            _ => Register::RAX,
        };
        match kind {
            Kind::Move => {
                let value = self.load()?;
                self.store(value)?;
            }
            Kind::Store => {
                let value = self.read_register(accumulator)?;
                self.store(value)?;
            }
            Kind::Load => {
                let value = self.load()?;
                self.write_register(accumulator, value)?;
            }
            Kind::Scan => {
                let (a, b) = (self.read_register(accumulator)?, self.load()?);
                self.compare_elements(a, b);
            }
            Kind::Compare => {
                let (first, second) = (self.load()?, self.load()?);
                let reversed = self.accesses.first()?.address == self.before.get(Gpr::Rdi);
                let (a, b) = if reversed { (second, first) } else { (first, second) };
                self.compare_elements(a, b);
            }
        }
        if self.is_repeated() {
            self.next_turn(matches!(kind, Kind::Scan | Kind::Compare));
        }
        Some(())
    }

    fn compare_elements(&mut self, a: Bits, b: Bits) {
        let result = Bits::zero(a.width);
        self.set_flags(ALL, Some(Operation { setter: Setter::Sub, a, b, result }), &[]);
    }

    /// Counts a turn and decides whether it was the last.
    fn next_turn(&mut self, compares: bool) {
        let counter = self.gpr(Gpr::Rcx as usize, 64);
        let left = self.build.sub(counter, Bits::concrete(64, 1));
        self.write_gpr(Gpr::Rcx as usize, left);
        let last = self.build.is_zero(left);
        self.branch(last);
        self.settle(Gpr::Rcx as usize);
        if compares && !last.value {
            // Now after the comparison: its own flag.
            let equal = self.thread.flags.flag(self.build, self.after.flags, StatusFlag::Zero);
            self.branch(equal);
        }
    }
}
