//! Is recording on? And which episode is this?

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

static ON: AtomicBool = AtomicBool::new(false);
static EPISODE: AtomicU64 = AtomicU64::new(0);
static SAMPLE_ON: AtomicU64 = AtomicU64::new(0);
static SAMPLE_PERIOD: AtomicU64 = AtomicU64::new(0);

/// Nothing is recorded.
pub(crate) const OFF: u64 = u64::MAX;
/// Each event is looked at: whether it is recorded depends on the time, or more is done with it than recording.
pub(crate) const UNUSUAL: u64 = u64::MAX - 1;

/// One word that says what to do with an event: [`OFF`], [`UNUSUAL`], or the episode's number, plus one. A thread that has
/// written something in the same episode has the same number in its own words.
pub(crate) static STAMP: AtomicU64 = AtomicU64::new(OFF);

/// Begins with these settings.
pub(crate) fn begin(on: bool, sample_on: u64, sample_period: u64) {
    SAMPLE_ON.store(sample_on, Ordering::Relaxed);
    SAMPLE_PERIOD.store(sample_period, Ordering::Relaxed);
    ON.store(on, Ordering::Release);
    stamp();
}

/// Nothing is recorded from here on.
pub(crate) fn stop() {
    ON.store(false, Ordering::Release);
    stamp();
}

/// The signal that switches recording.
pub(crate) extern "C" fn toggle(_signal: i32) {
    if ON.load(Ordering::Acquire) {
        ON.store(false, Ordering::Release);
    } else {
        EPISODE.fetch_add(1, Ordering::AcqRel);
        ON.store(true, Ordering::Release);
    }
    stamp();
}

fn stamp() {
    let stamp = if crate::follow::engaged() {
        UNUSUAL
    } else if !ON.load(Ordering::Acquire) {
        OFF
    } else if SAMPLE_PERIOD.load(Ordering::Relaxed) != 0 || !crate::calls::quick::is_as_known() {
        UNUSUAL
    } else {
        EPISODE.load(Ordering::Relaxed) + 1
    };
    STAMP.store(stamp, Ordering::Release);
}

/// The episode that an event of this moment belongs to, if it is to be recorded.
pub(crate) fn episode() -> Option<u64> {
    if !ON.load(Ordering::Acquire) {
        return None;
    }
    let switched = EPISODE.load(Ordering::Relaxed);
    let period = SAMPLE_PERIOD.load(Ordering::Relaxed);
    if period == 0 {
        return Some(switched);
    }
    let now = milliseconds();
    (now % period < SAMPLE_ON.load(Ordering::Relaxed)).then(|| (switched << 40) | (now / period))
}

fn milliseconds() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a variable of ours.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &mut now) };
    now.tv_sec as u64 * 1000 + now.tv_nsec as u64 / 1_000_000
}
