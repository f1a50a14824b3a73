//! SMT-LIB's operators as terms: chains, associativity and indices written out.

use super::syntax::Number;
use crate::term::{Op, TermError, TermId, Terms};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// How an operator takes more arguments than its operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// As many as the operation has.
    Plain,
    /// `(bvadd a b c)` is `(bvadd (bvadd a b) c)`.
    Left,
    /// `(=> a b c)` is `(=> a (=> b c))`.
    Right,
    /// `(< a b c)` is `(and (< a b) (< b c))`.
    Chain,
    /// Any number from one up; one argument is the result.
    Many,
}

/// The operation of a symbol without indices.
fn plain(symbol: &str, arguments: usize) -> Option<(Op, Style)> {
    static TABLE: LazyLock<FxHashMap<&str, (Op, Style)>> = LazyLock::new(|| {
        Op::PLAIN.into_iter().filter(|&op| op != Op::Neg).map(|op| (op.symbol(), (op, style(op)))).collect()
    });
    if symbol == "-" && arguments == 1 {
        return Some((Op::Neg, Style::Plain));
    }
    TABLE.get(symbol).copied()
}

fn style(op: Op) -> Style {
    match op {
        Op::And | Op::Or | Op::Add => Style::Many,
        Op::Eq | Op::Lt | Op::Le | Op::Gt | Op::Ge => Style::Chain,
        Op::Implies => Style::Right,
        Op::Xor | Op::Sub | Op::BvAnd | Op::BvOr | Op::BvXor | Op::BvAdd | Op::BvMul | Op::Concat => {
            Style::Left
        }
        _ => Style::Plain,
    }
}

/// Whether the symbol is an operator, and so cannot be declared.
pub(super) fn is_operator(symbol: &str) -> bool {
    matches!(symbol, "true" | "false")
        || plain(symbol, 2).is_some()
        || indexed(symbol, &[Number::from(0), Number::from(0)]).is_some()
        || indexed(symbol, &[Number::from(0)]).is_some()
}

/// Applies an operator; `None` if the symbol is none.
pub(super) fn apply(terms: &mut Terms, symbol: &str, args: &[TermId]) -> Option<Result<TermId, TermError>> {
    let (op, style) = plain(symbol, args.len())?;
    Some(apply_styled(terms, op, style, args))
}

fn apply_styled(terms: &mut Terms, op: Op, style: Style, args: &[TermId]) -> Result<TermId, TermError> {
    match (style, args) {
        (Style::Left, [first, second, rest @ ..]) => {
            let start = terms.apply(op, &[*first, *second])?;
            rest.iter().try_fold(start, |sum, &arg| terms.apply(op, &[sum, arg]))
        }
        (Style::Right, [front @ .., before_last, last]) => {
            let start = terms.apply(op, &[*before_last, *last])?;
            front.iter().rev().try_fold(start, |sum, &arg| terms.apply(op, &[arg, sum]))
        }
        (Style::Chain, [_, _, _, ..]) => {
            let links = args.windows(2).map(|pair| terms.apply(op, pair)).collect::<Result<Vec<_>, _>>()?;
            terms.and(&links)
        }
        (Style::Many, [_]) => match op {
            Op::And => terms.and(args),
            Op::Or => terms.or(args),
            _ => terms.add(args),
        },
        _ => terms.apply(op, args),
    }
}

/// Applies an operator with indices; `None` if there is none of that name and number of indices.
pub(super) fn apply_indexed(
    terms: &mut Terms,
    symbol: &str,
    indices: &[Number],
    args: &[TermId],
) -> Option<Result<TermId, TermError>> {
    let op = indexed(symbol, indices)?;
    // Rotation wraps around, so any amount has a small equal.
    let op = match (op, indices, args) {
        (Op::RotateLeft(_) | Op::RotateRight(_), &[Number(Some(by))], &[arg]) => {
            match terms.sort(arg).width() {
                Some(width) => {
                    let by = (by % u128::from(width)) as u16;
                    if symbol == "rotate_left" { Op::RotateLeft(by) } else { Op::RotateRight(by) }
                }
                None => op,
            }
        }
        _ => op,
    };
    Some(terms.apply(op, args))
}

/// Indices beyond 16 bits are beyond every width, so they may be cut to a value that is too.
fn indexed(symbol: &str, indices: &[Number]) -> Option<Op> {
    let small = |number: &Number| number.0.and_then(|value| u16::try_from(value).ok()).unwrap_or(u16::MAX);
    match (symbol, indices) {
        ("extract", [high, low]) => Some(Op::Extract { high: small(high), low: small(low) }),
        ("zero_extend", [by]) => Some(Op::ZeroExtend(small(by))),
        ("sign_extend", [by]) => Some(Op::SignExtend(small(by))),
        ("rotate_left", [by]) => Some(Op::RotateLeft(small(by))),
        ("rotate_right", [by]) => Some(Op::RotateRight(small(by))),
        ("repeat", [times]) => Some(Op::Repeat(small(times))),
        _ => None,
    }
}

/// A bit-vector literal of any width: wide ones are put together from parts that have values.
pub(super) fn bits(terms: &mut Terms, bits: &[bool]) -> Result<TermId, TermError> {
    let mut parts = bits.rchunks(crate::term::MAX_VALUE_WIDTH as usize).rev();
    let literal = |terms: &mut Terms, part: &[bool]| {
        let value = part.iter().fold(0, |sum, &bit| sum << 1 | u128::from(bit));
        terms.bits(value, part.len() as u32)
    };
    let Some(first) = parts.next() else {
        return Err(TermError::WidthOutOfRange { width: 0 });
    };
    let first = literal(terms, first)?;
    parts.try_fold(first, |sum, part| {
        let part = literal(terms, part)?;
        terms.apply(Op::Concat, &[sum, part])
    })
}
