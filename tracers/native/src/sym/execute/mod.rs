//! One instruction, followed symbolically: which file knows which instruction.

mod address;
mod arithmetic;
mod atomic;
mod bit;
mod control;
mod divide;
mod moves;
mod multiply;
mod rotate;
mod shift;
mod stack;
mod string;
mod unmodelled;
mod vector;

use iced_x86::{Instruction, Mnemonic};
use warpath_trace::event::Concretised;

use super::access::Access;
use super::bits::{Bits, Truth};
use super::build::Builder;
use super::effect::Effects;
use super::flags::{FlagMask, StatusFlag};
use super::memory::ShadowMemory;
use super::operation::Operation;
use super::path::Path;
use super::thread::ThreadShadow;
use crate::cpu::Registers;

/// One instruction under way: what is known of it, and what it changes.
///
/// Methods that follow an instruction return `None` if it is not one they know in this form; nothing has been changed
/// then, and its operands are used by their concrete values.
pub(super) struct Step<'a> {
    pub build: &'a mut Builder,
    pub memory: &'a mut ShadowMemory,
    pub thread: &'a mut ThreadShadow,
    pub instruction: &'a Instruction,
    pub before: &'a Registers,
    pub after: &'a Registers,
    pub accesses: &'a [Access],
    pub effects: &'a mut Effects,
    /// Accesses before these have been looked at as loads and as stores.
    pub loads: usize,
    pub stores: usize,
    /// Numbers that general registers were given, to be compared with what they have become; and which have been.
    pub written: [u64; 16],
    pub writes: u16,
    pub disagreements: u64,
}

impl<'a> Step<'a> {
    #[allow(clippy::too_many_arguments, reason = "each is a different part of one instruction")]
    pub fn new(
        build: &'a mut Builder,
        memory: &'a mut ShadowMemory,
        thread: &'a mut ThreadShadow,
        instruction: &'a Instruction,
        before: &'a Registers,
        after: &'a Registers,
        accesses: &'a [Access],
        effects: &'a mut Effects,
    ) -> Self {
        Step {
            build,
            memory,
            thread,
            instruction,
            before,
            after,
            accesses,
            effects,
            loads: 0,
            stores: 0,
            written: [0; 16],
            writes: 0,
            disagreements: 0,
        }
    }

    pub fn execute(&mut self) {
        self.prepare();
        if self.dispatch().is_none() {
            self.unmodelled();
        }
        let mut rest = self.writes;
        while rest != 0 {
            let number = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if self.written[number] != self.after.gpr[number] && self.thread.gpr[number].take().is_some() {
                self.disagreements += 1;
            }
        }
    }

    fn dispatch(&mut self) -> Option<()> {
        use Mnemonic::*;
        match self.instruction.mnemonic() {
            Mov | Movnti => self.mov(),
            Movzx => self.movzx(),
            Movsx | Movsxd => self.movsx(),
            Lea => self.lea(),
            Xchg => self.xchg(),
            Bswap => self.bswap(),
            Cbw | Cwde | Cdqe => self.widen_accumulator(),
            Cwd | Cdq | Cqo => self.spread_sign(),
            Lahf => self.lahf(),
            Sahf => self.sahf(),
            Clc | Stc | Cmc => self.set_carry(),
            Xlatb => self.xlat(),
            Nop | Endbr64 | Endbr32 | Pause | Lfence | Mfence | Sfence | Prefetchnta | Prefetcht0
            | Prefetcht1 | Prefetcht2 | Prefetchw | Cld | Std => Some(()),

            Add | Sub | Cmp | And | Or | Xor | Test => self.arithmetic(),
            Adc => self.adc(),
            Sbb => self.sbb(),
            Inc | Dec => self.count(),
            Neg => self.neg(),
            Not => self.complement(),
            Mul => self.mul(),
            Imul => self.imul(),
            Div | Idiv => self.divide(),
            Shl | Sal | Shr | Sar => self.shift(),
            Rol | Ror => self.rotate(),
            Rcl | Rcr => self.rotate_carry(),
            Shld | Shrd => self.shift_double(),
            Bt | Bts | Btr | Btc => self.bit_test(),
            Bsf | Bsr | Tzcnt | Lzcnt => self.bit_scan(),
            Popcnt => self.popcnt(),

            Xadd => self.xadd(),
            Cmpxchg => self.cmpxchg(),
            Cmpxchg8b | Cmpxchg16b => self.cmpxchg_wide(),

            Push => self.push(),
            Pop => self.pop(),
            Pushfq => self.pushf(),
            Popfq => self.popf(),
            Enter => self.enter(),
            Leave => self.leave(),

            Call => self.call(),
            Ret => self.ret(),
            Jmp => self.jmp(),
            Jrcxz | Jecxz | Loop | Loope | Loopne => self.jump_on_counter(),

            Movsb | Movsw | Movsd | Movsq | Stosb | Stosw | Stosd | Stosq | Lodsb | Lodsw | Lodsd | Lodsq
            | Scasb | Scasw | Scasd | Scasq | Cmpsb | Cmpsw | Cmpsd | Cmpsq
                if self.instruction.is_string_instruction() =>
            {
                self.string()
            }
            _ => self.conditional().or_else(|| self.vector()),
        }
    }

    pub fn disagreements(&self) -> u64 {
        self.disagreements
    }

    /// A status flag before the instruction.
    pub fn flag(&mut self, flag: StatusFlag) -> Truth {
        self.thread.flags.flag(self.build, self.before.flags, flag)
    }

    /// See [`FlagShadow::set`](super::flags::FlagShadow::set).
    pub fn set_flags(
        &mut self,
        written: FlagMask,
        operation: Option<Operation>,
        single: &[(StatusFlag, Truth)],
    ) {
        self.thread.flags.set(self.build, written, operation, single);
    }

    pub fn path(&mut self) -> Path<'_> {
        Path { build: self.build, decided: &mut self.thread.decided, effects: self.effects }
    }

    pub fn branch(&mut self, condition: Truth) {
        self.path().branch(condition);
    }

    /// The number of a value, which becomes a condition of the path if it is symbolic.
    pub fn concretise(&mut self, bits: Bits, why: Concretised) -> u128 {
        if bits.is_symbolic() {
            self.path().concretise(bits, why);
        }
        bits.value
    }
}
