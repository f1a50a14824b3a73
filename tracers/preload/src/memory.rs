//! Memory accesses of programs that were compiled with `-fsanitize=thread`.
//!
//! A read is announced before it happens, so its value is in memory already. So is a write, whose value is not: it is
//! recorded when the thread is heard of next ([`finish`]).

use core::sync::atomic::{AtomicBool, Ordering, compiler_fence};

use warpath_light_format::plan::Act;
use warpath_light_format::{Head, Kind, access};

use crate::control::{self, STAMP};
use crate::follow::{self, Turn};
use crate::here::{Here, here};
use crate::local;
use crate::tsan::{quick, ranges};

/// In place of a code: the write is of a range.
pub(crate) const RANGE: u64 = 0xfe;
/// The same, of one that was announced before the read that was recorded last.
pub(crate) const EARLIER_RANGE: u64 = 0xff;
/// In place of a code: a read, which is recorded already, but has not happened yet. Only who follows a schedule wants to
/// know.
const DONE: u64 = 0xfd;

static WATCHED: AtomicBool = AtomicBool::new(false);

/// Does the program say what it does to memory? Then the time is marked now and then.
#[inline(always)]
pub(crate) fn watched() -> bool {
    WATCHED.load(Ordering::Relaxed)
}

/// It does, from now on.
pub(crate) fn watch() {
    if !WATCHED.swap(true, Ordering::AcqRel) {
        local::mark_soon();
        local::recount();
    }
}

/// The processor's time stamp counter.
#[inline(always)]
pub(crate) fn time() -> u64 {
    // SAFETY: every x86-64 processor has it.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// An access is about to happen at `address`; the call that says so returns to `at`. `code` is from
/// [`warpath_light_format::access`]. [`crate::tsan::quick`] does the same for what happens most of the time.
///
/// # Safety
/// The program accesses that memory next.
#[inline(always)]
pub(crate) unsafe fn announce(code: u8, address: u64, at: u64) {
    let here = here();
    let program = STAMP.load(Ordering::Relaxed);
    if here.stamp.get() != program {
        if program != control::OFF {
            // SAFETY: promised by the caller.
            unsafe { slow(code, address, at) };
        }
        return;
    }
    // SAFETY: promised by the caller.
    unsafe { note(here, code, address, at) };
}

/// # Safety
/// The program accesses that memory next.
#[inline(always)]
unsafe fn note(here: &Here, code: u8, address: u64, at: u64) {
    if access::is_write(code) {
        finish(here);
        here.pending_at.set(at | (code as u64) << 56);
        here.pending.set(address);
    } else {
        if here.pending.get() != 0 {
            before_read(here, access::size(code).into(), address);
        }
        // SAFETY: promised by the caller.
        unsafe { put(here, code, address, at) };
    }
}

/// A read is announced while a write is pending. If they are of the same size, they may be the two halves of a copy, of
/// which nothing has happened yet: then the write is recorded behind the read, with a note that it came first.
#[inline(never)]
pub(crate) fn before_read(here: &Here, size: u64, address: u64) {
    let code = here.pending_at.get() >> 56;
    let (own, is_earlier) = match code {
        DONE => (0, true),
        RANGE | EARLIER_RANGE => (here.pending_size.get(), code == EARLIER_RANGE),
        code => (access::size(code as u8).into(), access::is_earlier(code as u8)),
    };
    let distance = here.pending.get().abs_diff(address);
    if own != size || is_earlier || distance < size {
        finish_pending(here);
        return;
    }
    let code = if code == RANGE { EARLIER_RANGE } else { access::earlier(code as u8).into() };
    here.pending_at.set(here.pending_at.get() << 8 >> 8 | code << 56);
    follow::memory::completed();
}

/// An access of a thread whose stamp is not the program's: the first one of an episode, one of a signal handler that came
/// in the middle of a record, or one that has to be looked at.
///
/// # Safety
/// The program accesses that memory next.
#[cold]
#[inline(never)]
pub(crate) unsafe fn slow(code: u8, address: u64, at: u64) {
    if !local::recording() {
        return;
    }
    let here = here();
    if access::is_write(code) || here.pending.get() == 0 {
        finish(here);
    } else {
        before_read(here, access::size(code).into(), address);
    }
    let act = if access::is_write(code) { Act::Write } else { Act::Read };
    let turn = follow::memory::access(act, address, access::size(code).into(), at);
    if access::is_write(code) {
        here.pending_at.set(at | (code as u64) << 56);
        here.pending.set(address);
    } else {
        // SAFETY: promised by the caller.
        unsafe { put(here, code, address, at) };
    }
    postpone(here, turn, address);
}

/// An access that is a step of a schedule is done when the thread is heard of next.
pub(crate) fn postpone(here: &Here, turn: Turn, address: u64) {
    if follow::memory::postpone(turn) && here.pending.get() == 0 {
        here.pending_at.set(DONE << 56);
        here.pending.set(address);
    }
}

/// Records the write that was announced, whose value is in memory by now. To be called before anything else happens.
#[inline(always)]
pub(crate) fn finish(here: &Here) {
    if here.pending.get() != 0 {
        finish_pending(here);
    }
}

#[inline(never)]
fn finish_pending(here: &Here) {
    // SAFETY: the program has just written there.
    if unsafe { quick::finish_now() } {
        return;
    }
    let Some((address, code, at)) = take_pending(here) else { return };
    // SAFETY: the program has just written there.
    unsafe {
        match code {
            DONE => {}
            RANGE | EARLIER_RANGE => {
                let earlier = u16::from(code == EARLIER_RANGE);
                ranges::put(here, Kind::RangeWrite, earlier, address, here.pending_size.get(), at);
            }
            _ => put(here, code as u8, address, at),
        }
    }
    follow::memory::completed();
}

/// The write that is pending no more, its code and its place. None if a signal handler, which finishes what it finds before
/// it does something of its own, was quicker.
fn take_pending(here: &Here) -> Option<(u64, u64, u64)> {
    loop {
        let (address, place) = (here.pending.get(), here.pending_at.get());
        compiler_fence(Ordering::SeqCst);
        // Address and place must be of the same write: of another size it might reach into memory that is not there.
        if address != here.pending.get() || place != here.pending_at.get() {
            continue;
        }
        here.pending.set(0);
        return (address != 0).then_some((address, place >> 56, place << 8 >> 8));
    }
}

/// Finishes what the running thread has begun: what follows may change or unmap the memory.
#[inline(always)]
pub(crate) fn settle() {
    finish(here());
}

/// Before a fork: the child has the same memory, and is another process.
pub(crate) extern "C" fn settle_before_fork() {
    settle();
}

/// Forgets a write that faulted.
pub(crate) fn forget_write(address: u64) {
    let here = here();
    let size = match here.pending_at.get() >> 56 {
        RANGE | EARLIER_RANGE => here.pending_size.get(),
        code => access::size(code as u8).into(),
    };
    if address.wrapping_sub(here.pending.get()) < size {
        here.pending.set(0);
    }
}

/// What is in memory, for whoever asks: other threads may write there at the same time, the address may be null or the
/// memory gone, and the program has to answer for all of that. To Rust such a read means nothing; to the processor it does.
macro_rules! load {
    ($instruction:literal, $address:expr) => {{
        let value: u64;
        core::arch::asm!(
            $instruction,
            address = in(reg) $address,
            value = out(reg) value,
            options(nostack, readonly, preserves_flags),
        );
        value
    }};
}

/// Records an access with the value that is in memory now, in the long form: the others are for [`quick`] alone, which
/// knows what may be left out.
///
/// # Safety
/// The memory is there.
unsafe fn put(here: &Here, code: u8, address: u64, at: u64) {
    // SAFETY: promised by the caller.
    let value = unsafe {
        match access::size(code) {
            1 => load!("movzx {value:e}, byte ptr [{address}]", address),
            2 => load!("movzx {value:e}, word ptr [{address}]", address),
            4 => load!("mov {value:e}, dword ptr [{address}]", address),
            8 => load!("mov {value}, qword ptr [{address}]", address),
            _ => return put_wide(here, code, address, at),
        }
    };
    let head = Head { kind: Kind::Access as u8, words: 4, a: code.into(), b: 0 };
    local::write(here, &[head.pack(), at, address, value]);
}

/// # Safety
/// The memory is there.
#[inline(never)]
unsafe fn put_wide(here: &Here, code: u8, address: u64, at: u64) {
    // SAFETY: promised by the caller.
    let (low, high) = unsafe {
        (
            load!("mov {value}, qword ptr [{address}]", address),
            load!("mov {value}, qword ptr [{address} + 8]", address),
        )
    };
    let head = Head { kind: Kind::Access as u8, words: 5, a: code.into(), b: 0 };
    local::write(here, &[head.pack(), at, address, low, high]);
}

/// Bytes of a stack whose size nobody says.
fn usual_stack() -> u64 {
    const LARGEST: u64 = 64 << 20;
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is to a variable of ours.
    unsafe { libc::getrlimit(libc::RLIMIT_STACK, &mut limit) };
    limit.rlim_cur.clamp(1 << 20, LARGEST)
}

/// The stack of the thread that runs when the library is loaded.
pub(crate) fn first_stack() -> (u64, u64) {
    let here = 0u8;
    let top = (&raw const here) as u64;
    (top.saturating_sub(usual_stack()), top)
}

/// The stack of the running thread, of this size if it was created with one. Its upper end is the thread's control
/// block, which is as far from the thread's frames in every run.
pub(crate) fn own_stack(size: usize) -> (u64, u64) {
    // SAFETY: always succeeds.
    let top = unsafe { libc::pthread_self() } as u64;
    let size = if size == 0 { usual_stack() } else { size as u64 };
    (top.saturating_sub(size), top)
}
