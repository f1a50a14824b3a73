//! Sets of registers.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not, Sub};

/// A set of registers: the 16 general ones, the 16 vector ones, and the status flags as one.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct RegisterSet(u64);

impl RegisterSet {
    /// No register.
    pub const EMPTY: RegisterSet = RegisterSet(0);
    /// The status flags.
    pub const FLAGS: RegisterSet = RegisterSet(1 << 32);
    /// Every register.
    pub const ALL: RegisterSet = RegisterSet((1 << 33) - 1);

    /// One general register by number (0 to 15, as [`Gpr`](super::Gpr) counts them).
    pub const fn gpr(number: usize) -> RegisterSet {
        RegisterSet(1 << (number & 15))
    }

    /// One vector register by number (0 to 15).
    pub const fn xmm(number: usize) -> RegisterSet {
        RegisterSet(1 << (16 + (number & 15)))
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the two have a register in common.
    pub const fn intersects(self, other: RegisterSet) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether every register of the other is here.
    pub const fn contains(self, other: RegisterSet) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both together.
    #[must_use]
    pub const fn with(self, other: RegisterSet) -> RegisterSet {
        RegisterSet(self.0 | other.0)
    }

    /// Adds registers.
    pub fn insert(&mut self, other: RegisterSet) {
        self.0 |= other.0;
    }

    /// Takes registers out.
    pub fn remove(&mut self, other: RegisterSet) {
        self.0 &= !other.0;
    }

    /// The numbers of its general registers.
    pub fn gprs(self) -> impl Iterator<Item = usize> {
        (0..16).filter(move |n| self.0 & (1 << n) != 0)
    }

    /// The numbers of its vector registers.
    pub fn xmms(self) -> impl Iterator<Item = usize> {
        (0..16).filter(move |n| self.0 & (1 << (16 + n)) != 0)
    }

    /// Whether a general register is in it.
    pub const fn has_gpr(self, number: usize) -> bool {
        self.intersects(RegisterSet::gpr(number))
    }

    /// Whether a vector register is in it.
    pub const fn has_xmm(self, number: usize) -> bool {
        self.intersects(RegisterSet::xmm(number))
    }

    /// Whether the status flags are in it.
    pub const fn has_flags(self) -> bool {
        self.intersects(RegisterSet::FLAGS)
    }
}

impl BitOr for RegisterSet {
    type Output = RegisterSet;
    fn bitor(self, other: RegisterSet) -> RegisterSet {
        RegisterSet(self.0 | other.0)
    }
}

impl BitOrAssign for RegisterSet {
    fn bitor_assign(&mut self, other: RegisterSet) {
        self.0 |= other.0;
    }
}

impl BitAnd for RegisterSet {
    type Output = RegisterSet;
    fn bitand(self, other: RegisterSet) -> RegisterSet {
        RegisterSet(self.0 & other.0)
    }
}

impl Sub for RegisterSet {
    type Output = RegisterSet;
    fn sub(self, other: RegisterSet) -> RegisterSet {
        RegisterSet(self.0 & !other.0)
    }
}

impl Not for RegisterSet {
    type Output = RegisterSet;
    fn not(self) -> RegisterSet {
        RegisterSet::ALL - self
    }
}

impl fmt::Debug for RegisterSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut set = f.debug_set();
        for n in self.gprs() {
            set.entry(&format_args!("gpr{n}"));
        }
        for n in self.xmms() {
            set.entry(&format_args!("xmm{n}"));
        }
        if self.has_flags() {
            set.entry(&format_args!("flags"));
        }
        set.finish()
    }
}
