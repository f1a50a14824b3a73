//! Methods of the JDK that are simple enough to be followed symbolically: boxes, and arithmetic.

use warpath_trace::expr::{BinaryOp, UnaryOp};
use warpath_trace::ids::ExprId;

use super::compare::three_way;
use super::frame::Site;
use super::symbols::{self, operand, symbolic};
use super::thread::{Done, Interpreter};
use super::value::{Known, Reference, Slot};
use crate::classfile::Member;
use crate::stream::{Content, Value};

impl Interpreter<'_> {
    /// What a call gives back, if it is known how that depends on its operands.
    pub(super) fn model(
        &mut self,
        site: Site,
        member: &Member<'_>,
        operands: &[Slot],
        value: Value,
    ) -> Done<Option<Slot>> {
        if !operands.iter().any(Slot::is_symbolic) {
            return Ok(None);
        }
        if let ("java/util/Objects", "requireNonNull", [object, ..]) = (member.class, member.name, operands) {
            return self.not_null(site, object, value);
        }
        let class = member.class.strip_prefix("java/lang/").unwrap_or_default();
        let expr = match (class, member.name, operands) {
            ("Integer" | "Long" | "Short" | "Byte" | "Character" | "Boolean", "valueOf", [of])
                if of.expr.is_some() =>
            {
                return Ok(Some(Slot { boxed: of.expr, ..Slot::of(value) }));
            }
            ("Integer" | "Long" | "Short" | "Byte" | "Character" | "Boolean" | "Number", name, [of]) => {
                self.unboxed(class, name, of, value)?
            }
            ("Integer" | "Long" | "Short" | "Byte" | "Character" | "Boolean", "equals", [a, b]) => {
                self.equal_boxes(a, b)?
            }
            ("Integer" | "Long" | "Math" | "StrictMath", name, [a, b])
                if a.known.width() == b.known.width() =>
            {
                self.two(site, name, a, b)?
            }
            ("Math" | "StrictMath", "abs", [a]) if a.known.bits().is_some() => self.absolute(a)?,
            _ => None,
        };
        let Some(expr) = expr else { return Ok(None) };
        Ok(Some(Slot { expr: Some(expr), ..Slot::of(value) }))
    }

    fn not_null(&mut self, site: Site, object: &Slot, value: Value) -> Done<Option<Slot>> {
        if let Some(expr) = object.expr {
            let null = self.pool.constant(64, 0)?;
            let condition = self.pool.equal(expr, null)?;
            self.thread.effects.branch(self.pool, site, condition, false)?;
        }
        Ok(self.reconcile(*object, value))
    }

    /// The value of a box, in another width if that is asked for.
    fn unboxed(&mut self, class: &str, name: &str, of: &Slot, value: Value) -> Done<Option<ExprId>> {
        let Some(inner) = of.boxed else { return Ok(None) };
        let from = self.pool.width(inner);
        Ok(match (name, value) {
            ("intValue" | "shortValue" | "byteValue" | "charValue" | "booleanValue", Value::Int(_)) => {
                let low = match name {
                    "byteValue" => Some(7),
                    "shortValue" => Some(15),
                    _ if from > 32 => Some(31),
                    _ => None,
                };
                match low {
                    Some(high) => {
                        let cut = self.pool.extract(high, 0, inner)?;
                        symbolic(self.pool, |pool| pool.sign_extend(32, cut))?
                    }
                    None => Some(inner),
                }
            }
            ("longValue", Value::Long(_)) => symbolic(self.pool, |pool| pool.sign_extend(64, inner))?,
            ("hashCode", Value::Int(_)) if from == 32 && class != "Boolean" => Some(inner),
            _ => None,
        })
    }

    fn equal_boxes(&mut self, a: &Slot, b: &Slot) -> Done<Option<ExprId>> {
        let (Some((class_a, a)), Some((class_b, b))) = (self.inside(a)?, self.inside(b)?) else {
            return Ok(None);
        };
        if class_a != class_b {
            return Ok(None);
        }
        let equal = self.pool.equal(a, b)?;
        Ok(self.truth(equal)?)
    }

    /// The class of a box and the expression of what is in it.
    fn inside(&mut self, slot: &Slot) -> Done<Option<(String, ExprId)>> {
        let Known::Reference(reference) = slot.known else { return Ok(None) };
        let Reference::Object(object) = self.resolve(reference) else { return Ok(None) };
        let Some(object) = self.definitions.object(object) else { return Ok(None) };
        let Content::Box(value) = object.content else { return Ok(None) };
        if slot.expr.is_some() || matches!(object.class.as_str(), "java.lang.Float" | "java.lang.Double") {
            return Ok(None);
        }
        let width = if object.class == "java.lang.Long" { 64 } else { 32 };
        let expr = match slot.boxed {
            Some(expr) => expr,
            None => self.pool.constant(width, value as u128)?,
        };
        Ok(Some((object.class.clone(), expr)))
    }

    /// A Boolean as an `int`.
    fn truth(&mut self, condition: ExprId) -> Result<Option<ExprId>, warpath_trace::expr::ExprError> {
        let (one, zero) = (self.pool.constant(32, 1)?, self.pool.constant(32, 0)?);
        symbolic(self.pool, |pool| pool.ite(condition, one, zero))
    }

    fn absolute(&mut self, a: &Slot) -> Done<Option<ExprId>> {
        let (Known::Int(_) | Known::Long(_), Some(expr)) = (a.known, a.expr) else { return Ok(None) };
        let zero = self.pool.constant(a.known.width(), 0)?;
        let negative = self.pool.binary(BinaryOp::Slt, expr, zero)?;
        let minus = self.pool.unary(UnaryOp::Neg, expr)?;
        Ok(symbolic(self.pool, |pool| pool.ite(negative, minus, expr))?)
    }

    fn two(&mut self, site: Site, name: &str, a: &Slot, b: &Slot) -> Done<Option<ExprId>> {
        if !matches!((a.known, b.known), (Known::Int(_), Known::Int(_)) | (Known::Long(_), Known::Long(_))) {
            return Ok(None);
        }
        let (Some(x), Some(y)) = (operand(self.pool, a)?, operand(self.pool, b)?) else { return Ok(None) };
        let pool = &mut *self.pool;
        Ok(match name {
            "compare" => three_way(pool, a, b)?,
            "sum" => symbols::binary(pool, BinaryOp::Add, a, b)?,
            "min" | "max" => {
                let less = pool.binary(BinaryOp::Slt, x, y)?;
                let (then, otherwise) = if name == "min" { (x, y) } else { (y, x) };
                symbolic(pool, |pool| pool.ite(less, then, otherwise))?
            }
            "floorMod" | "floorDiv" => {
                let zero = pool.constant(a.known.width(), 0)?;
                let by_zero = pool.equal(y, zero)?;
                self.thread.effects.branch(self.pool, site, by_zero, false)?;
                let pool = &mut *self.pool;
                let rest = pool.binary(BinaryOp::SRem, x, y)?;
                let exact = pool.equal(rest, zero)?;
                let signs = pool.binary(BinaryOp::BvXor, rest, y)?;
                let differ = pool.binary(BinaryOp::Slt, signs, zero)?;
                let inexact = pool.not(exact)?;
                let adjust = pool.binary(BinaryOp::And, inexact, differ)?;
                if name == "floorMod" {
                    let up = pool.binary(BinaryOp::Add, rest, y)?;
                    symbolic(pool, |pool| pool.ite(adjust, up, rest))?
                } else {
                    let quotient = pool.binary(BinaryOp::SDiv, x, y)?;
                    let one = pool.constant(a.known.width(), 1)?;
                    let down = pool.binary(BinaryOp::Sub, quotient, one)?;
                    symbolic(pool, |pool| pool.ite(adjust, down, quotient))?
                }
            }
            _ => None,
        })
    }
}
