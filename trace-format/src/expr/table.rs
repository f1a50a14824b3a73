//! What each operation computes, on plain numbers.

use super::node::{BinaryOp, UnaryOp, Width};

/// A number with the low `width` bits set.
pub fn mask(width: Width) -> u128 {
    if width >= 128 { u128::MAX } else { (1u128 << width) - 1 }
}

/// The value of a bit pattern read as two's complement.
pub fn to_signed(value: u128, width: Width) -> i128 {
    let unused = 128 - u32::from(width.clamp(1, 128));
    ((value << unused) as i128) >> unused
}

/// A bit pattern of `from` bits widened to `to` bits with copies of its sign.
pub fn sign_extend(value: u128, from: Width, to: Width) -> u128 {
    to_signed(value, from) as u128 & mask(to)
}

/// Result of an operation on one operand of `width` bits (1 for a Boolean).
pub fn apply_unary(op: UnaryOp, a: u128, width: Width) -> u128 {
    match op {
        UnaryOp::Not => a ^ 1,
        UnaryOp::BvNot => !a & mask(width),
        UnaryOp::Neg => a.wrapping_neg() & mask(width),
    }
}

/// Result of an operation on two operands, the first of `width` bits and the second of `width_b`;
/// they differ only for a concatenation. Booleans are 0 and 1.
pub fn apply_binary(op: BinaryOp, a: u128, b: u128, width: Width, width_b: Width) -> u128 {
    let mask = mask(width);
    let signed = |v| to_signed(v, width);
    match op {
        BinaryOp::And | BinaryOp::BvAnd => a & b,
        BinaryOp::Or | BinaryOp::BvOr => a | b,
        BinaryOp::Xor | BinaryOp::BvXor => a ^ b,
        BinaryOp::Eq => (a == b).into(),
        BinaryOp::Ult => (a < b).into(),
        BinaryOp::Ule => (a <= b).into(),
        BinaryOp::Slt => (signed(a) < signed(b)).into(),
        BinaryOp::Sle => (signed(a) <= signed(b)).into(),
        BinaryOp::Add => a.wrapping_add(b) & mask,
        BinaryOp::Sub => a.wrapping_sub(b) & mask,
        BinaryOp::Mul => a.wrapping_mul(b) & mask,
        BinaryOp::UDiv => a.checked_div(b).unwrap_or(mask),
        BinaryOp::URem => a.checked_rem(b).unwrap_or(a),
        // By zero: -1 for a dividend that is not negative, else 1, as SMT-LIB's definition by cases gives.
        BinaryOp::SDiv if b == 0 => {
            if signed(a) < 0 {
                1
            } else {
                mask
            }
        }
        BinaryOp::SDiv => signed(a).wrapping_div(signed(b)) as u128 & mask,
        BinaryOp::SRem if b == 0 => a,
        BinaryOp::SRem => signed(a).wrapping_rem(signed(b)) as u128 & mask,
        BinaryOp::Shl => shift(b, width).map_or(0, |by| a << by & mask),
        BinaryOp::LShr => shift(b, width).map_or(0, |by| a >> by),
        BinaryOp::AShr => {
            let by = shift(b, width).unwrap_or(u32::from(width) - 1);
            (signed(a) >> by) as u128 & mask
        }
        BinaryOp::Concat => a.checked_shl(width_b.into()).unwrap_or(0) | b,
    }
}

/// The shift amount if it is below the width.
fn shift(by: u128, width: Width) -> Option<u32> {
    u32::try_from(by).ok().filter(|&by| by < u32::from(width))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight-bit arithmetic against the machine's own, for every pair of operands.
    #[test]
    fn eight_bits_agree_with_the_machine() {
        for a in 0..=255u8 {
            for b in 0..=255u8 {
                let (sa, sb) = (a as i8, b as i8);
                let expected = [
                    (BinaryOp::Add, a.wrapping_add(b)),
                    (BinaryOp::Sub, a.wrapping_sub(b)),
                    (BinaryOp::Mul, a.wrapping_mul(b)),
                    (BinaryOp::UDiv, a.checked_div(b).unwrap_or(255)),
                    (BinaryOp::URem, a.checked_rem(b).unwrap_or(a)),
                    (
                        BinaryOp::SDiv,
                        if b == 0 { if sa < 0 { 1 } else { 255 } } else { sa.wrapping_div(sb) as u8 },
                    ),
                    (BinaryOp::SRem, if b == 0 { a } else { sa.wrapping_rem(sb) as u8 }),
                    (BinaryOp::Shl, if b < 8 { a << b } else { 0 }),
                    (BinaryOp::LShr, if b < 8 { a >> b } else { 0 }),
                    (BinaryOp::AShr, (sa >> b.min(7)) as u8),
                    (BinaryOp::Ult, (a < b).into()),
                    (BinaryOp::Ule, (a <= b).into()),
                    (BinaryOp::Slt, (sa < sb).into()),
                    (BinaryOp::Sle, (sa <= sb).into()),
                ];
                for (op, value) in expected {
                    assert_eq!(apply_binary(op, a.into(), b.into(), 8, 8), value.into(), "{op:?} {a} {b}");
                }
                assert_eq!(
                    apply_binary(BinaryOp::Concat, a.into(), b.into(), 8, 8),
                    u16::from_be_bytes([a, b]).into()
                );
            }
            assert_eq!(apply_unary(UnaryOp::Neg, a.into(), 8), a.wrapping_neg().into());
            assert_eq!(apply_unary(UnaryOp::BvNot, a.into(), 8), (!a).into());
            assert_eq!(sign_extend(a.into(), 8, 32), (a as i8 as i32 as u32).into());
        }
    }
}
