//! Codes of memory accesses: reading or writing, how many bytes, volatile or not.

/// Codes begin here; they are also the first byte of a compact record.
pub const FIRST: u8 = 64;
/// Codes end before this.
pub const END: u8 = 128;

const WRITE: u8 = 8;
const VOLATILE: u8 = 16;
const EARLIER: u8 = 32;

/// A read of `1 << log2` bytes.
#[inline(always)]
pub const fn read(log2: u8) -> u8 {
    FIRST | log2
}

/// A write of `1 << log2` bytes.
#[inline(always)]
pub const fn write(log2: u8) -> u8 {
    FIRST | WRITE | log2
}

/// The same access, of a variable that is volatile.
#[inline(always)]
pub const fn volatile(code: u8) -> u8 {
    code | VOLATILE
}

/// A write that was announced before the read that precedes it: compilers announce copies so, but what is written is known
/// last.
#[inline(always)]
pub const fn earlier(code: u8) -> u8 {
    code | EARLIER
}

/// Was it announced before the read that precedes it?
#[inline(always)]
pub const fn is_earlier(code: u8) -> bool {
    code & EARLIER != 0
}

/// Does it write?
#[inline(always)]
pub const fn is_write(code: u8) -> bool {
    code & WRITE != 0
}

/// Is the variable volatile?
#[inline(always)]
pub const fn is_volatile(code: u8) -> bool {
    code & VOLATILE != 0
}

/// How many bytes, 1 to 16.
#[inline(always)]
pub const fn size(code: u8) -> u8 {
    1 << (code & 7)
}

/// Is this a code?
#[inline(always)]
pub const fn is_code(byte: u8) -> bool {
    byte >= FIRST && byte < END && byte & 7 <= 4
}
