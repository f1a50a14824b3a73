//! Rules that undo what compilers do to small values, so that expressions read like the source.
//!
//! Widening, masking, flags turned into numbers and back: the table's own rules are local and general, these know the
//! idioms of machine code. Each preserves the value under every assignment. Walks are loops, cut off after
//! [`MAX_STEPS`], since a loop in the program makes chains as long as the loop.

use warpath_trace::expr::{BinaryOp, Node, UnaryOp, Width, apply_binary, apply_unary, mask, sign_extend};
use warpath_trace::ids::ExprId;

use super::build::{Builder, Built};

/// How far down a chain of operands a rule looks.
pub(super) const MAX_STEPS: usize = 64;

/// A choice between two constants.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    pub condition: ExprId,
    pub then: u128,
    pub otherwise: u128,
}

impl Builder {
    /// The expression as a choice between two constants.
    pub(super) fn choice(&self, id: ExprId) -> Option<Choice> {
        let Node::Ite { condition, then, otherwise } = self.pool.node(id) else { return None };
        Some(Choice {
            condition,
            then: self.pool.as_constant(then)?,
            otherwise: self.pool.as_constant(otherwise)?,
        })
    }

    fn chosen(&mut self, condition: ExprId, width: Width, then: u128, otherwise: u128) -> Built {
        let then = self.pool.constant(width, then)?;
        let otherwise = self.pool.constant(width, otherwise)?;
        self.pool.ite(condition, then, otherwise)
    }

    pub(super) fn fold_unary(&mut self, op: UnaryOp, a: ExprId) -> Built {
        let Some(choice) = self.choice(a) else { return self.pool.unary(op, a) };
        let width = self.pool.width(a);
        let apply = |value| apply_unary(op, value, width);
        self.chosen(choice.condition, width, apply(choice.then), apply(choice.otherwise))
    }

    pub(super) fn fold_binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Built {
        let (width_a, width_b) = (self.pool.width(a), self.pool.width(b));
        let result = if op == BinaryOp::Concat { width_a + width_b } else { width_a };
        let apply = |x, y| apply_binary(op, x, y, width_a, width_b);
        match (self.choice(a), self.choice(b)) {
            (Some(x), Some(y)) if x.condition == y.condition => {
                return self.chosen(
                    x.condition,
                    result,
                    apply(x.then, y.then),
                    apply(x.otherwise, y.otherwise),
                );
            }
            // Masks that vector comparisons make.
            (Some(x), Some(y)) if x.is_mask(width_a) && y.is_mask(width_b) => {
                let logic = match op {
                    BinaryOp::BvAnd => Some(BinaryOp::And),
                    BinaryOp::BvOr => Some(BinaryOp::Or),
                    _ => None,
                };
                if let Some(logic) = logic {
                    let condition = self.pool.binary(logic, x.condition, y.condition)?;
                    return self.chosen(condition, result, mask(result), 0);
                }
            }
            (Some(x), None) => {
                if let Some(k) = self.pool.as_constant(b) {
                    return self.chosen(x.condition, result, apply(x.then, k), apply(x.otherwise, k));
                }
            }
            (None, Some(y)) => {
                if let Some(k) = self.pool.as_constant(a) {
                    return self.chosen(y.condition, result, apply(k, y.then), apply(k, y.otherwise));
                }
            }
            _ => {}
        }
        match op {
            BinaryOp::BvAnd => self.fold_and(a, b),
            BinaryOp::Concat => self.fold_concat(a, b),
            _ => self.pool.binary(op, a, b),
        }
    }

    /// Masking the low bits is widening; masking what was widened is masking what it was widened from.
    fn fold_and(&mut self, a: ExprId, b: ExprId) -> Built {
        let width = self.pool.width(a);
        let (value, k) = match (self.pool.as_constant(a), self.pool.as_constant(b)) {
            (_, Some(k)) => (a, k),
            (Some(k), _) => (b, k),
            _ => return self.pool.binary(BinaryOp::BvAnd, a, b),
        };
        if let Node::ZeroExtend { of, .. } = self.pool.node(value) {
            let narrow = self.pool.width(of);
            let k = self.pool.constant(narrow, k)?;
            let inner = self.fold_binary(BinaryOp::BvAnd, of, k)?;
            return self.fold_zero_extend(width, inner);
        }
        for narrow in [8, 16, 32, 64] {
            if narrow < width && k == mask(narrow) {
                let low = self.fold_extract(narrow - 1, 0, value)?;
                return self.fold_zero_extend(width, low);
            }
        }
        self.pool.binary(BinaryOp::BvAnd, a, b)
    }

    fn fold_concat(&mut self, high: ExprId, low: ExprId) -> Built {
        if self.pool.as_constant(high) == Some(0) {
            let width = self.pool.width(high) + self.pool.width(low);
            return self.fold_zero_extend(width, low);
        }
        if let (
            Node::Extract { high: top, low: cut, of },
            Node::Extract { high: below, low: bottom, of: same },
        ) = (self.pool.node(high), self.pool.node(low))
            && of == same
            && cut == below + 1
        {
            return self.fold_extract(top, bottom, of);
        }
        self.pool.binary(BinaryOp::Concat, high, low)
    }

    pub(super) fn fold_extract(&mut self, mut high: Width, mut low: Width, mut of: ExprId) -> Built {
        use BinaryOp::*;
        for _ in 0..MAX_STEPS {
            let width = self.pool.width(of);
            if low == 0 && high == width - 1 {
                return Ok(of);
            }
            if let Some(choice) = self.choice(of) {
                let taken = |value: u128| (value >> low) & mask(high - low + 1);
                return self.chosen(
                    choice.condition,
                    high - low + 1,
                    taken(choice.then),
                    taken(choice.otherwise),
                );
            }
            match self.pool.node(of) {
                Node::Extract { low: inner, of: from, .. } => {
                    (high, low, of) = (high + inner, low + inner, from);
                }
                Node::ZeroExtend { of: from, .. } | Node::SignExtend { of: from, .. }
                    if high < self.pool.width(from) =>
                {
                    of = from;
                }
                Node::ZeroExtend { of: from, .. } if low == 0 => {
                    return self.fold_zero_extend(high + 1, from);
                }
                Node::SignExtend { of: from, .. } if low == 0 => {
                    return self.fold_sign_extend(high + 1, from);
                }
                Node::Binary(Concat, upper, lower) => {
                    let cut = self.pool.width(lower);
                    if high < cut {
                        of = lower;
                    } else if low >= cut {
                        (high, low, of) = (high - cut, low - cut, upper);
                    } else {
                        break;
                    }
                }
                Node::Binary(op @ (LShr | Shl), from, by) => {
                    let Some(by) = self.pool.as_constant(by).and_then(|by| Width::try_from(by).ok()) else {
                        break;
                    };
                    if op == LShr && u16::from(high) + u16::from(by) < u16::from(width) {
                        (high, low, of) = (high + by, low + by, from);
                    } else if op == Shl && low >= by {
                        (high, low, of) = (high - by, low - by, from);
                    } else if op == Shl && high < by {
                        return self.pool.constant(high - low + 1, 0);
                    } else {
                        break;
                    }
                }
                Node::Binary(op @ (Add | Sub | Mul | BvAnd | BvOr | BvXor), a, b)
                    if low == 0 && self.narrows(high, a) && self.narrows(high, b) =>
                {
                    let a = self.fold_extract(high, 0, a)?;
                    let b = self.fold_extract(high, 0, b)?;
                    return self.fold_binary(op, a, b);
                }
                _ => break,
            }
        }
        self.pool.extract(high, low, of)
    }

    /// Do the bits up to `high` of this exist without taking anything apart?
    fn narrows(&self, high: Width, id: ExprId) -> bool {
        match self.pool.node(id) {
            Node::Const { .. } => true,
            Node::ZeroExtend { of, .. } | Node::SignExtend { of, .. } => self.pool.width(of) <= high + 1,
            _ => false,
        }
    }

    pub(super) fn fold_zero_extend(&mut self, width: Width, of: ExprId) -> Built {
        match self.choice(of) {
            Some(choice) => self.chosen(choice.condition, width, choice.then, choice.otherwise),
            None => self.pool.zero_extend(width, of),
        }
    }

    pub(super) fn fold_sign_extend(&mut self, width: Width, of: ExprId) -> Built {
        let Some(choice) = self.choice(of) else { return self.pool.sign_extend(width, of) };
        let narrow = self.pool.width(of);
        let widen = |value| sign_extend(value, narrow, width);
        self.chosen(choice.condition, width, widen(choice.then), widen(choice.otherwise))
    }
}

impl Choice {
    fn is_mask(self, width: Width) -> bool {
        self.then == mask(width) && self.otherwise == 0
    }
}
