//! The functions that code compiled with `-fsanitize=thread` calls, by gcc and by clang.
//!
//! Such a program is linked to this library instead of the compiler's own. What it says is recorded if it is asked for,
//! and otherwise costs a comparison.

// Names as programs call them.
#[allow(non_snake_case)]
mod annotations;
mod atomics;
mod cas16;
mod functions;
pub(crate) mod quick;
pub(crate) mod ranges;
mod system;

use warpath_light_format::access::{read, volatile, write};

use self::quick::{append, quick, read_with, read1, read2, read4, read8, written};
use crate::memory::announce;

/// Sixteen bytes have records of their own.
macro_rules! wide {
    ($code:expr) => {
        core::arch::naked_asm!("mov rsi, qword ptr [rsp]", "mov edx, {code}", "jmp {other}",
            code = const $code, other = sym quick::other)
    };
}

/// Functions that are told where they are called from.
macro_rules! announced_at {
    ($($name:ident => $code:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(address: u64, at: u64) {
            // SAFETY: promised by the caller.
            unsafe { announce($code, address, at) }
        }
    )*};
}

/// A read and a write of the same memory.
macro_rules! announced_both {
    ($($($name:ident)+ => $log2:literal;)*) => {$($(
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            /// # Safety
            /// The program accesses that memory next.
            unsafe extern "C" fn ours(address: u64, at: u64) {
                // SAFETY: promised by the caller.
                unsafe {
                    announce(read($log2), address, at);
                    announce(write($log2), address, at);
                }
            }
            core::arch::naked_asm!("mov rsi, qword ptr [rsp]", "jmp {ours}", ours = sym ours)
        }
    )+)*};
}

quick! {
    read1 __tsan_read1 => read(0);
    read2 __tsan_read2 __tsan_unaligned_read2 => read(1);
    read4 __tsan_read4 __tsan_unaligned_read4 => read(2);
    read8 __tsan_read8 __tsan_unaligned_read8 __tsan_vptr_read => read(3);
    wide __tsan_read16 __tsan_unaligned_read16 => read(4);
    written __tsan_write1 => write(0);
    written __tsan_write2 __tsan_unaligned_write2 => write(1);
    written __tsan_write4 __tsan_unaligned_write4 => write(2);
    written __tsan_write8 __tsan_unaligned_write8 __tsan_vptr_update => write(3);
    written __tsan_write16 __tsan_unaligned_write16 => write(4);
    read1 __tsan_volatile_read1 => volatile(read(0));
    read2 __tsan_volatile_read2 __tsan_unaligned_volatile_read2 => volatile(read(1));
    read4 __tsan_volatile_read4 __tsan_unaligned_volatile_read4 => volatile(read(2));
    read8 __tsan_volatile_read8 __tsan_unaligned_volatile_read8 => volatile(read(3));
    wide __tsan_volatile_read16 __tsan_unaligned_volatile_read16 => volatile(read(4));
    written __tsan_volatile_write1 => volatile(write(0));
    written __tsan_volatile_write2 __tsan_unaligned_volatile_write2 => volatile(write(1));
    written __tsan_volatile_write4 __tsan_unaligned_volatile_write4 => volatile(write(2));
    written __tsan_volatile_write8 __tsan_unaligned_volatile_write8 => volatile(write(3));
    written __tsan_volatile_write16 __tsan_unaligned_volatile_write16 => volatile(write(4));
}

announced_at! {
    __tsan_read1_pc => read(0);
    __tsan_read2_pc => read(1);
    __tsan_read4_pc => read(2);
    __tsan_read8_pc => read(3);
    __tsan_read16_pc => read(4);
    __tsan_write1_pc => write(0);
    __tsan_write2_pc => write(1);
    __tsan_write4_pc => write(2);
    __tsan_write8_pc => write(3);
    __tsan_write16_pc => write(4);
}

announced_both! {
    __tsan_read_write1 => 0;
    __tsan_read_write2 __tsan_unaligned_read_write2 => 1;
    __tsan_read_write4 __tsan_unaligned_read_write4 => 2;
    __tsan_read_write8 __tsan_unaligned_read_write8 => 3;
    __tsan_read_write16 __tsan_unaligned_read_write16 => 4;
}
