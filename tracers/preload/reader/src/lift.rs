//! Records to events.

mod emit;
mod foresee;
mod objects;

use std::io::Write;

use warpath_light_format::Kind;
use warpath_trace::binary::{TraceWriter, WriterOptions};
use warpath_trace::event::FailureKind;
use warpath_trace::header::{Clock, Header, MemoryModel, OrderKind, Outcome, Values};

use crate::cut;
use crate::error::LightError;
use crate::folder::Recording;
use crate::merge::Merge;
use crate::names::Names;
use emit::Emitter;
use foresee::Foreseen;

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
        let (lanes, first) = cut::lanes(self, episode);
        let foreseen = Foreseen::of(Merge::new(lanes.clone(), first.clone()));
        let mut names = Names::of(self);
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
        let writer = TraceWriter::new(out, &header, options)?;
        let mut merge = Merge::new(lanes, first);
        let mut emitter = Emitter::new(self, writer, &mut names, &foreseen)?;
        let mut exit = None;
        let mut failure = None;
        while let Some((thread, record)) = merge.pop() {
            match record.kind {
                Kind::Exit => exit = Some(record.b as i32),
                Kind::Failure => failure = Some(failure_of(record.a, record.word(2), record.text(3))),
                _ => {}
            }
            emitter.record(thread, &record)?;
        }
        if self.episodes.last() == Some(&episode) {
            emitter.waiting()?;
        }
        let outcome = match (failure, ended, exit) {
            (Some(failure), ..) => Outcome::Failed(failure),
            (None, Ended::Exited(status), _) | (None, Ended::Unknown, Some(status)) => {
                Outcome::Exited(status)
            }
            _ => Outcome::Unknown,
        };
        let lost = self.threads.iter().map(|thread| thread.lost).sum::<u64>() + merge.gaps;
        let (events, threads) = emitter.finish(outcome, lost)?;
        Ok(Written { events, threads, lost, outcome })
    }
}

/// What kind of failure a signal, or the lack of one, stands for.
fn failure_of(signal: u16, address: u64, message: &[u8]) -> FailureKind {
    const PAGE: u64 = 4096;
    match signal {
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
