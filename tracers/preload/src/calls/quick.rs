//! The usual way of a plain mutex, in as few instructions as it takes: some programs do little else.
//!
//! The mutex is taken here, as the C library would take it, and its record is written. Whatever is not usual goes to
//! [`super::mutex`]: another kind of mutex, one that somebody else holds, a thread that may not simply write, a ticket from a
//! new block. (Asking for the mutex' line of the cache in advance was tried, and made no difference that could be measured.)
//!
//! What is written into a mutex that is held is the C library's own business: its word, who holds it, and how many use it.
//! [`is_as_known`] looks whether this C library does it as we do; if not, all go the other way.
//!
//! | register | what |
//! |---|---|
//! | `rdi` | the mutex |
//! | `rsi` | where the program is |
//! | `rax` | the ticket |
//! | `rcx` | where the thread's own words are ([`Here`]), from the thread pointer |
//! | `rdx` | what is known of the place ([`crate::again`]) |
//! | `r9` | where the record goes |
//! | `r11` | the stamp, for which records may be written |

use core::mem::offset_of;
use core::sync::atomic::{AtomicU8, Ordering};

use libc::{c_int, pthread_mutex_t};
use warpath_light_format::Kind;
use warpath_light_format::again::{
    ADDRESS, ADDRESS_BITS, ALIGNED, BOTH, RELEASED, TAKEN, TICKET, TICKET_BITS,
};
use warpath_light_format::compact::{BIT, PLACE};
use warpath_light_format::kind::outcome as o;

use super::{mutex, ticket};
use crate::again;
use crate::control::{OFF, STAMP};
use crate::here::Here;
use crate::local::BUSY;
use crate::process::BASE;
use crate::tsan::quick::finish_now;

const TRIED: u64 = (Kind::Lock as u8 | BIT) as u64 | ((o::TRY * 16 + o::DONE) as u64) << 56;

// As the instructions have them.
const _: () = assert!(PLACE == 24 && ticket::BLOCK == 256 && ticket::LINK == 3);
const _: () =
    assert!(ADDRESS == 38 && ADDRESS_BITS == 26 && ALIGNED == 3 && TICKET == 16 && TICKET_BITS == 22);

/// Is all as usual? Then `r11` is the stamp; else goes to 9. A thread has the program's stamp only if mutexes are as known.
macro_rules! usual {
    () => {
        concat!(
            "2:\n",
            "mov rcx, qword ptr [rip + warpath_here@GOTTPOFF]\n",
            "mov r11, qword ptr [rip + {program}]\n",
            "cmp r11, qword ptr fs:[rcx + {stamp}]\njne 9f\n",
            // Its kind, with all flags; and the write that may be pending.
            "mov eax, dword ptr [rdi + 16]\n",
            "or rax, qword ptr fs:[rcx + {pending}]\njne 8f\n",
        )
    };
}

/// Takes the mutex, if nobody has it: else goes to `$busy`.
macro_rules! take {
    ($busy:literal) => {
        concat!(
            "mov r8d, dword ptr fs:[rcx + {tid}]\n",
            "mov edx, 1\n",
            "lock cmpxchg dword ptr [rdi], edx\njne ",
            $busy,
            "\n",
            "mov dword ptr [rdi + 8], r8d\n",
            "add dword ptr [rdi + 12], 1\n",
        )
    };
}

/// Releases the mutex. While somebody waits its word is another, and the C library wakes them.
macro_rules! release {
    () => {
        concat!(
            "mov r8d, dword ptr [rdi + 8]\n",
            "mov dword ptr [rdi + 8], 0\n",
            "sub dword ptr [rdi + 12], 1\n",
            "mov eax, 1\n",
            "xor edx, edx\n",
            "lock cmpxchg dword ptr [rdi], edx\njne 5f\n",
            "xor eax, eax\nret\n",
        )
    };
}

/// The next ticket in `rax`; goes to 7 if there is none.
macro_rules! ticket {
    () => {
        concat!(
            "mov rax, qword ptr [rdi + 24]\n",
            "mov r10, rdi\nnot r10\ncmp r10, qword ptr [rdi + 32]\njne 7f\n",
            "test al, al\nje 7f\n",
            "add rax, 1\n",
        )
    };
}

/// Nothing but this writes from here on: what signal handlers record comes behind it.
macro_rules! busy {
    () => {
        "mov qword ptr fs:[rcx + {stamp}], {busy}\n"
    };
}

/// The record in `r10`, but for its form, and where it ends in `r8`; goes to 6 if nothing is known of the place, or if there
/// is no room.
macro_rules! again {
    () => {
        concat!(
            "mov rsi, qword ptr [rsp]\n",
            "movzx edx, sil\nshl edx, 6\nadd rdx, qword ptr fs:[rcx + {places}]\n",
            "cmp rsi, qword ptr [rdx + {at}]\njne 6f\n",
            "mov r9, rdi\nsub r9, qword ptr [rdx + {address}]\nror r9, 3\n",
            "mov r10, rax\nsub r10, qword ptr [rdx + {ticket}]\n",
            "cmp r9, 0x3ffffff\nja 6f\n",
            "cmp r10, 0x3fffff\nja 6f\n",
            "shl r9, 38\nshl r10, 16\nor r10, r9\n",
            "or r10, qword ptr [rdx + {number}]\n",
            "mov r9, qword ptr fs:[rcx + {cursor}]\n",
            "lea r8, [r9 + 8]\n",
            "cmp r8, qword ptr fs:[rcx + {soft}]\nja 6f\n",
        )
    };
}

/// Behind the usual way. A pending write is recorded, and then it is tried again; what may not be usual goes to 9.
macro_rules! unusual {
    () => {
        concat!(
            "8:\n",
            "cmp qword ptr fs:[rcx + {pending}], 0\nje 9f\n",
            "push rdi\ncall {finish}\npop rdi\n",
            "test al, al\njne 2b\n",
            "mov r11, qword ptr [rip + {program}]\n",
            "9:\n",
        )
    };
}

/// If recording is switched off, a plain mutex is used as the C library would, without asking it; all else goes to 12.
macro_rules! idle {
    () => {
        concat!(
            "cmp r11, {off}\njne 12f\n",
            "mov rcx, qword ptr [rip + warpath_here@GOTTPOFF]\n",
            "cmp dword ptr fs:[rcx + {tid}], 0\nje 12f\n",
            "mov eax, dword ptr [rdi + 16]\n",
            "test eax, eax\njne 12f\n",
        )
    };
}

/// Takes the mutex and records that.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C-unwind" fn pthread_mutex_lock() {
    core::arch::naked_asm!(
        usual!(),
        take!("12f"),
        ticket!(),
        busy!(),
        again!(),
        "mov qword ptr [rdi + 24], rax",
        "or r10, {taken}",
        "mov qword ptr [r9], r10",
        "mov qword ptr fs:[rcx + {held}], rdi",
        "mov qword ptr fs:[rcx + {held_ticket}], rax",
        "mov qword ptr fs:[rcx + {held_at}], rdx",
        "mov qword ptr fs:[rcx + {lock}], r8",
        "mov qword ptr fs:[rcx + {cursor}], r8",
        "mov qword ptr fs:[rcx + {stamp}], r11",
        "xor eax, eax",
        "ret",
        "6:",
        "mov qword ptr fs:[rcx + {stamp}], r11",
        "7:",
        "mov rsi, qword ptr [rsp]",
        "jmp {otherwise}",
        unusual!(),
        idle!(),
        take!("12f"),
        "xor eax, eax",
        "ret",
        "12:",
        "mov rsi, qword ptr [rsp]",
        "jmp {other}",
        program = sym STAMP,
        off = const OFF as i64,
        stamp = const offset_of!(Here, stamp),
        tid = const offset_of!(Here, tid),
        pending = const offset_of!(Here, pending),
        cursor = const offset_of!(Here, cursor),
        soft = const offset_of!(Here, soft),
        lock = const offset_of!(Here, lock),
        held = const offset_of!(Here, held),
        held_ticket = const offset_of!(Here, held_ticket),
        held_at = const offset_of!(Here, held_at),
        places = const offset_of!(Here, places),
        at = const again::AT,
        address = const again::ADDRESS,
        ticket = const again::TICKET,
        number = const again::NUMBER,
        busy = const BUSY as i64,
        taken = const TAKEN,
        finish = sym finish_now,
        otherwise = sym mutex::taken,
        other = sym mutex::lock,
    )
}

/// The same for one that is only tried, in the short form: programs that try do not do it that often.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C-unwind" fn pthread_mutex_trylock() {
    core::arch::naked_asm!(
        usual!(),
        take!("9f"),
        ticket!(),
        "mov rsi, qword ptr [rsp]",
        "sub rsi, qword ptr [rip + {base}]",
        "cmp rsi, 0xffffff",
        "ja 7f",
        "mov r10d, eax",
        "cmp r10, rax",
        "jne 7f",
        busy!(),
        "mov r9, qword ptr fs:[rcx + {cursor}]",
        "lea r10, [r9 + 16]",
        "cmp r10, qword ptr fs:[rcx + {soft}]",
        "ja 6f",
        "mov qword ptr [rdi + 24], rax",
        "shl rax, 24",
        "shl rdi, 8",
        "or rax, rsi",
        "mov rdx, {tried}",
        "or rdi, rdx",
        "mov qword ptr [r9 + 8], rax",
        "mov qword ptr [r9], rdi",
        "mov qword ptr fs:[rcx + {cursor}], r10",
        "mov qword ptr fs:[rcx + {stamp}], r11",
        "xor eax, eax",
        "ret",
        "6:",
        "mov qword ptr fs:[rcx + {stamp}], r11",
        "7:",
        "mov rsi, qword ptr [rsp]",
        "jmp {otherwise}",
        unusual!(),
        "mov rsi, qword ptr [rsp]",
        "jmp {other}",
        program = sym STAMP,
        base = sym BASE,
        stamp = const offset_of!(Here, stamp),
        tid = const offset_of!(Here, tid),
        pending = const offset_of!(Here, pending),
        cursor = const offset_of!(Here, cursor),
        soft = const offset_of!(Here, soft),
        busy = const BUSY as i64,
        tried = const TRIED as i64,
        finish = sym finish_now,
        otherwise = sym mutex::taken_at_once,
        other = sym mutex::trylock,
    )
}

/// Records that the mutex is released, and releases it. If nothing was recorded since it was taken, and it is released where
/// it mostly is, the record of that becomes one of both.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C-unwind" fn pthread_mutex_unlock() {
    core::arch::naked_asm!(
        usual!(),
        "mov rax, qword ptr [rdi + 24]",
        busy!(),
        "mov r9, qword ptr fs:[rcx + {cursor}]",
        "cmp r9, qword ptr fs:[rcx + {lock}]",
        "jne 4f",
        "cmp rdi, qword ptr fs:[rcx + {held}]",
        "jne 4f",
        "cmp rax, qword ptr fs:[rcx + {held_ticket}]",
        "jne 4f",
        "mov rdx, qword ptr fs:[rcx + {held_at}]",
        "mov rsi, qword ptr [rsp]",
        "test al, al",
        "je 6f",
        "cmp rsi, qword ptr [rdx + {place}]",
        "jne 3f",
        "mov byte ptr [r9 - 8], {both}",
        "add rax, 1",
        "mov qword ptr [rdi + 24], rax",
        "mov qword ptr fs:[rcx + {stamp}], r11",
        release!(),
        // Not where it mostly is, or nobody knows yet where that would be.
        "3:",
        "cmp qword ptr [rdx + {place}], 0",
        "je 6f",
        // A record of its own.
        "4:",
        ticket!(),
        again!(),
        "mov qword ptr [rdi + 24], rax",
        "or r10, {released}",
        "mov qword ptr [r9], r10",
        "mov qword ptr fs:[rcx + {cursor}], r8",
        "mov qword ptr fs:[rcx + {stamp}], r11",
        release!(),
        "6:",
        "7:",
        "mov qword ptr fs:[rcx + {stamp}], r11",
        "mov rsi, qword ptr [rsp]",
        "jmp {otherwise}",
        unusual!(),
        idle!(),
        release!(),
        "5:",
        "mov dword ptr [rdi + 8], r8d",
        "add dword ptr [rdi + 12], 1",
        "jmp {release}",
        "12:",
        "mov rsi, qword ptr [rsp]",
        "jmp {other}",
        program = sym STAMP,
        off = const OFF as i64,
        stamp = const offset_of!(Here, stamp),
        tid = const offset_of!(Here, tid),
        pending = const offset_of!(Here, pending),
        cursor = const offset_of!(Here, cursor),
        soft = const offset_of!(Here, soft),
        lock = const offset_of!(Here, lock),
        held = const offset_of!(Here, held),
        held_ticket = const offset_of!(Here, held_ticket),
        held_at = const offset_of!(Here, held_at),
        places = const offset_of!(Here, places),
        at = const again::AT,
        place = const again::RELEASE,
        address = const again::ADDRESS,
        ticket = const again::TICKET,
        number = const again::NUMBER,
        busy = const BUSY as i64,
        both = const BOTH,
        released = const RELEASED,
        finish = sym finish_now,
        release = sym mutex::release,
        otherwise = sym mutex::leave,
        other = sym mutex::unlock,
    )
}

/// Does the C library take and release plain mutexes as the instructions above do? Asked with a mutex of our own.
pub(crate) fn is_as_known() -> bool {
    const UNKNOWN: u8 = 0;
    const YES: u8 = 1;
    const NO: u8 = 2;
    static ANSWER: AtomicU8 = AtomicU8::new(UNKNOWN);
    match ANSWER.load(Ordering::Relaxed) {
        YES => true,
        NO => false,
        _ => {
            let answer = probe();
            ANSWER.store(if answer { YES } else { NO }, Ordering::Relaxed);
            answer
        }
    }
}

fn probe() -> bool {
    type Words = [u32; size_of::<pthread_mutex_t>() / size_of::<u32>()];
    let mut mutex = libc::PTHREAD_MUTEX_INITIALIZER;
    let mutex = &raw mut mutex;
    // SAFETY: a mutex is as large and as aligned, and any bytes are words.
    let words = || unsafe { mutex.cast::<Words>().read_volatile() };
    let mut held: Words = [0; _];
    // SAFETY: always succeeds.
    (held[0], held[2], held[3]) = (1, unsafe { libc::gettid() } as u32, 1);
    // SAFETY: a mutex of ours. The words that are written are what was found in one that is held.
    unsafe {
        let done = |answer: c_int| answer == 0;
        let takes = words() == [0; _] && done(mutex::real::pthread_mutex_lock(mutex)) && words() == held;
        let releases = takes && done(mutex::real::pthread_mutex_unlock(mutex)) && words() == [0; _];
        if !releases {
            return false;
        }
        mutex.cast::<Words>().write_volatile(held);
        mutex::real::pthread_mutex_trylock(mutex) == libc::EBUSY
            && done(mutex::real::pthread_mutex_unlock(mutex))
            && words() == [0; _]
    }
}
