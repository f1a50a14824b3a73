//! Exact local simplification: every rule preserves the value under every assignment.

use super::node::{BinaryOp, Node, Sort, UnaryOp, Width};
use super::pool::{ExprError, ExprPool};
use super::table::{apply_binary, apply_unary, mask, sign_extend};
use crate::ids::ExprId;

/// Rules call each other along chains of operands. Nodes built here have short chains, but nodes read from
/// a file are as the file has them: past this depth they are left as they are.
const MAX_RULE_DEPTH: u32 = 300;

/// What a rule says: an equal expression that is simpler, or nothing.
type Rule = Result<Option<ExprId>, ExprError>;

impl ExprPool {
    /// A node equal in value to this one, and no larger. The node itself is checked first.
    pub fn simplified(&mut self, node: Node) -> Result<ExprId, ExprError> {
        let sort = self.check(node)?;
        let node = self.ordered(node);
        if self.rule_depth == MAX_RULE_DEPTH {
            return self.intern(node);
        }
        self.rule_depth += 1;
        let simpler = self.apply_rules(sort, node);
        self.rule_depth -= 1;
        simpler?.map_or_else(|| self.intern(node), Ok)
    }

    fn apply_rules(&mut self, sort: Sort, node: Node) -> Rule {
        match node {
            Node::Unary(op, a) => self.simplify_unary(op, a),
            Node::Binary(op, a, b) => self.simplify_binary(sort, op, a, b),
            Node::Extract { high, low, of } => self.simplify_extract(high, low, of),
            Node::ZeroExtend { width, of } => self.simplify_zero_extend(width, of),
            Node::SignExtend { width, of } => self.simplify_sign_extend(width, of),
            Node::Ite { condition, then, otherwise } => self.simplify_ite(condition, then, otherwise),
            _ => Ok(None),
        }
    }

    /// The expression rebuilt from its leaves with every node simplified.
    pub fn simplify(&mut self, root: ExprId) -> Result<ExprId, ExprError> {
        let mut order = Vec::new();
        self.visit_once([root], |id, node| order.push((id, node)));
        let mut new: rustc_hash::FxHashMap<ExprId, ExprId> = Default::default();
        for (id, node) in order {
            let simple = self.simplified(node.map_operands(|operand| new[&operand]))?;
            new.insert(id, simple);
        }
        Ok(new[&root])
    }

    /// The constant value of a node, if it is a constant.
    pub fn as_constant(&self, id: ExprId) -> Option<u128> {
        match self.node(id) {
            Node::Bool(value) => Some(value.into()),
            Node::Const { value, .. } => Some(value),
            _ => None,
        }
    }

    /// Operands of a commutative operation in one order, constants last, so that equal ones meet.
    fn ordered(&self, node: Node) -> Node {
        use BinaryOp::*;
        match node {
            Node::Binary(op @ (And | Or | Xor | Eq | Add | Mul | BvAnd | BvOr | BvXor), a, b) => {
                let key = |id: ExprId| (self.as_constant(id).is_some(), id);
                if key(b) < key(a) { Node::Binary(op, b, a) } else { node }
            }
            _ => node,
        }
    }

    fn constant_of(&mut self, sort: Sort, value: u128) -> Result<ExprId, ExprError> {
        match sort {
            Sort::Bool => self.bool(value != 0),
            Sort::Bits(width) => self.constant(width, value),
        }
    }

    fn simplify_unary(&mut self, op: UnaryOp, a: ExprId) -> Rule {
        if let Some(value) = self.as_constant(a) {
            return self.constant_of(self.sort(a), apply_unary(op, value, self.width(a))).map(Some);
        }
        match self.node(a) {
            Node::Unary(inner, of) if inner == op => Ok(Some(of)),
            // not (a < b) is b <= a: comparisons stay positive, which keeps path conditions short.
            Node::Binary(compare, x, y) if op == UnaryOp::Not => match negated(compare) {
                Some(swapped) => self.simplified(Node::Binary(swapped, y, x)).map(Some),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }

    fn simplify_binary(&mut self, sort: Sort, op: BinaryOp, a: ExprId, b: ExprId) -> Rule {
        use BinaryOp::*;
        let width = self.width(a);
        let (left, right) = (self.as_constant(a), self.as_constant(b));
        if let (Some(x), Some(y)) = (left, right) {
            return self.constant_of(sort, apply_binary(op, x, y, width, self.width(b))).map(Some);
        }
        let ones = mask(width);
        match (op, left, right) {
            (And | BvAnd, _, Some(0)) | (Mul, _, Some(0)) => Ok(Some(b)),
            (And | BvAnd, _, Some(all)) if all == ones => Ok(Some(a)),
            (Or | BvOr | Xor | BvXor | Add | Sub | Shl | LShr | AShr, _, Some(0)) => Ok(Some(a)),
            (Or | BvOr, _, Some(all)) if all == ones => Ok(Some(b)),
            (Xor, _, Some(1)) => self.not(a).map(Some),
            (Mul | UDiv | SDiv, _, Some(1)) if width > 1 => Ok(Some(a)),
            (Mul, _, Some(power)) if power.is_power_of_two() => {
                let by = self.constant(width, power.trailing_zeros().into())?;
                self.binary(Shl, a, by).map(Some)
            }
            (Sub, _, Some(value)) => {
                let minus = self.constant(width, value.wrapping_neg())?;
                self.binary(Add, a, minus).map(Some)
            }
            (Shl | LShr, _, Some(by)) if by >= width.into() => self.constant(width, 0).map(Some),
            (Shl | LShr | AShr, Some(0), _) => Ok(Some(a)),
            (Ult, _, Some(0)) => self.bool(false).map(Some),
            (Ule, Some(0), _) => self.bool(true).map(Some),
            (Ule, _, Some(all)) if all == ones => self.bool(true).map(Some),
            (Eq, _, Some(value)) => self.simplify_equal_constant(a, b, value),
            (Add, _, Some(value)) => self.simplify_add_constant(a, value),
            _ if a == b => self.simplify_same(op, a),
            _ => Ok(None),
        }
    }

    fn simplify_same(&mut self, op: BinaryOp, a: ExprId) -> Rule {
        use BinaryOp::*;
        match op {
            And | Or | BvAnd | BvOr => Ok(Some(a)),
            Xor | Sub | BvXor => self.constant_of(self.sort(a), 0).map(Some),
            Eq | Ule | Sle => self.bool(true).map(Some),
            Ult | Slt => self.bool(false).map(Some),
            _ => Ok(None),
        }
    }

    /// (x + c) + d is x + (c + d).
    fn simplify_add_constant(&mut self, a: ExprId, value: u128) -> Rule {
        if let Node::Binary(BinaryOp::Add, x, c) = self.node(a)
            && let Some(inner) = self.as_constant(c)
        {
            let sum = self.constant(self.width(a), inner.wrapping_add(value))?;
            return self.binary(BinaryOp::Add, x, sum).map(Some);
        }
        Ok(None)
    }

    fn simplify_equal_constant(&mut self, a: ExprId, b: ExprId, value: u128) -> Rule {
        if self.sort(a) == Sort::Bool {
            return if value != 0 { Ok(Some(a)) } else { self.not(a).map(Some) };
        }
        match self.node(a) {
            // x + c = d is x = d - c.
            Node::Binary(BinaryOp::Add, x, c) => match self.as_constant(c) {
                Some(c) => {
                    let rest = self.constant(self.width(a), value.wrapping_sub(c))?;
                    self.equal(x, rest).map(Some)
                }
                None => Ok(None),
            },
            Node::ZeroExtend { of, .. } => {
                let narrow = self.width(of);
                if value & !mask(narrow) != 0 {
                    return self.bool(false).map(Some);
                }
                let rest = self.constant(narrow, value)?;
                self.equal(of, rest).map(Some)
            }
            Node::SignExtend { width, of } => {
                let narrow = self.width(of);
                if sign_extend(value & mask(narrow), narrow, width) != value {
                    return self.bool(false).map(Some);
                }
                let rest = self.constant(narrow, value)?;
                self.equal(of, rest).map(Some)
            }
            // A flag made into a number and compared again: `setcc` followed by `test`.
            Node::Ite { condition, then, otherwise } => {
                let same = |pool: &Self, branch| pool.as_constant(branch).map(|c| c == value);
                match (same(self, then), same(self, otherwise)) {
                    (Some(true), Some(false)) => Ok(Some(condition)),
                    (Some(false), Some(true)) => self.not(condition).map(Some),
                    (Some(false), Some(false)) => self.bool(false).map(Some),
                    (Some(true), None) => {
                        let other = self.equal(otherwise, b)?;
                        self.binary(BinaryOp::Or, condition, other).map(Some)
                    }
                    _ => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    fn simplify_extract(&mut self, high: Width, low: Width, of: ExprId) -> Rule {
        let width = self.width(of);
        if low == 0 && high == width - 1 {
            return Ok(Some(of));
        }
        if let Some(value) = self.as_constant(of) {
            return self.constant(high - low + 1, value >> low).map(Some);
        }
        match self.node(of) {
            Node::Extract { low: inner, of, .. } => self.extract(high + inner, low + inner, of).map(Some),
            Node::Binary(BinaryOp::Concat, upper, lower) => {
                let split = self.width(lower);
                if high < split {
                    self.extract(high, low, lower).map(Some)
                } else if low >= split {
                    self.extract(high - split, low - split, upper).map(Some)
                } else {
                    Ok(None)
                }
            }
            Node::ZeroExtend { of, .. } => {
                let narrow = self.width(of);
                if high < narrow {
                    self.extract(high, low, of).map(Some)
                } else if low >= narrow {
                    self.constant(high - low + 1, 0).map(Some)
                } else {
                    Ok(None)
                }
            }
            Node::SignExtend { of, .. } if high < self.width(of) => self.extract(high, low, of).map(Some),
            _ => Ok(None),
        }
    }

    fn simplify_zero_extend(&mut self, width: Width, of: ExprId) -> Rule {
        if width == self.width(of) {
            return Ok(Some(of));
        }
        match self.node(of) {
            Node::Const { value, .. } => self.constant(width, value).map(Some),
            Node::ZeroExtend { of, .. } => self.zero_extend(width, of).map(Some),
            _ => Ok(None),
        }
    }

    fn simplify_sign_extend(&mut self, width: Width, of: ExprId) -> Rule {
        let narrow = self.width(of);
        if width == narrow {
            return Ok(Some(of));
        }
        match self.node(of) {
            Node::Const { value, .. } => self.constant(width, sign_extend(value, narrow, width)).map(Some),
            Node::SignExtend { of, .. } => self.sign_extend(width, of).map(Some),
            // Its top bit is zero, since it was widened with at least one.
            Node::ZeroExtend { of, .. } if narrow > self.width(of) => self.zero_extend(width, of).map(Some),
            _ => Ok(None),
        }
    }

    fn simplify_ite(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> Rule {
        match self.as_constant(condition) {
            Some(0) => return Ok(Some(otherwise)),
            Some(_) => return Ok(Some(then)),
            None if then == otherwise => return Ok(Some(then)),
            None => {}
        }
        if let Node::Unary(UnaryOp::Not, inner) = self.node(condition) {
            return self.ite(inner, otherwise, then).map(Some);
        }
        if self.sort(then) == Sort::Bool {
            match (self.as_constant(then), self.as_constant(otherwise)) {
                (Some(1), Some(0)) => return Ok(Some(condition)),
                (Some(0), Some(1)) => return self.not(condition).map(Some),
                _ => {}
            }
        }
        Ok(None)
    }
}

/// The comparison that, with its operands exchanged, is the negation of this one.
fn negated(compare: BinaryOp) -> Option<BinaryOp> {
    match compare {
        BinaryOp::Ult => Some(BinaryOp::Ule),
        BinaryOp::Ule => Some(BinaryOp::Ult),
        BinaryOp::Slt => Some(BinaryOp::Sle),
        BinaryOp::Sle => Some(BinaryOp::Slt),
        _ => None,
    }
}
