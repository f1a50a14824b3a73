//! The ticket of a plain mutex, kept in the mutex itself.
//!
//! A table of tickets costs a line of the cache for each mutex, which wanders between processors as the mutex does. The
//! last sixteen bytes of a `pthread_mutex_t` are a link of the list of robust mutexes; the C library never looks at them
//! in others. So they hold the last ticket, and a word that says whose it is: behind a copy, a `memset`, or new storage at
//! the same address it is somebody else's, or zero.
//!
//! Then nobody knows the last ticket any more. So that none is given out twice, the table has one that is not less: tickets
//! are taken from it in blocks. What is left of a block is skipped, and the record that follows ([`Kind::Renew`] or
//! [`Kind::Init`]) says that it was.

use libc::pthread_mutex_t;
use warpath_light_format::{Kind, compact};

use crate::local;
use crate::tickets::OBJECTS;

/// Tickets that are taken from the table at once.
pub(super) const BLOCK: u64 = 256;

/// Where the link is, in words.
pub(super) const LINK: usize = 3;

/// What says that the ticket is this mutex' own: no address is the complement of another.
fn mark(mutex: *const pthread_mutex_t) -> u64 {
    !(mutex as u64)
}

/// Flags of robust mutexes, of those with protocols and of those that processes share, and kinds other than the normal
/// one.
const NOT_PLAIN: u32 = 0xff;

/// Is it a mutex whose link nobody uses?
///
/// # Safety
/// Points to a mutex.
#[inline(always)]
unsafe fn is_plain(mutex: *const pthread_mutex_t) -> bool {
    // SAFETY: a `pthread_mutex_t` has 40 bytes on x86-64; the fifth word is its kind.
    let kind = unsafe { mutex.cast::<u32>().add(4).read_volatile() };
    // Short records have no room for addresses that are longer.
    kind & NOT_PLAIN == 0 && mutex as u64 >> compact::ADDRESS == 0
}

/// The next ticket of a plain mutex that the caller holds. `at` is where the program is.
///
/// # Safety
/// Points to such a mutex.
#[inline(always)]
unsafe fn draw_plain(mutex: *mut pthread_mutex_t, at: u64) -> u64 {
    // SAFETY: promised by the caller; the link is within the mutex, and only who holds it uses it.
    unsafe {
        let link = mutex.cast::<u64>().add(LINK);
        let last = link.read();
        if link.add(1).read() == mark(mutex) && !last.is_multiple_of(BLOCK) {
            link.write(last + 1);
            last + 1
        } else {
            draw_block(mutex, at)
        }
    }
}

/// The next ticket of any mutex that the caller holds, or that nobody else can use now.
///
/// # Safety
/// Points to such a mutex.
pub(super) unsafe fn draw(mutex: *mut pthread_mutex_t, at: u64) -> u64 {
    // SAFETY: promised by the caller.
    unsafe { if is_plain(mutex) { draw_plain(mutex, at) } else { OBJECTS.draw(mutex as u64) } }
}

/// Draws a ticket of the object at an address, for who is at the second one.
pub(super) type Draw = unsafe fn(u64, u64) -> u64;

/// Of a mutex.
///
/// # Safety
/// As [`draw`].
pub(super) unsafe fn of_mutex(mutex: u64, at: u64) -> u64 {
    // SAFETY: promised by the caller.
    unsafe { draw(mutex as *mut pthread_mutex_t, at) }
}

/// Of what has no room for a ticket, such as a spin lock.
///
/// # Safety
/// None is needed.
pub(super) unsafe fn of_small(object: u64, _at: u64) -> u64 {
    OBJECTS.draw(object)
}

/// The first ticket of a mutex that has just come into being: its record says so.
///
/// # Safety
/// Points to a mutex that nobody else can use now.
pub(super) unsafe fn draw_first(mutex: *mut pthread_mutex_t) -> u64 {
    // SAFETY: promised by the caller.
    unsafe { if is_plain(mutex) { begin_block(mutex).1 } else { OBJECTS.draw(mutex as u64) } }
}

/// # Safety
/// As above.
#[cold]
#[inline(never)]
unsafe fn draw_block(mutex: *mut pthread_mutex_t, at: u64) -> u64 {
    // SAFETY: promised by the caller.
    let (link, last, owner) = unsafe {
        let link = mutex.cast::<u64>().add(LINK);
        (link, link.read(), link.add(1).read())
    };
    let known = OBJECTS.get(mutex as u64);
    if owner == mark(mutex) && known == last {
        OBJECTS.set(mutex as u64, last + BLOCK);
        // SAFETY: as above.
        unsafe { link.write(last + 1) };
        return last + 1;
    }
    // SAFETY: as above.
    let (skipped, ticket) = unsafe { begin_block(mutex) };
    if !skipped || ticket == 0 {
        return ticket;
    }
    local::record(Kind::Renew, 0, 0, &[at, mutex as u64, ticket]);
    // SAFETY: as above.
    unsafe { link.write(ticket + 1) };
    ticket + 1
}

/// Takes a block for the mutex: whether there were others before, and its first ticket.
///
/// # Safety
/// As above.
unsafe fn begin_block(mutex: *mut pthread_mutex_t) -> (bool, u64) {
    let known = OBJECTS.get(mutex as u64);
    let base = known.next_multiple_of(BLOCK);
    OBJECTS.set(mutex as u64, base + BLOCK);
    if OBJECTS.get(mutex as u64) != base + BLOCK {
        // There is no room in the table.
        return (false, 0);
    }
    // SAFETY: promised by the caller.
    unsafe {
        let link = mutex.cast::<u64>().add(LINK);
        link.add(1).write(mark(mutex));
        link.write(base + 1);
    }
    (known != 0, base + 1)
}
