//! Atomic operations, which are done here in the program's stead.
//!
//! Each cell has a ticket, as synchronisation objects have. While a cell is changed, its ticket is locked, so that tickets
//! are drawn in the order of the changes; a load looks at the ticket before and after, and is recorded with the ticket of
//! the change that it came after. Nobody waits for long: a signal handler may be what keeps the other from going on, so
//! after a while the operation is done all the same, and the reader may have to guess.

use core::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, fence};

use warpath_light_format::plan::Act;
use warpath_light_format::{Kind, Word, atomic, compact};

use super::cas16::Cell16;
use crate::follow;
use crate::here::here;
use crate::interpose::interpose;
use crate::tickets::CELLS;
use crate::{local, memory, process};

/// Attempts to lock a ticket, or to find it unchanged.
const PATIENCE: u32 = 4096;

fn pause(attempt: u32) {
    if attempt.is_multiple_of(64) {
        // SAFETY: always succeeds. Who has the ticket may be waiting for this processor.
        unsafe { libc::sched_yield() };
    } else {
        core::hint::spin_loop();
    }
}

/// Does something to a cell while its ticket is locked: what came of it, and the ticket.
#[inline(always)]
fn in_turn<R>(address: u64, work: impl FnOnce() -> R) -> (R, u64) {
    let Some(number) = CELLS.number(address) else { return (work(), 0) };
    let mut attempt = 0;
    let locked = loop {
        let found = number.load(Ordering::Relaxed);
        let free = found & 1 == 0;
        if free && number.compare_exchange(found, found | 1, Ordering::SeqCst, Ordering::Relaxed).is_ok() {
            break true;
        }
        attempt += 1;
        if attempt == PATIENCE {
            break false;
        }
        pause(attempt);
    };
    let result = work();
    // One more than a locked number is the next one that is not; two more than another is the next of its kind.
    let before = number.fetch_add(if locked { 1 } else { 2 }, Ordering::SeqCst);
    (result, before / 2 + 1)
}

/// Loads from a cell: the value, and the ticket of the change before.
#[inline(always)]
fn unchanged<R>(address: u64, load: impl Fn() -> R) -> (R, u64) {
    let Some(number) = CELLS.number(address) else { return (load(), 0) };
    let mut attempt = 0;
    loop {
        let before = number.load(Ordering::Acquire);
        let value = load();
        fence(Ordering::Acquire);
        let steady = before & 1 == 0 && number.load(Ordering::Acquire) == before;
        attempt += 1;
        if steady || attempt == PATIENCE {
            return (value, before / 2);
        }
        pause(attempt);
    }
}

/// Writes a record with words behind the usual ones.
#[inline(always)]
fn put<const SHORT: usize, const LONG: usize>(
    kind: Kind,
    code: u8,
    at: u64,
    address: u64,
    ticket: u64,
    values: &[Word],
) {
    let here = here();
    memory::finish(here);
    let place = at.wrapping_sub(process::base());
    if compact::fits(place, address, ticket) && values.len() + 2 == SHORT {
        let mut words = [0; SHORT];
        words[..2].copy_from_slice(&compact::words(kind, code, place, address, ticket));
        words[2..].copy_from_slice(values);
        local::write(here, &words);
    } else {
        let mut words = [0; LONG];
        words[..3].copy_from_slice(&[at, address, ticket]);
        words[3..].copy_from_slice(values);
        local::record(kind, code.into(), 0, &words);
    }
}

fn order_of_store(order: i32) -> Ordering {
    match order as u8 {
        atomic::order::RELAXED => Ordering::Relaxed,
        atomic::order::RELEASE => Ordering::Release,
        _ => Ordering::SeqCst,
    }
}

macro_rules! atomics {
    ($($log2:literal $int:ty, $cell:ty: $load:ident $store:ident $exchange:ident $add:ident $sub:ident $and:ident $or:ident
        $xor:ident $nand:ident $strong:ident $weak:ident $val:ident, $module:ident;)*) => {$(
        interpose! {
            $load "rdx" => $module::load;
            $store "rcx" => $module::store;
            $exchange "rcx" => $module::exchange;
            $add "rcx" => $module::add;
            $sub "rcx" => $module::sub;
            $and "rcx" => $module::and;
            $or "rcx" => $module::or;
            $xor "rcx" => $module::xor;
            $nand "rcx" => $module::nand;
            $strong "r9" => $module::compare;
            $weak "r9" => $module::compare;
            $val "r9" => $module::value;
        }

        mod $module {
            use super::*;

            /// # Safety
            /// The program says that there is an atomic variable.
            #[inline(always)]
            unsafe fn cell<'a>(address: u64) -> &'a $cell {
                // SAFETY: promised by the caller.
                unsafe { &*(address as *const $cell) }
            }

            pub(super) unsafe extern "C" fn load(address: u64, order: i32, at: u64) -> $int {
                // SAFETY: the program's.
                let cell = unsafe { cell(address) };
                if !local::recording() {
                    return cell.load(Ordering::SeqCst);
                }
                memory::settle();
                let turn = follow::memory::access(Act::Read, address, 1 << $log2, at);
                let (value, ticket) = unchanged(address, || cell.load(Ordering::SeqCst));
                put::<3, 4>(Kind::AtomicLoad, atomic::code($log2, order), at, address, ticket, &[value.into()]);
                turn.done();
                value
            }

            pub(super) unsafe extern "C" fn store(address: u64, value: $int, order: i32, at: u64) {
                // SAFETY: the program's.
                let cell = unsafe { cell(address) };
                if !local::recording() {
                    return cell.store(value, order_of_store(order));
                }
                memory::settle();
                let turn = follow::memory::access(Act::Write, address, 1 << $log2, at);
                let ((), ticket) = in_turn(address, || cell.store(value, Ordering::SeqCst));
                put::<3, 4>(Kind::AtomicStore, atomic::code($log2, order), at, address, ticket, &[value.into()]);
                turn.done();
            }

            /// The value before, which `new` makes the one behind of.
            #[inline(always)]
            fn update(
                address: u64, order: i32, at: u64, work: impl FnOnce() -> $int, new: impl FnOnce($int) -> $int,
            ) -> $int {
                if !local::recording() {
                    return work();
                }
                memory::settle();
                let turn = follow::memory::access(Act::Rmw, address, 1 << $log2, at);
                let (old, ticket) = in_turn(address, work);
                let values = [old.into(), new(old).into()];
                put::<4, 5>(Kind::AtomicUpdate, atomic::code($log2, order), at, address, ticket, &values);
                turn.done();
                old
            }

            pub(super) unsafe extern "C" fn exchange(address: u64, value: $int, order: i32, at: u64) -> $int {
                // SAFETY: the program's.
                let cell = unsafe { cell(address) };
                update(address, order, at, || cell.swap(value, Ordering::SeqCst), |_| value)
            }

            pub(super) unsafe extern "C" fn add(address: u64, by: $int, order: i32, at: u64) -> $int {
                // SAFETY: the program's.
                let cell = unsafe { cell(address) };
                update(address, order, at, || cell.fetch_add(by, Ordering::SeqCst), |old| old.wrapping_add(by))
            }

            pub(super) unsafe extern "C" fn sub(address: u64, by: $int, order: i32, at: u64) -> $int {
                // SAFETY: the program's.
                let cell = unsafe { cell(address) };
                update(address, order, at, || cell.fetch_sub(by, Ordering::SeqCst), |old| old.wrapping_sub(by))
            }

            pub(super) unsafe extern "C" fn and(address: u64, by: $int, order: i32, at: u64) -> $int {
                // SAFETY: the program's.
                let cell = unsafe { cell(address) };
                update(address, order, at, || cell.fetch_and(by, Ordering::SeqCst), |old| old & by)
            }

            pub(super) unsafe extern "C" fn or(address: u64, by: $int, order: i32, at: u64) -> $int {
                // SAFETY: the program's.
                let cell = unsafe { cell(address) };
                update(address, order, at, || cell.fetch_or(by, Ordering::SeqCst), |old| old | by)
            }

            pub(super) unsafe extern "C" fn xor(address: u64, by: $int, order: i32, at: u64) -> $int {
                // SAFETY: the program's.
                let cell = unsafe { cell(address) };
                update(address, order, at, || cell.fetch_xor(by, Ordering::SeqCst), |old| old ^ by)
            }

            pub(super) unsafe extern "C" fn nand(address: u64, by: $int, order: i32, at: u64) -> $int {
                // SAFETY: the program's.
                let cell = unsafe { cell(address) };
                update(address, order, at, || cell.fetch_nand(by, Ordering::SeqCst), |old| !(old & by))
            }

            pub(super) unsafe extern "C" fn value(
                address: u64, expected: $int, wanted: $int, order: i32, _: i32, at: u64,
            ) -> $int {
                // SAFETY: the program's.
                let cell = unsafe { cell(address) };
                let work = || match cell.compare_exchange(expected, wanted, Ordering::SeqCst, Ordering::SeqCst) {
                    Ok(old) | Err(old) => old,
                };
                update(address, order, at, work, |old| if old == expected { wanted } else { old })
            }

            /// Weak and strong are the same here: this does not fail without reason.
            pub(super) unsafe extern "C" fn compare(
                address: u64, expected: *mut $int, wanted: $int, order: i32, fail: i32, at: u64,
            ) -> i32 {
                // SAFETY: the program's.
                unsafe {
                    let before = expected.read();
                    let old = value(address, before, wanted, order, fail, at);
                    if old != before {
                        expected.write(old);
                    }
                    i32::from(old == before)
                }
            }
        }
    )*};
}

atomics! {
    0 u8, AtomicU8: __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange __tsan_atomic8_fetch_add
        __tsan_atomic8_fetch_sub __tsan_atomic8_fetch_and __tsan_atomic8_fetch_or __tsan_atomic8_fetch_xor
        __tsan_atomic8_fetch_nand __tsan_atomic8_compare_exchange_strong __tsan_atomic8_compare_exchange_weak
        __tsan_atomic8_compare_exchange_val, bytes;
    1 u16, AtomicU16: __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange __tsan_atomic16_fetch_add
        __tsan_atomic16_fetch_sub __tsan_atomic16_fetch_and __tsan_atomic16_fetch_or __tsan_atomic16_fetch_xor
        __tsan_atomic16_fetch_nand __tsan_atomic16_compare_exchange_strong __tsan_atomic16_compare_exchange_weak
        __tsan_atomic16_compare_exchange_val, shorts;
    2 u32, AtomicU32: __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange __tsan_atomic32_fetch_add
        __tsan_atomic32_fetch_sub __tsan_atomic32_fetch_and __tsan_atomic32_fetch_or __tsan_atomic32_fetch_xor
        __tsan_atomic32_fetch_nand __tsan_atomic32_compare_exchange_strong __tsan_atomic32_compare_exchange_weak
        __tsan_atomic32_compare_exchange_val, ints;
    3 u64, AtomicU64: __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange __tsan_atomic64_fetch_add
        __tsan_atomic64_fetch_sub __tsan_atomic64_fetch_and __tsan_atomic64_fetch_or __tsan_atomic64_fetch_xor
        __tsan_atomic64_fetch_nand __tsan_atomic64_compare_exchange_strong __tsan_atomic64_compare_exchange_weak
        __tsan_atomic64_compare_exchange_val, longs;
}

interpose! {
    __tsan_atomic_thread_fence "rsi" => thread_fence;
}

unsafe extern "C" fn thread_fence(order: i32, at: u64) {
    let turn = follow::turn(Act::Fence, 0, at);
    fence(Ordering::SeqCst);
    if local::recording() {
        local::record(Kind::Fence, atomic::code(0, order).into(), 0, &[at]);
    }
    turn.done();
}

/// Orders a thread with its own signal handlers, which a call does, too.
#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic_signal_fence(_: i32) {}

const WIDE: u8 = 4;

fn halves(value: u128) -> [Word; 2] {
    [value as Word, (value >> 64) as Word]
}

/// # Safety
/// The program says that there is an atomic variable of 16 bytes.
pub(super) unsafe fn load16(address: u64, order: i32, at: u64) -> u128 {
    // SAFETY: promised by the caller.
    let cell = unsafe { Cell16::at(address) };
    if !local::recording() {
        return cell.load();
    }
    memory::settle();
    let turn = follow::memory::access(Act::Read, address, 16, at);
    let (value, ticket) = unchanged(address, || cell.load());
    put::<0, 5>(Kind::AtomicLoad, atomic::code(WIDE, order), at, address, ticket, &halves(value));
    turn.done();
    value
}

/// # Safety
/// The program says that there is an atomic variable of 16 bytes.
pub(super) unsafe fn store16(address: u64, value: u128, order: i32, at: u64) {
    // SAFETY: promised by the caller.
    let cell = unsafe { Cell16::at(address) };
    if !local::recording() {
        cell.update(|_| value);
        return;
    }
    memory::settle();
    let turn = follow::memory::access(Act::Write, address, 16, at);
    let (_, ticket) = in_turn(address, || cell.update(|_| value));
    put::<0, 5>(Kind::AtomicStore, atomic::code(WIDE, order), at, address, ticket, &halves(value));
    turn.done();
}

/// # Safety
/// The program says that there is an atomic variable of 16 bytes.
pub(super) unsafe fn update16(address: u64, order: i32, at: u64, new: impl Fn(u128) -> u128) -> u128 {
    // SAFETY: promised by the caller.
    let cell = unsafe { Cell16::at(address) };
    if !local::recording() {
        return cell.update(new);
    }
    memory::settle();
    let turn = follow::memory::access(Act::Rmw, address, 16, at);
    let (old, ticket) = in_turn(address, || cell.update(&new));
    let ([a, b], [c, d]) = (halves(old), halves(new(old)));
    put::<0, 7>(Kind::AtomicUpdate, atomic::code(WIDE, order), at, address, ticket, &[a, b, c, d]);
    turn.done();
    old
}
