//! Random instructions, over every form that the decoder knows of the mnemonics listed here.

use std::collections::HashMap;

use iced_x86::{Code, Encoder, Instruction, Mnemonic, OpCodeOperandKind, Register};

use crate::machine::{CODE, DATA_SIZE};
use crate::random::Random;

/// What is followed exactly.
pub const EXACT: &[Mnemonic] = {
    use Mnemonic::*;
    &[
        Mov, Movzx, Movsx, Movsxd, Lea, Xchg, Bswap, Cbw, Cwde, Cdqe, Cwd, Cdq, Cqo, Lahf, Sahf, Clc, Stc,
        Cmc, Add, Sub, Cmp, And, Or, Xor, Test, Adc, Sbb, Inc, Dec, Neg, Not, Mul, Imul, Div, Idiv, Shl, Shr,
        Sar, Rol, Ror, Rcl, Rcr, Shld, Shrd, Bt, Bts, Btr, Btc, Bsf, Bsr, Xadd, Cmpxchg, Cmpxchg8b,
        Cmpxchg16b, Push, Pop, Pushfq, Popfq, Enter, Leave, Call, Ret, Jmp, Jrcxz, Loop, Loope, Loopne,
        Movsb, Movsw, Movsq, Stosb, Stosw, Stosd, Stosq, Lodsb, Lodsw, Lodsd, Lodsq, Scasb, Scasw, Scasd,
        Scasq, Cmpsb, Cmpsw, Cmpsq, Ja, Jae, Jb, Jbe, Je, Jg, Jge, Jl, Jle, Jne, Jno, Jnp, Jns, Jo, Jp, Js,
        Seta, Setae, Setb, Setbe, Sete, Setg, Setge, Setl, Setle, Setne, Setno, Setnp, Setns, Seto, Setp,
        Sets, Cmova, Cmovae, Cmovb, Cmovbe, Cmove, Cmovg, Cmovge, Cmovl, Cmovle, Cmovne, Cmovno, Cmovnp,
        Cmovns, Cmovo, Cmovp, Cmovs, Movnti, Movaps, Movups, Movapd, Movupd, Movdqa, Movdqu, Movntdq,
        Movntps, Movntpd, Movq, Movd, Movss, Movsd, Movlps, Movlpd, Movhps, Movhpd, Movhlps, Movlhps,
        Punpcklbw, Punpcklwd, Punpckldq, Punpcklqdq, Punpckhbw, Punpckhwd, Punpckhdq, Punpckhqdq, Unpcklps,
        Unpcklpd, Unpckhps, Unpckhpd, Pshufd, Pshuflw, Pshufhw, Shufps, Shufpd, Pslldq, Psrldq, Packsswb,
        Packssdw, Packuswb, Pmovmskb, Movmskps, Movmskpd, Pinsrw, Pextrw, Pand, Por, Pxor, Pandn, Andps,
        Andpd, Orps, Orpd, Xorps, Xorpd, Andnps, Andnpd, Paddb, Paddw, Paddd, Paddq, Psubb, Psubw, Psubd,
        Psubq, Paddsb, Paddsw, Paddusb, Paddusw, Psubsb, Psubsw, Psubusb, Psubusw, Pcmpeqb, Pcmpeqw, Pcmpeqd,
        Pcmpgtb, Pcmpgtw, Pcmpgtd, Pminub, Pmaxub, Pminsw, Pmaxsw, Pavgb, Pavgw, Pmullw, Pmulhw, Pmulhuw,
        Pmuludq, Pmaddwd, Psadbw, Psllw, Pslld, Psllq, Psrlw, Psrld, Psrlq, Psraw, Psrad,
    ]
};

/// What uses concrete values.
pub const CONCRETE: &[Mnemonic] = {
    use Mnemonic::*;
    &[
        Addss, Addsd, Mulsd, Divss, Sqrtsd, Minss, Maxsd, Ucomisd, Comiss, Cvtsi2sd, Cvtsi2ss, Cvttsd2si,
        Cvtsd2si, Cvtss2sd, Cvtsd2ss, Cmpss, Addps, Mulpd, Cvtdq2ps, Cvttps2dq, Cvtps2pd, Sqrtpd, Minpd,
        Cmpps,
    ]
};

/// General registers that instructions may change: the others point to memory.
const GENERAL: &[Register] = &[
    Register::RAX,
    Register::RCX,
    Register::RDX,
    Register::RBX,
    Register::RBP,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R14,
];

const HIGH: &[Register] = &[Register::AH, Register::CH, Register::DH, Register::BH];

pub struct Generator {
    forms: HashMap<Mnemonic, Vec<Code>>,
}

impl Generator {
    pub fn new() -> Self {
        let mut forms: HashMap<Mnemonic, Vec<Code>> = HashMap::new();
        for code in Code::values() {
            let description = code.op_code();
            let plain = description.is_instruction()
                && description.mode64()
                && description.encoding() == iced_x86::EncodingKind::Legacy;
            if plain && description.op_kinds().iter().all(|&kind| known(kind)) {
                forms.entry(code.mnemonic()).or_default().push(code);
            }
        }
        Generator { forms }
    }

    /// The bytes of a random instruction of this mnemonic, to be executed at [`CODE`]. `registers` are the general ones'
    /// values: they say which may be used in addresses.
    pub fn instruction(
        &self,
        random: &mut Random,
        mnemonic: Mnemonic,
        registers: &[u64; 16],
    ) -> Option<Vec<u8>> {
        let code = random.pick(self.forms.get(&mnemonic)?);
        let mut instruction = Instruction::new();
        instruction.set_code(code);
        let description = code.op_code();
        for (index, kind) in (0..).zip(description.op_kinds()) {
            operand(random, &mut instruction, index, *kind, registers)?;
        }
        if description.can_use_rep_prefix() && random.one_in(2) && registers[1] <= 12 {
            instruction.set_has_rep_prefix(true);
        } else if description.can_use_repne_prefix() && random.one_in(2) && registers[1] <= 12 {
            instruction.set_has_repne_prefix(true);
        }
        if description.can_use_lock_prefix()
            && instruction.op0_kind() == iced_x86::OpKind::Memory
            && random.one_in(4)
        {
            instruction.set_has_lock_prefix(true);
        }
        let mut encoder = Encoder::new(64);
        encoder.encode(&instruction, CODE).ok()?;
        Some(encoder.take_buffer())
    }
}

fn known(kind: OpCodeOperandKind) -> bool {
    use OpCodeOperandKind::*;
    matches!(
        kind,
        None | mem
            | r8_or_mem
            | r16_or_mem
            | r32_or_mem
            | r64_or_mem
            | xmm_or_mem
            | r8_reg
            | r8_opcode
            | r16_reg
            | r16_rm
            | r16_opcode
            | r32_reg
            | r32_rm
            | r32_opcode
            | r64_reg
            | r64_rm
            | r64_opcode
            | xmm_reg
            | xmm_rm
            | al
            | cl
            | ax
            | eax
            | rax
            | imm8
            | imm8_const_1
            | imm8sex16
            | imm8sex32
            | imm8sex64
            | imm16
            | imm32
            | imm32sex64
            | imm64
            | seg_rSI
            | es_rDI
            | br64_1
            | br64_4
    )
}

fn operand(
    random: &mut Random,
    instruction: &mut Instruction,
    index: u32,
    kind: OpCodeOperandKind,
    registers: &[u64; 16],
) -> Option<()> {
    use OpCodeOperandKind as Kind;
    use iced_x86::OpKind;
    let register = |instruction: &mut Instruction, register| {
        instruction.set_op_kind(index, OpKind::Register);
        instruction.set_op_register(index, register);
    };
    match kind {
        Kind::mem => memory(random, instruction, index, registers)?,
        Kind::r8_or_mem | Kind::r16_or_mem | Kind::r32_or_mem | Kind::r64_or_mem | Kind::xmm_or_mem
            if random.one_in(2) =>
        {
            memory(random, instruction, index, registers)?;
        }
        Kind::r8_or_mem | Kind::r8_reg | Kind::r8_opcode => {
            let high = random.one_in(4);
            let byte = if high { random.pick(HIGH) } else { sized(random.pick(GENERAL), 1) };
            register(instruction, byte);
        }
        Kind::r16_or_mem | Kind::r16_reg | Kind::r16_rm | Kind::r16_opcode => {
            register(instruction, sized(random.pick(GENERAL), 2));
        }
        Kind::r32_or_mem | Kind::r32_reg | Kind::r32_rm | Kind::r32_opcode => {
            register(instruction, sized(random.pick(GENERAL), 4));
        }
        Kind::r64_or_mem | Kind::r64_reg | Kind::r64_rm | Kind::r64_opcode => {
            register(instruction, random.pick(GENERAL));
        }
        Kind::xmm_or_mem | Kind::xmm_reg | Kind::xmm_rm => {
            register(instruction, Register::XMM0 + random.below(5) as u32);
        }
        Kind::al => register(instruction, Register::AL),
        Kind::cl => register(instruction, Register::CL),
        Kind::ax => register(instruction, Register::AX),
        Kind::eax => register(instruction, Register::EAX),
        Kind::rax => register(instruction, Register::RAX),
        Kind::imm8 if instruction.mnemonic() == Mnemonic::Enter => {
            instruction.set_op_kind(index, OpKind::Immediate8_2nd);
            instruction.set_immediate8_2nd(0);
        }
        Kind::imm8 => immediate(instruction, index, OpKind::Immediate8, random.number() as u8 as u64),
        Kind::imm8_const_1 => immediate(instruction, index, OpKind::Immediate8, 1),
        Kind::imm8sex16 => {
            immediate(instruction, index, OpKind::Immediate8to16, random.number() as i8 as u64)
        }
        Kind::imm8sex32 => {
            immediate(instruction, index, OpKind::Immediate8to32, random.number() as i8 as u64)
        }
        Kind::imm8sex64 => {
            immediate(instruction, index, OpKind::Immediate8to64, random.number() as i8 as u64)
        }
        Kind::imm16 => immediate(instruction, index, OpKind::Immediate16, random.number() as u16 as u64),
        Kind::imm32 => immediate(instruction, index, OpKind::Immediate32, random.number() as u32 as u64),
        Kind::imm32sex64 => {
            immediate(instruction, index, OpKind::Immediate32to64, random.number() as i32 as u64);
        }
        Kind::imm64 => immediate(instruction, index, OpKind::Immediate64, random.number()),
        Kind::seg_rSI => {
            instruction.set_op_kind(index, OpKind::MemorySegRSI);
        }
        Kind::es_rDI => instruction.set_op_kind(index, OpKind::MemoryESRDI),
        Kind::br64_1 | Kind::br64_4 => {
            instruction.set_op_kind(index, OpKind::NearBranch64);
            instruction.set_near_branch64(CODE + 40);
        }
        _ => {}
    }
    Some(())
}

fn immediate(instruction: &mut Instruction, index: u32, kind: iced_x86::OpKind, value: u64) {
    instruction.set_op_kind(index, kind);
    match kind {
        iced_x86::OpKind::Immediate64 => instruction.set_immediate64(value),
        iced_x86::OpKind::Immediate8to16 => instruction.set_immediate8to16(value as i16),
        iced_x86::OpKind::Immediate8to32 => instruction.set_immediate8to32(value as i32),
        iced_x86::OpKind::Immediate8to64 => instruction.set_immediate8to64(value as i64),
        iced_x86::OpKind::Immediate32to64 => instruction.set_immediate32to64(value as i64),
        iced_x86::OpKind::Immediate16 => instruction.set_immediate16(value as u16),
        iced_x86::OpKind::Immediate32 => instruction.set_immediate32(value as u32),
        _ => instruction.set_immediate8(value as u8),
    }
}

fn sized(register: Register, size: usize) -> Register {
    let number = register.number() as u32;
    match size {
        1 if number < 4 => Register::AL + number,
        1 if number < 8 => Register::SPL + (number - 4),
        1 => Register::R8L + (number - 8),
        2 => Register::AX + number,
        4 => Register::EAX + number,
        _ => register,
    }
}

/// An operand in the data area, whose address is in R15; sometimes with an index that happens to be small.
fn memory(
    random: &mut Random,
    instruction: &mut Instruction,
    index: u32,
    registers: &[u64; 16],
) -> Option<()> {
    let half = DATA_SIZE as u64 / 2;
    let mut displacement = random.next() % (half / 4);
    if random.one_in(2) || instruction.memory_size().size() == 16 {
        displacement &= !15;
    }
    let mut index_register = Register::None;
    let scale = random.pick(&[1, 2, 4, 8]);
    let small: Vec<Register> = GENERAL
        .iter()
        .copied()
        .filter(|register| registers[register.number()] < half / 2 / u64::from(scale))
        .collect();
    if !small.is_empty() && random.one_in(3) {
        index_register = random.pick(&small);
    }
    instruction.set_op_kind(index, iced_x86::OpKind::Memory);
    instruction.set_memory_base(Register::R15);
    instruction.set_memory_index(index_register);
    instruction.set_memory_index_scale(if index_register == Register::None { 1 } else { scale });
    instruction.set_memory_displacement64(displacement);
    instruction.set_memory_displ_size(8);
    Some(())
}
