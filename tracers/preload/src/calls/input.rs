//! Functions that bring data into the program: `open` and its like, `read`, `recv` and theirs.
//!
//! Unless inputs were asked for, each is the C library's own and one look at a flag.

use core::ffi::{CStr, c_char, c_void};

use libc::{FILE, c_int, iovec, mode_t, msghdr, size_t, sockaddr, socklen_t, ssize_t};

use crate::files::keeping_errno;
use crate::inputs::{self, FILES, Opened, SOCKETS, STDIN};
use crate::real::real;

pub(crate) mod real {
    use super::*;
    super::real! {
        fn open(path: *const c_char, flags: c_int, mode: mode_t) -> c_int;
        fn open64(path: *const c_char, flags: c_int, mode: mode_t) -> c_int;
        fn openat(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int;
        fn openat64(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int;
        fn __open_2(path: *const c_char, flags: c_int) -> c_int;
        fn __open64_2(path: *const c_char, flags: c_int) -> c_int;
        fn __openat_2(folder: c_int, path: *const c_char, flags: c_int) -> c_int;
        fn __openat64_2(folder: c_int, path: *const c_char, flags: c_int) -> c_int;
        fn fopen(path: *const c_char, mode: *const c_char) -> *mut FILE;
        fn fopen64(path: *const c_char, mode: *const c_char) -> *mut FILE;
        fn freopen(path: *const c_char, mode: *const c_char, stream: *mut FILE) -> *mut FILE;
        fn freopen64(path: *const c_char, mode: *const c_char, stream: *mut FILE) -> *mut FILE;
        fn fdopen(fd: c_int, mode: *const c_char) -> *mut FILE;
        fn read(fd: c_int, into: *mut c_void, count: size_t) -> ssize_t;
        fn __read_chk(fd: c_int, into: *mut c_void, count: size_t, room: size_t) -> ssize_t;
        fn readv(fd: c_int, places: *const iovec, count: c_int) -> ssize_t;
        fn recv(fd: c_int, into: *mut c_void, count: size_t, flags: c_int) -> ssize_t;
        fn __recv_chk(fd: c_int, into: *mut c_void, count: size_t, room: size_t, flags: c_int) -> ssize_t;
        fn recvfrom(
            fd: c_int, into: *mut c_void, count: size_t, flags: c_int, from: *mut sockaddr, size: *mut socklen_t,
        ) -> ssize_t;
        fn recvmsg(fd: c_int, message: *mut msghdr, flags: c_int) -> ssize_t;
    }
}

/// Says that a file was opened.
fn opened(fd: c_int, path: *const c_char, how: Opened) -> c_int {
    if fd >= 0 && inputs::wants(FILES) && !path.is_null() {
        // SAFETY: the C library has just used it as a path.
        let path = unsafe { CStr::from_ptr(path) };
        keeping_errno(|| inputs::opened(fd, path.to_bytes(), how));
    }
    fd
}

/// The same of a stream.
fn stream(stream: *mut FILE, path: *const c_char, mode: *const c_char) -> *mut FILE {
    if !stream.is_null() && inputs::wants(FILES) && !mode.is_null() {
        // SAFETY: the stream is open, and the C library has just used the mode.
        let (fd, first) = unsafe { (libc::fileno(stream), mode.read() as u8) };
        opened(fd, path, Opened { truncated: first == b'w', created: first != b'r' });
    }
    stream
}

/// Says that bytes were read.
fn took(fd: c_int, into: *mut c_void, count: size_t, answer: ssize_t) -> ssize_t {
    // Longer than the place: a message was cut, and its real length asked for.
    if let Ok(bytes @ 1..) = usize::try_from(answer)
        && inputs::wants(STDIN | SOCKETS)
    {
        let place = iovec { iov_base: into, iov_len: count };
        keeping_errno(|| inputs::took(fd, &[place], bytes.min(count)));
    }
    answer
}

fn took_vectored(fd: c_int, places: *const iovec, count: usize, answer: ssize_t) -> ssize_t {
    if let Ok(bytes @ 1..) = usize::try_from(answer)
        && inputs::wants(STDIN | SOCKETS)
        && !places.is_null()
    {
        // SAFETY: the kernel has just filled these.
        let places = unsafe { core::slice::from_raw_parts(places, count) };
        let room: usize = places.iter().map(|place| place.iov_len).sum();
        keeping_errno(|| inputs::took(fd, places, bytes.min(room)));
    }
    answer
}

/// Functions with the arguments of `open`.
macro_rules! opens {
    ($($name:ident($($argument:ident: $type:ty),*), $path:ident, $flags:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            // SAFETY: the arguments are the program's; a mode that it did not give is not looked at.
            let fd = unsafe { real::$name($($argument),*) };
            let how = Opened { truncated: $flags & libc::O_TRUNC != 0, created: $flags & libc::O_CREAT != 0 };
            opened(fd, $path, how)
        }
    )*};
}

opens! {
    open(path: *const c_char, flags: c_int, mode: mode_t), path, flags;
    open64(path: *const c_char, flags: c_int, mode: mode_t), path, flags;
    openat(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t), path, flags;
    openat64(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t), path, flags;
    __open_2(path: *const c_char, flags: c_int), path, flags;
    __open64_2(path: *const c_char, flags: c_int), path, flags;
    __openat_2(folder: c_int, path: *const c_char, flags: c_int), path, flags;
    __openat64_2(folder: c_int, path: *const c_char, flags: c_int), path, flags;
}

/// Functions with the arguments of `fopen` or `freopen`.
macro_rules! streams {
    ($($name:ident($path:ident, $mode:ident $(, $old:ident)?);)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            $path: *const c_char, $mode: *const c_char $(, $old: *mut FILE)?
        ) -> *mut FILE {
            // SAFETY: the arguments are the program's.
            stream(unsafe { real::$name($path, $mode $(, $old)?) }, $path, $mode)
        }
    )*};
}

streams! {
    fopen(path, mode);
    fopen64(path, mode);
    freopen(path, mode, old);
    freopen64(path, mode, old);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fdopen(fd: c_int, mode: *const c_char) -> *mut FILE {
    if inputs::wants(SOCKETS) {
        keeping_errno(|| inputs::streamed(fd));
    }
    // SAFETY: the arguments are the program's.
    unsafe { real::fdopen(fd, mode) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn read(fd: c_int, into: *mut c_void, count: size_t) -> ssize_t {
    // SAFETY: the arguments are the program's.
    took(fd, into, count, unsafe { real::read(fd, into, count) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __read_chk(fd: c_int, into: *mut c_void, count: size_t, room: size_t) -> ssize_t {
    // SAFETY: the arguments are the program's.
    took(fd, into, count, unsafe { real::__read_chk(fd, into, count, room) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn readv(fd: c_int, places: *const iovec, count: c_int) -> ssize_t {
    // SAFETY: the arguments are the program's.
    took_vectored(fd, places, count.max(0) as usize, unsafe { real::readv(fd, places, count) })
}

/// What is only looked at is still there to be read.
fn peeks(flags: c_int) -> bool {
    flags & libc::MSG_PEEK != 0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn recv(fd: c_int, into: *mut c_void, count: size_t, flags: c_int) -> ssize_t {
    // SAFETY: the arguments are the program's.
    let answer = unsafe { real::recv(fd, into, count, flags) };
    if peeks(flags) { answer } else { took(fd, into, count, answer) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __recv_chk(
    fd: c_int,
    into: *mut c_void,
    count: size_t,
    room: size_t,
    flags: c_int,
) -> ssize_t {
    // SAFETY: the arguments are the program's.
    let answer = unsafe { real::__recv_chk(fd, into, count, room, flags) };
    if peeks(flags) { answer } else { took(fd, into, count, answer) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn recvfrom(
    fd: c_int,
    into: *mut c_void,
    count: size_t,
    flags: c_int,
    from: *mut sockaddr,
    size: *mut socklen_t,
) -> ssize_t {
    // SAFETY: the arguments are the program's.
    let answer = unsafe { real::recvfrom(fd, into, count, flags, from, size) };
    if peeks(flags) { answer } else { took(fd, into, count, answer) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn recvmsg(fd: c_int, message: *mut msghdr, flags: c_int) -> ssize_t {
    // SAFETY: the arguments are the program's.
    let answer = unsafe { real::recvmsg(fd, message, flags) };
    if answer <= 0 || peeks(flags) || message.is_null() {
        return answer;
    }
    // SAFETY: the kernel has just filled it.
    let (places, count) = unsafe { ((*message).msg_iov, (*message).msg_iovlen) };
    took_vectored(fd, places, count, answer)
}
