//! Conditions on inputs as people write them.

use warpath_trace::expr::{BinaryOp, ExprPool, Node, UnaryOp, to_signed};
use warpath_trace::ids::ExprId;

use super::region::{Region, name};
use crate::model::InputVar;

/// Expressions that are nested deeper are not written out.
const DEEPEST: usize = 8;

/// `a`, `a and b`, or `(a and b) or c`; of no alternative, nothing.
pub(super) fn alternatives(of: &[Vec<String>]) -> String {
    let texts: Vec<String> = of
        .iter()
        .map(|all| match (&all[..], of.len()) {
            ([_, _, ..], 2..) => format!("({})", all.join(" and ")),
            _ => all.join(" and "),
        })
        .collect();
    texts.join(" or ")
}

/// Neither of these boxes: `i != 0`, or `not (i = 0 and j >= 2)`.
pub(super) fn outside(regions: &[Region], inputs: &[InputVar]) -> String {
    let one = |region: &Region| {
        let words = region.words(inputs);
        let single = region.intervals.iter().zip(inputs).filter_map(|(interval, input)| {
            interval.filter(|(low, high)| low == high).map(|(low, _)| format!("{} != {low}", name(input)))
        });
        match &single.collect::<Vec<_>>()[..] {
            [unequal] if words.len() == 1 => unequal.clone(),
            _ => format!("not ({})", words.join(" and ")),
        }
    };
    regions.iter().map(one).collect::<Vec<_>>().join(" and ")
}

/// An expression; `None` if it is too deep to be read.
pub(super) fn expression(pool: &ExprPool, inputs: &[InputVar], expr: ExprId) -> Option<String> {
    Words { pool, inputs }.write(expr, 0).map(|text| match text.strip_prefix('(') {
        Some(rest) if encloses(&text) => rest.strip_suffix(')').unwrap_or(rest).to_owned(),
        _ => text,
    })
}

/// Do the first and the last parenthesis belong together?
fn encloses(text: &str) -> bool {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth == 0 {
            return at + 1 == text.len();
        }
    }
    false
}

struct Words<'p> {
    pool: &'p ExprPool,
    inputs: &'p [InputVar],
}

impl Words<'_> {
    fn write(&self, expr: ExprId, depth: usize) -> Option<String> {
        if depth > DEEPEST {
            return None;
        }
        let below = |expr| self.write(expr, depth + 1);
        Some(match self.pool.node(expr) {
            Node::Bool(value) => value.to_string(),
            Node::Const { width, value } => to_signed(value, width).to_string(),
            Node::Input { input, .. } => self.inputs.get(input.index()).map(name)?,
            Node::Read { .. } => return None,
            Node::Unary(UnaryOp::Not, of) => self.not(of, depth)?,
            Node::Unary(UnaryOp::BvNot, of) => format!("~{}", below(of)?),
            Node::Unary(UnaryOp::Neg, of) => format!("-{}", below(of)?),
            Node::Binary(op, a, b) => self.infix(sign(op), a, b, depth)?,
            Node::Extract { high, low, of } => format!("{}[{high}:{low}]", below(of)?),
            Node::ZeroExtend { of, width } => format!("u{width}({})", below(of)?),
            Node::SignExtend { of, width } => format!("s{width}({})", below(of)?),
            Node::Ite { condition, then, otherwise } => {
                format!("({} ? {} : {})", below(condition)?, below(then)?, below(otherwise)?)
            }
        })
    }

    /// A comparison the other way round, where it is one.
    fn not(&self, of: ExprId, depth: usize) -> Option<String> {
        match self.pool.node(of) {
            Node::Binary(BinaryOp::Eq, a, b) => self.infix("!=", a, b, depth),
            Node::Binary(BinaryOp::Slt, a, b) => self.infix("<=", b, a, depth),
            Node::Binary(BinaryOp::Sle, a, b) => self.infix("<", b, a, depth),
            Node::Binary(BinaryOp::Ult, a, b) => self.infix("<=u", b, a, depth),
            Node::Binary(BinaryOp::Ule, a, b) => self.infix("<u", b, a, depth),
            _ => Some(format!("not {}", self.write(of, depth + 1)?)),
        }
    }

    fn infix(&self, sign: &str, a: ExprId, b: ExprId, depth: usize) -> Option<String> {
        Some(format!("({} {sign} {})", self.write(a, depth + 1)?, self.write(b, depth + 1)?))
    }
}

fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
        BinaryOp::Xor => "xor",
        BinaryOp::Eq => "=",
        BinaryOp::Ult => "<u",
        BinaryOp::Ule => "<=u",
        BinaryOp::Slt => "<",
        BinaryOp::Sle => "<=",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::UDiv => "/u",
        BinaryOp::URem => "%u",
        BinaryOp::SDiv => "/",
        BinaryOp::SRem => "%",
        BinaryOp::BvAnd => "&",
        BinaryOp::BvOr => "|",
        BinaryOp::BvXor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::LShr => ">>u",
        BinaryOp::AShr => ">>",
        BinaryOp::Concat => "++",
    }
}

#[cfg(test)]
mod tests {
    use warpath_trace::ids::InputId;

    use super::*;

    fn inputs() -> [InputVar; 2] {
        ["i", "j"].map(|name| InputVar { name: name.to_owned(), nth: 0, width: 32 })
    }

    #[test]
    fn alternatives_are_enclosed_where_they_must_be() {
        let texts = |all: &[&[&str]]| {
            let owned = all.iter().map(|all| all.iter().map(|&text| text.to_owned()).collect());
            alternatives(&owned.collect::<Vec<Vec<String>>>())
        };
        assert_eq!(texts(&[&["i = 3", "j >= 2"]]), "i = 3 and j >= 2");
        assert_eq!(texts(&[&["i = 3", "j >= 2"], &["j = 0"]]), "(i = 3 and j >= 2) or j = 0");
    }

    #[test]
    fn one_value_that_is_left_out_is_an_inequality() {
        let region = |intervals: &[Option<(i128, i128)>]| Region { intervals: intervals.to_vec() };
        assert_eq!(outside(&[region(&[Some((0, 0)), None])], &inputs()), "i != 0");
        assert_eq!(
            outside(&[region(&[Some((0, 0)), Some((1, 5))])], &inputs()),
            "not (i = 0 and 1 <= j <= 5)"
        );
    }

    #[test]
    fn expressions_are_written_as_in_a_program() {
        let mut pool = ExprPool::new();
        let i = pool.input(InputId(0), 32).expect("an input");
        let j = pool.input(InputId(1), 32).expect("an input");
        let sum = pool.binary(BinaryOp::Add, i, j).expect("a sum");
        let five = pool.constant(32, 5).expect("a constant");
        let less = pool.binary(BinaryOp::Slt, sum, five).expect("a comparison");
        let not = pool.not(less).expect("a negation");
        let text = expression(&pool, &inputs(), not).expect("it is not deep");
        assert!(["5 <= (i + j)", "5 <= (j + i)"].contains(&&text[..]), "{text}");
    }
}
