//! The running thread's own few words: where its next record goes, and whether it may simply go there.
//!
//! Rust's thread-local variables of a shared library are found by a function call. These are at a fixed distance from the
//! thread pointer, which is possible because the library is there when the program starts (the "initial-exec" model of
//! the linker): two instructions find them.

use core::cell::Cell;

use crate::again::{Known, Places};
use crate::foretold::Foretold;
use crate::local::{State, Thread};

/// What a thread has at hand. All zeroes at first.
#[repr(C, align(64))]
pub(crate) struct Here {
    /// Where the next record goes.
    pub(crate) cursor: Cell<*mut u64>,
    /// A record that would end behind this needs [`crate::local::room`].
    pub(crate) soft: Cell<*mut u64>,
    /// The value of [`crate::control::STAMP`] for which this thread may write records at once. Never equal to it while a
    /// record is being written: what a signal handler records then goes another way.
    pub(crate) stamp: Cell<u64>,
    /// Address of the write that has been announced and not yet been recorded, since its value was not there yet; 0 if
    /// there is none.
    pub(crate) pending: Cell<u64>,
    /// Where in the program it is, and its code in the upper eight bits.
    pub(crate) pending_at: Cell<u64>,
    /// The kernel's number of the thread, if [`crate::calls::quick`] may take mutexes for it; else 0.
    pub(crate) tid: Cell<u32>,
    /// What accesses are foretold by ([`crate::foretold`]).
    pub(crate) foretold: Cell<*mut Foretold>,
    /// Where the record ends of the lock that it took last; null if that is in another segment.
    pub(crate) lock: Cell<*mut u64>,
    /// That mutex, if its record has the briefest form; else 0.
    pub(crate) held: Cell<u64>,
    /// The ticket in that record.
    pub(crate) held_ticket: Cell<u64>,
    /// What that record was foretold by.
    pub(crate) held_at: Cell<*const Known>,
    /// What mutexes are foretold by ([`crate::again`]).
    pub(crate) places: Cell<*mut Places>,
    /// How many bytes the pending write has, if they are a range.
    pub(crate) pending_size: Cell<u64>,
    /// The thread's memory.
    pub(crate) thread: Cell<*mut Thread>,
    /// Whether it is recorded.
    pub(crate) state: Cell<State>,
    /// Blocks of storage that it has allocated.
    pub(crate) blocks: Cell<u64>,
    /// Where `operator new` or `delete` is called from that is running; 0 if none is.
    pub(crate) operator_at: Cell<u64>,
    /// It has been in an instrumented function.
    pub(crate) entered: Cell<bool>,
    /// The C library's allocator is being looked for.
    pub(crate) searching: Cell<bool>,
}

const SIZE: usize = 192;
const _: () = assert!(size_of::<Here>() <= SIZE);

core::arch::global_asm!(
    ".section .tbss.warpath_here,\"awT\",@nobits",
    ".p2align 6",
    ".globl warpath_here",
    ".hidden warpath_here",
    ".type warpath_here,@object",
    ".size warpath_here,{size}",
    "warpath_here:",
    ".zero {size}",
    ".previous",
    size = const SIZE,
);

/// The running thread's words.
#[inline(always)]
pub(crate) fn here() -> &'static Here {
    let found: *const Here;
    // SAFETY: reads the thread pointer and a constant of the linker.
    unsafe {
        core::arch::asm!(
            "mov {found}, qword ptr fs:[0]",
            "add {found}, qword ptr [rip + warpath_here@GOTTPOFF]",
            found = out(reg) found,
            options(pure, nomem, nostack),
        );
    }
    // SAFETY: memory of this thread, large enough, zero at first, which every field may be; only this thread and its
    // signal handlers use it, through cells.
    unsafe { &*found }
}
