//! Floating point. Expressions have none: operands are used by their concrete values. Of a scalar operation only the
//! bytes that it reads are, and the rest of the destination stays as it is.

use iced_x86::{Mnemonic, OpKind};
use warpath_trace::event::Concretised;

use super::Step;
use crate::sym::bytes::ByteRef;
use crate::sym::flags::ALL;
use crate::sym::operand::{part, vector};

/// A scalar operation: bytes of the source, bytes of the destination, and whether the destination is read.
#[derive(Clone, Copy)]
struct Scalar {
    source: usize,
    target: usize,
    reads_target: bool,
}

fn scalar(mnemonic: Mnemonic) -> Option<Scalar> {
    use Mnemonic::*;
    let (source, target, reads_target) = match mnemonic {
        Addss | Subss | Mulss | Divss | Minss | Maxss | Cmpss | Comiss | Ucomiss => (4, 4, true),
        Addsd | Subsd | Mulsd | Divsd | Minsd | Maxsd | Cmpsd | Comisd | Ucomisd => (8, 8, true),
        Sqrtss | Rcpss | Rsqrtss | Cvtsi2ss => (4, 4, false),
        Sqrtsd | Cvtsi2sd => (8, 8, false),
        Cvtss2sd => (4, 8, false),
        Cvtsd2ss => (8, 4, false),
        Cvtss2si | Cvttss2si => (4, 0, false),
        Cvtsd2si | Cvttsd2si => (8, 0, false),
        _ => return None,
    };
    Some(Scalar { source, target, reads_target })
}

impl Step<'_> {
    pub fn float(&mut self) -> Option<()> {
        let instruction = self.instruction;
        let mnemonic = instruction.mnemonic();
        let scalar = scalar(mnemonic)?;
        match instruction.op1_kind() {
            OpKind::Register if part(instruction.op1_register()).is_some() => {
                let source = self.operand(1)?;
                self.concretise(source, Concretised::Float);
            }
            _ => {
                let integer = matches!(mnemonic, Mnemonic::Cvtsi2sd | Mnemonic::Cvtsi2ss);
                let count = if integer { self.memory_size() } else { scalar.source };
                let source = self.vector_operand(1)?;
                self.concretise_vector(&source, count, Concretised::Float);
            }
        }
        if scalar.reads_target {
            let target = self.vector_operand(0)?;
            self.concretise_vector(&target, scalar.target, Concretised::Float);
        }
        if matches!(mnemonic, Mnemonic::Comiss | Mnemonic::Ucomiss | Mnemonic::Comisd | Mnemonic::Ucomisd) {
            self.set_flags(ALL, None, &[]);
            return Some(());
        }
        match vector(instruction.op0_register()) {
            Some(number) => {
                let mut refs = self.thread.xmm[number];
                refs[..scalar.target].fill(ByteRef::CONCRETE);
                self.thread.set_xmm(number, refs);
            }
            None => {
                let number = part(instruction.op0_register())?.number;
                self.thread.gpr[number] = None;
            }
        }
        Some(())
    }
}
