//! The usual way of an announced access, in as few instructions as it takes: programs announce hundreds of millions of them
//! in a second. What is not usual goes to [`crate::memory`], which does the same in other words.
//!
//! Only this writes accesses in the short forms ([`warpath_light_format::brief`], [`warpath_light_format::compact`]), so
//! only this keeps what they are foretold by.
//!
//! | register | what |
//! |---|---|
//! | `rdi` | the address, as the program gives it |
//! | `rsi` | where the program is; then place and code |
//! | `rax` | the value |
//! | `rcx` | where the thread's own words are ([`Here`]), from the thread pointer |
//! | `rdx` | the slot of the place |
//! | `r9` | where the record goes |
//! | `r11` | the stamp, for which records may be written |
//!
//! All registers that are used are the caller's to lose.

use core::mem::offset_of;

use warpath_light_format::Kind;
use warpath_light_format::brief::{FAR, MIRROR, NEAR, SPREAD};
use warpath_light_format::compact::{BIT, PLACE, TICKET};

use crate::foretold::MIRRORED;
use crate::here::Here;
use crate::local::BUSY;
use crate::memory;
use crate::process::BASE;

pub(super) const CURSOR: usize = offset_of!(Here, cursor);
pub(super) const SOFT: usize = offset_of!(Here, soft);
pub(super) const STAMPED: usize = offset_of!(Here, stamp);
pub(super) const PENDING: usize = offset_of!(Here, pending);
pub(super) const PENDING_AT: usize = offset_of!(Here, pending_at);
pub(super) const FORETOLD: usize = offset_of!(Here, foretold);

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

/// Writes the record of an access, for which there is room: in `esi` are place and code, in `rdx` the slot of its place, in
/// `r10` all that is foretold. `$value` is the register with as many bytes as the access has, `$wide` the one that is written
/// if they have to be, after which the record has `$bytes`. Then comes `$end`.
macro_rules! append {
    ($value:literal, $wide:literal, $bytes:literal, $end:literal) => {
        concat!(
            "mov r8d, edi\nand r8d, {mask}\nadd r8, r10\n",
            "cmp dword ptr [rdx], esi\njne 34f\n",
            "mov r10, rdi\nsub r10, qword ptr [rdx + 8]\nmov qword ptr [rdx + 8], rdi\n",
            "cmp ",
            $value,
            ", [r8 + {mirror}]\njne 32f\n",
            "lea r8, [r10 + 0x80000]\nshr r8, 20\njne 33f\n",
            "shl r10d, 12\nor r10d, dword ptr [rdx + 4]\n",
            "mov dword ptr [r9], r10d\nadd r9, 4\n",
            "31:\nmov qword ptr fs:[rcx + {cursor}], r9\n",
            $end,
            "\n",
            // Another value than was foretold.
            "32:\nmov [r8 + {mirror}], ",
            $value,
            "\n",
            "lea r8, [r10 + 0x80000]\nshr r8, 20\njne 34f\n",
            "shl r10d, 12\nor r10d, dword ptr [rdx + 4]\nor r10d, 0x20\n",
            "mov [r9 + 4], ",
            $wide,
            "\nmov dword ptr [r9], r10d\nadd r9, ",
            $bytes,
            "\njmp 31b\n",
            // Far from where the place accessed before.
            "33:\nmov r8, r10\nshl r8, 24\nsar r8, 24\ncmp r8, r10\njne 34f\n",
            "shl r10, 24\nmov edx, dword ptr [rdx + 4]\nshl edx, 8\nor r10, rdx\nor r10, {far}\n",
            "mov qword ptr [r9], r10\nadd r9, 8\njmp 31b\n",
            // Nothing can be left out.
            "34:\ncall {whole}\n",
            $end,
        )
    };
}

/// A read: `$load` loads its value; the others are as in `append`.
macro_rules! read_with {
    ($code:expr, $load:literal, $value:literal, $wide:literal, $bytes:literal) => {
        core::arch::naked_asm!(
            "mov rcx, qword ptr [rip + warpath_here@GOTTPOFF]",
            "mov r11, qword ptr [rip + {program}]",
            "cmp r11, qword ptr fs:[rcx + {stamp}]",
            "jne 9f",
            // If there is nothing to read, that is recorded, too: the thread must not be busy then.
            $load,
            "mov qword ptr fs:[rcx + {stamp}], {busy}",
            "cmp qword ptr fs:[rcx + {pending}], 0",
            "jne 5f",
            "2:",
            "mov rsi, qword ptr [rsp]",
            "mov r9, qword ptr fs:[rcx + {cursor}]",
            "sub rsi, qword ptr [rip + {base}]",
            "lea r10, [r9 + 24]",
            "cmp rsi, 0xffffff",
            "ja 8f",
            "cmp r10, qword ptr fs:[rcx + {soft}]",
            "ja 8f",
            "mov r10, qword ptr fs:[rcx + {foretold}]",
            "or esi, {code} << 24",
            "imul edx, esi, {spread}",
            "shr edx, 19",
            "and edx, 0x1ff0",
            "add rdx, r10",
            append!($value, $wide, $bytes, "mov qword ptr fs:[rcx + {stamp}], r11\nret"),
            // A write is pending. If it is of the same size, it may be the first half of a copy.
            "5:",
            "mov r8, qword ptr fs:[rcx + {pending}]",
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
            "je 8f",
            $load,
            "jmp 2b",
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
            foretold = const $crate::tsan::quick::FORETOLD,
            mirror = const $crate::foretold::MIRRORED,
            mask = const warpath_light_format::brief::MIRROR - 1,
            spread = const warpath_light_format::brief::SPREAD as i32,
            far = const warpath_light_format::brief::FAR,
            busy = const $crate::local::BUSY as i64,
            code = const $code,
            size = const warpath_light_format::access::size($code),
            whole = sym $crate::tsan::quick::whole,
            finish = sym $crate::tsan::quick::finish,
            other = sym $crate::tsan::quick::other,
        )
    };
}

macro_rules! read1 {
    ($code:expr) => {
        read_with!($code, "movzx eax, byte ptr [rdi]", "al", "eax", "8")
    };
}

macro_rules! read2 {
    ($code:expr) => {
        read_with!($code, "movzx eax, word ptr [rdi]", "ax", "eax", "8")
    };
}

macro_rules! read4 {
    ($code:expr) => {
        read_with!($code, "mov eax, dword ptr [rdi]", "eax", "eax", "8")
    };
}

macro_rules! read8 {
    ($code:expr) => {
        read_with!($code, "mov rax, qword ptr [rdi]", "rax", "rax", "12")
    };
}

/// A write: it is kept until its value is there.
macro_rules! written {
    ($code:expr) => {
        core::arch::naked_asm!(
            "mov rcx, qword ptr [rip + warpath_here@GOTTPOFF]",
            "mov r11, qword ptr [rip + {program}]",
            "cmp r11, qword ptr fs:[rcx + {stamp}]",
            "jne 9f",
            "cmp qword ptr fs:[rcx + {pending}], 0",
            "jne 6f",
            "2:",
            "mov rax, {code} << 56",
            "or rax, qword ptr [rsp]",
            "mov qword ptr fs:[rcx + {pending_at}], rax",
            "mov qword ptr fs:[rcx + {pending}], rdi",
            "ret",
            "6:",
            "mov qword ptr fs:[rcx + {stamp}], {busy}",
            "call {finish}",
            "mov qword ptr fs:[rcx + {stamp}], r11",
            "test eax, eax",
            "jne 2b",
            "9:",
            "mov rsi, qword ptr [rsp]",
            "mov edx, {code}",
            "jmp {other}",
            program = sym $crate::control::STAMP,
            stamp = const $crate::tsan::quick::STAMPED,
            pending = const $crate::tsan::quick::PENDING,
            pending_at = const $crate::tsan::quick::PENDING_AT,
            busy = const $crate::local::BUSY as i64,
            code = const $code,
            finish = sym $crate::tsan::quick::finish,
            other = sym $crate::tsan::quick::other,
        )
    };
}

/// Records the write that is pending, of a thread that is busy and whose words are at `rcx`. In `eax` is whether it could;
/// `rcx`, `rdi` and `r11` stay as they are.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn finish() {
    core::arch::naked_asm!(
        "push rdi",
        "mov rdi, qword ptr fs:[rcx + {pending}]",
        // A signal handler may have been quicker.
        "test rdi, rdi",
        "je 8f",
        "mov rsi, qword ptr fs:[rcx + {pending_at}]",
        "mov r8, rsi",
        "shr r8, 56",
        "shl rsi, 8",
        "shr rsi, 8",
        "sub rsi, qword ptr [rip + {base}]",
        "mov r9, qword ptr fs:[rcx + {cursor}]",
        "lea r10, [r9 + 24]",
        "cmp rsi, 0xffffff",
        "ja 9f",
        "cmp r10, qword ptr fs:[rcx + {soft}]",
        "ja 9f",
        "mov r10d, r8d",
        "shl r10d, 24",
        "or esi, r10d",
        "imul edx, esi, {spread}",
        "shr edx, 19",
        "and edx, 0x1ff0",
        "mov r10, qword ptr fs:[rcx + {foretold}]",
        "add rdx, r10",
        "and r8d, 7",
        "cmp r8d, 2",
        "ja 5f",
        "jb 3f",
        "mov eax, dword ptr [rdi]",
        "mov qword ptr fs:[rcx + {pending}], 0",
        append!("eax", "eax", "8", "mov eax, 1\npop rdi\nret"),
        "5:",
        "cmp r8d, 3",
        "jne 9f",
        "mov rax, qword ptr [rdi]",
        "mov qword ptr fs:[rcx + {pending}], 0",
        append!("rax", "rax", "12", "mov eax, 1\npop rdi\nret"),
        "3:",
        "mov qword ptr fs:[rcx + {pending}], 0",
        "test r8d, r8d",
        "je 4f",
        "movzx eax, word ptr [rdi]",
        append!("ax", "eax", "8", "mov eax, 1\npop rdi\nret"),
        "4:",
        "movzx eax, byte ptr [rdi]",
        append!("al", "eax", "8", "mov eax, 1\npop rdi\nret"),
        "8:",
        "mov eax, 1",
        "pop rdi",
        "ret",
        "9:",
        "xor eax, eax",
        "pop rdi",
        "ret",
        base = sym BASE,
        pending = const PENDING,
        pending_at = const PENDING_AT,
        cursor = const CURSOR,
        soft = const SOFT,
        foretold = const FORETOLD,
        mirror = const MIRRORED,
        mask = const MIRROR - 1,
        spread = const SPREAD as i32,
        far = const FAR,
        whole = sym whole,
    )
}

/// Records the pending write of the running thread in the usual way. Whether it could.
///
/// # Safety
/// There is one, and the program has written.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn finish_now() -> bool {
    core::arch::naked_asm!(
        "mov rcx, qword ptr [rip + warpath_here@GOTTPOFF]",
        "mov r11, qword ptr [rip + {program}]",
        "xor eax, eax",
        "cmp r11, qword ptr fs:[rcx + {stamp}]",
        "jne 9f",
        "mov qword ptr fs:[rcx + {stamp}], {busy}",
        "call {finish}",
        "mov qword ptr fs:[rcx + {stamp}], r11",
        "9:",
        "ret",
        program = sym crate::control::STAMP,
        stamp = const STAMPED,
        busy = const BUSY as i64,
        finish = sym finish,
    )
}

/// Writes an access in a form of two words, or of three if its value needs one, and keeps what the next ones are foretold by.
/// Registers as above; `rcx` and `r11` stay as they are.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn whole() {
    core::arch::naked_asm!(
        "mov dword ptr [rdx], esi",
        "mov qword ptr [rdx + 8], rdi",
        "mov r8, rdx",
        "sub r8, qword ptr fs:[rcx + {foretold}]",
        "shr r8d, 4",
        "mov r10d, r8d",
        "and r10d, 31",
        "shr r8d, 5",
        "shl r8d, 8",
        "lea r8d, [r8 + r10 + {near}]",
        "mov dword ptr [rdx + 4], r8d",
        "mov r8d, edi",
        "and r8d, {mask}",
        "add r8, qword ptr fs:[rcx + {foretold}]",
        "mov edx, esi",
        "shr edx, 24",
        "mov r10d, edx",
        "and r10d, 7",
        "cmp r10d, 2",
        "ja 5f",
        "jb 3f",
        "mov dword ptr [r8 + {mirror}], eax",
        "jmp 6f",
        "5:",
        "mov qword ptr [r8 + {mirror}], rax",
        "jmp 6f",
        "3:",
        "test r10d, r10d",
        "je 4f",
        "mov word ptr [r8 + {mirror}], ax",
        "jmp 6f",
        "4:",
        "mov byte ptr [r8 + {mirror}], al",
        "6:",
        "and esi, 0xffffff",
        "shl rdi, 8",
        "mov r10, rax",
        "shr r10, 48",
        "jne 7f",
        "mov r10, rax",
        "shr r10, {ticket}",
        "shl r10, 56",
        "or rdi, r10",
        "or rdi, rdx",
        "shl rax, {place}",
        "or rax, rsi",
        "mov qword ptr [r9 + 8], rax",
        "mov qword ptr [r9], rdi",
        "add r9, 16",
        "mov qword ptr fs:[rcx + {cursor}], r9",
        "ret",
        // The value needs a word of its own.
        "7:",
        "shl rdx, 56",
        "lea rdi, [rdi + rdx + {long}]",
        "mov qword ptr [r9 + 16], rax",
        "mov qword ptr [r9 + 8], rsi",
        "mov qword ptr [r9], rdi",
        "add r9, 24",
        "mov qword ptr fs:[rcx + {cursor}], r9",
        "ret",
        cursor = const CURSOR,
        foretold = const FORETOLD,
        mirror = const MIRRORED,
        mask = const MIRROR - 1,
        near = const NEAR,
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

pub(super) use {append, quick, read_with, read1, read2, read4, read8, written};
