//! Rust panics: where they begin, and which of them a program fails with.

use warpath_trace::event::FailureKind;

use crate::names::{Frame, Images};
use crate::run::machine::{Machine, word_at};
use crate::run::outcome::Failure;

/// Frames between the place that panics and the functions that see to it; formatting and hooks of the program may be
/// among them.
const DEEPEST: usize = 128;

/// A panic of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Panic {
    /// Where in the program's own source it began.
    site: u64,
    /// After so many instructions of the run.
    when: u64,
    /// Its unwinding is over. What began every thread of the standard library catches panics, too, so that says nothing
    /// about whether somebody has dealt with it.
    caught: bool,
}

impl Machine {
    /// A thread has come to one of the functions that every panic comes through. One that begins while another is under
    /// way is its consequence.
    pub(super) fn panic_begins(&mut self, t: usize) {
        if self.threads[t].panic.is_none_or(|panic| panic.caught) {
            let site = self.panic_site(t);
            self.threads[t].panic = Some(Panic { site, when: self.instructions, caught: false });
        }
    }

    /// A thread's panic has been caught.
    pub(super) fn panic_caught(&mut self, t: usize) {
        if let Some(panic) = &mut self.threads[t].panic {
            panic.caught = true;
        }
    }

    /// The failure of a program that a panic ends. Of the threads that panicked, the first is the one to look at: the
    /// others fail because it did, like who joins it, or who takes the lock that it has poisoned.
    pub(crate) fn panic_failure(&self, message: &str) -> Option<Failure> {
        let panics = self.threads.iter().filter_map(|thread| Some((thread.panic?, thread)));
        let (panic, thread) = panics.min_by_key(|(panic, _)| panic.when)?;
        let message = match thread.ix == self.threads[self.current].ix {
            true => message.to_owned(),
            false => format!("{message}, of {}", thread.key),
        };
        Some(Failure { site: Some(panic.site), ..Failure::new(FailureKind::Panic, message) })
    }

    /// The innermost call in the program's own source.
    fn panic_site(&mut self, t: usize) -> u64 {
        let mut frame = Frame::innermost(&self.threads[t].registers);
        let (images, space) = (&self.images, &mut self.space);
        let mut read = |address: u64| word_at(space, address);
        for _ in 0..DEEPEST {
            match images.caller(&frame, &mut read) {
                Some(caller) => frame = caller,
                None => break,
            }
            if is_of_program(images, frame.lookup()) {
                return frame.lookup();
            }
        }
        self.site(t)
    }
}

/// Is it the program's code, not that of Rust's libraries? Without debug information, functions say so by their names.
fn is_of_program(images: &Images, address: u64) -> bool {
    if images.is_c_library(address) {
        return false;
    }
    if let Some(source) = images.source(address).filter(|source| source.line != 0) {
        return !source.is_standard;
    }
    const LIBRARIES: [&str; 4] = ["std::", "core::", "alloc::", "rust"];
    images.function(address).is_some_and(|name| {
        let name = name.trim_start_matches(['<', '&', '*', '_']);
        !LIBRARIES.iter().any(|library| name.starts_with(library))
    })
}
