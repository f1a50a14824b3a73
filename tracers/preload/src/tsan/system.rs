//! Calls behind which memory may be gone, and calls that take time: what a thread has written is noted before, and the
//! time on both sides.

use core::ffi::{c_int, c_uint, c_void};

use libc::{clockid_t, timespec};

use crate::real::real;
use crate::{local, memory};

mod real {
    use super::*;
    super::real! {
        fn munmap(address: *mut c_void, size: usize) -> c_int;
        fn mprotect(address: *mut c_void, size: usize, protection: c_int) -> c_int;
        fn madvise(address: *mut c_void, size: usize, advice: c_int) -> c_int;
        fn mremap(address: *mut c_void, size: usize, new: usize, flags: c_int, to: *mut c_void) -> *mut c_void;
        fn shmdt(address: *const c_void) -> c_int;
        fn dlclose(handle: *mut c_void) -> c_int;
        fn sched_yield() -> c_int;
        fn sleep(seconds: c_uint) -> c_uint;
        fn usleep(microseconds: c_uint) -> c_int;
        fn nanosleep(time: *const timespec, rest: *mut timespec) -> c_int;
        fn clock_nanosleep(clock: clockid_t, flags: c_int, time: *const timespec, rest: *mut timespec) -> c_int;
    }
}

macro_rules! settled {
    ($($name:ident($($arg:ident: $ty:ty),*) -> $ret:ty;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name($($arg: $ty),*) -> $ret {
            memory::settle();
            // SAFETY: the arguments are the program's.
            unsafe { real::$name($($arg),*) }
        }
    )*};
}

settled! {
    munmap(address: *mut c_void, size: usize) -> c_int;
    mprotect(address: *mut c_void, size: usize, protection: c_int) -> c_int;
    madvise(address: *mut c_void, size: usize, advice: c_int) -> c_int;
    mremap(address: *mut c_void, size: usize, new: usize, flags: c_int, to: *mut c_void) -> *mut c_void;
    shmdt(address: *const c_void) -> c_int;
    dlclose(handle: *mut c_void) -> c_int;
}

macro_rules! timed {
    ($($name:ident($($arg:ident: $ty:ty),*) -> $ret:ty;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name($($arg: $ty),*) -> $ret {
            local::mark();
            // SAFETY: the arguments are the program's.
            let answer = unsafe { real::$name($($arg),*) };
            local::mark_soon();
            answer
        }
    )*};
}

timed! {
    sched_yield() -> c_int;
    sleep(seconds: c_uint) -> c_uint;
    usleep(microseconds: c_uint) -> c_int;
    nanosleep(time: *const timespec, rest: *mut timespec) -> c_int;
    clock_nanosleep(clock: clockid_t, flags: c_int, time: *const timespec, rest: *mut timespec) -> c_int;
}
