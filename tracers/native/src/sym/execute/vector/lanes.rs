//! Arithmetic, logic and comparison, lane by lane.

use iced_x86::Mnemonic;
use warpath_trace::expr::BinaryOp;

use super::{Step, Vector, bits_in};
use crate::sym::bits::Bits;
use crate::sym::bytes::run_length;

impl Step<'_> {
    pub fn vector_lanes(&mut self) -> Option<()> {
        use Mnemonic::*;
        match self.instruction.mnemonic() {
            Pand | Andps | Andpd => self.bitwise(|step, a, b| step.build.and(a, b)),
            Por | Orps | Orpd => self.bitwise(|step, a, b| step.build.or(a, b)),
            Pxor | Xorps | Xorpd => self.bitwise(|step, a, b| step.build.xor(a, b)),
            Pandn | Andnps | Andnpd => self.bitwise(|step, a, b| {
                let not = step.build.bv_not(a);
                step.build.and(not, b)
            }),
            Paddb => self.each(1, |step, a, b| step.build.add(a, b)),
            Paddw => self.each(2, |step, a, b| step.build.add(a, b)),
            Paddd => self.each(4, |step, a, b| step.build.add(a, b)),
            Paddq => self.each(8, |step, a, b| step.build.add(a, b)),
            Psubb => self.each(1, |step, a, b| step.build.sub(a, b)),
            Psubw => self.each(2, |step, a, b| step.build.sub(a, b)),
            Psubd => self.each(4, |step, a, b| step.build.sub(a, b)),
            Psubq => self.each(8, |step, a, b| step.build.sub(a, b)),
            Paddsb => self.saturating(1, BinaryOp::Add, true),
            Paddsw => self.saturating(2, BinaryOp::Add, true),
            Paddusb => self.saturating(1, BinaryOp::Add, false),
            Paddusw => self.saturating(2, BinaryOp::Add, false),
            Psubsb => self.saturating(1, BinaryOp::Sub, true),
            Psubsw => self.saturating(2, BinaryOp::Sub, true),
            Psubusb => self.saturating(1, BinaryOp::Sub, false),
            Psubusw => self.saturating(2, BinaryOp::Sub, false),
            Pcmpeqb => self.comparing(1, BinaryOp::Eq),
            Pcmpeqw => self.comparing(2, BinaryOp::Eq),
            Pcmpeqd => self.comparing(4, BinaryOp::Eq),
            Pcmpgtb => self.comparing(1, BinaryOp::Slt),
            Pcmpgtw => self.comparing(2, BinaryOp::Slt),
            Pcmpgtd => self.comparing(4, BinaryOp::Slt),
            Pminub => self.choosing(1, BinaryOp::Ult, true),
            Pmaxub => self.choosing(1, BinaryOp::Ult, false),
            Pminsw => self.choosing(2, BinaryOp::Slt, true),
            Pmaxsw => self.choosing(2, BinaryOp::Slt, false),
            Pavgb => self.averaging(1),
            Pavgw => self.averaging(2),
            Pmullw => self.each(2, |step, a, b| step.build.binary(BinaryOp::Mul, a, b)),
            Pmulhw => self.each(2, |step, a, b| {
                let product = step.wide_product(a, b, true);
                step.build.extract(31, 16, product)
            }),
            Pmulhuw => self.each(2, |step, a, b| {
                let product = step.wide_product(a, b, false);
                step.build.extract(31, 16, product)
            }),
            Pmuludq => self.each(8, |step, a, b| {
                let (a, b) = (step.build.low(32, a), step.build.low(32, b));
                step.wide_product(a, b, false)
            }),
            Pmaddwd => self.each(4, |step, a, b| {
                let low = (step.build.low(16, a), step.build.low(16, b));
                let high = (step.build.extract(31, 16, a), step.build.extract(31, 16, b));
                let low = step.wide_product(low.0, low.1, true);
                let high = step.wide_product(high.0, high.1, true);
                step.build.add(low, high)
            }),
            Psadbw => self.sum_of_differences(),
            _ => None,
        }
    }

    /// Lanes of `size` bytes.
    fn each(&mut self, size: usize, op: impl Fn(&mut Self, Bits, Bits) -> Bits) -> Option<()> {
        let (a, b) = (self.vector_operand(0)?, self.vector_operand(1)?);
        let mut result = Vector::ZERO;
        for index in 0..16 / size {
            let (x, y) = (self.lane(&a, size, index), self.lane(&b, size, index));
            let lane = op(self, x, y);
            self.set_lane(&mut result, index, lane);
        }
        self.set_vector(result)
    }

    /// Lanes as large as the operands' expressions are, since bits do not care.
    fn bitwise(&mut self, op: impl Fn(&mut Self, Bits, Bits) -> Bits) -> Option<()> {
        let (a, b) = (self.vector_operand(0)?, self.vector_operand(1)?);
        let mut result = Vector::ZERO;
        let same = self.instruction.op0_register() == self.instruction.op1_register();
        let mut done = 0;
        while done < 16 {
            let run = if same { run_length(&a.refs[done..]) } else { common_run(&a, &b, done) };
            // A power of two, so that the lane is one of its size.
            let mut size = 1;
            while size * 2 <= run && done.is_multiple_of(size * 2) {
                size *= 2;
            }
            let (x, y) = (self.lane(&a, size, done / size), self.lane(&b, size, done / size));
            let lane = op(self, x, y);
            self.set_lane(&mut result, done / size, lane);
            done += size;
        }
        self.set_vector(result)
    }

    fn comparing(&mut self, size: usize, op: BinaryOp) -> Option<()> {
        self.each(size, |step, a, b| {
            // "Greater" has its operands the other way round.
            let holds = step.build.compare(op, b, a);
            step.build.fill(holds, a.width)
        })
    }

    fn choosing(&mut self, size: usize, less: BinaryOp, least: bool) -> Option<()> {
        self.each(size, |step, a, b| {
            let holds = step.build.compare(less, a, b);
            if least { step.build.ite(holds, a, b) } else { step.build.ite(holds, b, a) }
        })
    }

    fn averaging(&mut self, size: usize) -> Option<()> {
        self.each(size, |step, a, b| {
            let wide = a.width + 1;
            let (x, y) = (step.build.zero_extend(wide, a), step.build.zero_extend(wide, b));
            let sum = step.build.add(x, y);
            let sum = step.build.add(sum, Bits::concrete(wide, 1));
            step.build.extract(wide - 1, 1, sum)
        })
    }

    fn saturating(&mut self, size: usize, op: BinaryOp, signed: bool) -> Option<()> {
        let width = bits_in(size);
        self.each(size, |step, a, b| {
            // Two bits more hold every sum and difference as a signed number.
            let (x, y) = if signed {
                (step.build.sign_extend(width + 2, a), step.build.sign_extend(width + 2, b))
            } else {
                (step.build.zero_extend(width + 2, a), step.build.zero_extend(width + 2, b))
            };
            let exact = step.build.binary(op, x, y);
            step.saturate(exact, width, signed)
        })
    }

    fn wide_product(&mut self, a: Bits, b: Bits, signed: bool) -> Bits {
        let wide = a.width * 2;
        let (x, y) = if signed {
            (self.build.sign_extend(wide, a), self.build.sign_extend(wide, b))
        } else {
            (self.build.zero_extend(wide, a), self.build.zero_extend(wide, b))
        };
        self.build.binary(BinaryOp::Mul, x, y)
    }

    fn sum_of_differences(&mut self) -> Option<()> {
        let (a, b) = (self.vector_operand(0)?, self.vector_operand(1)?);
        let mut result = Vector::ZERO;
        for half in 0..2 {
            let mut sum = Bits::zero(64);
            for index in 8 * half..8 * half + 8 {
                let (x, y) = (self.lane(&a, 1, index), self.lane(&b, 1, index));
                let less = self.build.compare(BinaryOp::Ult, x, y);
                let (up, down) = (self.build.sub(y, x), self.build.sub(x, y));
                let difference = self.build.ite(less, up, down);
                let difference = self.build.zero_extend(64, difference);
                sum = self.build.add(sum, difference);
            }
            self.set_lane(&mut result, half, sum);
        }
        self.set_vector(result)
    }
}

/// How many bytes from `from` on are a run in both.
fn common_run(a: &Vector, b: &Vector, from: usize) -> usize {
    run_length(&a.refs[from..]).min(run_length(&b.refs[from..]))
}
