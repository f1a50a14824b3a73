//! Atomic operations on sixteen bytes.

use core::arch::asm;

use super::atomics::{load16, store16, update16};
use crate::interpose::interpose;

/// Sixteen bytes that are only changed by one instruction.
#[derive(Clone, Copy)]
pub(super) struct Cell16(*mut u128);

impl Cell16 {
    /// # Safety
    /// There is such a variable, aligned.
    pub(super) unsafe fn at(address: u64) -> Cell16 {
        Cell16(address as *mut u128)
    }

    /// Puts `new` there if `expected` is there; what was there.
    fn compare_exchange(self, expected: u128, new: u128) -> u128 {
        let (mut low, mut high) = (expected as u64, (expected >> 64) as u64);
        // SAFETY: promised when the cell was made. `rbx` is the compiler's, and is given back.
        unsafe {
            asm!(
                "xchg rbx, {new}",
                "lock cmpxchg16b xmmword ptr [{at}]",
                "mov rbx, {new}",
                new = inout(reg) new as u64 => _,
                at = in(reg) self.0,
                in("rcx") (new >> 64) as u64,
                inout("rax") low,
                inout("rdx") high,
                options(nostack),
            );
        }
        u128::from(low) | u128::from(high) << 64
    }

    pub(super) fn load(self) -> u128 {
        self.compare_exchange(0, 0)
    }

    pub(super) fn update(self, new: impl Fn(u128) -> u128) -> u128 {
        let mut old = self.load();
        loop {
            let found = self.compare_exchange(old, new(old));
            if found == old {
                return old;
            }
            old = found;
        }
    }
}

interpose! {
    __tsan_atomic128_load "rdx" => load;
    __tsan_atomic128_store "r8" => store;
    __tsan_atomic128_exchange "r8" => exchange;
    __tsan_atomic128_fetch_add "r8" => add;
    __tsan_atomic128_fetch_sub "r8" => sub;
    __tsan_atomic128_fetch_and "r8" => and;
    __tsan_atomic128_fetch_or "r8" => or;
    __tsan_atomic128_fetch_xor "r8" => xor;
    __tsan_atomic128_fetch_nand "r8" => nand;
}

unsafe extern "C" fn load(address: u64, order: i32, at: u64) -> u128 {
    // SAFETY: the program's.
    unsafe { load16(address, order, at) }
}

unsafe extern "C" fn store(address: u64, value: u128, order: i32, at: u64) {
    // SAFETY: the program's.
    unsafe { store16(address, value, order, at) }
}

macro_rules! updates {
    ($($name:ident: $old:ident $by:ident => $new:expr;)*) => {$(
        unsafe extern "C" fn $name(address: u64, $by: u128, order: i32, at: u64) -> u128 {
            // SAFETY: the program's.
            unsafe { update16(address, order, at, |$old| $new) }
        }
    )*};
}

updates! {
    exchange: _old by => by;
    add: old by => old.wrapping_add(by);
    sub: old by => old.wrapping_sub(by);
    and: old by => old & by;
    or: old by => old | by;
    xor: old by => old ^ by;
    nand: old by => !(old & by);
}

/// These have as many arguments as there are registers: the address that they return to goes onto the stack.
macro_rules! with_place_on_stack {
    ($($name:ident => $ours:path;)*) => {$(
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "push qword ptr [rsp]",
                "call {ours}",
                "add rsp, 8",
                "ret",
                ours = sym $ours,
            )
        }
    )*};
}

with_place_on_stack! {
    __tsan_atomic128_compare_exchange_strong => compare;
    __tsan_atomic128_compare_exchange_weak => compare;
    __tsan_atomic128_compare_exchange_val => value;
}

unsafe extern "C" fn compare(
    address: u64,
    expected: *mut u128,
    wanted: u128,
    order: i32,
    _: i32,
    at: u64,
) -> i32 {
    // SAFETY: the program's; its variable may not be aligned.
    unsafe {
        let before = expected.read_unaligned();
        let old = update16(address, order, at, |old| if old == before { wanted } else { old });
        if old != before {
            expected.write_unaligned(old);
        }
        i32::from(old == before)
    }
}

/// The order of a failure is the eighth argument, behind ours on the stack; it does not matter.
unsafe extern "C" fn value(address: u64, expected: u128, wanted: u128, order: i32, at: u64) -> u128 {
    // SAFETY: the program's.
    unsafe { update16(address, order, at, |old| if old == expected { wanted } else { old }) }
}
