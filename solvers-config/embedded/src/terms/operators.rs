//! SMT-LIB's operators as operations of terms: chains, associativity and indices written out.

use crate::names::Meaning;
use warpath_solvers::term::{Op, TermError, TermId, Terms};

/// A symbol with a meaning that cannot be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    True,
    False,
    /// An operation, and how it takes more arguments than it has.
    Plain(Op, Style),
    /// Needs indices.
    Indexed(Indexed),
    /// Of SMT-LIB, but not of this solver.
    Foreign,
}

/// How an operator takes more arguments than its operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
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
    /// Of one argument the negation, else like `Left`.
    Minus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Indexed {
    Extract,
    ZeroExtend,
    SignExtend,
    RotateLeft,
    RotateRight,
    Repeat,
}

/// Words of theories that are not ours: they must not be declared, and the message should say why.
const FOREIGN: [&str; 22] = [
    "/",
    "div",
    "mod",
    "abs",
    "select",
    "store",
    "to_real",
    "to_int",
    "is_int",
    "divisible",
    "bv2nat",
    "int2bv",
    "nat2bv",
    "bvredor",
    "bvredand",
    "bvnego",
    "bvuaddo",
    "bvsaddo",
    "bvumulo",
    "bvsmulo",
    "ubv_to_int",
    "sbv_to_int",
];

/// Every symbol that means something before anything is declared.
pub(crate) fn theory_symbols() -> impl Iterator<Item = (&'static str, Meaning)> {
    let plain = Op::PLAIN
        .into_iter()
        .chain(Op::FAMILIES)
        .filter(|&op| op != Op::Neg)
        .map(|op| (op.symbol(), Operator::Plain(op, style(op))));
    let constants = [("true", Operator::True), ("false", Operator::False)];
    let indexed = [
        ("extract", Indexed::Extract),
        ("zero_extend", Indexed::ZeroExtend),
        ("sign_extend", Indexed::SignExtend),
        ("rotate_left", Indexed::RotateLeft),
        ("rotate_right", Indexed::RotateRight),
        ("repeat", Indexed::Repeat),
    ]
    .map(|(symbol, indexed)| (symbol, Operator::Indexed(indexed)));
    let foreign = FOREIGN.map(|symbol| (symbol, Operator::Foreign));
    plain
        .chain(constants)
        .chain(indexed)
        .chain(foreign)
        .map(|(symbol, operator)| (symbol, Meaning::Operator(operator)))
}

fn style(op: Op) -> Style {
    match op {
        Op::And | Op::Or | Op::Add => Style::Many,
        Op::Eq | Op::Lt | Op::Le | Op::Gt | Op::Ge => Style::Chain,
        Op::Implies => Style::Right,
        Op::Sub => Style::Minus,
        Op::Xor | Op::BvAnd | Op::BvOr | Op::BvXor | Op::BvAdd | Op::BvMul | Op::Concat => Style::Left,
        _ => Style::Plain,
    }
}

/// Applies an operation to any number of arguments that its style allows.
pub(super) fn apply(terms: &mut Terms, op: Op, style: Style, args: &[TermId]) -> Result<TermId, TermError> {
    match (style, args) {
        (Style::Minus, [_]) => terms.apply(Op::Neg, args),
        (Style::Left | Style::Minus, [first, second, rest @ ..]) => {
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

/// An operation with its indices; `None` if their number is wrong.
pub(super) fn indexed(indexed: Indexed, indices: &[u64]) -> Option<IndexedOp> {
    // Indices beyond 16 bits are beyond every width, so they may be cut to a value that is too.
    let small = |index: u64| u16::try_from(index).unwrap_or(u16::MAX);
    Some(match (indexed, indices) {
        (Indexed::Extract, &[high, low]) => IndexedOp::Op(Op::Extract { high: small(high), low: small(low) }),
        (Indexed::ZeroExtend, &[by]) => IndexedOp::Op(Op::ZeroExtend(small(by))),
        (Indexed::SignExtend, &[by]) => IndexedOp::Op(Op::SignExtend(small(by))),
        (Indexed::Repeat, &[times]) => IndexedOp::Op(Op::Repeat(small(times))),
        (Indexed::RotateLeft, &[by]) => IndexedOp::Rotate { left: true, by },
        (Indexed::RotateRight, &[by]) => IndexedOp::Rotate { left: false, by },
        _ => return None,
    })
}

#[derive(Debug, Clone, Copy)]
pub(super) enum IndexedOp {
    Op(Op),
    /// Wraps around, so any amount has a small equal once the width is known.
    Rotate {
        left: bool,
        by: u64,
    },
}

pub(super) fn apply_indexed(terms: &mut Terms, op: IndexedOp, args: &[TermId]) -> Result<TermId, TermError> {
    let op = match op {
        IndexedOp::Op(op) => op,
        IndexedOp::Rotate { left, by } => {
            let width = args.first().and_then(|&arg| terms.sort(arg).width()).unwrap_or(1);
            let by = (by % u64::from(width)) as u16;
            if left { Op::RotateLeft(by) } else { Op::RotateRight(by) }
        }
    };
    terms.apply(op, args)
}
