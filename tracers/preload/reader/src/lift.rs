//! Records to events.

mod emit;
mod foresee;
mod memory;
mod objects;
mod places;

use std::io::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use warpath_light_format::Kind;
use warpath_light_format::kind::failure;
use warpath_trace::binary::{TraceWriter, WriterOptions};
use warpath_trace::event::FailureKind;
use warpath_trace::header::{Clock, Header, MemoryModel, OrderKind, Outcome, Values};
use warpath_trace::si::SharedBytes;
use warpath_trace::thread::ThreadKey;
use warpath_trace::trace::MEMORY_UNSEEN;

use crate::cut;
use crate::error::LightError;
use crate::folder::Recording;
use crate::memory::Memory;
use crate::merge::Merge;
use crate::names::Names;
use crate::sharing::{Named, Uses};
use crate::space::Space;
use emit::Emitter;
use foresee::Foreseen;

/// What the footer of a trace says that does not begin with the program: its beginning was overwritten, recording was
/// off then, or it is that of a fork.
pub const BEGINNING_LOST: &str = "beginning-lost";

/// How a process ended, where somebody has seen it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With a status.
    Exited(i32),
    /// By a signal.
    Killed(i32),
    /// Nobody knows more than the recording says.
    Unknown,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// Events in the trace.
    pub events: u64,
    /// Threads in it.
    pub threads: usize,
    /// Events that were not recorded.
    pub lost: u64,
    /// Reads of which it could only be guessed when they came.
    pub guessed: u64,
    /// Bytes that threads share.
    pub shared_bytes: u64,
    /// How the trace says that it ended.
    pub outcome: Outcome,
}

impl Recording {
    /// The parts between which recording was off. Each is a trace of its own.
    pub fn episodes(&self) -> &[u64] {
        &self.episodes
    }

    /// Writes the trace of an episode.
    pub fn write<W: Write>(
        &self,
        episode: u64,
        ended: Ended,
        out: W,
        options: WriterOptions,
    ) -> Result<Written, LightError> {
        self.write_with(episode, ended, out, options, None)
    }

    /// The same, with these bytes taken as shared and no others, if there are any.
    pub(crate) fn write_with<W: Write>(
        &self,
        episode: u64,
        ended: Ended,
        out: W,
        options: WriterOptions,
        given: Option<&[SharedBytes]>,
    ) -> Result<Written, LightError> {
        let (lanes, tickets) = cut::lanes(self, episode);
        let mut space = Space::new(self);
        let mut uses = Uses::default();
        let mut memory_seen = false;
        let foreseen = Foreseen::of(Merge::new(lanes.clone(), tickets.clone()), |thread, record| {
            memory_seen |= record.kind.is_of_memory();
            space.pass(thread, record);
            uses.pass(thread, record, &mut space);
        });
        let mut names = Names::of(self);
        let shared = match given {
            None => uses.shared(&space),
            Some(given) => uses.named(&self.named(&space, &names, given), given),
        };
        drop(uses);
        space.restart();
        let from_the_start = cut::from_the_start(self, episode);
        if !from_the_start {
            // What variables held then, nobody knows.
            names.forget_data();
        }
        let mut memory = Memory::new(&shared, space, names.data());
        let header = Header {
            program: self.meta.program.to_string_lossy().into_owned(),
            arguments: self.meta.arguments.clone(),
            build_id: names.build_id(),
            tracer: "warpath-preload".to_owned(),
            tracer_version: env!("CARGO_PKG_VERSION").to_owned(),
            clock: Clock::Real(self.meta.began),
            order: OrderKind::Total,
            model: MemoryModel::Sc,
            values: Values::Pinned,
        };
        let mut writer = TraceWriter::new(out, &header, options)?;
        if from_the_start {
            writer.recorded(&self.inputs.recorded)?;
        }
        let mut merge = Merge::new(lanes, tickets);
        let mut emitter = Emitter::new(self, writer, &mut names, &foreseen, &shared)?;
        let mut exit = None;
        let mut failure = None;
        while let Some((thread, record)) = merge.pop(Some(&mut memory)) {
            match record.kind {
                Kind::Exit => exit = Some(record.b as i32),
                Kind::Failure => failure = Some(failure_of(record.a, record.word(2), record.text())),
                _ => {}
            }
            emitter.record(thread, &record, &mut memory.space.borrow_mut())?;
        }
        if self.episodes.last() == Some(&episode) {
            emitter.waiting(&mut memory.space.borrow_mut())?;
        }
        let outcome = match (failure, ended, exit) {
            (Some(failure), ..) => Outcome::Failed(failure),
            (None, Ended::Exited(status), _) | (None, Ended::Unknown, Some(status)) => {
                Outcome::Exited(status)
            }
            _ => Outcome::Unknown,
        };
        let lost = self.threads.iter().map(|thread| thread.lost).sum::<u64>() + merge.gaps;
        let guessed = memory.unexplained;
        if !from_the_start {
            emitter.approximate(BEGINNING_LOST, 1);
        }
        if !memory_seen {
            emitter.approximate(MEMORY_UNSEEN, 1);
        }
        for (what, count) in &self.inputs.missed {
            emitter.approximate(what, *count);
        }
        let space = memory.space.into_inner();
        let shared_bytes = emitter.sharing(&space)?;
        let (events, threads) = emitter.finish(outcome, lost, guessed)?;
        Ok(Written { events, threads, lost, guessed, shared_bytes, outcome })
    }
}

impl Recording {
    /// Where storage is, by the names that a schedule has for it.
    fn named<'a>(&self, space: &'a Space, names: &Names, shared: &[SharedBytes]) -> Named<'a> {
        let mut keys: FxHashMap<u64, ThreadKey> = FxHashMap::default();
        let mut threads = FxHashMap::default();
        // Parents have lower numbers than their children.
        for file in &self.threads {
            let key = match file.parent.and_then(|parent| keys.get(&parent)) {
                Some(parent) => parent.child(file.nth as u32),
                None if keys.is_empty() => ThreadKey::main(),
                None => continue,
            };
            threads.insert(key.to_string(), (file.number as usize, file.stack.1));
            keys.insert(file.number, key);
        }
        let wanted: FxHashSet<&str> = shared.iter().map(|shared| shared.object.as_str()).collect();
        let mut variables = FxHashMap::default();
        for (name, address) in names.storage(|name| wanted.contains(name)) {
            variables.entry(name).or_insert(address);
        }
        Named { space, threads, variables }
    }
}

/// What kind of failure a signal, or the lack of one, stands for.
fn failure_of(signal: u16, address: u64, message: &[u8]) -> FailureKind {
    const PAGE: u64 = 4096;
    match signal {
        failure::USE_AFTER_FREE => FailureKind::UseAfterFree,
        failure::DOUBLE_FREE => FailureKind::DoubleFree,
        0 if message.is_empty() => FailureKind::Abort,
        0 => FailureKind::Assertion,
        11 if address < PAGE => FailureKind::NullDereference,
        11 => FailureKind::Segfault,
        7 => FailureKind::Bus,
        8 => FailureKind::Arithmetic,
        4 => FailureKind::IllegalInstruction,
        other => FailureKind::Killed(u32::from(other)),
    }
}
