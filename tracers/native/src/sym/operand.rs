//! Operands of instructions: registers and their parts, immediates, memory, addresses.

use iced_x86::{MemorySize, OpKind, Register};
use warpath_trace::expr::{BinaryOp, Node, Width, mask};

use super::access::{AccessKind, Source};
use super::bits::Bits;
use super::build::Builder;
use super::bytes::{ByteRef, gather, scatter};
use super::effect::Stored;
use super::execute::Step;
use super::thread::ThreadShadow;
use crate::cpu::Registers;

/// A general register or a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub number: usize,
    pub width: Width,
    /// Bits `8 ..= 15`: `ah` and its like.
    pub high: bool,
}

/// The general register that this is a part of.
pub(super) fn part(register: Register) -> Option<Part> {
    if !register.is_gpr() {
        return None;
    }
    let high = matches!(register, Register::AH | Register::CH | Register::DH | Register::BH);
    let width = (register.size() * 8) as Width;
    Some(Part { number: register.full_register().number(), width, high })
}

/// The number of a vector register.
pub(super) fn vector(register: Register) -> Option<usize> {
    (register.is_xmm() && register.number() < 16).then(|| register.number())
}

/// The low bits of a general register.
pub(super) fn low_bits(
    build: &mut Builder,
    thread: &ThreadShadow,
    registers: &Registers,
    number: usize,
    width: Width,
) -> Bits {
    let value = u128::from(registers.gpr[number]) & mask(width);
    let Some(expr) = thread.gpr[number] else { return Bits { value, width, expr: None } };
    let whole = build.pool.width(expr);
    let known =
        Bits { value: u128::from(registers.gpr[number]) & mask(whole), width: whole, expr: Some(expr) };
    if whole < width { build.zero_extend(width, known) } else { build.low(width, known) }
}

impl Step<'_> {
    /// The low bits of a general register, before the instruction.
    pub fn gpr(&mut self, number: usize, width: Width) -> Bits {
        low_bits(self.build, self.thread, self.before, number, width)
    }

    /// A general register for an instruction of `width` bits that may leave it alone: all of it if the upper half is
    /// anything but zero, which such an instruction keeps when it does not write and clears when it does.
    pub fn gpr_kept(&mut self, number: usize, width: Width) -> Bits {
        if width != 32 {
            return self.gpr(number, width);
        }
        let whole = self.gpr(number, 64);
        let upper = self.build.extract(63, 32, whole);
        if upper.is_always(0) { self.gpr(number, 32) } else { whole }
    }

    pub fn read_register(&mut self, register: Register) -> Option<Bits> {
        let part = part(register)?;
        if part.high {
            let low = self.gpr(part.number, 16);
            return Some(self.build.extract(15, 8, low));
        }
        Some(self.gpr(part.number, part.width))
    }

    /// Sets a general register or a part of it. A part of 32 bits clears the rest.
    pub fn write_register(&mut self, register: Register, bits: Bits) -> Option<()> {
        let part = part(register)?;
        self.write_part(part, bits);
        Some(())
    }

    /// Sets the whole or the lower half of a general register.
    pub fn write_gpr(&mut self, number: usize, bits: Bits) {
        self.write_part(Part { number, width: bits.width, high: false }, bits);
    }

    pub fn write_part(&mut self, part: Part, bits: Bits) {
        let whole = if part.width >= 32 {
            bits
        } else {
            let old = self.current(part.number);
            if old.is_symbolic() || bits.is_symbolic() {
                self.replace(old, bits, if part.high { 8 } else { 0 })
            } else {
                return;
            }
        };
        // What is known to be zero above is not kept.
        let mut expr = whole.expr;
        while let Some(Node::ZeroExtend { of, .. }) = expr.map(|id| self.build.pool.node(id)) {
            expr = Some(of);
        }
        self.thread.gpr[part.number] = expr;
        self.written[part.number] = whole.value as u64;
        self.writes |= 1 << part.number;
    }

    /// A register as this instruction has left it so far.
    fn current(&mut self, number: usize) -> Bits {
        let bits = self.gpr(number, 64);
        if self.writes & 1 << number != 0 {
            Bits { value: self.written[number].into(), ..bits }
        } else {
            bits
        }
    }

    /// The value with the bits from `low` on replaced.
    fn replace(&mut self, old: Bits, new: Bits, low: Width) -> Bits {
        let end = low + new.width;
        let mut whole = new;
        if low > 0 {
            let below = self.build.extract(low - 1, 0, old);
            whole = self.build.concat(whole, below);
        }
        if end < old.width {
            let above = self.build.extract(old.width - 1, end, old);
            whole = self.build.concat(above, whole);
        }
        whole
    }

    /// The width of an integer operand.
    pub fn operand_width(&self, operand: u32) -> Width {
        match self.instruction.op_kind(operand) {
            OpKind::Register => (self.instruction.op_register(operand).size() * 8) as Width,
            OpKind::Memory => (self.instruction.memory_size().size() * 8) as Width,
            _ if operand > 0 => self.operand_width(0),
            _ => 64,
        }
    }

    /// An integer operand: a general register, an immediate (widened to the first operand's width) or memory.
    pub fn operand(&mut self, operand: u32) -> Option<Bits> {
        match self.instruction.op_kind(operand) {
            OpKind::Register => self.read_register(self.instruction.op_register(operand)),
            OpKind::Memory => {
                let bits = self.load()?;
                (bits.width == self.operand_width(operand)).then_some(bits)
            }
            _ => {
                let width = self.operand_width(operand);
                let value = self.instruction.try_immediate(operand).ok()?;
                Some(Bits::concrete(width, value.into()))
            }
        }
    }

    /// Sets an integer operand.
    pub fn set_operand(&mut self, operand: u32, bits: Bits) -> Option<()> {
        match self.instruction.op_kind(operand) {
            OpKind::Register => self.write_register(self.instruction.op_register(operand), bits),
            _ => self.store(bits),
        }
    }

    /// The next load of the instruction.
    pub fn load(&mut self) -> Option<Bits> {
        let (refs, value, size) = self.load_bytes()?;
        Some(gather(self.build, &refs[..size], value))
    }

    /// The next load of the instruction, byte by byte: what the bytes are, their numbers, how many.
    pub fn load_bytes(&mut self) -> Option<([ByteRef; 16], u128, usize)> {
        let accesses = self.accesses;
        let index = (self.loads..accesses.len())
            .find(|&index| matches!(accesses[index].kind, AccessKind::Read(_)))?;
        let access = accesses[index];
        self.loads = index + 1;
        let size = usize::from(access.size.min(16));
        let mut refs = [ByteRef::CONCRETE; 16];
        match access.kind {
            AccessKind::Read(Source::Memory) => {
                self.memory.load(access.address, &access.value.to_le_bytes(), &mut refs[..size]);
            }
            AccessKind::Read(Source::Expr(expr)) => {
                let bits = Bits { value: access.value, width: (size * 8) as Width, expr: Some(expr) };
                scatter(self.build, bits, &mut refs[..size]);
            }
            _ => {}
        }
        Some((refs, access.value, size))
    }

    /// The next store of the instruction.
    pub fn store(&mut self, bits: Bits) -> Option<()> {
        let mut refs = [ByteRef::CONCRETE; 16];
        let size = usize::from(bits.width / 8);
        scatter(self.build, bits, &mut refs[..size]);
        self.store_bytes(&refs[..size], bits.value)
    }

    /// The next store of the instruction, byte by byte.
    pub fn store_bytes(&mut self, refs: &[ByteRef], value: u128) -> Option<()> {
        let accesses = self.accesses;
        let index = (self.stores..accesses.len())
            .find(|&index| !matches!(accesses[index].kind, AccessKind::Read(_)))?;
        let access = accesses[index];
        self.stores = index + 1;
        if usize::from(access.size) != refs.len() {
            return None;
        }
        let agree = value == access.value;
        let concrete = [ByteRef::CONCRETE; 16];
        let refs = if agree { refs } else { &concrete[..refs.len()] };
        self.disagreements += u64::from(!agree);
        if access.kind == AccessKind::Held {
            let expr = gather(self.build, refs, access.value).expr;
            let (address, size, value) = (access.address, access.size, access.value);
            self.effects.held.push(Stored { address, size, value, expr });
        } else {
            self.memory.store(access.address, &access.value.to_le_bytes(), refs);
        }
        Some(())
    }

    /// The address that the memory operand means, before any segment's base: base + index * scale + displacement.
    pub fn address(&mut self) -> Option<Bits> {
        let instruction = self.instruction;
        let (base, index) = (instruction.memory_base(), instruction.memory_index());
        let displacement = instruction.memory_displacement64();
        if matches!(base, Register::RIP | Register::EIP) {
            return Some(Bits::concrete(64, displacement.into()));
        }
        let width = match (base, index) {
            (Register::None, Register::None) => 64,
            (Register::None, register) | (register, _) => (register.size() * 8) as Width,
        };
        let mut sum = Bits::concrete(width, displacement.into());
        if base != Register::None {
            let base = self.read_register(base)?;
            sum = self.build.add(base, sum);
        }
        if index != Register::None {
            let index = self.read_register(index)?;
            // `xlat` alone has an index that is narrower: AL.
            let index = self.build.zero_extend(width, index);
            let shift = Bits::concrete(width, instruction.memory_index_scale().trailing_zeros().into());
            let scaled = self.build.binary(BinaryOp::Shl, index, shift);
            sum = self.build.add(sum, scaled);
        }
        Some(if width < 64 { self.build.zero_extend(64, sum) } else { sum })
    }

    /// Bytes of the memory operand.
    pub fn memory_size(&self) -> usize {
        match self.instruction.memory_size() {
            MemorySize::Unknown => 0,
            size => size.size(),
        }
    }
}
