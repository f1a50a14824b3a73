//! Stack frames: where one begins, and who called it.

use std::cell::OnceCell;

use gimli::{
    BaseAddresses, CfaRule, CieOrFde, EhFrame, LittleEndian, Register, RegisterRule, UnwindContext,
    UnwindSection,
};

use super::debug::{Reader, guarded};
use super::elf::Elf;
use super::evaluate::{Machine, evaluate};
use crate::cpu::{Gpr, Registers};

/// Reads eight bytes of the program's memory.
pub type ReadWord<'a> = dyn FnMut(u64) -> Option<u64> + 'a;

/// General registers in the order in which DWARF numbers them.
const ORDER: [Gpr; 16] = [
    Gpr::Rax,
    Gpr::Rdx,
    Gpr::Rcx,
    Gpr::Rbx,
    Gpr::Rsi,
    Gpr::Rdi,
    Gpr::Rbp,
    Gpr::Rsp,
    Gpr::R8,
    Gpr::R9,
    Gpr::R10,
    Gpr::R11,
    Gpr::R12,
    Gpr::R13,
    Gpr::R14,
    Gpr::R15,
];
const RSP: usize = 7;

/// One call in progress: where it is, and what of the registers is known there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frame {
    /// The instruction about to be executed, or, for a caller, the one it returns to.
    pub pc: u64,
    /// Whether `pc` is a return address: the call itself is then the instruction before it.
    pub is_return: bool,
    pub(super) registers: [Option<u64>; 16],
}

impl Frame {
    /// The innermost frame of a thread.
    pub fn innermost(registers: &Registers) -> Frame {
        Frame {
            pc: registers.rip,
            is_return: false,
            registers: ORDER.map(|register| Some(registers.get(register))),
        }
    }

    /// The frame of the caller of a function at whose first instruction the thread stands: that needs no tables.
    pub fn of_caller(registers: &Registers, returns_to: u64) -> Frame {
        let mut frame = Frame::innermost(registers);
        frame.pc = returns_to;
        frame.is_return = true;
        frame.registers[RSP] = frame.registers[RSP].map(|stack| stack.wrapping_add(8));
        frame
    }

    /// An address within the instruction that is being executed or made the call: what to look lines up by.
    pub fn lookup(&self) -> u64 {
        if self.is_return { self.pc.wrapping_sub(1) } else { self.pc }
    }

    /// The stack pointer.
    pub fn stack_pointer(&self) -> Option<u64> {
        self.registers[RSP]
    }
}

type Description = gimli::FrameDescriptionEntry<Reader>;

/// The unwind tables of one file.
pub(super) struct Unwinder {
    frames: EhFrame<Reader>,
    bases: BaseAddresses,
    /// Where each description's code begins and ends, and the description's place, by address.
    ///
    /// The file has such an index, too, but `gimli` trusts its numbers.
    index: OnceCell<Vec<(u64, u64, usize)>>,
}

impl std::fmt::Debug for Unwinder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Unwinder").finish_non_exhaustive()
    }
}

impl Unwinder {
    pub fn load(elf: &Elf) -> Option<Unwinder> {
        let address = |name: &str| elf.section(name).map(|section| section.address);
        let mut bases = BaseAddresses::default().set_eh_frame(address(".eh_frame")?);
        for (name, set) in [
            (".text", BaseAddresses::set_text as fn(BaseAddresses, u64) -> BaseAddresses),
            (".got", BaseAddresses::set_got),
        ] {
            if let Some(address) = address(name) {
                bases = set(bases, address);
            }
        }
        let frames = elf.section_data(".eh_frame").map(|bytes| Reader::new(bytes, LittleEndian))?;
        Some(Unwinder { frames: EhFrame::from(frames), bases, index: OnceCell::new() })
    }

    fn index(&self) -> Vec<(u64, u64, usize)> {
        let mut index = Vec::new();
        let mut common = None;
        let mut entries = self.frames.entries(&self.bases);
        while let Ok(Some(entry)) = entries.next() {
            match entry {
                CieOrFde::Cie(cie) => common = Some(cie),
                CieOrFde::Fde(partial) => {
                    // Nearly every description shares the common part before it: that one is not read again.
                    let parsed = partial.parse(|frames, bases, offset| match &common {
                        Some(cie) if cie.offset() == offset.0 => Ok(cie.clone()),
                        _ => frames.cie_from_offset(bases, offset),
                    });
                    let Ok(parsed) = parsed else { continue };
                    let start = parsed.initial_address();
                    if let Some(end) = start.checked_add(parsed.len()).filter(|end| *end > start) {
                        index.push((start, end, partial.offset()));
                    }
                }
            }
        }
        index.sort_unstable();
        index
    }

    fn description(&self, address: u64) -> Option<Description> {
        let index = self.index.get_or_init(|| guarded(|| self.index()).unwrap_or_default());
        let after = index.partition_point(|(start, _, _)| *start <= address);
        let (_, end, offset) = index[..after].last()?;
        if address >= *end {
            return None;
        }
        self.frames.fde_from_offset(&self.bases, gimli::EhFrameOffset(*offset), EhFrame::cie_from_offset).ok()
    }

    /// The frame's canonical address (the stack pointer before the call) and its caller. The frame's addresses are those
    /// of the running program, the tables' are `bias` lower.
    pub fn step(&self, frame: &Frame, bias: u64, read: &mut ReadWord<'_>) -> Option<(u64, Option<Frame>)> {
        guarded(|| self.try_step(frame, bias, read)).flatten()
    }

    fn try_step(&self, frame: &Frame, bias: u64, read: &mut ReadWord<'_>) -> Option<(u64, Option<Frame>)> {
        let address = frame.lookup().wrapping_sub(bias);
        let entry = self.description(address)?;
        let mut context = UnwindContext::new();
        let row = entry.unwind_info_for_address(&self.frames, &self.bases, &mut context, address).ok()?;
        let encoding = entry.cie().encoding();
        let mut machine = Machine { registers: &frame.registers, frame_base: None, cfa: None, bias, read };
        let cfa = match row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => {
                machine.register(*register)?.wrapping_add_signed(*offset)
            }
            CfaRule::Expression(expression) => {
                evaluate(expression.get(&self.frames).ok()?, encoding, None, &mut machine)?.value()?
            }
        };
        let mut recovered = |register: Register| {
            let rule = row.register(register).unwrap_or(RegisterRule::Undefined);
            let mut at = |expression: gimli::UnwindExpression<usize>| {
                evaluate(expression.get(&self.frames).ok()?, encoding, Some(cfa), &mut machine)?.value()
            };
            match rule {
                RegisterRule::SameValue => machine.register(register),
                RegisterRule::Offset(offset) => (machine.read)(cfa.wrapping_add_signed(offset)),
                RegisterRule::ValOffset(offset) => Some(cfa.wrapping_add_signed(offset)),
                RegisterRule::Register(other) => machine.register(other),
                RegisterRule::Expression(expression) => {
                    at(expression).and_then(|address| (machine.read)(address))
                }
                RegisterRule::ValExpression(expression) => at(expression),
                RegisterRule::Constant(value) => Some(value),
                // A register that calls preserve and no rule names still has its value.
                RegisterRule::Undefined if is_preserved(register) && row.register(register).is_none() => {
                    machine.register(register)
                }
                _ => None,
            }
        };
        let caller = recovered(entry.cie().return_address_register()).filter(|pc| *pc != 0).map(|pc| {
            let mut registers: [Option<u64>; 16] = std::array::from_fn(|n| recovered(Register(n as u16)));
            registers[RSP].get_or_insert(cfa);
            Frame { pc, is_return: !entry.is_signal_trampoline(), registers }
        });
        Some((cfa, caller))
    }
}

/// rbx, rbp and r12 to r15.
fn is_preserved(register: Register) -> bool {
    matches!(register.0, 3 | 6 | 12..=15)
}
