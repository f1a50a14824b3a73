//! What a race changes: does the run go another way if the accesses come in the other order?
//!
//! A finding names positions and threads. Of the events of the recorded run at these positions, each is looked at with the
//! one of the other thread that was nearest to it. A read has an *other value* if that write to the same bytes wrote
//! something else; or, where the read found what was
//! written, if something else was there before. Of two writes, the reads that found what one of them wrote have the
//! value of the other. With the other value in the place of the one found, and everything else as it was in the run,
//! the conditions of the thread's later branches are computed again: one that comes out differently is a branch that
//! the race changes.
//!
//! This follows one value one step: not what that value would have been written on to, nor whether the two accesses can
//! be in the other order, which is what the finding says. A trace whose values are pinned has no conditions; there the
//! other value itself is the effect, and [`Effect::on`] says so. What was imported from a form without values has no
//! effect that anybody knows of.

mod branches;
#[cfg(test)]
mod tests;
mod values;

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use warpath_trace::event::Op;
use warpath_trace::header::Values;
use warpath_trace::ids::{SourceId, ThreadIx};
use warpath_trace::rapid;
use warpath_trace::trace::Trace;

use crate::findings::Involved;
use branches::Branches;
use values::{Access, Others};

/// So many events at one position of a thread are looked at.
const PER_POSITION: usize = 64;

/// An event: thread and index within it.
pub(crate) type At = (ThreadIx, u32);

/// What the other order changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    /// On what.
    pub on: On,
    /// Where that is.
    #[serde(rename = "where")]
    pub place: String,
    /// The thread's key.
    pub thread: String,
    /// The storage read.
    pub storage: String,
    /// Where it was read.
    pub read_where: String,
    /// The value found in the run; text, because it may have 128 bits.
    pub found: String,
    /// The value that it can be instead.
    pub other: String,
}

/// What a value has an effect on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum On {
    /// A condition, which comes out differently.
    Branch,
    /// The value of a read; what depends on it is not recorded.
    Value,
}

/// Numbers that an import made up are no values.
fn has_values(trace: &Trace) -> bool {
    trace.header.tracer != rapid::TRACER
}

/// The first effect of each finding, given by the events it is about, on the run that was recorded.
pub fn effects(trace: &Trace, findings: &[&[Involved]]) -> Vec<Option<Effect>> {
    if !has_values(trace) {
        return vec![None; findings.len()];
    }
    let at = events_at(trace, findings);
    let wanted: HashSet<At> = at.values().flatten().copied().collect();
    let others = Others::of(trace, &wanted);
    let candidates: Vec<Vec<Candidate>> =
        findings.iter().map(|events| candidates(trace, events, &at, &others)).collect();
    if trace.header.values == Values::Pinned {
        let first = |candidates: Vec<Candidate>| Some(candidates.first()?.effect(trace, On::Value, None));
        return candidates.into_iter().map(first).collect();
    }
    let reads: HashSet<At> = candidates.iter().flatten().map(|candidate| candidate.read).collect();
    let mut branches = Branches::of(trace, &reads);
    let mut effect = |candidates: &[Candidate]| {
        let (candidate, branch) = branches.changed(candidates)?;
        Some(candidate.effect(trace, On::Branch, Some((candidate.read.0, branch))))
    };
    candidates.iter().map(|candidates| effect(candidates)).collect()
}

/// A read and a value that it can find instead of the one it found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Candidate {
    read: At,
    found: u128,
    other: u128,
}

impl Candidate {
    fn effect(&self, trace: &Trace, on: On, decides: Option<At>) -> Effect {
        let place = |(thread, index): At| {
            let at = trace.event(thread, index).map_or(SourceId::default(), |event| event.at);
            trace.tables.source_name(at)
        };
        let location = trace.event(self.read.0, self.read.1).and_then(|event| event.op.read_location());
        Effect {
            on,
            place: place(decides.unwrap_or(self.read)),
            thread: trace.tables.key(self.read.0).to_string(),
            storage: location.map(|location| trace.tables.location_name(location)).unwrap_or_default(),
            read_where: place(self.read),
            found: self.found.to_string(),
            other: self.other.to_string(),
        }
    }
}

type Positions = HashMap<(ThreadIx, SourceId), Vec<At>>;

/// The accesses of the run at the positions of the findings.
fn events_at(trace: &Trace, findings: &[&[Involved]]) -> Positions {
    let places: HashSet<&str> =
        findings.iter().flat_map(|events| events.iter()).map(|event| &*event.place).collect();
    let named = |n: usize| places.contains(trace.tables.source_name(SourceId::from(n)).as_str());
    let sources: HashSet<SourceId> =
        (1..trace.tables.sources().len()).filter(|&n| named(n)).map(SourceId::from).collect();
    let mut at = Positions::new();
    for (thread, events) in trace.threads.iter().enumerate() {
        let thread = ThreadIx::from(thread);
        for (event, index) in events.iter().zip(0u32..) {
            if sources.contains(&event.at) && is_access(&event.op) {
                let known = at.entry((thread, event.at)).or_default();
                if known.len() < PER_POSITION {
                    known.push((thread, index));
                }
            }
        }
    }
    at
}

fn is_access(op: &Op) -> bool {
    op.read_location().is_some() || op.written().is_some()
}

/// Everything that the two orders of a finding's accesses let a read find.
fn candidates(trace: &Trace, events: &[Involved], at: &Positions, others: &Others<'_>) -> Vec<Candidate> {
    let accesses: Vec<Vec<Access<'_>>> = events
        .iter()
        .map(|event| {
            let of_event = |((thread, source), at): (&(ThreadIx, SourceId), &Vec<At>)| {
                let same = trace.tables.key(*thread).to_string() == event.thread
                    && trace.tables.source_name(*source) == event.place;
                same.then(|| at.clone())
            };
            let mut found: Vec<At> = at.iter().filter_map(of_event).flatten().collect();
            found.sort_unstable();
            found.into_iter().filter_map(|at| Access::of(trace, at)).collect()
        })
        .collect();
    // Values that were far apart in the run do not meet: each access with the nearest one of the other thread.
    let mut candidates: Vec<Candidate> = Vec::new();
    for (n, some) in accesses.iter().enumerate() {
        for (m, more) in accesses.iter().enumerate().filter(|(m, _)| *m != n) {
            for one in some {
                let Some(other) = others.nearest(one, more) else { continue };
                candidates.extend(others.of_pair(one, other));
                if m > n {
                    candidates.extend(others.of_pair(other, one));
                }
            }
        }
    }
    // What the finding's own threads read says more than what somebody else does later.
    let threads: HashSet<ThreadIx> = accesses.iter().flatten().map(|access| access.at.0).collect();
    candidates
        .sort_by_key(|candidate| (!threads.contains(&candidate.read.0), candidate.read, candidate.other));
    candidates.dedup();
    candidates
}
