//! The light recorder: `LD_PRELOAD=libwarpath_preload.so PROGRAM`.
//!
//! Stands in front of the C library's synchronisation and writes down what threads did, each into a mapped file of its
//! own, while the program runs in parallel at nearly full speed. `tracers/preload/README.md` has the settings;
//! `warpath-light-format` has the files.
//!
//! What it must never do is change the program: no lock of its own is held while the program's code or the C library's
//! runs, nothing is allocated with `malloc`, nothing fails because recording does. So it uses the standard library
//! only where that is plain code, and talks to the kernel through `libc`.

mod again;
mod buffer;
mod calls;
mod control;
mod files;
mod follow;
mod foretold;
mod heap;
mod here;
mod inputs;
mod interpose;
mod local;
mod memory;
mod modules;
// C++'s names are what they are.
#[allow(non_snake_case)]
mod operators;
mod process;
mod real;
mod settings;
mod tickets;
mod tsan;

/// Run by the dynamic linker before the program's own initialisers.
#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = process::load;
