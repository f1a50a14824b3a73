//! Conditions on inputs as people write them.

use warpath_trace::expr::{BinaryOp, ExprPool, Node, UnaryOp, to_signed};
use warpath_trace::ids::ExprId;

use super::region::{Region, limits, name};
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

/// Each box as its comparisons; two that differ only in one value that both leave out are one: `i != 3`.
pub(super) fn boxes(regions: &[Region], inputs: &[InputVar]) -> Vec<Vec<String>> {
    let mut texts = Vec::new();
    let mut left: Vec<&Region> = regions.iter().collect();
    while let Some(region) = (!left.is_empty()).then(|| left.remove(0)) {
        let hole = |other: &&Region| gap(region, other, inputs);
        let Some((at, (input, value))) =
            left.iter().enumerate().find_map(|(n, other)| Some((n, hole(other)?)))
        else {
            texts.push(region.words(inputs));
            continue;
        };
        left.remove(at);
        let mut rest = region.clone();
        rest.intervals[input] = None;
        let before = Region { intervals: rest.intervals[..input].to_vec() };
        let mut text = before.words(inputs);
        text.push(format!("{} != {value}", name(&inputs[input])));
        let after = Region { intervals: rest.intervals[input..].to_vec() };
        text.extend(after.words(&inputs[input..]));
        texts.push(text);
    }
    texts
}

/// The input that alone tells two boxes apart, and its only value that is in neither.
fn gap(a: &Region, b: &Region, inputs: &[InputVar]) -> Option<(usize, i128)> {
    let mut unequal = (0..inputs.len()).filter(|&n| a.intervals[n] != b.intervals[n]);
    let (input, None) = (unequal.next()?, unequal.next()) else { return None };
    let (a, b) = (a.intervals[input]?, b.intervals[input]?);
    let (low, high) = if a.0 < b.0 { (a, b) } else { (b, a) };
    let whole = (low.0, high.1) == limits(&inputs[input]);
    (whole && low.1.checked_add(2) == Some(high.0)).then_some((input, low.1 + 1))
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
    fn boxes_on_both_sides_of_a_value_are_one() {
        let (least, most) = limits(&inputs()[0]);
        let region = |i, j| Region { intervals: vec![Some(i), Some(j)] };
        let regions = [region((least, 0), (1, 1)), region((1, 1), (3, 4)), region((2, most), (1, 1))];
        assert_eq!(boxes(&regions, &inputs()), [vec!["i != 1", "j = 1"], vec!["i = 1", "3 <= j <= 4"]]);
        let wider = [region((least, 0), (1, 1)), region((3, most), (1, 1))];
        assert_eq!(boxes(&wider, &inputs()).len(), 2, "1 and 2 are left out");
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
