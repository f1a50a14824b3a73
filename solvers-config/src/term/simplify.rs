//! Light, exact simplification of one operation whose arguments are already simplified.
//!
//! Only rules that shrink a term or keep its size, each true for all values (SMT-LIB's total
//! semantics included). Negations are not pushed into comparisons: how an atom is written sets the
//! phase that solvers try first, and the analyzer chooses it on purpose.

use super::error::TermError;
use super::op::Op;
use super::semantics;
use super::sort::Sort;
use super::store::{Head, TermId};
use super::terms::Terms;
use super::value::{Value, mask};
use rustc_hash::FxHashMap;

/// A simpler equal of `op` on `args`, or `None` if there is nothing to do.
pub(super) fn rewrite(terms: &mut Terms, op: Op, args: &[TermId]) -> Result<Option<TermId>, TermError> {
    match (op, args) {
        (Op::And | Op::Or, _) => junction(terms, op, args),
        (Op::Distinct, _) => distinct(terms, args),
        (Op::Apart | Op::Latest | Op::Usual, _) => Ok(None),
        (Op::Add | Op::Mul, _) => sum_or_product(terms, op, args),
        _ => {
            if let Some(folded) = fold(terms, op, args)? {
                return Ok(Some(folded));
            }
            match *args {
                [a] => unary(terms, op, a),
                [a, b] => match op {
                    Op::Xor | Op::Implies | Op::Eq => core_binary(terms, op, a, b),
                    _ => binary(terms, op, a, b),
                },
                [condition, then, otherwise] => ite(terms, condition, then, otherwise),
                _ => Ok(None),
            }
        }
    }
}

/// The literal that the operation gives if all its arguments are literals and it fits.
fn fold(terms: &mut Terms, op: Op, args: &[TermId]) -> Result<Option<TermId>, TermError> {
    let mut values = [Value::Bool(false); 3];
    for (value, &arg) in values.iter_mut().zip(args) {
        match terms.as_literal(arg) {
            Some(literal) => *value = literal,
            None => return Ok(None),
        }
    }
    match semantics::apply(op, &values[..args.len()]) {
        Ok(value) => terms.value(value).map(Some),
        Err(_) => Ok(None),
    }
}

/// The argument of a negation.
fn negated(terms: &Terms, id: TermId) -> Option<TermId> {
    argument_of(terms, Op::Not, id)
}

fn argument_of(terms: &Terms, op: Op, id: TermId) -> Option<TermId> {
    (terms.store.head(id) == Head::App(op)).then(|| terms.args(id)[0])
}

/// `and` / `or`: neutral elements and duplicates go, an absorbing element or a complementary pair
/// decides.
fn junction(terms: &mut Terms, op: Op, args: &[TermId]) -> Result<Option<TermId>, TermError> {
    let neutral = terms.bool(op == Op::And);
    let absorbing = terms.bool(op != Op::And);
    let mut kept = Vec::new();
    // Clauses are short, so the first pass must not allocate: it only looks for something to do.
    const SHORT: usize = 8;
    if args.len() <= SHORT {
        let mut atoms = [(neutral, false); SHORT];
        let mut idle = true;
        for (index, &arg) in args.iter().enumerate() {
            let literal = match negated(terms, arg) {
                Some(atom) => (atom, true),
                None => (arg, false),
            };
            idle &= arg != neutral && arg != absorbing;
            idle &= atoms[..index].iter().all(|&(atom, _)| atom != literal.0);
            atoms[index] = literal;
        }
        if idle {
            return Ok(None);
        }
    }
    let mut polarity: FxHashMap<TermId, bool> = FxHashMap::default();
    for &arg in args {
        let (atom, sign) = match negated(terms, arg) {
            Some(atom) => (atom, false),
            None => (arg, true),
        };
        if arg == absorbing {
            return Ok(Some(absorbing));
        }
        if arg == neutral {
            continue;
        }
        match polarity.insert(atom, sign) {
            None => kept.push(arg),
            Some(before) if before != sign => return Ok(Some(absorbing)),
            Some(_) => {}
        }
    }
    match *kept {
        [] => Ok(Some(neutral)),
        [only] => Ok(Some(only)),
        _ if kept.len() == args.len() => Ok(None),
        _ => terms.intern(op, Sort::Bool, &kept).map(Some),
    }
}

fn distinct(terms: &mut Terms, args: &[TermId]) -> Result<Option<TermId>, TermError> {
    if let [a, b] = *args {
        let equal = terms.eq(a, b)?;
        return terms.not(equal).map(Some);
    }
    let mut sorted = args.to_vec();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Ok(Some(terms.bool(false)));
    }
    // More terms than the sort has values: two must be equal.
    let crowded = match terms.sort(args[0]) {
        Sort::Bool => args.len() > 2,
        Sort::Int => false,
        Sort::Bits(width) => width < 32 && args.len() as u64 > 1 << width,
    };
    if crowded {
        return Ok(Some(terms.bool(false)));
    }
    // Literals are hash-consed: different terms are different values.
    if args.iter().all(|&arg| terms.as_literal(arg).is_some()) {
        return Ok(Some(terms.bool(true)));
    }
    Ok(None)
}

/// Integer `+` / `*`: literals are gathered behind the other arguments, as long as they fit.
fn sum_or_product(terms: &mut Terms, op: Op, args: &[TermId]) -> Result<Option<TermId>, TermError> {
    let neutral = i128::from(op == Op::Mul);
    let mut gathered = neutral;
    let mut literals = 0;
    let mut others = Vec::with_capacity(args.len());
    for &arg in args {
        match terms.as_literal(arg).and_then(|value| value.as_int()) {
            None => others.push(arg),
            Some(value) => {
                let combined = match op {
                    Op::Mul => gathered.checked_mul(value),
                    _ => gathered.checked_add(value),
                };
                match combined {
                    Some(combined) => gathered = combined,
                    None => return Ok(None),
                }
                literals += 1;
            }
        }
    }
    if others.is_empty() || (op == Op::Mul && gathered == 0) {
        return terms.int(gathered).map(Some);
    }
    if gathered != neutral {
        if literals == 1 {
            return Ok(None);
        }
        others.push(terms.int(gathered)?);
    }
    match *others {
        [only] => Ok(Some(only)),
        _ if others.len() == args.len() => Ok(None),
        _ => terms.intern(op, Sort::Int, &others).map(Some),
    }
}

fn unary(terms: &mut Terms, op: Op, a: TermId) -> Result<Option<TermId>, TermError> {
    match op {
        Op::Not | Op::Neg | Op::BvNot | Op::BvNeg => Ok(argument_of(terms, op, a)),
        Op::ZeroExtend(0) | Op::SignExtend(0) | Op::Repeat(1) => Ok(Some(a)),
        Op::RotateLeft(by) | Op::RotateRight(by) => {
            let width = terms.sort(a).width().unwrap_or(1);
            Ok(u32::from(by).is_multiple_of(width).then_some(a))
        }
        Op::Extract { high, low } => {
            if terms.sort(a) == Sort::Bits(u32::from(high) + 1) && low == 0 {
                return Ok(Some(a));
            }
            let Head::App(Op::Extract { low: base, .. }) = terms.store.head(a) else {
                return Ok(None);
            };
            let inner = terms.args(a)[0];
            // Positions in the innermost term are below MAX_WIDTH, so the sums fit.
            let (high, low) = (high + base, low + base);
            terms.apply(Op::Extract { high, low }, &[inner]).map(Some)
        }
        _ => Ok(None),
    }
}

fn core_binary(terms: &mut Terms, op: Op, a: TermId, b: TermId) -> Result<Option<TermId>, TermError> {
    let (yes, no) = (terms.bool(true), terms.bool(false));
    let complementary = negated(terms, a) == Some(b) || negated(terms, b) == Some(a);
    match op {
        Op::Implies => Ok(match () {
            () if a == no || b == yes || a == b => Some(yes),
            () if a == yes || complementary => Some(b),
            () if b == no => return terms.not(a).map(Some),
            () => None,
        }),
        // Equality of Booleans and exclusive or are each other's negation.
        _ => {
            let (same, other) = if op == Op::Eq { (yes, no) } else { (no, yes) };
            if a == b {
                return Ok(Some(same));
            }
            if complementary {
                return Ok(Some(other));
            }
            for (literal, rest) in [(a, b), (b, a)] {
                if literal == same {
                    return Ok(Some(rest));
                }
                if literal == other {
                    return terms.not(rest).map(Some);
                }
            }
            let differ = terms.as_literal(a).is_some() && terms.as_literal(b).is_some();
            if differ {
                return Ok(Some(other));
            }
            // One order for both ways of writing it.
            if a > b {
                return terms.intern(op, Sort::Bool, &[b, a]).map(Some);
            }
            Ok(None)
        }
    }
}

fn ite(
    terms: &mut Terms,
    condition: TermId,
    then: TermId,
    otherwise: TermId,
) -> Result<Option<TermId>, TermError> {
    let (yes, no) = (terms.bool(true), terms.bool(false));
    if condition == yes || then == otherwise {
        return Ok(Some(then));
    }
    if condition == no {
        return Ok(Some(otherwise));
    }
    if let Some(positive) = negated(terms, condition) {
        return terms.ite(positive, otherwise, then).map(Some);
    }
    match (then, otherwise) {
        (t, e) if t == yes && e == no => Ok(Some(condition)),
        (t, e) if t == no && e == yes => terms.not(condition).map(Some),
        _ => Ok(None),
    }
}

/// Integer differences and comparisons, and all bit-vector operations with two arguments.
fn binary(terms: &mut Terms, op: Op, a: TermId, b: TermId) -> Result<Option<TermId>, TermError> {
    // Comparisons are kept in one direction.
    let mirrored = match op {
        Op::Gt => Some(Op::Lt),
        Op::Ge => Some(Op::Le),
        Op::BvUgt => Some(Op::BvUlt),
        Op::BvUge => Some(Op::BvUle),
        Op::BvSgt => Some(Op::BvSlt),
        Op::BvSge => Some(Op::BvSle),
        _ => None,
    };
    if let Some(op) = mirrored {
        return terms.apply(op, &[b, a]).map(Some);
    }
    if op == Op::Sub {
        return if a == b {
            terms.int(0).map(Some)
        } else {
            Ok((terms.as_literal(b) == Some(Value::Int(0))).then_some(a))
        };
    }
    match op {
        Op::Lt | Op::BvUlt | Op::BvSlt if a == b => return Ok(Some(terms.bool(false))),
        Op::Le | Op::BvUle | Op::BvSle if a == b => return Ok(Some(terms.bool(true))),
        _ => {}
    }
    match terms.sort(a) {
        Sort::Bits(width) if terms.sort(a).has_values() => vectors(terms, op, width, a, b),
        _ => Ok(None),
    }
}

fn vectors(terms: &mut Terms, op: Op, width: u32, a: TermId, b: TermId) -> Result<Option<TermId>, TermError> {
    let ones = mask(width);
    let literal = |id| terms.as_literal(id).and_then(|value| value.as_bits());
    let (la, lb) = (literal(a), literal(b));
    // For commutative operations: the literal argument and the other one.
    let mixed = match (la, lb) {
        (Some(value), None) => Some((value, b)),
        (None, Some(value)) => Some((value, a)),
        _ => None,
    };
    let constant = match (op, mixed) {
        (Op::BvSub | Op::BvXor, _) if a == b => Some(0),
        (Op::BvXnor, _) if a == b => Some(ones),
        (Op::BvAnd | Op::BvMul, Some((0, _))) => Some(0),
        (Op::BvOr, Some((value, _))) if value == ones => Some(ones),
        (Op::BvUrem, _) if lb == Some(1) => Some(0),
        (Op::BvShl | Op::BvLshr, _) if lb.is_some_and(|by| by >= u128::from(width)) => Some(0),
        _ => None,
    };
    if let Some(value) = constant {
        return terms.bits(value, width).map(Some);
    }
    // Negative or not is the sign alone. (Yices 2.6.5 has models for comparisons with 0 that do not satisfy them.)
    let sign = match op {
        Op::BvSlt if lb == Some(0) => Some((a, 1)),
        Op::BvSle if lb == Some(ones) => Some((a, 1)),
        Op::BvSlt if la == Some(ones) => Some((b, 0)),
        Op::BvSle if la == Some(0) => Some((b, 0)),
        _ => None,
    };
    if let Some((of, sign)) = sign {
        let top = (width - 1) as u16;
        let bit = terms.apply(Op::Extract { high: top, low: top }, &[of])?;
        let sign = terms.bits(sign, 1)?;
        return terms.eq(bit, sign).map(Some);
    }
    Ok(match (op, mixed) {
        (Op::BvAnd | Op::BvOr, _) if a == b => Some(a),
        (Op::BvAnd, Some((value, other))) if value == ones => Some(other),
        (Op::BvOr | Op::BvXor | Op::BvAdd, Some((0, other))) => Some(other),
        (Op::BvMul, Some((1, other))) => Some(other),
        (Op::BvSub | Op::BvShl | Op::BvLshr | Op::BvAshr, _) if lb == Some(0) => Some(a),
        (Op::BvUdiv, _) if lb == Some(1) => Some(a),
        // Remainder by zero is the dividend.
        (Op::BvUrem, _) if lb == Some(0) => Some(a),
        (Op::BvUlt, _) if lb == Some(0) || la == Some(ones) => Some(terms.bool(false)),
        (Op::BvUle, _) if la == Some(0) || lb == Some(ones) => Some(terms.bool(true)),
        (Op::BvComp, _) if a == b => return terms.bits(1, 1).map(Some),
        _ => None,
    })
}
