//! Random values and conditions.

use super::Generator;
use super::blocks::Context;
use crate::oracle::program::{Arith, Comparison, Cond, Expr, Reg};

impl Generator {
    fn constant(&mut self) -> Expr {
        // Small numbers meet each other; a few large ones reach overflow and the sign.
        let value = match self.rng.below(20) {
            0 => 255,
            1 => 128,
            n => (n % 4) as u8,
        };
        Expr::Const(value)
    }

    /// A register, one that was written lately if there is one.
    fn register(&mut self, context: &Context) -> Reg {
        match context.recent.is_empty() || self.rng.percent(10) {
            true => self.rng.below(6) as Reg,
            false => *self.rng.pick(&context.recent),
        }
    }

    pub(super) fn value(&mut self, context: &Context) -> Expr {
        match self.rng.below(10) {
            0..=3 => self.constant(),
            4..=6 => Expr::Reg(self.register(context)),
            7 | 8 => {
                use Arith::*;
                let op = *self.rng.pick(&[Add, Add, Add, Sub, Mul, And, Or, Xor]);
                let a = Expr::Reg(self.register(context));
                let b = match self.rng.percent(60) {
                    true => self.constant(),
                    false => Expr::Reg(self.register(context)),
                };
                Expr::Binary(op, Box::new(a), Box::new(b))
            }
            _ => {
                let condition = self.comparison(context);
                let (a, b) = (self.constant(), Expr::Reg(self.register(context)));
                Expr::Ite(Box::new(condition), Box::new(a), Box::new(b))
            }
        }
    }

    fn comparison(&mut self, context: &Context) -> Cond {
        use Comparison::*;
        let comparison = *self.rng.pick(&[Equal, Equal, Equal, BelowUnsigned, BelowSigned]);
        let left = match self.rng.percent(85) {
            true => Expr::Reg(self.register(context)),
            false => self.value(context),
        };
        let right = match self.rng.percent(75) {
            true => self.constant(),
            false => Expr::Reg(self.register(context)),
        };
        Cond::Compare(comparison, left, right)
    }

    pub(super) fn condition(&mut self, context: &Context) -> Cond {
        let first = self.comparison(context);
        match self.rng.below(10) {
            0 => Cond::Not(Box::new(first)),
            1 => Cond::And(Box::new(first), Box::new(self.comparison(context))),
            2 => Cond::Or(Box::new(first), Box::new(self.comparison(context))),
            _ => first,
        }
    }
}
