//! An environment in which a program does the same in every terminal.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use crate::process::Launch;

/// What arguments and environment take together on the stack is filled up to a multiple of this.
const ROOM: usize = 1 << 14;
const POINTER: usize = 8;

/// Adds what makes runs the same: settings of the C library, and so much padding that the stack of the initial thread
/// begins at the same address whatever the environment holds.
pub(super) fn steady(launch: &mut Launch) {
    // Resolving names when they are first used would be work that the first thread to come there does for the others.
    launch.environment.push(OsString::from("LD_BIND_NOW=1"));
    // Without its cache of stacks, glibc gives a new thread a stack that does not depend on which thread ended first.
    tune(&mut launch.environment, b"glibc.pthread.stack_cache_size=0");
    without_backtraces(&mut launch.environment);
    pad(launch);
}

/// A Rust program that panics and prints where looks through all of its debug information to do so: work that has
/// nothing to do with the program, and takes longer than all the rest.
fn without_backtraces(environment: &mut [OsString]) {
    const NAMES: [&[u8]; 2] = [b"RUST_BACKTRACE=", b"RUST_LIB_BACKTRACE="];
    for entry in environment {
        if let Some(name) = NAMES.iter().find(|name| entry.as_bytes().starts_with(name)) {
            *entry = OsString::from_vec([name, &b"0"[..]].concat());
        }
    }
}

fn tune(environment: &mut Vec<OsString>, setting: &[u8]) {
    const NAME: &[u8] = b"GLIBC_TUNABLES=";
    match environment.iter_mut().find(|entry| entry.as_bytes().starts_with(NAME)) {
        Some(entry) => {
            let mut bytes = std::mem::take(entry).into_vec();
            bytes.push(b':');
            bytes.extend_from_slice(setting);
            *entry = OsString::from_vec(bytes);
        }
        None => environment.push(OsString::from_vec([NAME, setting].concat())),
    }
}

/// The kernel puts the strings on the stack, and below them a pointer to each; both parts are rounded to 16 bytes. So the
/// number of pointers is made even, and then the bytes of all together a multiple of [`ROOM`].
fn pad(launch: &mut Launch) {
    const NAME: &[u8] = b"WARPATH=";
    launch.environment.retain(|entry| !entry.as_bytes().starts_with(b"WARPATH="));
    if !(launch.arguments.len() + launch.environment.len() + 1).is_multiple_of(2) {
        launch.environment.push(OsString::from("WARPATH_TRACED=1"));
    }
    let taken = size(launch) + NAME.len() + 1 + POINTER;
    let padding = taken.next_multiple_of(ROOM) - taken;
    launch.environment.push(OsString::from_vec([NAME, &vec![b'-'; padding]].concat()));
}

fn size(launch: &Launch) -> usize {
    let strings = launch.arguments.iter().chain(&launch.environment);
    // The path of the executable stands there, too, but without a pointer in the row.
    strings.map(|text| text.len() + 1 + POINTER).sum::<usize>() + launch.program.len() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_the_stack_has_the_same_size_in_every_environment() {
        for extra in 0..40 {
            let mut launch = Launch::new("/bin/true", (0..extra % 7).map(|n| OsString::from("x".repeat(n))));
            launch.environment.push(OsString::from_vec([b"EXTRA=", &vec![b'e'; extra][..]].concat()));
            steady(&mut launch);
            assert_eq!(size(&launch) % ROOM, 0, "{extra}");
            assert_eq!((launch.arguments.len() + launch.environment.len()) % 2, 0, "{extra}");
        }
    }
}
