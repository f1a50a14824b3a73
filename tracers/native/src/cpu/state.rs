//! The processor while it runs: registers unpacked for speed.

use crate::memory::{Fault, FaultKind, Memory, Space, Trouble};

use super::flags::{Flags, truncate};
use super::{Exit, Flag, Registers};

/// Register slots beyond the 16 general ones, for addresses: always zero, and the segment bases.
pub(crate) const ZERO: u8 = 16;
pub(crate) const FS: u8 = 17;
pub(crate) const GS: u8 = 18;

/// Numbers of registers with a special part in some instructions.
pub(crate) const RAX: usize = 0;
pub(crate) const RCX: usize = 1;
pub(crate) const RDX: usize = 2;
pub(crate) const RBX: usize = 3;
pub(crate) const RSP: usize = 4;
pub(crate) const RBP: usize = 5;
pub(crate) const RSI: usize = 6;
pub(crate) const RDI: usize = 7;
pub(crate) const R11: usize = 11;

/// What an instruction works on.
pub(crate) struct Cpu {
    /// General registers and the slots for addresses; a power of two, so that masked numbers need no check.
    pub(crate) r: [u64; 32],
    pub(crate) xmm: [u128; 16],
    pub(crate) rip: u64,
    pub(crate) flags: Flags,
    /// RFLAGS without the status flags.
    pub(crate) other_flags: u64,
    pub(crate) mxcsr: u32,
    /// Why it stops, when an instruction says so.
    pub(crate) exit: Exit,
    /// Repetitions of string instructions that may be done before looking up.
    pub(crate) repetitions: u64,
    /// Repetitions done beyond the first of each instruction.
    pub(crate) repeated: u64,
}

/// Where to go after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Flow {
    /// To the next one.
    Next,
    /// To `rip`, which the instruction names.
    Jump,
    /// To `rip`, which was computed.
    Indirect,
    /// To the same one: it has repetitions left.
    Again,
    /// It was not executed: see `exit`.
    Refused,
    /// It was executed and ends this run: see `exit`; `rip` is set.
    Leave,
}

/// One instruction's operands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fields {
    /// Immediate, cut to the operand's size; or the target of a jump.
    pub(crate) imm: u64,
    /// Displacement of the memory operand.
    pub(crate) disp: u64,
    /// The instruction's address.
    pub(crate) at: u64,
    /// The register that is written (or read first), and where a byte register lies in it.
    pub(crate) a: u8,
    pub(crate) a_shift: u8,
    /// The other register.
    pub(crate) b: u8,
    pub(crate) b_shift: u8,
    /// The memory operand's registers.
    pub(crate) base: u8,
    pub(crate) index: u8,
    pub(crate) scale: u8,
    pub(crate) segment: u8,
    /// The instruction's length.
    pub(crate) length: u8,
    /// Something small that this instruction needs to know.
    pub(crate) extra: u8,
}

impl Fields {
    /// The address behind the instruction.
    #[inline(always)]
    pub(crate) fn next(&self) -> u64 {
        self.at.wrapping_add(u64::from(self.length))
    }
}

/// What an instruction does.
pub(crate) trait Body {
    /// Executes it. After an error nothing has changed.
    fn run<M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Result<Flow, Trouble>;
}

/// An instruction as a function over some kind of memory.
pub(crate) type Handler<M> = fn(&mut Cpu, &mut M, &Fields) -> Flow;

/// An instruction over the two kinds of memory there are.
#[derive(Clone, Copy)]
pub(crate) struct Handlers {
    pub(crate) fast: Handler<Space>,
    pub(crate) slow: Handler<super::dynamic::Dynamic>,
}

/// The handlers of an instruction.
pub(crate) fn handlers<B: Body>() -> Handlers {
    Handlers { fast: enter::<B, Space>, slow: enter::<B, super::dynamic::Dynamic> }
}

fn enter<B: Body, M: Memory>(cpu: &mut Cpu, memory: &mut M, f: &Fields) -> Flow {
    match B::run(cpu, memory, f) {
        Ok(flow) => flow,
        Err(trouble) => cpu.refuse(trouble.into()),
    }
}

impl Cpu {
    pub(crate) fn load(registers: &Registers) -> Cpu {
        let mut r = [0; 32];
        r[..16].copy_from_slice(&registers.gpr);
        r[FS as usize] = registers.fs_base;
        r[GS as usize] = registers.gs_base;
        Cpu {
            r,
            xmm: registers.xmm,
            rip: registers.rip,
            flags: Flags::from_bits(registers.flags),
            other_flags: registers.flags & !Flag::STATUS,
            mxcsr: registers.mxcsr,
            exit: Exit::Budget,
            repetitions: 1,
            repeated: 0,
        }
    }

    pub(crate) fn save(&self, registers: &mut Registers) {
        registers.gpr.copy_from_slice(&self.r[..16]);
        registers.xmm = self.xmm;
        registers.rip = self.rip;
        registers.flags = self.all_flags();
        registers.mxcsr = self.mxcsr;
    }

    /// RFLAGS.
    pub(crate) fn all_flags(&self) -> u64 {
        self.other_flags | self.flags.bits()
    }

    /// Changes the zero flag alone.
    pub(crate) fn set_zero(&mut self, zero: bool) {
        let bits = self.flags.bits() & !Flag::ZF;
        self.flags = Flags::from_bits(if zero { bits | Flag::ZF } else { bits });
    }

    /// The current instruction is not executed, for this reason.
    #[cold]
    #[inline(never)]
    pub(crate) fn refuse(&mut self, exit: Exit) -> Flow {
        self.exit = exit;
        Flow::Refused
    }

    /// The current instruction ends the run after it, for this reason.
    #[cold]
    pub(crate) fn leave(&mut self, f: &Fields, exit: Exit) -> Flow {
        self.rip = f.next();
        self.exit = exit;
        Flow::Leave
    }

    /// A whole register.
    #[inline(always)]
    pub(crate) fn reg(&self, number: u8) -> u64 {
        self.r[(number & 31) as usize]
    }

    /// The low `W` bytes of a register; for single bytes, those that begin at a bit.
    #[inline(always)]
    pub(crate) fn part<const W: usize>(&self, number: u8, shift: u8) -> u64 {
        let whole = self.r[(number & 15) as usize];
        if W == 1 { (whole >> (shift & 8)) as u8 as u64 } else { truncate::<W>(whole) }
    }

    /// Writes the low `W` bytes of a register as the hardware does: four bytes clear the upper half.
    #[inline(always)]
    pub(crate) fn set_part<const W: usize>(&mut self, number: u8, shift: u8, value: u64) {
        let whole = &mut self.r[(number & 15) as usize];
        *whole = match W {
            1 => {
                let shift = shift & 8;
                (*whole & !(0xff << shift)) | ((value & 0xff) << shift)
            }
            2 => (*whole & !0xffff) | (value & 0xffff),
            4 => value as u32 as u64,
            _ => value,
        };
    }

    #[inline(always)]
    pub(crate) fn vector(&self, number: u8) -> u128 {
        self.xmm[(number & 15) as usize]
    }

    #[inline(always)]
    pub(crate) fn set_vector(&mut self, number: u8, value: u128) {
        self.xmm[(number & 15) as usize] = value;
    }

    /// The address of the memory operand, without its segment.
    #[inline(always)]
    pub(crate) fn offset(&self, f: &Fields) -> u64 {
        self.reg(f.base).wrapping_add(self.reg(f.index) << (f.scale & 3)).wrapping_add(f.disp)
    }

    /// The address of the memory operand.
    #[inline(always)]
    pub(crate) fn address(&self, f: &Fields) -> u64 {
        self.offset(f).wrapping_add(self.reg(f.segment))
    }
}

/// Loads `W` bytes as a number.
#[inline(always)]
pub(crate) fn load<const W: usize, M: Memory>(memory: &mut M, address: u64) -> Result<u64, Trouble> {
    Ok(match W {
        1 => u64::from(u8::from_le_bytes(memory.load(address)?)),
        2 => u64::from(u16::from_le_bytes(memory.load(address)?)),
        4 => u64::from(u32::from_le_bytes(memory.load(address)?)),
        _ => u64::from_le_bytes(memory.load(address)?),
    })
}

/// Stores the low `W` bytes of a number.
#[inline(always)]
pub(crate) fn store<const W: usize, M: Memory>(
    memory: &mut M,
    address: u64,
    value: u64,
) -> Result<(), Trouble> {
    match W {
        1 => memory.store(address, (value as u8).to_le_bytes()),
        2 => memory.store(address, (value as u16).to_le_bytes()),
        4 => memory.store(address, (value as u32).to_le_bytes()),
        _ => memory.store(address, value.to_le_bytes()),
    }
}

/// Whether a vector operand is where one must be.
#[inline(always)]
pub(crate) fn aligned(address: u64) -> Result<(), Trouble> {
    if address & 15 == 0 {
        return Ok(());
    }
    Err(Trouble::Fault(Fault { address, kind: FaultKind::Misaligned, mapped: true }))
}
