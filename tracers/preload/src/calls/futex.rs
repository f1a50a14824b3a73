//! Futexes, where they are waited for through the C library's `syscall`.
//!
//! That is how Rust's standard library and some C++ libraries wait. What they do to the word itself is plain memory,
//! which this recorder does not see.

use core::ffi::c_long;

use warpath_light_format::Kind;
use warpath_light_format::kind::outcome as o;

use super::outcome;
use crate::files::errno;
use crate::local;
use crate::memory;
use crate::real::real;
use crate::tickets::OBJECTS;

mod real {
    use super::*;
    super::real! {
        fn syscall(
            number: c_long, a: c_long, b: c_long, c: c_long, d: c_long, e: c_long, f: c_long,
        ) -> c_long;
    }
}

/// The C function has up to seven arguments, the last of which is on the stack; ours has the address that it returns to
/// behind them.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn syscall() {
    core::arch::naked_asm!(
        "mov r10, qword ptr [rsp]",
        "mov r11, qword ptr [rsp + 8]",
        "sub rsp, 24",
        "mov qword ptr [rsp], r11",
        "mov qword ptr [rsp + 8], r10",
        "call {ours}",
        "add rsp, 24",
        "ret",
        ours = sym through,
    )
}

const WAIT: c_long = libc::FUTEX_WAIT as c_long;
const WAIT_BITSET: c_long = libc::FUTEX_WAIT_BITSET as c_long;
const WAKE: c_long = libc::FUTEX_WAKE as c_long;
const WAKE_BITSET: c_long = libc::FUTEX_WAKE_BITSET as c_long;

#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn through(
    number: c_long,
    a: c_long,
    b: c_long,
    c: c_long,
    d: c_long,
    e: c_long,
    f: c_long,
    at: u64,
) -> c_long {
    // SAFETY: the arguments are the program's, or what happened to be in registers, as it would be without us.
    let real = || unsafe { real::syscall(number, a, b, c, d, e, f) };
    // Whatever the kernel does to memory, it does behind what the thread has done.
    memory::settle();
    if number != libc::SYS_futex {
        return real();
    }
    let word = a as u64;
    match b & !libc::c_long::from(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME) {
        WAIT | WAIT_BITSET => {
            let attempt = if d == 0 { o::BLOCK } else { o::TIMED };
            let answer = real();
            if local::recording() {
                let why = if answer == 0 { 0 } else { errno() };
                let ticket = OBJECTS.draw(word);
                local::record(Kind::FutexWait, outcome(attempt, why), 0, &[at, word, ticket, c as u64]);
            }
            answer
        }
        WAKE | WAKE_BITSET => {
            let recording = local::recording();
            let ticket = if recording { OBJECTS.draw(word) } else { 0 };
            let answer = real();
            if recording {
                local::record(Kind::FutexWake, 0, c as u32, &[at, word, ticket, answer.max(0) as u64]);
            }
            answer
        }
        _ => real(),
    }
}
