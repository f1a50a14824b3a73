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
//! | `rsi` | where the program is, from the executable's beginning |
//! | `rax` | the ticket |
//! | `rcx` | where the thread's own words are ([`Here`]), from the thread pointer |
//! | `r9` | where the record goes |
//! | `r11` | the stamp, for which records may be written |

use core::mem::offset_of;
use core::sync::atomic::{AtomicU8, Ordering};

use libc::{c_int, pthread_mutex_t};
use warpath_light_format::Kind;
use warpath_light_format::compact::{BIT, PLACE};
use warpath_light_format::kind::outcome as o;

use super::{mutex, ticket};
use crate::control::STAMP;
use crate::here::Here;
use crate::local::BUSY;
use crate::process::BASE;
use crate::tsan::quick::finish_now;

const LOCKED: u64 = (Kind::Lock as u8 | BIT) as u64;
const TRIED: u64 = LOCKED | ((o::TRY * 16 + o::DONE) as u64) << 56;
const UNLOCKED: u64 = (Kind::Unlock as u8 | BIT) as u64;
const BOTH: u64 = (Kind::LockUnlock as u8 | BIT) as u64;

// As the instructions have them.
const _: () =
    assert!(PLACE == 24 && ticket::BLOCK == 256 && ticket::LINK == 3 && o::BLOCK == 0 && o::DONE == 0);

/// Is all as usual? Then `r11` is the stamp, `r8d` the thread's number; else goes to 9.
macro_rules! usual {
    () => {
        concat!(
            "2:\n",
            "mov rcx, qword ptr [rip + warpath_here@GOTTPOFF]\n",
            "mov r11, qword ptr [rip + {program}]\n",
            "cmp r11, qword ptr fs:[rcx + {stamp}]\njne 9f\n",
            "mov r8d, dword ptr fs:[rcx + {tid}]\n",
            "test r8d, r8d\nje 9f\n",
            // Its kind, with all flags; and the write that may be pending.
            "mov eax, dword ptr [rdi + 16]\n",
            "or rax, qword ptr fs:[rcx + {pending}]\njne 8f\n",
        )
    };
}

/// The next ticket in `rax`, the place in `rsi`; goes to 7 if there is none, or if they are too large for a short record.
macro_rules! ticket {
    () => {
        concat!(
            "mov rax, qword ptr [rdi + 24]\n",
            "mov rsi, qword ptr [rsp]\n",
            "mov r10, rdi\nnot r10\ncmp r10, qword ptr [rdi + 32]\njne 7f\n",
            "sub rsi, qword ptr [rip + {base}]\n",
            "test al, al\nje 7f\n",
            "cmp rsi, 0xffffff\nja 7f\n",
            "add rax, 1\n",
            "mov r10d, eax\ncmp r10, rax\njne 7f\n",
        )
    };
}

/// Behind the usual way. A pending write is recorded, and then it is tried again; what may not be usual goes to `{other}`.
macro_rules! unusual {
    () => {
        concat!(
            "8:\n",
            "cmp qword ptr fs:[rcx + {pending}], 0\nje 9f\n",
            "push rdi\ncall {finish}\npop rdi\n",
            "test al, al\njne 2b\n",
            "9:\n",
            "mov rsi, qword ptr [rsp]\n",
            "jmp {other}\n",
        )
    };
}

/// Takes the mutex. `$first` is its record's first word, but for the address; `$other` does everything else, and `$taken`
/// records a mutex that was taken here.
macro_rules! take {
    ($name:ident, $first:expr, $other:path, $taken:path) => {
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn $name() {
            core::arch::naked_asm!(
                usual!(),
                "mov edx, 1",
                "lock cmpxchg dword ptr [rdi], edx",
                "jne 9f",
                "mov dword ptr [rdi + 8], r8d",
                "add dword ptr [rdi + 12], 1",
                ticket!(),
                "mov qword ptr fs:[rcx + {stamp}], {busy}",
                "mov r9, qword ptr fs:[rcx + {cursor}]",
                "lea r10, [r9 + 16]",
                "cmp r10, qword ptr fs:[rcx + {soft}]",
                "ja 6f",
                "mov qword ptr [rdi + 24], rax",
                "shl rax, 24",
                "shl rdi, 8",
                "or rax, rsi",
                "mov rdx, {first}",
                "or rdi, rdx",
                "mov qword ptr [r9 + 8], rax",
                "mov qword ptr [r9], rdi",
                "mov qword ptr fs:[rcx + {lock}], r10",
                "mov qword ptr fs:[rcx + {cursor}], r10",
                "mov qword ptr fs:[rcx + {stamp}], r11",
                "xor eax, eax",
                "ret",
                "6:",
                "mov qword ptr fs:[rcx + {stamp}], r11",
                "7:",
                "mov rsi, qword ptr [rsp]",
                "jmp {taken}",
                unusual!(),
                program = sym STAMP,
                base = sym BASE,
                stamp = const offset_of!(Here, stamp),
                tid = const offset_of!(Here, tid),
                pending = const offset_of!(Here, pending),
                cursor = const offset_of!(Here, cursor),
                lock = const offset_of!(Here, lock),
                soft = const offset_of!(Here, soft),
                busy = const BUSY as i64,
                first = const $first as i64,
                finish = sym finish_now,
                other = sym $other,
                taken = sym $taken,
            )
        }
    };
}

take!(pthread_mutex_lock, LOCKED, mutex::lock, mutex::taken);
take!(pthread_mutex_trylock, TRIED, mutex::trylock, mutex::taken_at_once);

/// Records that the mutex is released, and releases it. If nothing was recorded since it was taken, the record of that
/// becomes one of both ([`warpath_light_format::compact::pair`]).
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C-unwind" fn pthread_mutex_unlock() {
    core::arch::naked_asm!(
        usual!(),
        ticket!(),
        "mov qword ptr fs:[rcx + {stamp}], {busy}",
        "mov r9, qword ptr fs:[rcx + {cursor}]",
        "mov r10, rdi",
        "shl r10, 8",
        "cmp r9, qword ptr fs:[rcx + {lock}]",
        "jne 4f",
        "lea rdx, [r10 + {locked}]",
        "cmp rdx, qword ptr [r9 - 16]",
        "jne 4f",
        // The same ticket but one? Then what is left is its place.
        "mov rdx, rax",
        "shl rdx, 24",
        "neg rdx",
        "add rdx, qword ptr [r9 - 8]",
        "add rdx, 0x1000000",
        "cmp rdx, 0xffffff",
        "ja 4f",
        "mov r8, rsi",
        "sub r8, rdx",
        "movsx rdx, r8w",
        "cmp rdx, r8",
        "jne 4f",
        "mov byte ptr [r9 - 1], r8b",
        "shr r8, 8",
        "shl r8, 56",
        "lea r10, [r10 + r8 + {both}]",
        "mov qword ptr [r9 - 16], r10",
        "3:",
        "mov qword ptr [rdi + 24], rax",
        "mov qword ptr fs:[rcx + {stamp}], r11",
        // While somebody waits the word is another, and the C library wakes them.
        "mov r8d, dword ptr [rdi + 8]",
        "mov dword ptr [rdi + 8], 0",
        "sub dword ptr [rdi + 12], 1",
        "mov eax, 1",
        "xor edx, edx",
        "lock cmpxchg dword ptr [rdi], edx",
        "jne 5f",
        "xor eax, eax",
        "ret",
        "5:",
        "mov dword ptr [rdi + 8], r8d",
        "add dword ptr [rdi + 12], 1",
        "jmp {release}",
        // A record of its own.
        "4:",
        "lea rdx, [r9 + 16]",
        "cmp rdx, qword ptr fs:[rcx + {soft}]",
        "ja 6f",
        "mov r8, rax",
        "shl r8, 24",
        "or r8, rsi",
        "add r10, {unlocked}",
        "mov qword ptr [r9 + 8], r8",
        "mov qword ptr [r9], r10",
        "mov qword ptr fs:[rcx + {cursor}], rdx",
        "jmp 3b",
        "6:",
        "mov qword ptr fs:[rcx + {stamp}], r11",
        "7:",
        "jmp 9f",
        unusual!(),
        program = sym STAMP,
        base = sym BASE,
        stamp = const offset_of!(Here, stamp),
        tid = const offset_of!(Here, tid),
        pending = const offset_of!(Here, pending),
        cursor = const offset_of!(Here, cursor),
        lock = const offset_of!(Here, lock),
        soft = const offset_of!(Here, soft),
        busy = const BUSY as i64,
        locked = const LOCKED,
        unlocked = const UNLOCKED,
        both = const BOTH,
        finish = sym finish_now,
        release = sym mutex::release,
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
