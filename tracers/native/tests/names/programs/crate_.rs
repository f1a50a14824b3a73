//! Statics of Rust, and a generic function in a module.
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

static COUNTER: AtomicUsize = AtomicUsize::new(1);
static TABLE: Mutex<[u32; 4]> = Mutex::new([1, 2, 3, 4]);

mod queue {
    pub struct Slot {
        pub full: bool,
        pub value: u64,
    }
    pub static mut SLOTS: [Slot; 2] = [const { Slot { full: false, value: 0 } }; 2];

    #[inline(never)]
    pub fn push<T: Into<u64>>(value: T) {
        let value = value.into();
        // SAFETY: only one thread runs.
        unsafe { SLOTS[1] = Slot { full: true, value } }
    }
}

fn variable<T>(name: &str, place: *const T) {
    println!("variable {name} {place:p} {}", size_of::<T>());
}

fn main() {
    COUNTER.fetch_add(1, Ordering::SeqCst);
    queue::push(3u32);
    variable("crate_::COUNTER", &raw const COUNTER);
    variable("crate_::TABLE.data[2]", {
        let mut table = TABLE.lock().unwrap();
        &raw mut table[2]
    });
    // SAFETY: only one thread runs.
    unsafe {
        variable("crate_::queue::SLOTS[1].value", &raw const queue::SLOTS[1].value);
        variable("crate_::queue::SLOTS[0].full", &raw const queue::SLOTS[0].full);
    }
    println!("function crate_::queue::push {:p}", queue::push::<u32> as fn(u32));
    println!("function crate_::main {:p}", main as fn());
    println!("maps");
    print!("{}", std::fs::read_to_string("/proc/self/maps").unwrap());
}
