//! Operations on values that are number and expression at once.
//!
//! Numbers alone give numbers: nothing reaches the table of expressions unless an operand is symbolic.

use warpath_trace::expr::{
    BinaryOp, ExprError, ExprPool, Node, UnaryOp, Width, apply_binary, apply_unary, mask, sign_extend,
};
use warpath_trace::ids::ExprId;

use super::bits::{Bits, Truth};

/// The table of expressions and how full it may become.
#[derive(Clone, Debug)]
pub(super) struct Builder {
    pub pool: ExprPool,
    /// Nodes after which no new expression is built.
    pub limit: usize,
    /// Results whose expression was lost because the table was full.
    pub lost: u64,
}

/// What the table of expressions answers.
pub(super) type Built = Result<ExprId, ExprError>;

impl Builder {
    pub fn new(limit: usize) -> Self {
        Builder { pool: ExprPool::new(), limit, lost: 0 }
    }

    /// The expression of a value, a constant if it is concrete.
    pub fn id(&mut self, bits: Bits) -> Built {
        match bits.expr {
            Some(expr) => Ok(expr),
            None => self.pool.constant(bits.width, bits.value),
        }
    }

    fn id_of_truth(&mut self, truth: Truth) -> Built {
        match truth.expr {
            Some(expr) => Ok(expr),
            None => self.pool.bool(truth.value),
        }
    }

    /// Builds the expression of a value if there is room; there is none if it turns out to be a constant.
    fn expr(&mut self, value: u128, build: impl FnOnce(&mut Self) -> Built) -> Option<ExprId> {
        let built = if self.pool.len() < self.limit { build(self) } else { Err(ExprError::TooMany) };
        match built {
            Ok(id) => match self.pool.as_constant(id) {
                None => Some(id),
                Some(constant) => {
                    debug_assert_eq!(constant, value, "the constant that an expression became");
                    None
                }
            },
            Err(error) => {
                debug_assert_eq!(error, ExprError::TooMany, "operands of the wrong sort");
                self.lost += 1;
                None
            }
        }
    }

    pub fn unary(&mut self, op: UnaryOp, a: Bits) -> Bits {
        let value = apply_unary(op, a.value, a.width);
        let expr = a.expr.and_then(|id| self.expr(value, |b| b.fold_unary(op, id)));
        Bits { value, width: a.width, expr }
    }

    pub fn bv_not(&mut self, a: Bits) -> Bits {
        self.unary(UnaryOp::BvNot, a)
    }

    /// An operation on two values of one width that gives a third, or a concatenation.
    pub fn binary(&mut self, op: BinaryOp, a: Bits, b: Bits) -> Bits {
        let value = apply_binary(op, a.value, b.value, a.width, b.width);
        let width = if op == BinaryOp::Concat { a.width + b.width } else { a.width };
        let expr = if a.is_symbolic() || b.is_symbolic() {
            self.expr(value, |build| {
                let (a, b) = (build.id(a)?, build.id(b)?);
                build.fold_binary(op, a, b)
            })
        } else {
            None
        };
        Bits { value, width, expr }
    }

    pub fn add(&mut self, a: Bits, b: Bits) -> Bits {
        self.binary(BinaryOp::Add, a, b)
    }

    pub fn sub(&mut self, a: Bits, b: Bits) -> Bits {
        self.binary(BinaryOp::Sub, a, b)
    }

    pub fn and(&mut self, a: Bits, b: Bits) -> Bits {
        self.binary(BinaryOp::BvAnd, a, b)
    }

    pub fn or(&mut self, a: Bits, b: Bits) -> Bits {
        self.binary(BinaryOp::BvOr, a, b)
    }

    pub fn xor(&mut self, a: Bits, b: Bits) -> Bits {
        self.binary(BinaryOp::BvXor, a, b)
    }

    /// `high` above `low`.
    pub fn concat(&mut self, high: Bits, low: Bits) -> Bits {
        self.binary(BinaryOp::Concat, high, low)
    }

    /// A comparison.
    pub fn compare(&mut self, op: BinaryOp, a: Bits, b: Bits) -> Truth {
        let value = apply_binary(op, a.value, b.value, a.width, b.width) != 0;
        let expr = if a.is_symbolic() || b.is_symbolic() {
            self.expr(value.into(), |build| {
                let (a, b) = (build.id(a)?, build.id(b)?);
                build.fold_compare(op, a, b)
            })
        } else {
            None
        };
        Truth { value, expr }
    }

    pub fn equal(&mut self, a: Bits, b: Bits) -> Truth {
        self.compare(BinaryOp::Eq, a, b)
    }

    pub fn is_zero(&mut self, a: Bits) -> Truth {
        self.equal(a, Bits::zero(a.width))
    }

    pub fn is_negative(&mut self, a: Bits) -> Truth {
        self.compare(BinaryOp::Slt, a, Bits::zero(a.width))
    }

    /// Bits `low ..= high`.
    pub fn extract(&mut self, high: Width, low: Width, of: Bits) -> Bits {
        let width = high - low + 1;
        let value = (of.value >> low) & mask(width);
        let expr = of.expr.and_then(|id| self.expr(value, |b| b.fold_extract(high, low, id)));
        Bits { value, width, expr }
    }

    /// The low `width` bits.
    pub fn low(&mut self, width: Width, of: Bits) -> Bits {
        if width == of.width { of } else { self.extract(width - 1, 0, of) }
    }

    /// One bit as a Boolean.
    pub fn bit(&mut self, index: Width, of: Bits) -> Truth {
        let bit = self.extract(index, index, of);
        self.equal(bit, Bits::ones(1))
    }

    pub fn zero_extend(&mut self, width: Width, of: Bits) -> Bits {
        if width == of.width {
            return of;
        }
        let expr = of.expr.and_then(|id| self.expr(of.value, |b| b.fold_zero_extend(width, id)));
        Bits { value: of.value, width, expr }
    }

    pub fn sign_extend(&mut self, width: Width, of: Bits) -> Bits {
        if width == of.width {
            return of;
        }
        let value = sign_extend(of.value, of.width, width);
        let expr = of.expr.and_then(|id| self.expr(value, |b| b.fold_sign_extend(width, id)));
        Bits { value, width, expr }
    }

    pub fn not(&mut self, a: Truth) -> Truth {
        let value = !a.value;
        Truth { value, expr: a.expr.and_then(|id| self.expr(value.into(), |b| b.pool.not(id))) }
    }

    fn logic(&mut self, op: BinaryOp, a: Truth, b: Truth) -> Truth {
        let value = apply_binary(op, a.value.into(), b.value.into(), 1, 1) != 0;
        let expr = if a.expr.is_some() || b.expr.is_some() {
            self.expr(value.into(), |build| {
                let (a, b) = (build.id_of_truth(a)?, build.id_of_truth(b)?);
                build.pool.binary(op, a, b)
            })
        } else {
            None
        };
        Truth { value, expr }
    }

    pub fn both(&mut self, a: Truth, b: Truth) -> Truth {
        self.logic(BinaryOp::And, a, b)
    }

    pub fn either(&mut self, a: Truth, b: Truth) -> Truth {
        self.logic(BinaryOp::Or, a, b)
    }

    pub fn differ(&mut self, a: Truth, b: Truth) -> Truth {
        self.logic(BinaryOp::Xor, a, b)
    }

    /// One of two values of one width.
    pub fn ite(&mut self, condition: Truth, then: Bits, otherwise: Bits) -> Bits {
        let Some(id) = condition.expr else {
            return if condition.value { then } else { otherwise };
        };
        let value = if condition.value { then.value } else { otherwise.value };
        let expr = self.expr(value, |build| {
            let (then, otherwise) = (build.id(then)?, build.id(otherwise)?);
            build.pool.ite(id, then, otherwise)
        });
        Bits { value, width: then.width, expr }
    }

    /// One of two Booleans.
    pub fn choose(&mut self, condition: Truth, then: Truth, otherwise: Truth) -> Truth {
        if condition.expr.is_none() {
            return if condition.value { then } else { otherwise };
        }
        let yes = self.both(condition, then);
        let not = self.not(condition);
        let no = self.both(not, otherwise);
        self.either(yes, no)
    }

    /// 1 or 0 in so many bits.
    pub fn number(&mut self, truth: Truth, width: Width) -> Bits {
        self.ite(truth, Bits::concrete(width, 1), Bits::zero(width))
    }

    /// All bits one or all zero.
    pub fn fill(&mut self, truth: Truth, width: Width) -> Bits {
        self.ite(truth, Bits::ones(width), Bits::zero(width))
    }

    /// A leaf of the table: an input or a read.
    pub fn leaf(&mut self, node: Node) -> Option<ExprId> {
        self.expr(0, |b| b.pool.intern(node))
    }
}
