//! Calls that wait for something outside the program: what the thread did to memory before has happened, which nobody
//! would be told of until the wait is over.

use libc::{
    c_int, epoll_event, fd_set, nfds_t, pid_t, pollfd, siginfo_t, sigset_t, sockaddr, socklen_t, timespec,
    timeval,
};

use crate::memory;
use crate::real::real;

macro_rules! settled {
    ($($name:ident($($arg:ident: $ty:ty),*) -> $ret:ty;)*) => {
        mod real {
            use super::*;
            super::real! { $(fn $name($($arg: $ty),*) -> $ret;)* }
        }

        $(
            #[unsafe(no_mangle)]
            unsafe extern "C-unwind" fn $name($($arg: $ty),*) -> $ret {
                memory::settle();
                // SAFETY: the arguments are the program's.
                unsafe { real::$name($($arg),*) }
            }
        )*
    };
}

settled! {
    poll(files: *mut pollfd, count: nfds_t, time: c_int) -> c_int;
    ppoll(files: *mut pollfd, count: nfds_t, time: *const timespec, mask: *const sigset_t) -> c_int;
    select(count: c_int, read: *mut fd_set, write: *mut fd_set, error: *mut fd_set, time: *mut timeval) -> c_int;
    pselect(
        count: c_int, read: *mut fd_set, write: *mut fd_set, error: *mut fd_set, time: *const timespec,
        mask: *const sigset_t
    ) -> c_int;
    epoll_wait(file: c_int, events: *mut epoll_event, count: c_int, time: c_int) -> c_int;
    epoll_pwait(
        file: c_int, events: *mut epoll_event, count: c_int, time: c_int, mask: *const sigset_t
    ) -> c_int;
    pause() -> c_int;
    accept(file: c_int, address: *mut sockaddr, length: *mut socklen_t) -> c_int;
    accept4(file: c_int, address: *mut sockaddr, length: *mut socklen_t, flags: c_int) -> c_int;
    sigwait(mask: *const sigset_t, signal: *mut c_int) -> c_int;
    sigwaitinfo(mask: *const sigset_t, info: *mut siginfo_t) -> c_int;
    sigtimedwait(mask: *const sigset_t, info: *mut siginfo_t, time: *const timespec) -> c_int;
    waitpid(process: pid_t, status: *mut c_int, options: c_int) -> pid_t;
}
