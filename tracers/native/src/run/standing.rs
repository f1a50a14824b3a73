//! Where each thread stands when a run has ended: for debuggers, which see only one thread.

use std::sync::Arc;

use warpath_trace::thread::ThreadKey;

use super::machine::{Machine, word_at};
use crate::cpu::Registers;
use crate::names::Frame;

/// Deeper stacks are cut there.
const DEEPEST: usize = 64;

/// A thread that has begun and not ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Standing {
    /// Its name in every run.
    pub key: ThreadKey,
    /// Whether it is the one that ran last, whose registers a process that is left stopped has.
    pub is_current: bool,
    /// Its registers.
    pub registers: Registers,
    /// Its calls, the innermost first.
    pub calls: Vec<Call>,
}

/// A call in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Call {
    /// The instruction, or the one that is returned to.
    pub address: u64,
    /// The function, if it has a name.
    pub function: Option<Arc<str>>,
    /// File and line, if they are known.
    pub line: Option<(Arc<str>, u32)>,
    /// Whether it is the program's own, and not of the system's libraries.
    pub is_own: bool,
}

impl Machine {
    /// The threads that are there.
    pub(crate) fn standing(&mut self) -> Vec<Standing> {
        let alive: Vec<usize> = (0..self.threads.len()).filter(|&t| self.threads[t].alive()).collect();
        let standing = |t: usize| Standing {
            key: self.threads[t].key.clone(),
            is_current: t == self.current,
            registers: self.threads[t].registers.clone(),
            calls: self.calls(t),
        };
        alive.into_iter().map(standing).collect()
    }

    fn calls(&mut self, t: usize) -> Vec<Call> {
        let mut frame = Some(Frame::innermost(&self.threads[t].registers));
        let (images, space) = (&self.images, &mut self.space);
        let mut read = |address: u64| word_at(space, address);
        let mut calls = Vec::new();
        while let Some(at) = frame.filter(|_| calls.len() < DEEPEST) {
            let in_library = images.is_c_library(at.lookup());
            let inlined = images.frames(at.lookup());
            let named = inlined.iter().filter(|source| source.line != 0);
            calls.extend(named.map(|source| Call {
                address: at.pc,
                function: source.function.clone(),
                line: Some((Arc::clone(&source.file), source.line)),
                is_own: !in_library && !source.is_standard,
            }));
            if inlined.iter().all(|source| source.line == 0) {
                let function = images.function(at.lookup());
                calls.push(Call { address: at.pc, function, line: None, is_own: false });
            }
            frame = images.caller(&at, &mut read);
        }
        calls
    }
}
