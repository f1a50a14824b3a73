//! What each operation means, on values: the definitions of the SMT-LIB theories Core, Ints and
//! FixedSizeBitVectors (and of the logic QF_BV for the operations it adds).

use super::op::Op;
use super::orders;
use super::value::{Value, mask};

/// Why an operation has no value here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// An integer left the 128-bit range.
    IntOverflow,
    /// A bit-vector became wider than values can be.
    Width(u32),
    /// Arguments of the wrong number or sorts: impossible for terms that were built by an arena.
    IllSorted,
}

/// The value of `op` on `args`.
pub(super) fn apply(op: Op, args: &[Value]) -> Result<Value, Fault> {
    use Value::{Bits, Bool, Int};
    match (op, args) {
        (Op::And, _) => fold_bools(args, true, |a, b| a & b),
        (Op::Or, _) => fold_bools(args, false, |a, b| a | b),
        (Op::Add, _) => fold_ints(args, 0, i128::checked_add),
        (Op::Mul, _) => fold_ints(args, 1, i128::checked_mul),
        (Op::Distinct, _) => {
            let mut sorted = args.to_vec();
            sorted.sort_unstable();
            Ok(Bool(sorted.windows(2).all(|pair| pair[0] != pair[1])))
        }
        (Op::Apart, _) => orders::are_apart(args).map(Bool).ok_or(Fault::IllSorted),
        (Op::Latest, _) => orders::is_latest(args).map(Bool).ok_or(Fault::IllSorted),
        (Op::Usual, _) => Ok(Bool(true)),
        (Op::Eq, [a, b]) => Ok(Bool(a == b)),
        (Op::Ite, [Bool(condition), a, b]) => Ok(if *condition { *a } else { *b }),
        (Op::Not, [Bool(a)]) => Ok(Bool(!a)),
        (Op::Xor, [Bool(a), Bool(b)]) => Ok(Bool(a ^ b)),
        (Op::Implies, [Bool(a), Bool(b)]) => Ok(Bool(!a | b)),
        (Op::Neg, [Int(a)]) => a.checked_neg().map(Int).ok_or(Fault::IntOverflow),
        (Op::Sub, [Int(a), Int(b)]) => a.checked_sub(*b).map(Int).ok_or(Fault::IntOverflow),
        (Op::Lt, [Int(a), Int(b)]) => Ok(Bool(a < b)),
        (Op::Le, [Int(a), Int(b)]) => Ok(Bool(a <= b)),
        (Op::Gt, [Int(a), Int(b)]) => Ok(Bool(a > b)),
        (Op::Ge, [Int(a), Int(b)]) => Ok(Bool(a >= b)),
        (_, &[Bits { width, value }]) => one_vector(op, width, value),
        (Op::Concat, &[Bits { width: high_width, value: high }, Bits { width: low_width, value: low }]) => {
            let width = high_width + low_width;
            // In that order: a shift by 128 is only met when the result is too wide anyway.
            bits_of(width, || high << low_width | low)
        }
        (_, &[Bits { width, value: a }, Bits { width: other, value: b }]) if width == other => {
            two_vectors(op, width, a, b)
        }
        _ => Err(Fault::IllSorted),
    }
}

fn fold_bools(args: &[Value], start: bool, combine: impl Fn(bool, bool) -> bool) -> Result<Value, Fault> {
    args.iter()
        .try_fold(start, |sum, arg| match arg {
            Value::Bool(arg) => Ok(combine(sum, *arg)),
            _ => Err(Fault::IllSorted),
        })
        .map(Value::Bool)
}

fn fold_ints(
    args: &[Value],
    start: i128,
    combine: impl Fn(i128, i128) -> Option<i128>,
) -> Result<Value, Fault> {
    args.iter()
        .try_fold(start, |sum, arg| match arg {
            Value::Int(arg) => combine(sum, *arg).ok_or(Fault::IntOverflow),
            _ => Err(Fault::IllSorted),
        })
        .map(Value::Int)
}

fn bits_of(width: u32, value: impl FnOnce() -> u128) -> Result<Value, Fault> {
    if !(1..=super::MAX_VALUE_WIDTH).contains(&width) {
        return Err(Fault::Width(width));
    }
    Value::bits(value(), width).ok_or(Fault::Width(width))
}

fn one_vector(op: Op, width: u32, a: u128) -> Result<Value, Fault> {
    match op {
        Op::BvNot => bits_of(width, || !a),
        Op::BvNeg => bits_of(width, || negate(a, width)),
        Op::Extract { high, low } => bits_of((u32::from(high) + 1).saturating_sub(low.into()), || a >> low),
        Op::ZeroExtend(by) => bits_of(width + u32::from(by), || a),
        Op::SignExtend(by) => bits_of(width + u32::from(by), || signed(a, width) as u128),
        Op::RotateLeft(by) => bits_of(width, || rotate_left(a, width, u32::from(by) % width)),
        Op::RotateRight(by) => bits_of(width, || rotate_left(a, width, width - u32::from(by) % width)),
        Op::Repeat(times) => bits_of(width.saturating_mul(times.into()), || {
            (0..u32::from(times)).fold(0, |sum, index| sum | a << (index * width))
        }),
        _ => Err(Fault::IllSorted),
    }
}

fn two_vectors(op: Op, width: u32, a: u128, b: u128) -> Result<Value, Fault> {
    let signed_pair = || (signed(a, width), signed(b, width));
    let truth = match op {
        Op::BvUlt => a < b,
        Op::BvUle => a <= b,
        Op::BvUgt => a > b,
        Op::BvUge => a >= b,
        Op::BvSlt => signed_pair().0 < signed_pair().1,
        Op::BvSle => signed_pair().0 <= signed_pair().1,
        Op::BvSgt => signed_pair().0 > signed_pair().1,
        Op::BvSge => signed_pair().0 >= signed_pair().1,
        Op::BvComp => return bits_of(1, || u128::from(a == b)),
        _ => return bits_of(width, || 0).and_then(|_| arithmetic(op, width, a, b)),
    };
    Ok(Value::Bool(truth))
}

fn arithmetic(op: Op, width: u32, a: u128, b: u128) -> Result<Value, Fault> {
    // A shift amount that fits the width; `None` shifts everything out.
    let shift = (b < u128::from(width)).then_some(b as u32);
    let value = match op {
        Op::BvAnd => a & b,
        Op::BvOr => a | b,
        Op::BvXor => a ^ b,
        Op::BvNand => !(a & b),
        Op::BvNor => !(a | b),
        Op::BvXnor => !(a ^ b),
        Op::BvAdd => a.wrapping_add(b),
        Op::BvSub => a.wrapping_sub(b),
        Op::BvMul => a.wrapping_mul(b),
        Op::BvUdiv => divide(a, b, width),
        Op::BvUrem => remainder(a, b),
        Op::BvSdiv => signed_divide(a, b, width),
        Op::BvSrem => signed_remainder(a, b, width),
        Op::BvSmod => signed_modulo(a, b, width),
        Op::BvShl => shift.map_or(0, |by| a << by),
        Op::BvLshr => shift.map_or(0, |by| a >> by),
        Op::BvAshr => (signed(a, width) >> shift.unwrap_or(127).min(127)) as u128,
        _ => return Err(Fault::IllSorted),
    };
    bits_of(width, || value)
}

/// The bits read as two's complement.
fn signed(a: u128, width: u32) -> i128 {
    let unused = 128 - width;
    (a << unused) as i128 >> unused
}

fn is_negative(a: u128, width: u32) -> bool {
    a >> (width - 1) & 1 == 1
}

fn negate(a: u128, width: u32) -> u128 {
    a.wrapping_neg() & mask(width)
}

/// Magnitude in `width` bits: the most negative number is its own.
fn magnitude(a: u128, width: u32) -> u128 {
    if is_negative(a, width) { negate(a, width) } else { a }
}

/// Division by zero gives all ones.
fn divide(a: u128, b: u128, width: u32) -> u128 {
    a.checked_div(b).unwrap_or(mask(width))
}

/// Remainder by zero gives the dividend.
fn remainder(a: u128, b: u128) -> u128 {
    a.checked_rem(b).unwrap_or(a)
}

/// Rounds towards zero: the quotient of the magnitudes, negated if the signs differ.
fn signed_divide(a: u128, b: u128, width: u32) -> u128 {
    let quotient = divide(magnitude(a, width), magnitude(b, width), width);
    if is_negative(a, width) == is_negative(b, width) { quotient } else { negate(quotient, width) }
}

/// Has the sign of the dividend.
fn signed_remainder(a: u128, b: u128, width: u32) -> u128 {
    let rest = remainder(magnitude(a, width), magnitude(b, width));
    if is_negative(a, width) { negate(rest, width) } else { rest }
}

/// Has the sign of the divisor.
fn signed_modulo(a: u128, b: u128, width: u32) -> u128 {
    let rest = remainder(magnitude(a, width), magnitude(b, width));
    let sum = match (is_negative(a, width), is_negative(b, width)) {
        _ if rest == 0 => rest,
        (false, false) => rest,
        (true, false) => negate(rest, width).wrapping_add(b),
        (false, true) => rest.wrapping_add(b),
        (true, true) => negate(rest, width),
    };
    sum & mask(width)
}

/// Rotation by `0..=width`.
fn rotate_left(a: u128, width: u32, by: u32) -> u128 {
    if by == 0 || by == width { a } else { a << by | a >> (width - by) }
}
