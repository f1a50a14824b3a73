//! The usual way of an announced access, in as few instructions as it takes: programs announce hundreds of millions of them
//! in a second. What is not usual goes to [`crate::memory`], which does the same in other words.
//!
//! | register | what |
//! |---|---|
//! | `rdi` | the address, as the program gives it |
//! | `rsi` | where the program is |
//! | `rcx` | where the thread's own words are ([`Here`]), from the thread pointer |
//! | `r11` | the stamp, for which records may be written |
//!
//! All registers that are used are the caller's to lose.

use core::mem::offset_of;

use warpath_light_format::Kind;
use warpath_light_format::compact::{BIT, PLACE, TICKET};

use crate::here::Here;
use crate::local::BUSY;
use crate::memory;
use crate::process::BASE;

pub(super) const CURSOR: usize = offset_of!(Here, cursor);
pub(super) const SOFT: usize = offset_of!(Here, soft);
pub(super) const STAMPED: usize = offset_of!(Here, stamp);
pub(super) const PENDING: usize = offset_of!(Here, pending);
pub(super) const PENDING_AT: usize = offset_of!(Here, pending_at);

/// Records an access in the usual way or hands it on, with the address that the function returns to: `$way` is how.
macro_rules! quick {
    ($($way:ident $($name:ident)+ => $code:expr;)*) => {$($(
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            $way!($code)
        }
    )+)*};
}

/// A read: `$load` loads its value, which has no more bits than a record of two words has room for if `$fits` says so.
macro_rules! read_with {
    ($code:expr, $load:literal, $fits:literal) => {
        core::arch::naked_asm!(
            "mov rcx, qword ptr [rip + warpath_here@GOTTPOFF]",
            "mov r11, qword ptr [rip + {program}]",
            "mov rsi, qword ptr [rsp]",
            "cmp r11, qword ptr fs:[rcx + {stamp}]",
            "jne 9f",
            "mov r8, qword ptr fs:[rcx + {pending}]",
            "test r8, r8",
            "jne 5f",
            "2:",
            $load,
            $fits,
            "mov r9, qword ptr fs:[rcx + {cursor}]",
            "sub rsi, qword ptr [rip + {base}]",
            "mov qword ptr fs:[rcx + {stamp}], {busy}",
            "cmp rsi, 0xffffff",
            "ja 8f",
            "lea r10, [r9 + 16]",
            "mov rdx, rax",
            "shl rax, 24",
            "or rax, rsi",
            "cmp r10, qword ptr fs:[rcx + {soft}]",
            "ja 8f",
            "shr rdx, {ticket}",
            "shl rdx, 56",
            "shl rdi, 8",
            "lea rdx, [rdx + rdi + {code}]",
            "mov qword ptr [r9 + 8], rax",
            "mov qword ptr [r9], rdx",
            "mov qword ptr fs:[rcx + {cursor}], r10",
            "mov qword ptr fs:[rcx + {stamp}], r11",
            "ret",
            // The value needs a word of its own.
            "7:",
            "mov r9, qword ptr fs:[rcx + {cursor}]",
            "sub rsi, qword ptr [rip + {base}]",
            "mov qword ptr fs:[rcx + {stamp}], {busy}",
            "cmp rsi, 0xffffff",
            "ja 8f",
            "lea r10, [r9 + 24]",
            "cmp r10, qword ptr fs:[rcx + {soft}]",
            "ja 8f",
            "shl rdi, 8",
            "mov rdx, {code} << 56",
            "lea rdx, [rdx + rdi + {long}]",
            "mov qword ptr [r9 + 16], rax",
            "mov qword ptr [r9 + 8], rsi",
            "mov qword ptr [r9], rdx",
            "mov qword ptr fs:[rcx + {cursor}], r10",
            "mov qword ptr fs:[rcx + {stamp}], r11",
            "ret",
            // A write is pending. If it is of the same size, it may be the first half of a copy.
            "5:",
            "mov r9, qword ptr fs:[rcx + {pending_at}]",
            "mov r10, r9",
            "shr r10, 56",
            "xor r10, {code}",
            "test r10, 0x27",
            "jne 6f",
            "sub r8, rdi",
            "add r8, {size} - 1",
            "cmp r8, 2 * {size} - 1",
            "jb 6f",
            "bts r9, 61",
            "mov qword ptr fs:[rcx + {pending_at}], r9",
            "jmp 2b",
            "6:",
            "call {finish}",
            "test eax, eax",
            "jne 2b",
            "jmp 9f",
            "8:",
            "mov qword ptr fs:[rcx + {stamp}], r11",
            "9:",
            "mov rsi, qword ptr [rsp]",
            "mov edx, {code}",
            "jmp {other}",
            program = sym $crate::control::STAMP,
            base = sym $crate::process::BASE,
            stamp = const $crate::tsan::quick::STAMPED,
            pending = const $crate::tsan::quick::PENDING,
            pending_at = const $crate::tsan::quick::PENDING_AT,
            cursor = const $crate::tsan::quick::CURSOR,
            soft = const $crate::tsan::quick::SOFT,
            busy = const $crate::local::BUSY as i64,
            code = const $code,
            size = const warpath_light_format::access::size($code),
            long = const warpath_light_format::Kind::Access as u8 | warpath_light_format::compact::BIT,
            ticket = const warpath_light_format::compact::TICKET,
            finish = sym $crate::tsan::quick::finish,
            other = sym $crate::tsan::quick::other,
        )
    };
}

macro_rules! read1 {
    ($code:expr) => {
        read_with!($code, "movzx eax, byte ptr [rdi]", "")
    };
}

macro_rules! read2 {
    ($code:expr) => {
        read_with!($code, "movzx eax, word ptr [rdi]", "")
    };
}

macro_rules! read4 {
    ($code:expr) => {
        read_with!($code, "mov eax, dword ptr [rdi]", "")
    };
}

macro_rules! read8 {
    ($code:expr) => {
        read_with!($code, "mov rax, qword ptr [rdi]", "mov rdx, rax\nshr rdx, 48\njne 7f")
    };
}

/// A write: it is kept until its value is there.
macro_rules! written {
    ($code:expr) => {
        core::arch::naked_asm!(
            "mov rcx, qword ptr [rip + warpath_here@GOTTPOFF]",
            "mov r11, qword ptr [rip + {program}]",
            "mov rsi, qword ptr [rsp]",
            "cmp r11, qword ptr fs:[rcx + {stamp}]",
            "jne 9f",
            "cmp qword ptr fs:[rcx + {pending}], 0",
            "jne 6f",
            "2:",
            "mov rax, {code} << 56",
            "or rax, rsi",
            "mov qword ptr fs:[rcx + {pending_at}], rax",
            "mov qword ptr fs:[rcx + {pending}], rdi",
            "ret",
            "6:",
            "call {finish}",
            "test eax, eax",
            "jne 2b",
            "9:",
            "mov edx, {code}",
            "jmp {other}",
            program = sym $crate::control::STAMP,
            stamp = const $crate::tsan::quick::STAMPED,
            pending = const $crate::tsan::quick::PENDING,
            pending_at = const $crate::tsan::quick::PENDING_AT,
            code = const $code,
            finish = sym $crate::tsan::quick::finish,
            other = sym $crate::tsan::quick::other,
        )
    };
}

/// Records the write that is pending, of a thread whose stamp is in `r11` and whose words are at `rcx`. In `eax` is whether
/// it could; `rcx`, `rdi`, `rsi` and `r11` stay as they are.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn finish() {
    core::arch::naked_asm!(
        "mov r8, qword ptr fs:[rcx + {pending}]",
        "mov rdx, qword ptr fs:[rcx + {pending_at}]",
        "mov r10, rdx",
        "shr r10, 56",
        "mov r9, r10",
        "and r9, 7",
        "cmp r9, 2",
        "je 4f",
        "ja 5f",
        "test r9, r9",
        "jne 3f",
        "movzx eax, byte ptr [r8]",
        "jmp 7f",
        "3:",
        "movzx eax, word ptr [r8]",
        "jmp 7f",
        "5:",
        "cmp r9, 3",
        "jne 9f",
        "mov rax, qword ptr [r8]",
        "mov r9, rax",
        "shr r9, 48",
        "jne 6f",
        "jmp 7f",
        "4:",
        "mov eax, dword ptr [r8]",
        "7:",
        "shl rdx, 8",
        "shr rdx, 8",
        "sub rdx, qword ptr [rip + {base}]",
        "cmp rdx, 0xffffff",
        "ja 9f",
        "mov qword ptr fs:[rcx + {stamp}], {busy}",
        "mov r9, qword ptr fs:[rcx + {cursor}]",
        "add r9, 16",
        "cmp r9, qword ptr fs:[rcx + {soft}]",
        "ja 8f",
        "mov qword ptr fs:[rcx + {pending}], 0",
        "shl r8, 8",
        "or r8, r10",
        "mov r10, rax",
        "shr r10, {ticket}",
        "shl r10, 56",
        "or r8, r10",
        "shl rax, {place}",
        "or rax, rdx",
        "mov qword ptr [r9 - 8], rax",
        "mov qword ptr [r9 - 16], r8",
        "mov qword ptr fs:[rcx + {cursor}], r9",
        "mov qword ptr fs:[rcx + {stamp}], r11",
        "mov eax, 1",
        "ret",
        // The value needs a word of its own.
        "6:",
        "shl rdx, 8",
        "shr rdx, 8",
        "sub rdx, qword ptr [rip + {base}]",
        "cmp rdx, 0xffffff",
        "ja 9f",
        "mov qword ptr fs:[rcx + {stamp}], {busy}",
        "mov r9, qword ptr fs:[rcx + {cursor}]",
        "add r9, 24",
        "cmp r9, qword ptr fs:[rcx + {soft}]",
        "ja 8f",
        "mov qword ptr fs:[rcx + {pending}], 0",
        "shl r8, 8",
        "shl r10, 56",
        "lea r8, [r8 + r10 + {long}]",
        "mov qword ptr [r9 - 8], rax",
        "mov qword ptr [r9 - 16], rdx",
        "mov qword ptr [r9 - 24], r8",
        "mov qword ptr fs:[rcx + {cursor}], r9",
        "mov qword ptr fs:[rcx + {stamp}], r11",
        "mov eax, 1",
        "ret",
        "8:",
        "mov qword ptr fs:[rcx + {stamp}], r11",
        "9:",
        "xor eax, eax",
        "ret",
        base = sym BASE,
        stamp = const STAMPED,
        pending = const PENDING,
        pending_at = const PENDING_AT,
        cursor = const CURSOR,
        soft = const SOFT,
        busy = const BUSY as i64,
        place = const PLACE,
        ticket = const TICKET,
        long = const Kind::Access as u8 | BIT,
    )
}

/// Everything else.
///
/// # Safety
/// The program accesses that memory next.
pub(super) unsafe extern "C" fn other(address: u64, at: u64, code: u8) {
    // SAFETY: promised by the caller.
    unsafe { memory::announce(code, address, at) }
}

pub(super) use {quick, read_with, read1, read2, read4, read8, written};
