//! Who accesses what: a location is shared if two threads access it, and one of them writes.

use rustc_hash::FxHashMap;
use warpath_trace::thread::ThreadKey;

use super::Lifter;
use crate::interpret::Cell;
use crate::run::Sharing;
use crate::stream::{Definitions, Record};

/// Who accessed a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Use {
    thread: u32,
    reads: bool,
    writes: bool,
}

/// Who accessed which locations.
pub(super) type Usages = FxHashMap<Cell, Vec<Use>>;

/// Accesses of a run, by name: location, thread, whether it wrote.
pub(crate) type Usage = Vec<(String, ThreadKey, bool)>;

impl Lifter {
    /// An access was made. Before there is a second thread nobody can be disturbed; and as long as there is no input
    /// either, what is written is the same in every run.
    pub(super) fn note_access(&mut self, t: usize, cell: Cell, writes: bool) {
        if !self.forked && self.trace.tables.inputs().is_empty() {
            return;
        }
        let uses = self.usage.entry(cell).or_default();
        match uses.iter_mut().find(|known| known.thread == t as u32) {
            Some(known) => {
                known.writes |= writes;
                known.reads |= !writes;
            }
            None => uses.push(Use { thread: t as u32, reads: !writes, writes }),
        }
    }

    /// Of a record behind the end of the trace: who accesses what.
    pub(super) fn note_only(&mut self, definitions: &Definitions, t: usize, record: &Record) {
        match record {
            Record::Enter { method, .. } => {
                let mut frame = crate::interpret::Frame::new(*method, Vec::new(), false);
                frame.state = crate::interpret::State::Lost;
                self.threads[t].frames.push(frame);
            }
            Record::Exit | Record::Unwind { .. } => {
                self.threads[t].frames.pop();
            }
            Record::Atomic(atomic) => {
                let cell = self.atomic_cell(definitions, atomic);
                self.note_access(t, cell, atomic.op != crate::stream::AtomicOp::Get);
            }
            record => {
                if let Some(access) = self.access_of(definitions, t, record) {
                    self.note_access(t, access.cell, access.writes);
                }
            }
        }
    }

    /// What this run shows to be shared, and what is needed to find out more together with other runs.
    pub(super) fn shared(&mut self, definitions: &Definitions) -> (Sharing, Usage) {
        let usages = std::mem::take(&mut self.usage);
        let mut shared = Sharing::default();
        let mut usage = Usage::new();
        if definitions.threads().len() < 2 {
            return (shared, usage);
        }
        self.share_flags(definitions, &mut shared);
        for (cell, uses) in usages {
            let name = self.cell_name(definitions, cell);
            if uses.len() > 1 && uses.iter().any(|known| known.writes) {
                shared.insert(name);
                continue;
            }
            for known in uses {
                let key = self.trace.tables.keys()[known.thread as usize].clone();
                usage.push((name.clone(), key, known.writes));
            }
        }
        (shared, usage)
    }
}
