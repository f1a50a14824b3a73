//! Storage that the program allocates and frees, recorded where the program says what it does to memory.
//!
//! The C library's functions do the work; ours look them up when they are first called. Looking up may allocate, too: that
//! is served from a small reserve, and never given back.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use warpath_light_format::plan::Act;
use warpath_light_format::{Kind, compact};

use crate::follow;
use crate::here::here;
use crate::interpose::interpose;
use crate::real::Real;
use crate::{local, memory, modules, process, tsan};

interpose! {
    malloc "rsi" => ours_malloc;
    calloc "rdx" => ours_calloc;
    realloc "rdx" => ours_realloc;
    free "rsi" => ours_free;
    aligned_alloc "rdx" => ours_aligned;
    memalign "rdx" => ours_memalign;
    posix_memalign "rcx" => ours_posix_memalign;
    valloc "rsi" => ours_valloc;
    pvalloc "rsi" => ours_pvalloc;
}

macro_rules! allocator {
    ($($name:ident = $c_name:literal ($($arg:ident: $ty:ty),*) -> $ret:ty, else $reserve:expr;)*) => {$(
        /// # Safety
        /// As the C function's.
        unsafe fn $name($($arg: $ty),*) -> $ret {
            static REAL: Real = Real::new($c_name);
            let here = here();
            let Some(address) = REAL.known().or_else(|| {
                (!here.searching.replace(true)).then(|| {
                    let found = REAL.address();
                    here.searching.set(false);
                    found
                })
            }) else {
                return $reserve;
            };
            // SAFETY: the address is that of the C function, which has this type.
            unsafe {
                let function = core::mem::transmute::<*mut c_void, unsafe extern "C" fn($($ty),*) -> $ret>(address);
                function($($arg),*)
            }
        }
    )*};
}

allocator! {
    real_malloc = c"malloc" (size: usize) -> *mut c_void, else reserve(size, 16);
    real_calloc = c"calloc" (count: usize, size: usize) -> *mut c_void, else reserve(count.saturating_mul(size), 16);
    real_realloc = c"realloc" (block: *mut c_void, size: usize) -> *mut c_void, else reserve(size, 16);
    real_free = c"free" (block: *mut c_void) -> (), else keep(block);
    real_aligned_alloc = c"aligned_alloc" (align: usize, size: usize) -> *mut c_void, else reserve(size, align);
    real_memalign = c"memalign" (align: usize, size: usize) -> *mut c_void, else reserve(size, align);
    real_posix_memalign = c"posix_memalign" (
        block: *mut *mut c_void, align: usize, size: usize
    ) -> c_int, else libc::ENOMEM;
    real_valloc = c"valloc" (size: usize) -> *mut c_void, else reserve(size, 4096);
    real_pvalloc = c"pvalloc" (size: usize) -> *mut c_void, else reserve(size, 4096);
    real_usable_size = c"malloc_usable_size" (block: *mut c_void) -> usize, else 0;
}

const RESERVE: usize = 1 << 16;

#[repr(align(4096))]
struct Reserve(core::cell::UnsafeCell<[u8; RESERVE]>);

// SAFETY: each part is given out once.
unsafe impl Sync for Reserve {}

static MEMORY: Reserve = Reserve(core::cell::UnsafeCell::new([0; RESERVE]));
static USED: AtomicUsize = AtomicUsize::new(0);

/// Storage for who looks the allocator up, all zeroes.
fn reserve(size: usize, align: usize) -> *mut c_void {
    let align = align.max(16);
    let Some(room) = size.checked_add(align) else { return core::ptr::null_mut() };
    let from = USED.fetch_add(room, Ordering::Relaxed);
    if from.saturating_add(room) > RESERVE {
        return core::ptr::null_mut();
    }
    let start = MEMORY.0.get() as usize + from;
    (start.next_multiple_of(align)) as *mut c_void
}

/// The reserve is not given back.
fn keep(_: *mut c_void) {}

fn is_reserve(block: *mut c_void) -> bool {
    (block as usize).wrapping_sub(MEMORY.0.get() as usize) < RESERVE
}

const UNDECIDED: u8 = 0;
const YES: u8 = 1;
const NO: u8 = 2;

/// Are blocks counted? From the first one on where the executable is linked to this library, so that they have the same
/// numbers as where programs are traced in another way.
static COUNTED: AtomicU8 = AtomicU8::new(UNDECIDED);

/// Decides that, when everything that the executable needs is loaded.
pub(crate) fn decide() {
    let linked = modules::executable_needs(b"libwarpath_preload");
    COUNTED.store(if linked { YES } else { NO }, Ordering::Release);
}

#[inline(always)]
fn is_counted() -> bool {
    COUNTED.load(Ordering::Relaxed) != NO || memory::watched()
}

/// Where the program asked for it: `operator new` calls `malloc`, and nobody wants to know from where.
fn place(at: u64) -> u64 {
    let asked = here().operator_at.get();
    if asked == 0 { at } else { asked }
}

/// A block has been allocated.
#[inline(always)]
fn note(block: *mut c_void, size: usize, at: u64) {
    if is_counted() && !block.is_null() {
        note_counted(block as u64, size as u64, at);
    }
}

#[inline(never)]
fn note_counted(block: u64, size: u64, at: u64) {
    let at = place(at);
    if modules::is_c_library(at) {
        return;
    }
    let here = here();
    if memory::watched() && local::recording() {
        memory::finish(here);
        let base = process::base();
        let place = at.wrapping_sub(base);
        if compact::fits(place, block, 0) {
            let [first, second] = compact::words(Kind::Alloc, 0, place, block, 0);
            local::write(here, &[first, second, size, memory::time()]);
        } else {
            local::record(Kind::Alloc, 0, 0, &[at, block, 0, size, memory::time()]);
        }
    }
    follow::memory::allocated(here.blocks.get(), block, size);
    here.blocks.set(here.blocks.get() + 1);
}

/// A block is about to be freed.
#[inline(always)]
fn note_free(block: *mut c_void, at: u64) {
    if memory::watched() && !block.is_null() {
        note_watched_free(block as u64, at);
    }
}

#[inline(never)]
fn note_watched_free(block: u64, at: u64) {
    memory::settle();
    let at = place(at);
    if modules::is_c_library(at) || !local::recording() {
        return;
    }
    let here = here();
    let place = at.wrapping_sub(process::base());
    if compact::fits(place, block, 0) {
        let [first, second] = compact::words(Kind::Free, 0, place, block, 0);
        local::write(here, &[first, second, memory::time()]);
    } else {
        local::record(Kind::Free, 0, 0, &[at, block, 0, memory::time()]);
    }
}

unsafe extern "C" fn ours_malloc(size: usize, at: u64) -> *mut c_void {
    // SAFETY: the arguments are the program's.
    let block = unsafe { real_malloc(size) };
    note(block, size, at);
    block
}

unsafe extern "C" fn ours_calloc(count: usize, size: usize, at: u64) -> *mut c_void {
    // SAFETY: the arguments are the program's.
    let block = unsafe { real_calloc(count, size) };
    note(block, count.wrapping_mul(size), at);
    if memory::watched() && !block.is_null() && !modules::is_c_library(at) && local::recording() {
        let size = count.wrapping_mul(size) as u64;
        let turn = follow::memory::range(Act::Write, block as u64, size, at);
        let head = warpath_light_format::Head { kind: Kind::Fill as u8, words: 4, a: 0, b: 0 };
        local::write(here(), &[head.pack(), at, block as u64, size]);
        turn.done();
    }
    block
}

/// As a new block, to which the old one is copied.
unsafe extern "C" fn ours_realloc(old: *mut c_void, size: usize, at: u64) -> *mut c_void {
    if is_reserve(old) {
        let block = reserve(size, 16);
        if !block.is_null() {
            let room = RESERVE - (old as usize - MEMORY.0.get() as usize);
            // SAFETY: both are in the reserve; what lies behind the old block is there, too.
            unsafe { core::ptr::copy(old.cast::<u8>(), block.cast::<u8>(), size.min(room)) };
        }
        return block;
    }
    let watched = memory::watched() && !old.is_null() && !modules::is_c_library(at);
    let mut kept = 0;
    let mut stays = false;
    if watched {
        // SAFETY: the program says that it is a block.
        kept = unsafe { real_usable_size(old) };
        stays = follow::memory::frees(old as u64, at, || note_free(old, at));
        if !stays {
            note_free(old, at);
        }
    }
    let block = if stays {
        // SAFETY: both blocks have so many bytes, and the old one is not given back.
        unsafe {
            let block = real_malloc(size);
            if !block.is_null() {
                core::ptr::copy_nonoverlapping(old.cast::<u8>(), block.cast::<u8>(), size.min(kept));
            }
            block
        }
    } else {
        // SAFETY: the arguments are the program's.
        unsafe { real_realloc(old, size) }
    };
    note(block, size, at);
    if watched && !block.is_null() && local::recording() {
        let size = size.min(kept) as u64;
        let turn = follow::memory::range(Act::Write, block as u64, size, at);
        // SAFETY: the block has so many bytes, and of the old one there were as many.
        unsafe { tsan::ranges::put(here(), Kind::RangeWrite, 0, block as u64, size, at) };
        turn.done();
    }
    block
}

unsafe extern "C" fn ours_free(block: *mut c_void, at: u64) {
    if is_reserve(block) {
        return;
    }
    if memory::watched() && follow::memory::frees(block as u64, at, || note_free(block, at)) {
        return;
    }
    note_free(block, at);
    // SAFETY: the argument is the program's.
    unsafe { real_free(block) }
}

unsafe extern "C" fn ours_aligned(align: usize, size: usize, at: u64) -> *mut c_void {
    // SAFETY: the arguments are the program's.
    let block = unsafe { real_aligned_alloc(align, size) };
    note(block, size, at);
    block
}

unsafe extern "C" fn ours_memalign(align: usize, size: usize, at: u64) -> *mut c_void {
    // SAFETY: the arguments are the program's.
    let block = unsafe { real_memalign(align, size) };
    note(block, size, at);
    block
}

unsafe extern "C" fn ours_posix_memalign(
    block: *mut *mut c_void,
    align: usize,
    size: usize,
    at: u64,
) -> c_int {
    memory::settle();
    // SAFETY: the arguments are the program's.
    let answer = unsafe { real_posix_memalign(block, align, size) };
    if answer == 0 {
        // SAFETY: the C library has just written there.
        note(unsafe { block.read() }, size, at);
    }
    answer
}

unsafe extern "C" fn ours_valloc(size: usize, at: u64) -> *mut c_void {
    // SAFETY: the arguments are the program's.
    let block = unsafe { real_valloc(size) };
    note(block, size, at);
    block
}

unsafe extern "C" fn ours_pvalloc(size: usize, at: u64) -> *mut c_void {
    // SAFETY: the arguments are the program's.
    let block = unsafe { real_pvalloc(size) };
    note(block, size, at);
    block
}
