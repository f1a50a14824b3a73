//! The status flags, kept as the operation that set them.
//!
//! Most flags are never looked at. Those that are, nearly always are by one conditional instruction soon after a
//! comparison, and then the condition is a comparison of the operands, not algebra of flags.

use iced_x86::ConditionCode;
use warpath_trace::expr::BinaryOp;
use warpath_trace::ids::ExprId;

use super::bits::{Bits, Truth};
use super::build::Builder;
use super::operation::{Operation, Setter};
use crate::cpu::Flag;

/// A set of status flags, one bit each, by [`StatusFlag`].
pub(super) type FlagMask = u8;

/// One of the six status flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatusFlag {
    Carry,
    Parity,
    Adjust,
    Zero,
    Sign,
    Overflow,
}

impl StatusFlag {
    pub const ALL: [StatusFlag; 6] = [
        StatusFlag::Carry,
        StatusFlag::Parity,
        StatusFlag::Adjust,
        StatusFlag::Zero,
        StatusFlag::Sign,
        StatusFlag::Overflow,
    ];

    pub const fn mask(self) -> FlagMask {
        1 << self as u8
    }

    /// Its bit in RFLAGS.
    pub const fn bit(self) -> u64 {
        match self {
            StatusFlag::Carry => Flag::CF,
            StatusFlag::Parity => Flag::PF,
            StatusFlag::Adjust => Flag::AF,
            StatusFlag::Zero => Flag::ZF,
            StatusFlag::Sign => Flag::SF,
            StatusFlag::Overflow => Flag::OF,
        }
    }
}

/// All six.
pub(super) const ALL: FlagMask = 0x3f;
/// All but carry: what `inc` and `dec` set.
pub(super) const NOT_CARRY: FlagMask = ALL & !StatusFlag::Carry.mask();
/// Carry and overflow: what rotations and multiplications define.
pub(super) const CARRY_OVERFLOW: FlagMask = StatusFlag::Carry.mask() | StatusFlag::Overflow.mask();
/// Zero, sign and parity: what depends on the result alone.
pub(super) const OF_RESULT: FlagMask =
    StatusFlag::Zero.mask() | StatusFlag::Sign.mask() | StatusFlag::Parity.mask();

/// The symbolic part of the status flags.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FlagShadow {
    /// The last operations that set flags, the latest first, and which of today's flags are theirs. Two, because `inc`
    /// and `dec`, which count loops, leave the carry of the operation before.
    operations: [Option<(Operation, FlagMask)>; 2],
    /// The other flags that are symbolic.
    single: [Option<ExprId>; 6],
}

impl FlagShadow {
    pub fn is_symbolic(&self) -> bool {
        self.operations[0].is_some() || self.single.iter().any(Option::is_some)
    }

    /// A flag, given RFLAGS of the moment.
    pub fn flag(&self, build: &mut Builder, rflags: u64, flag: StatusFlag) -> Truth {
        let value = rflags & flag.bit() != 0;
        for (operation, covered) in self.operations.iter().flatten() {
            if covered & flag.mask() != 0 {
                return Truth { value, ..operation.flag(build, flag) };
            }
        }
        Truth { value, expr: self.single[flag as usize] }
    }

    /// The flags in `written` are set anew: those in `single` as said there, those that `operation` defines by it, the
    /// others are concrete.
    pub fn set(
        &mut self,
        build: &mut Builder,
        written: FlagMask,
        operation: Option<Operation>,
        single: &[(StatusFlag, Truth)],
    ) {
        for slot in &mut self.operations {
            *slot = slot.map(|(old, covered)| (old, covered & !written)).filter(|&(_, covered)| covered != 0);
        }
        if self.operations[0].is_none() {
            self.operations.swap(0, 1);
        }
        for flag in StatusFlag::ALL {
            if written & flag.mask() != 0 {
                self.single[flag as usize] = None;
            }
        }
        let mut covered = operation.filter(Operation::is_symbolic).map_or(0, |new| new.defines() & written);
        for &(flag, truth) in single {
            self.single[flag as usize] = truth.expr;
            covered &= !flag.mask();
        }
        if let (Some(operation), true) = (operation, covered != 0) {
            let [latest, oldest] = self.operations;
            if let Some((oldest, covered)) = oldest {
                for flag in StatusFlag::ALL.into_iter().filter(|flag| covered & flag.mask() != 0) {
                    self.single[flag as usize] = oldest.flag(build, flag).expr;
                }
            }
            self.operations = [Some((operation, covered)), latest];
        }
    }

    /// The condition of a conditional instruction, given RFLAGS of the moment.
    pub fn condition(&self, build: &mut Builder, rflags: u64, code: ConditionCode) -> Truth {
        use ConditionCode::*;
        let (positive, negated) = match code {
            no => (o, true),
            ae => (b, true),
            ne => (e, true),
            a => (be, true),
            ns => (s, true),
            np => (p, true),
            ge => (l, true),
            g => (le, true),
            other => (other, false),
        };
        let holds = self.positive(build, rflags, positive);
        if negated { build.not(holds) } else { holds }
    }

    fn positive(&self, build: &mut Builder, rflags: u64, code: ConditionCode) -> Truth {
        use ConditionCode::*;
        if let Some(direct) = self.comparison(build, code) {
            return direct;
        }
        let flag = |build: &mut Builder, flag| self.flag(build, rflags, flag);
        match code {
            o => flag(build, StatusFlag::Overflow),
            b => flag(build, StatusFlag::Carry),
            e => flag(build, StatusFlag::Zero),
            s => flag(build, StatusFlag::Sign),
            p => flag(build, StatusFlag::Parity),
            be => {
                let (carry, zero) = (flag(build, StatusFlag::Carry), flag(build, StatusFlag::Zero));
                build.either(carry, zero)
            }
            l | le => {
                let (sign, overflow) = (flag(build, StatusFlag::Sign), flag(build, StatusFlag::Overflow));
                let less = build.differ(sign, overflow);
                if code == l {
                    return less;
                }
                let zero = flag(build, StatusFlag::Zero);
                build.either(zero, less)
            }
            _ => Truth::concrete(true),
        }
    }

    /// The condition as one comparison, if all flags it looks at come from one operation that is like one.
    fn comparison(&self, build: &mut Builder, code: ConditionCode) -> Option<Truth> {
        let (zero, carry) = (StatusFlag::Zero.mask(), StatusFlag::Carry.mask());
        let signs = StatusFlag::Sign.mask() | StatusFlag::Overflow.mask();
        let (op, looks_at) = match code {
            ConditionCode::be => (BinaryOp::Ule, carry | zero),
            ConditionCode::l => (BinaryOp::Slt, signs),
            ConditionCode::le => (BinaryOp::Sle, signs | zero),
            _ => return None,
        };
        let (operation, covered) = self.operations[0].as_ref()?;
        let (left, right) = match operation.setter {
            Setter::Sub => (operation.a, operation.b),
            Setter::Logic => (operation.result, Bits::zero(operation.result.width)),
            _ => return None,
        };
        (covered & looks_at == looks_at).then(|| build.compare(op, left, right))
    }
}
