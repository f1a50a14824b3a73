//! Waiting for a word, without the C library: its `syscall` is one of the functions that we stand in front of.

use core::sync::atomic::AtomicU32;

use libc::{c_int, timespec};

/// How long to wait at most: until this time of this clock.
#[derive(Clone, Copy)]
pub(crate) struct Deadline {
    pub(crate) clock: c_int,
    pub(crate) until: timespec,
}

impl Deadline {
    /// So many milliseconds from now.
    pub(super) fn after(milliseconds: u32) -> Deadline {
        let mut until = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the pointer is to a variable of ours.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut until) };
        until.tv_nsec += i64::from(milliseconds % 1000) * 1_000_000;
        until.tv_sec += i64::from(milliseconds / 1000) + until.tv_nsec / 1_000_000_000;
        until.tv_nsec %= 1_000_000_000;
        Deadline { clock: libc::CLOCK_MONOTONIC, until }
    }
}

fn futex(word: *const AtomicU32, operation: c_int, value: u32, until: *const timespec) -> i64 {
    let mut answer = libc::SYS_futex;
    // SAFETY: the kernel reads the word and the time, and changes nothing of ours.
    unsafe {
        core::arch::asm!(
            "syscall",
            inlateout("rax") answer,
            in("rdi") word,
            in("rsi") i64::from(operation | libc::FUTEX_PRIVATE_FLAG),
            in("rdx") u64::from(value),
            in("r10") until,
            in("r8") 0,
            in("r9") u64::from(u32::MAX),
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    answer
}

/// Waits while the word has this value, perhaps not so long. False if the deadline has passed.
pub(super) fn wait(word: &AtomicU32, value: u32, deadline: Option<&Deadline>) -> bool {
    let clock = match deadline {
        Some(deadline) if deadline.clock == libc::CLOCK_REALTIME => libc::FUTEX_CLOCK_REALTIME,
        _ => 0,
    };
    let until = deadline.map_or(core::ptr::null(), |deadline| &raw const deadline.until);
    futex(word, libc::FUTEX_WAIT_BITSET | clock, value, until) != -i64::from(libc::ETIMEDOUT)
}

/// Wakes all who wait for the word.
pub(super) fn wake(word: &AtomicU32) {
    futex(word, libc::FUTEX_WAKE, i32::MAX as u32, core::ptr::null());
}
