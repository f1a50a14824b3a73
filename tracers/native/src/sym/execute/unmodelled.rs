//! Instructions that nothing here knows: whatever symbolic they read is used by its concrete value, and what they
//! write is concrete.

use iced_x86::{
    CpuidFeature, InstructionInfoFactory, MemorySize, OpAccess, Register, UsedMemory, UsedRegister,
};
use warpath_trace::event::Concretised;

use super::Step;
use crate::cpu::Registers;
use crate::sym::access::AccessKind;
use crate::sym::bytes::{ByteRef, gather, run_length};
use crate::sym::effect::Stored;
use crate::sym::flags::StatusFlag;
use crate::sym::operand::{part, vector};

impl Step<'_> {
    pub fn unmodelled(&mut self) {
        let why = if self.is_float() { Concretised::Float } else { Concretised::Other };
        let mut factory = InstructionInfoFactory::new();
        let info = factory.info(self.instruction);
        (self.loads, self.stores) = (0, 0);
        for register in info.used_registers().iter().filter(|used| reads(used.access())) {
            self.read_concretely(register, why);
        }
        let read = self.instruction.rflags_read();
        for flag in StatusFlag::ALL {
            if u64::from(read) & rflags_bit(flag) != 0 {
                let truth = self.flag(flag);
                self.branch(truth);
            }
        }
        if self.accesses.is_empty() {
            self.use_memory(info.used_memory(), why);
        } else {
            self.use_accesses(why);
        }
        for register in info.used_registers().iter().filter(|used| writes(used.access())) {
            if let Some(part) = part(register.register()) {
                // What stays of a register written in part is concrete, too: simple, and rare enough.
                if part.width < 32 {
                    let old = self.gpr(part.number, 64);
                    self.concretise(old, why);
                }
                self.thread.gpr[part.number] = None;
            } else if let Some(number) = vector(register.register()) {
                self.thread.clear_xmm(number);
            }
        }
        let modified = u64::from(self.instruction.rflags_modified());
        let written = StatusFlag::ALL.iter().filter(|&&flag| modified & rflags_bit(flag) != 0);
        let written = written.fold(0, |mask, flag| mask | flag.mask());
        self.set_flags(written, None, &[]);
    }

    fn is_float(&self) -> bool {
        use MemorySize::*;
        let memory = self.instruction.memory_size();
        let scalar = matches!(memory.element_type(), Float32 | Float64 | Float80);
        let features = self.instruction.cpuid_features();
        let x87 = features.contains(&CpuidFeature::FPU) || features.contains(&CpuidFeature::FPU287);
        let mnemonic = format!("{:?}", self.instruction.mnemonic());
        scalar || x87 || mnemonic.starts_with("Cvt")
    }

    fn read_concretely(&mut self, used: &UsedRegister, why: Concretised) {
        let register = used.register();
        if let Some(bits) = self.read_register(register) {
            self.concretise(bits, why);
            if let Some(part) = part(register) {
                self.settle(part.number);
            }
        } else if let Some(number) = vector(register) {
            let contents = self.read_vector(number);
            self.concretise_vector(&contents, 16, why);
        }
    }

    /// The loads and stores that the instruction made.
    fn use_accesses(&mut self, why: Concretised) {
        while let Some((refs, value, size)) = self.load_bytes() {
            self.concretise_vector(&super::vector::Vector { refs, value }, size, why);
        }
        for access in self.accesses {
            match access.kind {
                AccessKind::Read(_) => {}
                AccessKind::Write => self.memory.clear(access.address, access.size.into()),
                AccessKind::Held => self.effects.held.push(Stored {
                    address: access.address,
                    size: access.size,
                    value: access.value,
                    expr: None,
                }),
            }
        }
    }

    /// What the instruction must have loaded and stored, if nobody saw it.
    fn use_memory(&mut self, used: &[UsedMemory], why: Concretised) {
        for memory in used {
            let value = |register, _, _| register_value(self.before, register);
            let Some(address) = memory.virtual_address(0, value) else { continue };
            let size = memory.memory_size().size() as u64;
            if reads(memory.access()) {
                for (start, len) in self.memory.ranges(address, size) {
                    let (numbers, refs) = self.memory.stored(start, len);
                    self.concretise_bytes(&numbers, &refs, why);
                }
            }
            if writes(memory.access()) {
                self.memory.clear(address, size);
            }
        }
    }

    fn concretise_bytes(&mut self, numbers: &[u8], refs: &[ByteRef], why: Concretised) {
        let mut done = 0;
        while done < refs.len() {
            let run = run_length(&refs[done..]).min(16);
            let mut value = [0; 16];
            value[..run].copy_from_slice(&numbers[done..done + run]);
            let bits = gather(self.build, &refs[done..done + run], u128::from_le_bytes(value));
            self.concretise(bits, why);
            done += run;
        }
    }
}

fn register_value(registers: &Registers, register: Register) -> Option<u64> {
    match register {
        Register::FS => Some(registers.fs_base),
        Register::GS => Some(registers.gs_base),
        Register::ES | Register::CS | Register::SS | Register::DS => Some(0),
        _ => {
            let part = part(register)?;
            let value = registers.gpr[part.number] >> if part.high { 8 } else { 0 };
            Some(value & warpath_trace::expr::mask(part.width) as u64)
        }
    }
}

fn reads(access: OpAccess) -> bool {
    use OpAccess::*;
    matches!(access, Read | CondRead | ReadWrite | ReadCondWrite)
}

fn writes(access: OpAccess) -> bool {
    use OpAccess::*;
    matches!(access, Write | CondWrite | ReadWrite | ReadCondWrite)
}

/// The flag's bit as the decoder numbers it.
fn rflags_bit(flag: StatusFlag) -> u64 {
    use iced_x86::RflagsBits;
    u64::from(match flag {
        StatusFlag::Carry => RflagsBits::CF,
        StatusFlag::Parity => RflagsBits::PF,
        StatusFlag::Adjust => RflagsBits::AF,
        StatusFlag::Zero => RflagsBits::ZF,
        StatusFlag::Sign => RflagsBits::SF,
        StatusFlag::Overflow => RflagsBits::OF,
    })
}
