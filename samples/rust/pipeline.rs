//! Two senders, one receiver, a channel, a mutex and an atomic: correct, whatever the schedule.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread;

static SENT: AtomicUsize = AtomicUsize::new(0);

fn main() {
    let total = Arc::new(Mutex::new(0u32));
    let (sender, receiver) = mpsc::channel();
    let senders: Vec<_> = (1..=2u32)
        .map(|n| {
            let sender = sender.clone();
            thread::spawn(move || {
                SENT.fetch_add(1, Ordering::SeqCst);
                sender.send(n).expect("the receiver is there until all senders are gone");
            })
        })
        .collect();
    drop(sender);
    let receiving = {
        let total = Arc::clone(&total);
        thread::spawn(move || {
            for value in receiver {
                assert!(SENT.load(Ordering::SeqCst) > 0);
                *total.lock().expect("nobody panics") += value;
            }
        })
    };
    for thread in senders {
        thread.join().expect("a sender ends well");
    }
    receiving.join().expect("the receiver ends well");
    assert_eq!(*total.lock().expect("nobody panics"), 3);
}
