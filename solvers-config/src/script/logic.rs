//! The logic that a set of terms needs.

use crate::term::{Op, Shape, Sort, TermId, Terms};

/// A logic of SMT-LIB. Solvers choose their engines by it, so the smallest is the best.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Logic {
    /// Bit-vectors; also what has neither bit-vectors nor integers, because every solver here,
    /// Boolector included, accepts it and answers Boolean problems by plain SAT.
    QfBv,
    /// Integer difference logic: `x < y`, `x - y ≤ 5`.
    QfIdl,
    /// Linear integer arithmetic.
    QfLia,
    /// Integer arithmetic with products.
    QfNia,
    /// Everything the solver has: integers and bit-vectors in one script.
    All,
    /// A logic chosen by name.
    Named(String),
}

impl Logic {
    /// The smallest logic that holds `roots`.
    pub fn of(terms: &Terms, roots: &[TermId]) -> Logic {
        let mut bits = false;
        let mut ints = Ints::None;
        for id in terms.cone(roots) {
            match terms.sort(id) {
                Sort::Bits(_) => bits = true,
                Sort::Int => ints = ints.max(Ints::Differences),
                Sort::Bool => {}
            }
            if let Shape::App(op, args) = terms.shape(id) {
                ints = ints.max(class(terms, op, args));
            }
            if bits && ints != Ints::None {
                return Logic::All;
            }
        }
        // A difference is only a difference inside an atom; anywhere else it is a sum.
        for &root in roots {
            if terms.sort(root) == Sort::Int && !terms.args(root).is_empty() {
                ints = ints.max(Ints::Sums);
            }
        }
        match (bits, ints) {
            (_, Ints::None) => Logic::QfBv,
            (true, _) => Logic::All,
            (false, Ints::Differences) => Logic::QfIdl,
            (false, Ints::Sums) => Logic::QfLia,
            (false, Ints::Products) => Logic::QfNia,
        }
    }

    /// The name that `set-logic` takes.
    pub fn name(&self) -> &str {
        match self {
            Logic::QfBv => "QF_BV",
            Logic::QfIdl => "QF_IDL",
            Logic::QfLia => "QF_LIA",
            Logic::QfNia => "QF_NIA",
            Logic::All => "ALL",
            Logic::Named(name) => name,
        }
    }
}

impl std::fmt::Display for Logic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// How much of integer arithmetic is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Ints {
    None,
    Differences,
    Sums,
    Products,
}

fn class(terms: &Terms, op: Op, args: &[TermId]) -> Ints {
    match op {
        Op::Mul => {
            let unknown = args.iter().filter(|&&arg| !is_literal(terms, arg)).count();
            if unknown > 1 { Ints::Products } else { Ints::Sums }
        }
        Op::Neg | Op::Add => Ints::Sums,
        Op::Sub if !args.iter().all(|&arg| is_constant(terms, arg)) => Ints::Sums,
        Op::Ite if terms.sort(args[1]) == Sort::Int => Ints::Sums,
        Op::Lt | Op::Le | Op::Gt | Op::Ge => atom(terms, args),
        Op::Apart | Op::Latest | Op::Usual => Ints::Differences,
        Op::Eq | Op::Distinct if terms.sort(args[0]) == Sort::Int => atom(terms, args),
        _ => Ints::None,
    }
}

/// An atom is of difference logic if it compares constants, or one difference or constant with a
/// literal. (Solvers take more, but not the same more.)
fn atom(terms: &Terms, args: &[TermId]) -> Ints {
    let all_constants = args.iter().all(|&arg| is_constant(terms, arg));
    let with_literal = match *args {
        [a, b] => is_literal(terms, a) || is_literal(terms, b),
        _ => false,
    };
    if all_constants || with_literal { Ints::Differences } else { Ints::Sums }
}

fn is_literal(terms: &Terms, id: TermId) -> bool {
    matches!(terms.shape(id), Shape::Literal(_))
}

fn is_constant(terms: &Terms, id: TermId) -> bool {
    matches!(terms.shape(id), Shape::Constant(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_logic_is_found() {
        let mut t = Terms::new();
        let p = t.constant("p", Sort::Bool).unwrap();
        let x = t.constant("x", Sort::Int).unwrap();
        let y = t.constant("y", Sort::Int).unwrap();
        let v = t.constant("v", Sort::Bits(8)).unwrap();
        let five = t.int(-5).unwrap();
        let difference = t.sub(x, y).unwrap();
        let product = t.apply(Op::Mul, &[x, y]).unwrap();
        let scaled = t.apply(Op::Mul, &[x, five]).unwrap();
        let sum = t.add(&[x, y]).unwrap();
        let choice = t.ite(p, x, y).unwrap();
        let vv = t.apply(Op::BvUlt, &[v, v]).unwrap();
        let mut atom = |a, b| t.lt(a, b).unwrap();
        let cases = [
            (vec![p], Logic::QfBv),
            (vec![v, vv], Logic::QfBv),
            (vec![x], Logic::QfIdl),
            (vec![atom(x, y)], Logic::QfIdl),
            (vec![atom(x, five)], Logic::QfIdl),
            (vec![atom(difference, five)], Logic::QfIdl),
            (vec![atom(difference, x)], Logic::QfLia),
            (vec![difference], Logic::QfLia),
            (vec![atom(sum, five)], Logic::QfLia),
            (vec![atom(choice, five)], Logic::QfLia),
            (vec![atom(scaled, y)], Logic::QfLia),
            (vec![atom(product, y)], Logic::QfNia),
            (vec![atom(x, y), v], Logic::All),
        ];
        for (roots, logic) in cases {
            assert_eq!(Logic::of(&t, &roots), logic, "{roots:?}");
        }
    }
}
