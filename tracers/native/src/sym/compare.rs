//! Comparisons in the terms of the source: `x == 3`, `a <s b`, without the widening that came before them.

use warpath_trace::expr::{BinaryOp, Node, UnaryOp, apply_binary, mask, sign_extend, to_signed};
use warpath_trace::ids::ExprId;

use super::build::{Builder, Built};
use super::fold::MAX_STEPS;

impl Builder {
    pub(super) fn fold_compare(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Built {
        match (self.pool.as_constant(a), self.pool.as_constant(b)) {
            (None, Some(k)) => {
                if let Some(decided) = self.compare_choice(a, |x, width| apply_binary(op, x, k, width, width))
                {
                    return decided;
                }
            }
            (Some(k), None) => {
                if let Some(decided) = self.compare_choice(b, |x, width| apply_binary(op, k, x, width, width))
                {
                    return decided;
                }
            }
            _ => {}
        }
        match op {
            BinaryOp::Eq => self.fold_equal(a, b),
            _ => self.fold_order(op, a, b),
        }
    }

    /// A comparison of a choice between two constants with a third is the condition of the choice, or nothing.
    fn compare_choice(&mut self, id: ExprId, holds: impl Fn(u128, u8) -> u128) -> Option<Built> {
        let choice = self.choice(id)?;
        let width = self.pool.width(id);
        Some(match (holds(choice.then, width) != 0, holds(choice.otherwise, width) != 0) {
            (true, false) => Ok(choice.condition),
            (false, true) => self.pool.not(choice.condition),
            (both, _) => self.pool.bool(both),
        })
    }

    fn fold_equal(&mut self, a: ExprId, b: ExprId) -> Built {
        let (mut a, mut b) = if self.pool.as_constant(a).is_some() { (b, a) } else { (a, b) };
        for _ in 0..MAX_STEPS {
            let width = self.pool.width(a);
            let Some(k) = self.pool.as_constant(b) else {
                match (self.pool.node(a), self.pool.node(b)) {
                    (Node::ZeroExtend { of: x, .. }, Node::ZeroExtend { of: y, .. })
                    | (Node::SignExtend { of: x, .. }, Node::SignExtend { of: y, .. })
                        if self.pool.width(x) == self.pool.width(y) =>
                    {
                        (a, b) = (x, y);
                        continue;
                    }
                    _ => break,
                }
            };
            if self.choice(a).is_some() {
                break;
            }
            let (next, value) = match self.pool.node(a) {
                Node::ZeroExtend { of, .. } => {
                    if k > mask(self.pool.width(of)) {
                        return self.pool.bool(false);
                    }
                    (of, k)
                }
                Node::SignExtend { of, .. } => {
                    let narrow = self.pool.width(of);
                    if sign_extend(k & mask(narrow), narrow, width) != k {
                        return self.pool.bool(false);
                    }
                    (of, k)
                }
                Node::Unary(UnaryOp::BvNot, x) => (x, !k),
                Node::Unary(UnaryOp::Neg, x) => (x, k.wrapping_neg()),
                Node::Binary(BinaryOp::Concat, high, low) => {
                    let cut = self.pool.width(low);
                    let above = self.pool.constant(width - cut, k >> cut)?;
                    let below = self.pool.constant(cut, k)?;
                    let above = self.fold_compare(BinaryOp::Eq, high, above)?;
                    let below = self.fold_compare(BinaryOp::Eq, low, below)?;
                    return self.pool.binary(BinaryOp::And, below, above);
                }
                Node::Binary(BinaryOp::Sub | BinaryOp::BvXor, x, y) if k == 0 => {
                    (a, b) = if self.pool.as_constant(x).is_some() { (y, x) } else { (x, y) };
                    continue;
                }
                Node::Binary(op, x, y) => match (op, self.pool.as_constant(x), self.pool.as_constant(y)) {
                    (BinaryOp::Add, _, Some(c)) => (x, k.wrapping_sub(c)),
                    (BinaryOp::BvXor, _, Some(c)) => (x, k ^ c),
                    (BinaryOp::Sub, Some(c), _) => (y, c.wrapping_sub(k)),
                    _ => break,
                },
                _ => break,
            };
            let narrow = self.pool.width(next);
            (a, b) = (next, self.pool.constant(narrow, value)?);
        }
        self.pool.equal(a, b)
    }

    fn fold_order(&mut self, mut op: BinaryOp, mut a: ExprId, mut b: ExprId) -> Built {
        for _ in 0..MAX_STEPS {
            let (left, right) = (self.pool.as_constant(a), self.pool.as_constant(b));
            match (op, left, right) {
                (BinaryOp::Ule, _, Some(0)) => return self.fold_equal(a, b),
                (BinaryOp::Ult, Some(0), _) => {
                    let zero = self.fold_equal(b, a)?;
                    return self.pool.not(zero);
                }
                (BinaryOp::Ult, _, Some(1)) => {
                    let zero = self.pool.constant(self.pool.width(a), 0)?;
                    return self.fold_equal(a, zero);
                }
                (BinaryOp::Ule, Some(1), _) => {
                    let zero = self.pool.constant(self.pool.width(b), 0)?;
                    let zero = self.fold_equal(b, zero)?;
                    return self.pool.not(zero);
                }
                // The sign of a concatenation is that of its upper part.
                (BinaryOp::Slt, _, Some(0)) => {
                    if let Node::Binary(BinaryOp::Concat, high, _) = self.pool.node(a) {
                        (a, b) = (high, self.pool.constant(self.pool.width(high), 0)?);
                        continue;
                    }
                }
                _ => {}
            }
            let narrowed = match (left, right) {
                (None, Some(k)) => self.narrow_constant(op, a, k, Side::Right)?,
                (Some(k), None) => self.narrow_constant(op, b, k, Side::Left)?,
                _ => self.narrow_both(op, a, b),
            };
            match narrowed {
                Narrowed::To(new, x, y) => (op, a, b) = (new, x, y),
                Narrowed::Decided(holds) => return self.pool.bool(holds),
                Narrowed::No => break,
            }
        }
        self.pool.binary(op, a, b)
    }

    /// Compares what was widened with a constant as what it was before.
    fn narrow_constant(
        &mut self,
        op: BinaryOp,
        wide: ExprId,
        k: u128,
        side: Side,
    ) -> Result<Narrowed, warpath_trace::expr::ExprError> {
        let signed = matches!(op, BinaryOp::Slt | BinaryOp::Sle);
        let width = self.pool.width(wide);
        let (of, op, fits, below) = match self.pool.node(wide) {
            Node::ZeroExtend { of, .. } => {
                let negative = signed && to_signed(k, width) < 0;
                (of, unsigned(op), !negative && k <= mask(self.pool.width(of)), negative)
            }
            Node::SignExtend { of, .. } if signed => {
                let narrow = self.pool.width(of);
                (of, op, sign_extend(k & mask(narrow), narrow, width) == k, to_signed(k, width) < 0)
            }
            _ => return Ok(Narrowed::No),
        };
        if !fits {
            // The constant is below everything that the value can be, or above.
            return Ok(Narrowed::Decided(below == matches!(side, Side::Left)));
        }
        let k = self.pool.constant(self.pool.width(of), k)?;
        Ok(match side {
            Side::Right => Narrowed::To(op, of, k),
            Side::Left => Narrowed::To(op, k, of),
        })
    }

    fn narrow_both(&self, op: BinaryOp, a: ExprId, b: ExprId) -> Narrowed {
        match (self.pool.node(a), self.pool.node(b)) {
            (Node::ZeroExtend { of: x, .. }, Node::ZeroExtend { of: y, .. })
                if self.pool.width(x) == self.pool.width(y) =>
            {
                Narrowed::To(unsigned(op), x, y)
            }
            // Widening with the sign keeps the unsigned order, too.
            (Node::SignExtend { of: x, .. }, Node::SignExtend { of: y, .. })
                if self.pool.width(x) == self.pool.width(y) =>
            {
                Narrowed::To(op, x, y)
            }
            _ => Narrowed::No,
        }
    }
}

/// Where the constant of a comparison stands.
#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}

enum Narrowed {
    To(BinaryOp, ExprId, ExprId),
    Decided(bool),
    No,
}

fn unsigned(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Slt => BinaryOp::Ult,
        BinaryOp::Sle => BinaryOp::Ule,
        other => other,
    }
}
