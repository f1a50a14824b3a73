//! Accesses of many bytes: what compilers announce as a range, and the C library's copying where instrumented code calls
//! it.

use core::ffi::{c_int, c_void};

use warpath_light_format::plan::Act;
use warpath_light_format::{Head, Kind, Word};

use crate::follow;
use crate::here::{Here, here};
use crate::interpose::interpose;
use crate::local;
use crate::memory::{self, RANGE};
use crate::modules;
use crate::real::real;

interpose! {
    __tsan_read_range "rdx" => reads;
    __tsan_write_range "rdx" => writes;
    __tsan_memcpy "rcx" => moved;
    __tsan_memmove "rcx" => moved;
    __tsan_memset "rcx" => filled;
    memcpy "rcx" => copies;
    memmove "rcx" => copies;
    memset "rcx" => fills;
}

mod real {
    use super::*;
    super::real! {
        fn memmove(to: *mut c_void, from: *const c_void, size: usize) -> *mut c_void;
        fn memset(to: *mut c_void, byte: c_int, size: usize) -> *mut c_void;
    }
}

/// Words of data in one record.
const PIECE: usize = 16;

/// Records bytes as they are in memory now.
///
/// # Safety
/// They are there.
pub(crate) unsafe fn put(here: &Here, kind: Kind, a: u16, address: u64, size: u64, at: u64) {
    let mut done = 0;
    while done < size {
        // All pieces but the first begin where a word does.
        let aligned = (PIECE * size_of::<Word>()) as u64 - (address + done) % 8;
        let count = aligned.min(size - done);
        let from = (address + done) as *const u8;
        let mut words = [0; 3 + PIECE];
        let used = 3 + (count as usize).div_ceil(size_of::<Word>());
        words[0] = Head { kind: kind as u8, words: used as u8, a, b: count as u32 }.pack();
        words[1] = at;
        words[2] = address + done;
        let data = words[3..].as_mut_ptr().cast::<u8>();
        // SAFETY: promised by the caller, and there is room for all of a piece.
        unsafe { real::memmove(data.cast(), from.cast(), count as usize) };
        local::write_any(here, &words[..used]);
        done += count;
    }
}

/// # Safety
/// The program reads these bytes next.
unsafe extern "C" fn reads(address: u64, size: u64, at: u64) {
    if local::recording() {
        let here = here();
        if here.pending.get() != 0 {
            memory::before_read(here, size, address);
        }
        let turn = follow::memory::range(Act::Read, address, size, at);
        // SAFETY: promised by the caller.
        unsafe { put(here, Kind::RangeRead, 0, address, size, at) };
        memory::postpone(here, turn, address);
    }
}

/// # Safety
/// The program writes these bytes next.
unsafe extern "C" fn writes(address: u64, size: u64, at: u64) {
    if local::recording() {
        let here = here();
        memory::finish(here);
        let turn = follow::memory::range(Act::Write, address, size, at);
        here.pending_size.set(size);
        here.pending_at.set(at | RANGE << 56);
        here.pending.set(address);
        memory::postpone(here, turn, address);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_read_range_pc(address: u64, size: u64, at: u64) {
    // SAFETY: promised by the caller.
    unsafe { reads(address, size, at) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_write_range_pc(address: u64, size: u64, at: u64) {
    // SAFETY: promised by the caller.
    unsafe { writes(address, size, at) }
}

unsafe extern "C" fn moved(to: *mut c_void, from: *const c_void, size: usize, at: u64) -> *mut c_void {
    if !local::recording() {
        // SAFETY: the arguments are the program's.
        return unsafe { real::memmove(to, from, size) };
    }
    let here = here();
    memory::finish(here);
    let turn = follow::memory::range(Act::Read, from as u64, size as u64, at);
    // SAFETY: the arguments are the program's.
    unsafe { put(here, Kind::RangeRead, 0, from as u64, size as u64, at) };
    turn.done();
    let turn = follow::memory::range(Act::Write, to as u64, size as u64, at);
    // SAFETY: as above.
    unsafe {
        real::memmove(to, from, size);
        put(here, Kind::RangeWrite, 0, to as u64, size as u64, at);
    }
    turn.done();
    to
}

unsafe extern "C" fn filled(to: *mut c_void, byte: c_int, size: usize, at: u64) -> *mut c_void {
    if !local::recording() {
        // SAFETY: the arguments are the program's.
        return unsafe { real::memset(to, byte, size) };
    }
    let here = here();
    memory::finish(here);
    let turn = follow::memory::range(Act::Write, to as u64, size as u64, at);
    // SAFETY: the arguments are the program's.
    unsafe { real::memset(to, byte, size) };
    if size > 0 {
        let head = Head { kind: Kind::Fill as u8, words: 4, a: (byte as u8).into(), b: 0 };
        local::write(here, &[head.pack(), at, to as u64, size as u64]);
    }
    turn.done();
    to
}

/// gcc leaves these calls as they are. Those of other modules are nobody's business.
unsafe extern "C" fn copies(to: *mut c_void, from: *const c_void, size: usize, at: u64) -> *mut c_void {
    // SAFETY: the arguments are the program's.
    unsafe {
        if memory::watched() && modules::is_instrumented(at) {
            moved(to, from, size, at)
        } else {
            real::memmove(to, from, size)
        }
    }
}

unsafe extern "C" fn fills(to: *mut c_void, byte: c_int, size: usize, at: u64) -> *mut c_void {
    // SAFETY: the arguments are the program's.
    unsafe {
        if memory::watched() && modules::is_instrumented(at) {
            filled(to, byte, size, at)
        } else {
            real::memset(to, byte, size)
        }
    }
}

const _: () = assert!(3 + PIECE <= crate::buffer::LONGEST);
