//! Failures: the last thing that a thread does.

use core::ffi::{CStr, c_char, c_void};

use libc::{c_int, c_uint};
use warpath_light_format::{Kind, Word};

use crate::buffer::LONGEST;
use crate::interpose::interpose;
use crate::local;
use crate::real::real;

interpose! {
    abort "rdi" => aborts;
    __assert_fail "r8" => assert_fails;
}

mod real {
    use super::*;
    super::real! {
        fn abort() -> !;
        fn __assert_fail(what: *const c_char, file: *const c_char, line: c_uint, function: *const c_char) -> !;
    }
}

/// A failure with a message, cut to what a record holds.
pub(crate) fn record(signal: u16, at: u64, address: u64, message: &[u8]) {
    let mut words: [Word; LONGEST - 1] = [0; LONGEST - 1];
    words[0] = at;
    words[1] = address;
    let mut used = 2;
    for (place, part) in words[2..].iter_mut().zip(message.chunks(8)) {
        let mut bytes = [0; 8];
        bytes[..part.len()].copy_from_slice(part);
        *place = u64::from_le_bytes(bytes);
        used += 1;
    }
    local::record(Kind::Failure, signal, 0, &words[..used]);
    crate::files::keeping_errno(|| {
        crate::process::copy_maps();
        crate::inputs::end();
    });
}

unsafe extern "C-unwind" fn aborts(at: u64) -> ! {
    record(0, at, 0, b"");
    // SAFETY: nothing to promise.
    unsafe { real::abort() }
}

unsafe extern "C-unwind" fn assert_fails(
    what: *const c_char,
    file: *const c_char,
    line: c_uint,
    function: *const c_char,
    at: u64,
) -> ! {
    // SAFETY: what the C library is to print, so it is terminated.
    let message = if what.is_null() { c"" } else { unsafe { CStr::from_ptr(what) } };
    record(0, at, 0, message.to_bytes());
    // The C library calls its own `abort` behind this, which nobody stands in front of.
    // SAFETY: the arguments are the program's.
    unsafe { real::__assert_fail(what, file, line, function) }
}

/// Watches for signals that end a program, where the program leaves them alone.
pub(crate) fn watch() {
    for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL] {
        // SAFETY: zeroes are a valid `sigaction`; the handler keeps to its type.
        unsafe {
            let mut before: libc::sigaction = core::mem::zeroed();
            if libc::sigaction(signal, core::ptr::null(), &mut before) != 0
                || before.sa_sigaction != libc::SIG_DFL
            {
                continue;
            }
            let mut ours: libc::sigaction = core::mem::zeroed();
            ours.sa_sigaction = fatal as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
            ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESETHAND;
            libc::sigaction(signal, &ours, core::ptr::null_mut());
        }
    }
}

/// Notes where it happened. The signal is the system's again by now, so the instruction is executed once more and the
/// process ends as it would have.
extern "C" fn fatal(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel gives both to a handler with `SA_SIGINFO`.
    let (sent, address, at, stack) = unsafe {
        let registers = &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        (
            (*info).si_code <= 0,
            (*info).si_addr() as u64,
            registers[libc::REG_RIP as usize] as u64,
            registers[libc::REG_RSP as usize] as u64,
        )
    };
    if !sent {
        crate::memory::forget_write(address);
    }
    let at = crate::modules::place_of_fault(at, stack);
    record(signal as u16, at, if sent { 0 } else { address }, b"");
    if sent {
        // Nobody's instruction: it has to be sent once more.
        // SAFETY: nothing to promise.
        unsafe { libc::raise(signal) };
    }
}
