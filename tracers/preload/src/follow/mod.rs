//! Following a schedule: in-process replay.
//!
//! A process that is started with `WARPATH_FOLLOW` lets its threads do what others can notice only in the order of a
//! plan (`warpath-light-format` has its form): before each such event the thread stands at a gate until the next step
//! is its own. In between threads run in parallel, at full speed, and are recorded as always. Behind the last step, or
//! behind the first event that does not fit, everybody runs freely.
//!
//! | module | what |
//! |---|---|
//! | `gate` | whose turn it is |
//! | `slots` | what each thread is about, for the driver to see |
//! | `condition`, `barrier` | objects whose C library forms choose by themselves who goes on: here the schedule does |
//! | `memory` | accesses that are steps, and storage that was freed |
//! | `failure` | what is caught there |
//! | `futex` | waiting without the C library |

pub(crate) mod barrier;
pub(crate) mod condition;
mod failure;
mod futex;
mod gate;
pub(crate) mod memory;
mod slots;

use core::cell::Cell;
use core::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering};

use warpath_light_format::header::NO_PARENT;
use warpath_light_format::plan::{Layout, NOBODY, Place, Range, Step, at, slot, state};

use crate::buffer::Origin;
use crate::files::{File, complain};
use crate::settings::variable;
use crate::tickets::Table;

pub(crate) use gate::{Turn, leaves, turn};
pub(crate) use slots::{held_at, waits, waits_no_more};

/// This process follows nothing.
const OFF: u8 = 0;
/// Steps are left.
const FOLLOWING: u8 = 1;
/// It has followed, and runs freely now.
const FREE: u8 = 2;

static MODE: AtomicU8 = AtomicU8::new(OFF);
static FOLLOW: AtomicPtr<Follow> = AtomicPtr::new(core::ptr::null_mut());
/// Seats of threads, plus one, by their numbers plus one.
static SEATS: Table = Table::new(0);

thread_local! {
    /// The running thread's slot; of a thread that the plan names it is its place in the plan, too.
    static SEAT: Cell<u32> = const { Cell::new(NOBODY) };
}

/// The plan in memory, and what is known of this process.
struct Follow {
    words: *const AtomicU64,
    layout: Layout,
    /// Where each object is; 0 as long as nobody knows.
    objects: *const AtomicU64,
    /// The next slot for a thread that the plan does not name.
    strangers: AtomicU32,
    /// Events of the schedule so far.
    events: AtomicU64,
    watched: memory::Watched,
}

impl Follow {
    fn word(&self, place: usize) -> &AtomicU64 {
        debug_assert!(place < self.layout.len(), "the plan was checked");
        // SAFETY: the plan is mapped for good, and places come from its checked layout.
        unsafe { &*self.words.add(place) }
    }

    fn step(&self, nth: usize) -> Option<Step> {
        if nth >= self.layout.steps {
            return None;
        }
        let from = self.layout.step(nth);
        Step::unpack([from, from + 1].map(|place| self.word(place).load(Ordering::Relaxed)))
    }

    fn object(&self, nth: u32) -> Option<&AtomicU64> {
        // SAFETY: as many were mapped as the layout has.
        ((nth as usize) < self.layout.objects).then(|| unsafe { &*self.objects.add(nth as usize) })
    }

    /// The place in the plan of a thread's n-th child.
    fn child(&self, parent: u32, nth: u64) -> Option<u32> {
        let wanted = u64::from(parent) | nth << 32;
        let found = |place: &usize| self.word(self.layout.thread(*place)).load(Ordering::Relaxed) == wanted;
        (1..self.layout.threads).find(found).map(|place| place as u32)
    }
}

fn follow() -> Option<&'static Follow> {
    // SAFETY: what is stored there is mapped for good.
    unsafe { FOLLOW.load(Ordering::Acquire).as_ref() }
}

/// Does this process follow a schedule, or has it? Then conditions and barriers are ours.
#[inline]
pub(crate) fn engaged() -> bool {
    MODE.load(Ordering::Relaxed) != OFF
}

/// Reads the plan, if there is one. What is wrong with it is said, and nothing is followed.
pub(crate) fn load() {
    let Some(path) = variable(c"WARPATH_FOLLOW").filter(|path| !path.is_empty()) else { return };
    if let Err(why) = begin(path) {
        complain(b"warpath: the schedule is not followed: ", why.as_bytes());
    }
}

fn begin(path: &[u8]) -> Result<(), &'static str> {
    let path = crate::files::Path::EMPTY.and(path);
    let file = File::open(path.as_c(), libc::O_RDWR).ok_or("the plan cannot be opened")?;
    // SAFETY: an open file; seeking changes nothing else.
    let size = usize::try_from(unsafe { libc::lseek(file.0, 0, libc::SEEK_END) }).unwrap_or(0);
    if size == 0 || !size.is_multiple_of(8) {
        return Err("its length is not what it says");
    }
    let words = map(size, file.0).ok_or("the plan cannot be mapped")?;
    // SAFETY: within the mapping; whoever else has it mapped uses it as atomics, too.
    let word = |place: usize| unsafe { (*words.add(place)).load(Ordering::Acquire) };
    let layout = match Layout::check(size / 8, word) {
        Ok(layout) => layout,
        Err(why) => {
            if size / 8 > at::STATE {
                // SAFETY: as above.
                unsafe { (*words.add(at::STATE)).store(state::REFUSED, Ordering::Release) };
            }
            return Err(why);
        }
    };
    // Only the first process follows. Others that it starts find the plan taken.
    // SAFETY: the header is within the mapping.
    let claim = unsafe { &*words.add(at::STATE) };
    let taken =
        claim.compare_exchange(state::UNTOUCHED, state::FOLLOWING, Ordering::AcqRel, Ordering::Acquire);
    if taken.is_err() {
        return Ok(());
    }
    let no_memory = "there is no memory for it";
    let objects = map((layout.objects * 8).max(8), -1).ok_or(no_memory)?;
    let base = crate::process::base();
    for nth in 0..layout.objects {
        let from = layout.object(nth);
        if let Some(Place::Executable(offset)) = Place::unpack([word(from), word(from + 1)]) {
            // SAFETY: as many were mapped.
            unsafe { (*objects.add(nth)).store(base.wrapping_add(offset), Ordering::Relaxed) };
        }
    }
    let pages = map(size_of::<Follow>(), -1).ok_or(no_memory)?.cast_mut().cast::<Follow>();
    let strangers = AtomicU32::new(layout.threads as u32);
    let range = |nth| {
        let from = layout.range(nth);
        Range::unpack([0, 1, 2, 3].map(|n| word(from + n)))
    };
    let watched = memory::Watched::new((0..layout.ranges).filter_map(range))?;
    let fresh = Follow { words, layout, objects, strangers, events: AtomicU64::new(0), watched };
    fresh.watch_variables(base);
    // SAFETY: page-aligned, large enough, and ours.
    unsafe { pages.write(fresh) };
    FOLLOW.store(pages, Ordering::Release);
    // SAFETY: both always succeed here. Without the driver nobody would notice that it hangs.
    unsafe {
        (*words.add(at::PID)).store(libc::getpid() as u64, Ordering::Relaxed);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
    MODE.store(if layout.steps == 0 { FREE } else { FOLLOWING }, Ordering::Release);
    if layout.steps == 0 {
        claim.store(state::OVER, Ordering::Release);
    }
    Ok(())
}

fn map(size: usize, file: i32) -> Option<*const AtomicU64> {
    let flags = if file < 0 { libc::MAP_PRIVATE | libc::MAP_ANONYMOUS } else { libc::MAP_SHARED };
    // SAFETY: a new mapping; nothing else is touched.
    let mapped = unsafe {
        libc::mmap(core::ptr::null_mut(), size, libc::PROT_READ | libc::PROT_WRITE, flags, file, 0)
    };
    (mapped != libc::MAP_FAILED).then_some(mapped.cast::<AtomicU64>().cast_const())
}

/// A thread gets its seat, before it begins: others may name it before it does anything.
pub(crate) fn reserve(origin: &Origin) {
    let Some(follow) = follow().filter(|_| engaged()) else { return };
    let planned = match origin.parent {
        NO_PARENT => (origin.thread == 0).then_some(0),
        parent => {
            let parent = SEATS.get(parent + 1).checked_sub(1);
            parent.and_then(|parent| follow.child(parent as u32, origin.nth))
        }
    };
    let seat = planned.unwrap_or_else(|| follow.strangers.fetch_add(1, Ordering::AcqRel));
    SEATS.set(origin.thread + 1, u64::from(seat) + 1);
}

/// The running thread takes its seat.
pub(crate) fn settle(origin: &Origin) {
    let Some(follow) = follow().filter(|_| engaged()) else { return };
    let seat = seat_of(origin.thread) as u32;
    SEAT.set(seat);
    slots::arrive(follow, seat);
}

/// The seat of the thread with this number, as the object of a join; [`NOBODY`] if it has none.
pub(crate) fn seat_of(number: u64) -> u64 {
    SEATS.get(number + 1).checked_sub(1).unwrap_or(u64::from(NOBODY))
}

/// The seat that the running thread's n-th child will have, as the object of a fork.
pub(crate) fn seat_of_child(nth: u64) -> u64 {
    let child = follow().filter(|_| engaged()).and_then(|follow| follow.child(SEAT.get(), nth));
    u64::from(child.unwrap_or(NOBODY))
}

/// The running thread is over.
pub(crate) fn ended() {
    if let Some(follow) = follow().filter(|_| engaged()) {
        follow.note(SEAT.get(), slot::ENDED, 0, 0, 0);
    }
}

/// Has the thread with this number had its last event?
pub(crate) fn has_ended(number: u64) -> bool {
    let state =
        follow().filter(|_| engaged()).and_then(|follow| follow.slot(seat_of(number) as u32, slot::STATE));
    state.is_some_and(|state| state.load(Ordering::Acquire) == slot::ENDED)
}

/// Behind a fork: the child is another process, which follows nothing.
pub(crate) fn abandon() {
    MODE.store(OFF, Ordering::Release);
    FOLLOW.store(core::ptr::null_mut(), Ordering::Release);
    SEAT.set(NOBODY);
}
