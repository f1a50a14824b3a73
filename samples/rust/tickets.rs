//! Two counters sell tickets. Whether there are enough is asked under one lock and the sale made under another, so what
//! was true may no longer be: the subtraction then panics. How many each customer wants is the first argument.

use std::sync::{Arc, Mutex};
use std::thread;

struct Tickets(Mutex<u32>);

impl Tickets {
    fn left(&self) -> u32 {
        *self.0.lock().expect("no counter has panicked")
    }

    fn sell(&self, wanted: u32) {
        let mut left = self.0.lock().expect("no counter has panicked");
        *left = left.checked_sub(wanted).expect("there are enough tickets"); // BUG
    }
}

fn main() {
    let wanted: u32 = std::env::args_os().nth(1).and_then(|text| text.to_str()?.parse().ok()).unwrap_or(0);
    let tickets = Arc::new(Tickets(Mutex::new(5)));
    let counters: Vec<_> = (0..2)
        .map(|_| {
            let tickets = Arc::clone(&tickets);
            thread::spawn(move || {
                if tickets.left() >= wanted {
                    tickets.sell(wanted);
                }
            })
        })
        .collect();
    for counter in counters {
        counter.join().expect("a counter closes in good order");
    }
}
