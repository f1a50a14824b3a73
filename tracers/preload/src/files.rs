//! Files, without the C library's buffers and without allocation.

use core::ffi::CStr;

// The C library's own: this library stands in front of them.
use crate::calls::input::real;

/// A path under construction, terminated by a zero.
#[derive(Clone, Copy)]
pub(crate) struct Path {
    bytes: [u8; 512],
    len: usize,
}

impl Path {
    pub(crate) const EMPTY: Path = Path { bytes: [0; 512], len: 0 };

    /// With this appended; cut if it is too long (opening it then fails).
    pub(crate) fn and(mut self, part: &[u8]) -> Path {
        for byte in part.iter().take_while(|byte| **byte != 0) {
            if self.len + 1 < self.bytes.len() {
                self.bytes[self.len] = *byte;
                self.len += 1;
            }
        }
        self
    }

    /// With a number appended.
    pub(crate) fn number(self, number: u64) -> Path {
        let mut digits = [0u8; 20];
        self.and(decimal(number, &mut digits))
    }

    pub(crate) fn as_c(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or(c"")
    }
}

/// The number in decimal digits.
pub(crate) fn decimal(mut number: u64, digits: &mut [u8; 20]) -> &[u8] {
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &digits[first..];
        }
    }
}

/// An open file that is closed at the end.
pub(crate) struct File(pub(crate) i32);

impl File {
    pub(crate) fn open(path: &CStr, flags: i32) -> Option<File> {
        // SAFETY: the path is terminated.
        let fd = unsafe { real::open(path.as_ptr(), flags | libc::O_CLOEXEC, 0o600) };
        (fd >= 0).then_some(File(fd))
    }

    pub(crate) fn write(&self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            // SAFETY: the pointer and length are those of a slice.
            let written = unsafe { libc::write(self.0, bytes.as_ptr().cast(), bytes.len()) };
            match usize::try_from(written) {
                Ok(0) => return false,
                Ok(written) => bytes = bytes.get(written..).unwrap_or(&[]),
                Err(_) if errno() == libc::EINTR => {}
                Err(_) => return false,
            }
        }
        true
    }

    pub(crate) fn read(&self, into: &mut [u8]) -> usize {
        loop {
            // SAFETY: the pointer and length are those of a slice.
            let read = unsafe { real::read(self.0, into.as_mut_ptr().cast(), into.len()) };
            match usize::try_from(read) {
                Ok(read) => return read,
                Err(_) if errno() == libc::EINTR => {}
                Err(_) => return 0,
            }
        }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: ours alone, and closed once.
        unsafe { libc::close(self.0) };
    }
}

/// The last error of this thread.
pub(crate) fn errno() -> i32 {
    // SAFETY: always points to this thread's errno.
    unsafe { *libc::__errno_location() }
}

/// Keeps `errno` as the program has it while we do something.
pub(crate) fn keeping_errno<R>(work: impl FnOnce() -> R) -> R {
    let before = errno();
    let result = work();
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = before };
    result
}

/// A sentence on standard error.
pub(crate) fn complain(what: &[u8], detail: &[u8]) {
    for part in [what, detail, b"\n"] {
        // SAFETY: the pointer and length are those of a slice; that it may fail does not matter here.
        unsafe { libc::write(2, part.as_ptr().cast(), part.len()) };
    }
}
