//! The symbolic part of one thread: registers, flags, and what its path has decided.

use rustc_hash::FxHashMap;
use warpath_trace::ids::ExprId;

use super::bytes::ByteRef;
use super::flags::FlagShadow;
use crate::cpu::{Gpr, RegisterSet};

/// The shadow of one thread's registers.
#[derive(Clone, Debug, Default)]
pub struct ThreadShadow {
    /// Expressions of the general registers, 1 to 64 bits wide; the bits above are zero.
    pub(super) gpr: [Option<ExprId>; 16],
    /// The vector registers byte by byte; only those in `vectors` have a symbolic byte.
    pub(super) xmm: [[ByteRef; 16]; 16],
    pub(super) vectors: u16,
    pub(super) flags: FlagShadow,
    /// Expressions that have one value on the path taken so far, and that value (of a Boolean, 0 or 1).
    pub(super) decided: FxHashMap<ExprId, u128>,
}

impl ThreadShadow {
    /// A thread whose registers are all concrete.
    pub fn new() -> Self {
        Self::default()
    }

    /// The registers that hold symbolic data now, for the fast interpreter to stop at.
    pub fn symbolic(&self) -> RegisterSet {
        let mut set = if self.flags.is_symbolic() { RegisterSet::FLAGS } else { RegisterSet::EMPTY };
        for number in 0..16 {
            if self.gpr[number].is_some() {
                set = set.with(RegisterSet::gpr(number));
            }
            if self.vectors & 1 << number != 0 {
                set = set.with(RegisterSet::xmm(number));
            }
        }
        set
    }

    /// Makes every register concrete that is not in the set: what the fast interpreter has overwritten since.
    pub fn keep_only(&mut self, set: RegisterSet) {
        for number in 0..16 {
            if !set.has_gpr(number) {
                self.gpr[number] = None;
            }
            if !set.has_xmm(number) {
                self.clear_xmm(number);
            }
        }
        if !set.has_flags() {
            self.flags = FlagShadow::default();
        }
    }

    /// Makes all registers and flags concrete. What the path has decided stays decided.
    pub fn clear(&mut self) {
        self.keep_only(RegisterSet::EMPTY);
    }

    /// Gives a general register an expression of 1 to 64 bits, above which it is zero; `None` makes it concrete.
    pub fn set(&mut self, register: Gpr, expr: Option<ExprId>) {
        self.gpr[register as usize] = expr;
    }

    /// The value that an expression has on the path taken so far, if the path has decided it (0 or 1 for a Boolean).
    pub fn decided(&self, expr: ExprId) -> Option<u128> {
        self.decided.get(&expr).copied()
    }

    /// Notes that the path has decided the value of an expression; `false` if that was known before.
    pub fn decide(&mut self, expr: ExprId, value: u128) -> bool {
        self.decided.insert(expr, value).is_none()
    }

    pub(super) fn clear_xmm(&mut self, number: usize) {
        if self.vectors & 1 << number != 0 {
            self.xmm[number] = [ByteRef::CONCRETE; 16];
            self.vectors &= !(1 << number);
        }
    }

    pub(super) fn set_xmm(&mut self, number: usize, bytes: [ByteRef; 16]) {
        self.xmm[number] = bytes;
        if bytes.iter().any(|byte| byte.is_symbolic()) {
            self.vectors |= 1 << number;
        } else {
            self.vectors &= !(1 << number);
        }
    }
}
