//! Building operations: sort checking, then simplification, then interning.

use super::error::{ExpectedSort, TermError};
use super::op::Op;
use super::simplify;
use super::sort::Sort;
use super::store::TermId;
use super::terms::{FULL, Simplification, Terms, check_width};

impl Terms {
    /// Applies an operation, after checking the number and the sorts of its arguments.
    pub fn apply(&mut self, op: Op, args: &[TermId]) -> Result<TermId, TermError> {
        let sort = self.result_sort(op, args)?;
        if self.simplification == Simplification::On
            && let Some(simpler) = simplify::rewrite(self, op, args)?
        {
            return Ok(simpler);
        }
        self.intern(op, sort, args)
    }

    /// Interns an application that needs no more checks.
    pub(super) fn intern(&mut self, op: Op, sort: Sort, args: &[TermId]) -> Result<TermId, TermError> {
        self.store.app(op, sort, args).ok_or(FULL)
    }

    fn result_sort(&self, op: Op, args: &[TermId]) -> Result<Sort, TermError> {
        if !op.arity().accepts(args.len()) {
            return Err(TermError::WrongArity { op, expected: op.arity(), found: args.len() });
        }
        if let Some(&id) = args.iter().find(|&&id| !self.contains(id)) {
            return Err(TermError::UnknownTerm { id });
        }
        match op {
            Op::Not | Op::And | Op::Or | Op::Xor | Op::Implies => {
                self.expect_all(op, args, Sort::Bool)?;
                Ok(Sort::Bool)
            }
            Op::Eq | Op::Distinct => {
                self.expect_all(op, args, self.sort(args[0]))?;
                Ok(Sort::Bool)
            }
            Op::Ite => {
                self.expect(op, args, 0, Sort::Bool)?;
                let sort = self.sort(args[1]);
                self.expect(op, args, 2, sort)?;
                Ok(sort)
            }
            Op::Neg | Op::Add | Op::Sub | Op::Mul => {
                self.expect_all(op, args, Sort::Int)?;
                Ok(Sort::Int)
            }
            Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                self.expect_all(op, args, Sort::Int)?;
                Ok(Sort::Bool)
            }
            Op::Usual => {
                self.expect_all(op, args, Sort::Int)?;
                Ok(Sort::Bool)
            }
            Op::Apart => self.expect_groups(op, args, 0, &[Sort::Bool, Sort::Int, Sort::Bool, Sort::Int]),
            Op::Latest => {
                self.expect(op, args, 0, Sort::Int)?;
                self.expect(op, args, 1, Sort::Bool)?;
                self.expect_groups(op, args, 2, &[Sort::Bool, Sort::Bool, Sort::Int])
            }
            _ => self.result_sort_of_bits(op, args),
        }
    }

    /// From `first` on, arguments come in groups of these sorts; the whole is a formula.
    fn expect_groups(
        &self,
        op: Op,
        args: &[TermId],
        first: usize,
        group: &[Sort],
    ) -> Result<Sort, TermError> {
        if !(args.len() - first).is_multiple_of(group.len()) {
            return Err(TermError::WrongArity { op, expected: op.arity(), found: args.len() });
        }
        for index in first..args.len() {
            self.expect(op, args, index, group[(index - first) % group.len()])?;
        }
        Ok(Sort::Bool)
    }

    fn result_sort_of_bits(&self, op: Op, args: &[TermId]) -> Result<Sort, TermError> {
        let width = self.expect_bits(op, args, 0)?;
        let wider = |by: u64| check_width(u64::from(width) + by).map(Sort::Bits);
        match op {
            Op::BvNot | Op::BvNeg | Op::RotateLeft(_) | Op::RotateRight(_) => Ok(Sort::Bits(width)),
            Op::ZeroExtend(by) | Op::SignExtend(by) => wider(u64::from(by)),
            Op::Concat => wider(u64::from(self.expect_bits(op, args, 1)?)),
            Op::Repeat(times) => check_width(u64::from(width) * u64::from(times)).map(Sort::Bits),
            Op::Extract { high, low } => {
                if high < low || u32::from(high) >= width {
                    return Err(TermError::ExtractOutOfRange { high, low, width });
                }
                Ok(Sort::Bits(u32::from(high - low) + 1))
            }
            Op::BvComp => {
                self.expect(op, args, 1, Sort::Bits(width))?;
                Ok(Sort::Bits(1))
            }
            Op::BvUlt | Op::BvUle | Op::BvUgt | Op::BvUge | Op::BvSlt | Op::BvSle | Op::BvSgt | Op::BvSge => {
                self.expect(op, args, 1, Sort::Bits(width))?;
                Ok(Sort::Bool)
            }
            _ => {
                self.expect(op, args, 1, Sort::Bits(width))?;
                Ok(Sort::Bits(width))
            }
        }
    }

    fn expect_all(&self, op: Op, args: &[TermId], sort: Sort) -> Result<(), TermError> {
        (0..args.len()).try_for_each(|index| self.expect(op, args, index, sort))
    }

    fn expect(&self, op: Op, args: &[TermId], index: usize, sort: Sort) -> Result<(), TermError> {
        let found = self.sort(args[index]);
        if found == sort {
            return Ok(());
        }
        Err(TermError::WrongSort { op, position: index + 1, expected: ExpectedSort::Sort(sort), found })
    }

    fn expect_bits(&self, op: Op, args: &[TermId], index: usize) -> Result<u32, TermError> {
        let found = self.sort(args[index]);
        found.width().ok_or(TermError::WrongSort {
            op,
            position: index + 1,
            expected: ExpectedSort::AnyBits,
            found,
        })
    }

    /// `¬a`
    pub fn not(&mut self, a: TermId) -> Result<TermId, TermError> {
        self.apply(Op::Not, &[a])
    }

    /// Conjunction of any number of terms; of none it is `true`.
    pub fn and(&mut self, args: &[TermId]) -> Result<TermId, TermError> {
        self.junction(Op::And, args)
    }

    /// Disjunction of any number of terms (a clause); of none it is `false`.
    pub fn or(&mut self, args: &[TermId]) -> Result<TermId, TermError> {
        self.junction(Op::Or, args)
    }

    fn junction(&mut self, op: Op, args: &[TermId]) -> Result<TermId, TermError> {
        match *args {
            [] => Ok(self.bool(op == Op::And)),
            // Built twice over, so that a lone argument is checked like any other.
            [only] => self.result_sort(op, &[only, only]).map(|_| only),
            _ => self.apply(op, args),
        }
    }

    /// Exclusive or.
    pub fn xor(&mut self, a: TermId, b: TermId) -> Result<TermId, TermError> {
        self.apply(Op::Xor, &[a, b])
    }

    /// `a ⇒ b`
    pub fn implies(&mut self, a: TermId, b: TermId) -> Result<TermId, TermError> {
        self.apply(Op::Implies, &[a, b])
    }

    /// `a = b`, for any sort.
    pub fn eq(&mut self, a: TermId, b: TermId) -> Result<TermId, TermError> {
        self.apply(Op::Eq, &[a, b])
    }

    /// All different from each other; true of fewer than two terms.
    pub fn distinct(&mut self, args: &[TermId]) -> Result<TermId, TermError> {
        match args {
            [] | [_] => Ok(self.bool(true)),
            _ => self.apply(Op::Distinct, args),
        }
    }

    /// `then` if `condition`, else `otherwise`, for any sort.
    pub fn ite(&mut self, condition: TermId, then: TermId, otherwise: TermId) -> Result<TermId, TermError> {
        self.apply(Op::Ite, &[condition, then, otherwise])
    }

    /// Integer sum of any number of terms; of none it is 0.
    pub fn add(&mut self, args: &[TermId]) -> Result<TermId, TermError> {
        match *args {
            [] => self.int(0),
            [only] => self.result_sort(Op::Add, &[only, only]).map(|_| only),
            _ => self.apply(Op::Add, args),
        }
    }

    /// Integer difference.
    pub fn sub(&mut self, a: TermId, b: TermId) -> Result<TermId, TermError> {
        self.apply(Op::Sub, &[a, b])
    }

    /// `a < b` on integers.
    pub fn lt(&mut self, a: TermId, b: TermId) -> Result<TermId, TermError> {
        self.apply(Op::Lt, &[a, b])
    }

    /// `a ≤ b` on integers.
    pub fn le(&mut self, a: TermId, b: TermId) -> Result<TermId, TermError> {
        self.apply(Op::Le, &[a, b])
    }
}
