//! Random instruction sequences that stay within their data and leave nothing undefined to be read.

use iced_x86::{
    Code, CodeSize, Encoder, EncodingKind, Instruction, Mnemonic, OpCodeOperandKind, OpKind, Register,
};
use warpath_native::cpu::{Flag, status_flags, undefined_flags};

use crate::machine::{CODE, DATA, DATA_SIZE, FLAGS, STACK};
use crate::rng::Rng;

/// Offset of the FS and GS bases in the data.
pub const FS_OFFSET: u64 = 0x400;
pub const GS_OFFSET: u64 = 0x800;

/// Instructions laid out one behind the other from [`CODE`] on.
pub struct Sequence {
    pub bytes: Vec<u8>,
    /// Flags that are undefined at its end.
    pub undefined: u64,
}

/// Instructions that are not for random sequences: they leave the sequence or need another test.
fn excluded(mnemonic: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(
        mnemonic,
        Syscall | Cpuid | Rdtsc | Rdtscp | Int3 | Ud0 | Ud1 | Ud2 | Rdrand | Rdseed | Rdpid | Rdsspd | Rdsspq
    )
}

/// Every form that could be an ordinary 64-bit instruction.
pub fn candidates() -> Vec<Code> {
    Code::values()
        .filter(|code| {
            let info = code.op_code();
            info.is_instruction() && info.mode64() && info.encoding() == EncodingKind::Legacy
        })
        .filter(|code| !excluded(code.mnemonic()))
        .collect()
}

/// What sequences may run into.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Danger {
    /// Nothing.
    None,
    /// Memory operands at the edges of what is mapped, and not always aligned.
    Edges,
    /// Divisors of zero and quotients that do not fit.
    Divisions,
}

pub struct Generator<'a> {
    pub rng: &'a mut Rng,
    danger: Danger,
    encoder: Encoder,
    bytes: Vec<u8>,
    undefined: u64,
}

const GENERAL: [Register; 15] = [
    Register::RAX,
    Register::RCX,
    Register::RDX,
    Register::RBX,
    Register::RBP,
    Register::RSI,
    Register::RDI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
    Register::R12,
    Register::R13,
    Register::R14,
    Register::R15,
];

const BYTES: [Register; 19] = [
    Register::AL,
    Register::CL,
    Register::DL,
    Register::BL,
    Register::AH,
    Register::CH,
    Register::DH,
    Register::BH,
    Register::BPL,
    Register::SIL,
    Register::DIL,
    Register::R8L,
    Register::R9L,
    Register::R10L,
    Register::R11L,
    Register::R12L,
    Register::R13L,
    Register::R14L,
    Register::R15L,
];

fn sized(register: Register, size: usize) -> Register {
    let number = register.number() as u32;
    match size {
        2 => Register::AX + number,
        4 => Register::EAX + number,
        _ => register,
    }
}

impl<'a> Generator<'a> {
    pub fn new(rng: &'a mut Rng) -> Generator<'a> {
        Generator::in_danger(rng, Danger::None)
    }

    pub fn in_danger(rng: &'a mut Rng, danger: Danger) -> Generator<'a> {
        Generator { rng, danger, encoder: Encoder::new(64), bytes: Vec::new(), undefined: 0 }
    }

    /// A sequence made of these forms, ended by a breakpoint.
    pub fn sequence(mut self, forms: &[Code]) -> Sequence {
        for &form in forms {
            self.form(form);
        }
        self.bytes.push(0xcc);
        Sequence { bytes: self.bytes, undefined: self.undefined }
    }

    /// One instruction of this form, alone or with what it needs before it; `None` if it cannot be made.
    pub fn single(mut self, form: Code) -> Option<Vec<u8>> {
        self.form(form).then_some(self.bytes)
    }

    fn at(&self) -> u64 {
        CODE + self.bytes.len() as u64
    }

    /// Appends an instruction; whether it can be encoded. Its address operands must be final.
    fn emit(&mut self, instruction: &Instruction) -> bool {
        self.define_flags(instruction);
        let before = self.undefined;
        if !self.encode(instruction) {
            return false;
        }
        let counted = matches!(instruction.op1_kind(), OpKind::Register)
            && instruction.op1_register() == Register::CL
            || instruction.op2_register() == Register::CL
            || instruction.has_rep_prefix()
            || instruction.has_repne_prefix();
        let defined = if counted { 0 } else { status_flags(instruction.rflags_modified()) };
        self.undefined = (before & !defined) | (undefined_flags(instruction) & FLAGS);
        true
    }

    /// Flags that are the processor's own choice must not be looked at: gives them values if an instruction does.
    fn define_flags(&mut self, reader: &Instruction) {
        if status_flags(reader.rflags_read()) & self.undefined != 0 {
            let define =
                Instruction::with2(Code::Cmp_r32_rm32, Register::R8D, Register::R9D).expect("a valid form");
            self.encode(&define);
            self.undefined = 0;
        }
    }

    fn encode(&mut self, instruction: &Instruction) -> bool {
        let at = self.at();
        if self.encoder.encode(instruction, at).is_err() {
            drop(self.encoder.take_buffer());
            return false;
        }
        self.bytes.extend_from_slice(&self.encoder.take_buffer());
        true
    }

    fn set(&mut self, register: Register, value: u64) {
        let mov = Instruction::with2(Code::Mov_r64_imm64, register, value).expect("a valid form");
        assert!(self.encode(&mov), "mov can be encoded");
    }

    /// One instruction of a form, with what it needs before it.
    pub fn form(&mut self, form: Code) -> bool {
        let mark = (self.bytes.len(), self.undefined);
        // Some combinations cannot be encoded (AH with a prefix, say): try others.
        for _ in 0..20 {
            if self.attempt(form) {
                return true;
            }
            self.bytes.truncate(mark.0);
            self.undefined = mark.1;
        }
        false
    }

    fn attempt(&mut self, form: Code) -> bool {
        use Mnemonic as M;
        let mut i = Instruction::new();
        i.set_code(form);
        i.set_code_size(CodeSize::Code64);
        let info = form.op_code();
        let mnemonic = form.mnemonic();
        match mnemonic {
            M::Cmpxchg8b | M::Cmpxchg16b | M::Cmpxchg if self.rng.one_in(2) => {
                for register in [Register::RAX, Register::RDX] {
                    let value = self.rng.pick(&[0, 1, u64::MAX]);
                    self.set(register, value);
                }
            }
            M::Xlatb => {
                let address = self.data_address(256, 1);
                self.set(Register::RBX, address);
            }
            M::Leave => {
                let address = STACK - 8 * self.rng.below(32);
                self.set(Register::RBP, address);
            }
            M::Popf | M::Popfq => return self.pop_flags(&i),
            M::Ldmxcsr => return self.load_control(&i),
            M::Jmp | M::Call | M::Ret if !is_direct(form) => return self.computed_jump(&i),
            _ => {}
        }
        for n in 0..info.op_count() {
            if !self.operand(&mut i, n, info.op_kind(n)) {
                return false;
            }
        }
        if is_string(&i) {
            self.before_string(&mut i);
        }
        if matches!(mnemonic, M::Div | M::Idiv)
            && self.danger != Danger::Divisions
            && !self.before_division(&i)
        {
            return false;
        }
        if info.can_use_lock_prefix() && i.op0_kind() == OpKind::Memory && self.rng.one_in(4) {
            i.set_has_lock_prefix(true);
            // A fence is not for the interpreter to execute.
            i.set_has_lock_prefix(!warpath_native::cpu::is_fence(&i));
        }
        if matches!(mnemonic, M::Bt | M::Bts | M::Btr | M::Btc)
            && i.op0_kind() == OpKind::Memory
            && i.op1_kind() == OpKind::Register
        {
            // The bit number reaches beyond the operand.
            let number = self.rng.below(4000) as i64 - 2000;
            self.set(i.op1_register().full_register(), number as u64);
            let registers = [i.memory_base().full_register(), i.memory_index().full_register()];
            if registers.contains(&i.op1_register().full_register()) {
                return false;
            }
        }
        if matches!(mnemonic, M::Shld | M::Shrd)
            && i.op0_kind() != OpKind::Memory
            && i.op0_register().is_gpr16()
            || matches!(form, Code::Shld_rm16_r16_CL | Code::Shrd_rm16_r16_CL)
            || matches!(form, Code::Shld_rm16_r16_imm8 | Code::Shrd_rm16_r16_imm8)
        {
            // More than 16 is undefined for two bytes.
            if i.op2_kind() == OpKind::Register {
                let registers = [i.memory_base().full_register(), i.memory_index().full_register()];
                if i.op0_kind() == OpKind::Memory && registers.contains(&Register::RCX) {
                    return false;
                }
                let count = self.rng.below(17);
                self.set(Register::RCX, count);
            } else {
                i.set_immediate8(self.rng.below(17) as u8);
            }
        }
        if info.op_count() > 0
            && matches!(info.op_kind(0), OpCodeOperandKind::br64_1 | OpCodeOperandKind::br64_4)
        {
            return self.jump(&mut i);
        }
        self.emit(&i)
    }

    fn operand(&mut self, i: &mut Instruction, n: u32, kind: OpCodeOperandKind) -> bool {
        use OpCodeOperandKind as K;
        let form = i.code();
        match kind {
            K::mem | K::mem_offs => self.memory(i, n),
            K::r8_or_mem | K::r16_or_mem | K::r32_or_mem | K::r64_or_mem | K::xmm_or_mem
                if self.rng.one_in(2) =>
            {
                self.memory(i, n)
            }
            K::r8_or_mem | K::r8_reg | K::r8_opcode => {
                let register = self.rng.pick(&BYTES);
                self.register(i, n, register)
            }
            K::r16_or_mem | K::r16_reg | K::r16_rm | K::r16_opcode => self.general(i, n, 2),
            K::r32_or_mem | K::r32_reg | K::r32_rm | K::r32_opcode => self.general(i, n, 4),
            K::r64_or_mem | K::r64_reg | K::r64_rm | K::r64_opcode => self.general(i, n, 8),
            K::xmm_or_mem | K::xmm_reg | K::xmm_rm => {
                let number = self.rng.below(16) as u32;
                self.register(i, n, Register::XMM0 + number)
            }
            K::al => self.register(i, n, Register::AL),
            K::cl => self.register(i, n, Register::CL),
            K::ax => self.register(i, n, Register::AX),
            K::eax => self.register(i, n, Register::EAX),
            K::rax => self.register(i, n, Register::RAX),
            K::imm8 if form == Code::Enterq_imm16_imm8 => {
                i.set_op_kind(n, OpKind::Immediate8_2nd);
                i.set_immediate8_2nd(0);
            }
            K::imm8 => {
                i.set_op_kind(n, OpKind::Immediate8);
                i.set_immediate8(self.rng.number() as u8);
            }
            K::imm8_const_1 => {
                i.set_op_kind(n, OpKind::Immediate8);
                i.set_immediate8(1);
            }
            K::imm8sex16 => {
                i.set_op_kind(n, OpKind::Immediate8to16);
                i.set_immediate8to16(i16::from(self.rng.number() as i8));
            }
            K::imm8sex32 => {
                i.set_op_kind(n, OpKind::Immediate8to32);
                i.set_immediate8to32(i32::from(self.rng.number() as i8));
            }
            K::imm8sex64 => {
                i.set_op_kind(n, OpKind::Immediate8to64);
                i.set_immediate8to64(i64::from(self.rng.number() as i8));
            }
            K::imm16 => {
                i.set_op_kind(n, OpKind::Immediate16);
                let small = matches!(form, Code::Enterq_imm16_imm8 | Code::Retnq_imm16);
                let value = self.rng.number() as u16;
                i.set_immediate16(if small { value & 0x78 } else { value });
            }
            K::imm32 => {
                i.set_op_kind(n, OpKind::Immediate32);
                i.set_immediate32(self.rng.number() as u32);
            }
            K::imm32sex64 => {
                i.set_op_kind(n, OpKind::Immediate32to64);
                i.set_immediate32to64(i64::from(self.rng.number() as i32));
            }
            K::imm64 => {
                i.set_op_kind(n, OpKind::Immediate64);
                i.set_immediate64(self.rng.number());
            }
            K::seg_rSI => i.set_op_kind(n, OpKind::MemorySegRSI),
            K::es_rDI => i.set_op_kind(n, OpKind::MemoryESRDI),
            K::seg_rBX_al => {
                i.set_op_kind(n, OpKind::Memory);
                i.set_memory_base(Register::RBX);
                i.set_memory_index(Register::AL);
            }
            K::br64_1 | K::br64_4 => i.set_op_kind(n, OpKind::NearBranch64),
            _ => return false,
        }
        true
    }

    fn register(&mut self, i: &mut Instruction, n: u32, register: Register) {
        i.set_op_kind(n, OpKind::Register);
        i.set_op_register(n, register);
    }

    fn general(&mut self, i: &mut Instruction, n: u32, size: usize) {
        let mut register = self.rng.pick(&GENERAL);
        if i.code() == Code::Push_r64 && self.rng.one_in(4) {
            register = Register::RSP;
        }
        self.register(i, n, sized(register, size));
    }

    /// An address in the data with room on both sides, aligned.
    fn data_address(&mut self, room: u64, alignment: u64) -> u64 {
        if self.danger == Danger::Edges {
            let edge = self.rng.pick(&[DATA, DATA + DATA_SIZE]);
            return edge + self.rng.below(40) - 24;
        }
        let address = DATA + 0x200 + self.rng.below(0x2000 - 0x400 - room);
        // Often at the edge between two pages.
        let address = if self.rng.one_in(4) { DATA + 0x1000 - self.rng.below(24) } else { address };
        address & !(alignment - 1)
    }

    /// A memory operand, its registers set up for it.
    fn memory(&mut self, i: &mut Instruction, n: u32) {
        i.set_op_kind(n, OpKind::Memory);
        let size = i.memory_size().size() as u64;
        let offset_only = i.op_code().op_kind(n) == OpCodeOperandKind::mem_offs;
        let must_align =
            size == 16 && !matches!(i.mnemonic(), Mnemonic::Movups | Mnemonic::Movupd | Mnemonic::Movdqu);
        let alignment = if must_align || self.rng.one_in(2) { 16 } else { 1 };
        let address = self.data_address(32, alignment);
        if offset_only {
            i.set_memory_displ_size(8);
            i.set_memory_displacement64(address);
            return;
        }
        let special = uses_registers(i.mnemonic());
        let pool = if special { &GENERAL[7..] } else { &GENERAL[..] };
        let base = self.rng.pick(pool);
        let index = self.rng.pick(pool);
        let scale = self.rng.pick(&[1, 2, 4, 8]);
        let (segment, segment_base) = match self.rng.below(10) {
            0 => (Register::FS, DATA + FS_OFFSET),
            1 => (Register::GS, DATA + GS_OFFSET),
            _ => (Register::None, 0),
        };
        let displacement = match self.rng.below(3) {
            0 => 0,
            1 => self.rng.below(256) as i64 - 128,
            _ => self.rng.next() as i32 as i64 / 2,
        };
        i.set_segment_prefix(segment);
        let target = address.wrapping_sub(segment_base);
        let count = self.rng.pick(&[0, 1, 3, 100, u64::MAX, 1 << 40]);
        match self.rng.below(8) {
            0 if segment == Register::None => {
                i.set_memory_base(Register::RIP);
                i.set_memory_displ_size(8);
                i.set_memory_displacement64(address);
            }
            1 if segment == Register::None => {
                i.set_memory_displ_size(4);
                i.set_memory_displacement64(address);
            }
            2 if index != base => {
                i.set_memory_index(index);
                i.set_memory_index_scale(scale);
                i.set_memory_displ_size(4);
                i.set_memory_displacement64(displacement as u64 & !7);
                // Only a multiple of the scale can be reached: aligned enough if the address is.
                let target = (target & !15).wrapping_sub(displacement as u64 & !7);
                self.set(index, (target as i64 / scale as i64) as u64);
                if (target as i64) % i64::from(scale) != 0 {
                    self.set(index, 0);
                    i.set_memory_displacement64(address);
                    i.set_segment_prefix(Register::None);
                }
            }
            3..=5 if index != base => {
                i.set_memory_base(base);
                i.set_memory_index(index);
                i.set_memory_index_scale(scale);
                i.set_memory_displ_size(if displacement == 0 { 0 } else { 4 });
                i.set_memory_displacement64(displacement as u64);
                let scaled = count.wrapping_mul(u64::from(scale));
                self.set(index, count);
                self.set(base, target.wrapping_sub(displacement as u64).wrapping_sub(scaled));
            }
            6 if !must_align && !special => {
                i.set_segment_prefix(Register::None);
                i.set_memory_base(Register::RSP);
                i.set_memory_displ_size(1);
                let displacement = self.rng.below(128) as i64 - 64;
                i.set_memory_displacement64(displacement as u64);
            }
            _ => {
                i.set_memory_base(base);
                i.set_memory_displ_size(if displacement == 0 { 0 } else { 4 });
                i.set_memory_displacement64(displacement as u64);
                self.set(base, target.wrapping_sub(displacement as u64));
            }
        }
    }

    /// A divisor that is not zero and a dividend whose quotient fits; `false` if the operands do not allow it.
    fn before_division(&mut self, i: &Instruction) -> bool {
        let divisor = self.divisor();
        if i.op0_kind() == OpKind::Register {
            let register = i.op0_register().full_register();
            if matches!(register, Register::RAX | Register::RDX) {
                return false;
            }
            self.set(register, divisor);
        } else {
            self.set(Register::RCX, divisor);
            let mut store = *i;
            store.set_code(Code::Mov_rm64_r64);
            self.register(&mut store, 1, Register::RCX);
            self.emit(&store);
        }
        let value = self.rng.number();
        let byte = matches!(i.code(), Code::Div_rm8 | Code::Idiv_rm8);
        self.set(Register::RAX, if byte { value & 0x3f } else { value & 0x3fff });
        self.set(Register::RDX, 0);
        if i.mnemonic() == Mnemonic::Idiv && !byte && self.rng.one_in(2) {
            self.set(Register::RAX, value.wrapping_neg() | !0x3fff);
            self.set(Register::RDX, u64::MAX);
        }
        true
    }

    /// Neither zero nor minus one in any of its parts.
    fn divisor(&mut self) -> u64 {
        (self.rng.number() & 0x7f7f_7f7f_7f7f_7f7f) | 0x0101_0101_0101_0101
    }

    fn before_string(&mut self, i: &mut Instruction) {
        let count = self.rng.pick(&[0, 1, 2, 7, 40]);
        let source = self.data_address(32, 1);
        let target = if self.rng.one_in(3) { source + self.rng.below(16) } else { self.data_address(32, 1) };
        self.set(Register::RCX, count);
        self.set(Register::RSI, source);
        self.set(Register::RDI, target);
        let direction = if self.rng.one_in(3) { Code::Std } else { Code::Cld };
        let mut set_direction = Instruction::new();
        set_direction.set_code(direction);
        self.emit(&set_direction);
        match self.rng.below(3) {
            0 => i.set_has_rep_prefix(true),
            1 if i.op_code().can_use_repne_prefix() => i.set_has_repne_prefix(true),
            _ => {}
        }
    }

    fn pop_flags(&mut self, i: &Instruction) -> bool {
        let value = self.rng.next() & (Flag::STATUS | Flag::DF);
        let push = Instruction::with1(Code::Pushq_imm32, value as i32).expect("a valid form");
        self.emit(&push) && self.emit(i)
    }

    fn load_control(&mut self, i: &Instruction) -> bool {
        let address = self.data_address(8, 4);
        // Rounding, flags, denormals as zero, flush to zero; all exceptions masked.
        let value = 0x1f80 | (self.rng.next() as u32 & 0xe07f);
        self.set(Register::R9, u64::from(value));
        self.set(Register::R8, address);
        let operand = iced_x86::MemoryOperand::with_base(Register::R8);
        let store = Instruction::with2(Code::Mov_rm32_r32, operand, Register::R9D).expect("a valid form");
        let load = Instruction::with1(i.code(), operand).expect("a valid form");
        self.emit(&store) && self.emit(&load)
    }

    /// A direct jump over one instruction.
    fn jump(&mut self, i: &mut Instruction) -> bool {
        // Here already, so that nothing comes between the start and the jump.
        self.define_flags(i);
        let start = self.bytes.len();
        i.set_near_branch64(self.at() + 64);
        if !self.emit(i) {
            return false;
        }
        let end = self.bytes.len();
        // Where both ways lead, flags undefined on either are undefined.
        let before = self.undefined;
        let skipped = Instruction::with2(Code::Add_rm64_imm8, Register::R13, 3).expect("a valid form");
        self.emit(&skipped);
        self.undefined |= before;
        // Again, now that the target is known: a form has one length.
        i.set_near_branch64(self.at());
        if self.encoder.encode(i, CODE + start as u64).is_err() {
            drop(self.encoder.take_buffer());
            return false;
        }
        self.bytes[start..end].copy_from_slice(&self.encoder.take_buffer());
        true
    }

    /// A jump, call or return to an address from a register, from memory or from the stack, over one instruction.
    fn computed_jump(&mut self, i: &Instruction) -> bool {
        let form = i.code();
        let (register, address) = (self.rng.pick(&GENERAL[7..12]), self.data_address(8, 8));
        let place = self.bytes.len();
        self.set(register, 0);
        let ok = match form {
            Code::Retnq | Code::Retnq_imm16 => {
                let push = Instruction::with1(Code::Push_r64, register).expect("a valid form");
                let ret = if form == Code::Retnq {
                    *i
                } else {
                    let released = 8 * self.rng.below(8) as u32;
                    Instruction::with1(form, released).expect("a valid form")
                };
                self.emit(&push) && self.emit(&ret)
            }
            Code::Jmp_rm64 | Code::Call_rm64 if self.rng.one_in(2) => {
                let jump = Instruction::with1(form, register).expect("a valid form");
                self.emit(&jump)
            }
            Code::Jmp_rm64 | Code::Call_rm64 => {
                self.set(Register::R14, address);
                let operand = iced_x86::MemoryOperand::with_base(Register::R14);
                let store = Instruction::with2(Code::Mov_rm64_r64, operand, register).expect("a valid form");
                let jump = Instruction::with1(form, operand).expect("a valid form");
                self.emit(&store) && self.emit(&jump)
            }
            _ => false,
        };
        if !ok {
            return false;
        }
        let before = self.undefined;
        let skipped = Instruction::with2(Code::Sub_rm64_imm8, Register::R13, 5).expect("a valid form");
        self.emit(&skipped);
        self.undefined = before;
        let target = self.at();
        // The immediate of `mov register, 0` is its last eight bytes.
        self.bytes[place + 2..place + 10].copy_from_slice(&target.to_le_bytes());
        true
    }
}

/// Instructions whose own registers are set up before them: their memory operands use others.
fn uses_registers(mnemonic: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(mnemonic, Div | Idiv | Cmpxchg | Cmpxchg8b | Cmpxchg16b | Bt | Bts | Btr | Btc | Shld | Shrd)
}

/// Whether it is a jump to a given address.
fn is_direct(form: Code) -> bool {
    let info = form.op_code();
    info.op_count() > 0 && matches!(info.op_kind(0), OpCodeOperandKind::br64_1 | OpCodeOperandKind::br64_4)
}

fn is_string(i: &Instruction) -> bool {
    (0..i.op_count()).any(|n| matches!(i.op_kind(n), OpKind::MemorySegRSI | OpKind::MemoryESRDI))
}
