//! Atomics used as if they were one: a stage is announced and counted in two steps, and somebody looks in between.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

static STARTED: AtomicU32 = AtomicU32::new(0);
static DONE: AtomicU32 = AtomicU32::new(0);

fn work() {
    let number = STARTED.load(Ordering::SeqCst) + 1;
    STARTED.store(number, Ordering::SeqCst);
    DONE.fetch_add(1, Ordering::SeqCst);
}

fn main() {
    let threads: Vec<_> = (0..2).map(|_| thread::spawn(work)).collect();
    for thread in threads {
        thread.join().expect("a worker ends well");
    }
    assert_eq!(STARTED.load(Ordering::SeqCst), DONE.load(Ordering::SeqCst)); // BUG
}
