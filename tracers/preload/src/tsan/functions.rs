//! Begin and end: of modules, of functions.

use crate::here::here;
use crate::interpose::interpose;
use crate::{local, memory, modules};

interpose! {
    __tsan_init "rdi" => init;
}

/// A module that is instrumented has been loaded.
unsafe extern "C" fn init(at: u64) {
    modules::add_instrumented(at);
    memory::watch();
}

/// A function begins, and so the thread's last write is done.
#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_func_entry(_: u64) {
    let here = here();
    memory::finish(here);
    if !here.entered.get() {
        enter();
    }
}

/// The first instrumented function of a thread. Of the first thread it is where the part of its stack begins that does not
/// depend on the environment.
#[cold]
#[inline(never)]
fn enter() {
    let here = here();
    here.entered.set(true);
    if let Some(thread) = local::current()
        && thread.origin.parent == warpath_light_format::header::NO_PARENT
    {
        let top = 0u8;
        local::set_stack_top((&raw const top) as u64);
    }
}

/// A function ends. It does not if an exception or `longjmp` leaves it, which does not matter here.
#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_func_exit() {
    memory::settle();
}
