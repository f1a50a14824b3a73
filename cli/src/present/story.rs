//! The interleaving of a run that was made: only the events that matter, `…` for the rest.

use std::collections::BTreeSet;

use serde::Serialize;
use warpath_analyzer::explore::Bug;
use warpath_analyzer::slice::{At, Ends, Rank, Slice, ends_of_failure, ends_of_finding};
use warpath_trace::event::{Event, Op};
use warpath_trace::expr::to_signed;
use warpath_trace::ids::{LocationId, ThreadIx};
use warpath_trace::si::Expected;
use warpath_trace::trace::Trace;

use super::columns::{Row, cut, lay_out, widest};
use super::java;
use super::places::Side;

/// Lines at most.
const ROOM: usize = 24;
/// Lines up to which what orders the causes is shown too.
const COMFORTABLE: usize = 16;

/// An event of a story.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Told {
    pub(crate) thread: String,
    /// How many events of the thread came before it.
    pub(crate) position: u32,
    /// `w x 101`.
    pub(crate) what: String,
    #[serde(rename = "where")]
    pub(crate) place: String,
    /// Which of the story's events wrote what it read, if that was another thread's.
    pub(crate) from: Option<usize>,
}

/// What happened in a run, as far as it matters to its end.
pub(crate) struct Story<'a> {
    trace: &'a Trace,
    /// The events that matter, in the order in which they happened.
    shown: Vec<At>,
    /// How many of them the table has no room for: the first ones.
    before: usize,
    slice: Slice,
    ends: Ends,
}

impl<'a> Story<'a> {
    /// Of the run that shows a bug; none if nobody knows the order of its events.
    pub(crate) fn of(bug: &'a Bug) -> Option<Story<'a>> {
        let trace = &bug.trace;
        let ends = match (&bug.finding, trace.failed()) {
            (Some(finding), _) => ends_of_finding(trace, finding),
            (None, failed) => ends_of_failure(trace, &failed?),
        };
        let slice = Slice::of(trace, &ends).ok()?;
        let all: Vec<At> = trace.in_order().ok()?.map(|(thread, index, _)| (thread, index)).collect();
        let fits = |rank: Rank, room: usize| {
            let shown = chosen(trace, &all, &slice, rank);
            (lines(trace, &all, &shown) <= room).then_some(shown)
        };
        let shown = fits(Rank::Order, COMFORTABLE)
            .or_else(|| fits(Rank::Other, ROOM))
            .or_else(|| fits(Rank::Way, ROOM))
            .unwrap_or_else(|| chosen(trace, &all, &slice, Rank::Cause));
        let mut before = 0;
        while lines(trace, &all, &shown[before..]) > ROOM {
            before += 1;
        }
        Some(Story { trace, shown, before, slice, ends })
    }

    /// The events that matter, in the order in which they happened: thread, what, and where.
    pub(crate) fn steps(&self) -> impl Iterator<Item = Side> {
        self.shown.iter().filter_map(|&at| {
            let event = self.trace.event(at.0, at.1)?;
            Some(Side {
                place: self.trace.tables.source_name(event.at),
                thread: self.trace.tables.key(at.0).to_string(),
                role: words(self.trace, at, event),
            })
        })
    }

    /// The same with their places in the run, and what they read from another thread.
    pub(crate) fn told(&self) -> Vec<Told> {
        let at = |wanted: &At| self.shown.iter().position(|at| at == wanted);
        let told = |&(thread, index): &At| {
            let event = self.trace.event(thread, index)?;
            let from = self.slice.taken.get(&(thread, index)).filter(|write| write.0 != thread);
            Some(Told {
                thread: self.trace.tables.key(thread).to_string(),
                position: index,
                what: words(self.trace, (thread, index), event),
                place: self.trace.tables.source_name(event.at),
                from: from.and_then(at),
            })
        };
        self.shown.iter().filter_map(told).collect()
    }

    /// The table.
    pub(crate) fn table(&self) -> String {
        let shown = &self.shown[self.before..];
        let threads: BTreeSet<_> = shown.iter().map(|&(thread, _)| thread).collect();
        let threads: Vec<_> = threads.into_iter().collect();
        let tables = &self.trace.tables;
        let head = |thread: &ThreadIx| {
            let start = tables.threads().get(thread.index()).map(|thread| tables.text(thread.start));
            format!("{} {}", tables.key(*thread), start.unwrap_or_default()).trim_end().to_owned()
        };
        let heads: Vec<String> = threads.iter().map(head).collect();
        let column = |at: &At| threads.binary_search(&at.0).ok();
        let all: Vec<At> =
            self.trace.in_order().into_iter().flatten().map(|(thread, index, _)| (thread, index)).collect();
        let mut rows = Vec::new();
        if self.before > 0 {
            rows.push(Row::Remark(format!("… {} events that matter, then", self.before)));
        }
        for (gap, at) in with_gaps(self.trace, &all, shown) {
            let hidden: BTreeSet<usize> = gap.iter().filter_map(column).collect();
            // What comes before the first event shown is nothing that anybody misses.
            if !hidden.is_empty() && !rows.is_empty() {
                rows.push(Row::Gap(hidden.into_iter().collect()));
            }
            if let (Some(column), Some(event)) = (column(&at), self.trace.event(at.0, at.1)) {
                let mark = if self.is_marked(at) { "-> " } else { "" };
                let place = short_place(&tables.source_name(event.at));
                let place = if place.is_empty() { place } else { format!(" @{place}") };
                // Of a long name the end can be missed, of the place nothing.
                let room = widest(heads.len()).saturating_sub(place.chars().count() + mark.len()).max(8);
                let mut does = words(self.trace, at, event);
                if java::is_java(self.trace) {
                    does = java::unqualified(&does);
                }
                let does = cut(&does, room);
                rows.push(Row::Step(column, format!("{mark}{does}{place}")));
            }
        }
        lay_out(&heads, &rows)
    }

    /// Is it one of the events that the finding is about?
    fn is_marked(&self, at: At) -> bool {
        let failed = |&(thread, index): &At| {
            self.trace.event(thread, index).is_some_and(|event| matches!(event.op, Op::Failure { .. }))
        };
        !self.ends.events.iter().any(failed) && self.ends.events.contains(&at)
    }

    /// What other threads wrote that decided the end, with the value and the read of it.
    pub(crate) fn others(&self) -> Vec<Decisive> {
        let decisive = |&read: &At| {
            let write = *self.slice.taken.get(&read).filter(|write| write.0 != read.0)?;
            let (reads, writes) = (self.trace.event(read.0, read.1)?, self.trace.event(write.0, write.1)?);
            let location = reads.op.read_location()?;
            Some(Decisive {
                storage: self.trace.tables.location_name(location),
                value: value(self.trace, location, reads.op.read_value()?),
                reader: self.trace.tables.key(read.0).to_string(),
                writer: self.trace.tables.key(write.0).to_string(),
                written: self.trace.tables.source_name(writes.at),
            })
        };
        self.slice.decisive.iter().filter_map(decisive).collect()
    }
}

/// A value that one thread wrote, and that another read and decided by.
pub(crate) struct Decisive {
    pub(crate) storage: String,
    pub(crate) value: String,
    pub(crate) reader: String,
    pub(crate) writer: String,
    /// Where it was written.
    pub(crate) written: String,
}

/// Events of a slice up to a rank, in the order of the run.
fn chosen(trace: &Trace, all: &[At], slice: &Slice, rank: Rank) -> Vec<At> {
    let deadlocked = trace.failed().is_some_and(|failed| !failed.waits.is_empty());
    let wanted = |at: &&At| {
        let op = trace.event(at.0, at.1).map(|event| event.op);
        // The waits of a deadlock say more than that it is one.
        let shown = op.is_some_and(|op| op.is_visible() || matches!(op, Op::Failure { .. }) && !deadlocked);
        shown && slice.events.get(at).is_some_and(|known| *known <= rank)
    };
    all.iter().filter(wanted).copied().collect()
}

/// Each event shown, and what was left out between it and the one before.
fn with_gaps(trace: &Trace, all: &[At], shown: &[At]) -> Vec<(Vec<At>, At)> {
    let wanted: BTreeSet<&At> = shown.iter().collect();
    let threads: BTreeSet<_> = shown.iter().map(|&(thread, _)| thread).collect();
    let (mut rows, mut gap) = (Vec::new(), Vec::new());
    for at in all {
        if wanted.contains(at) {
            rows.push((std::mem::take(&mut gap), *at));
        } else if threads.contains(&at.0) && trace.event(at.0, at.1).is_some_and(is_missed) {
            gap.push(*at);
        }
    }
    rows
}

/// Would somebody who does not see it wonder? That threads begin and end goes without saying.
pub(crate) fn is_missed(event: &Event) -> bool {
    let plain = matches!(
        event.op,
        Op::Begin | Op::End | Op::Fork { .. } | Op::Join { .. } | Op::Detach { .. } | Op::SyncInit { .. }
    );
    event.op.is_visible() && !plain
}

fn lines(trace: &Trace, all: &[At], shown: &[At]) -> usize {
    let rows = with_gaps(trace, all, shown);
    let gaps = rows.iter().skip(1).filter(|(gap, _)| !gap.is_empty()).count();
    rows.len() + gaps
}

/// `w x 101`, `lock l (waits)`, `fails: assertion`.
pub(crate) fn words(trace: &Trace, (thread, _): At, event: &Event) -> String {
    let tables = &trace.tables;
    let events = &trace.threads[thread.index()];
    let does = Expected { place: None, ..Expected::of(tables, events, event) }.to_string();
    let datum = |location: LocationId, found: u128| value(trace, location, found);
    match event.op {
        Op::Failure { kind, .. } => format!("fails: {kind}"),
        Op::Free { object } => {
            let name = tables.objects().get(object.index()).map(|object| tables.text(object.name));
            format!("{does} {}", name.unwrap_or_default())
        }
        Op::Rmw { location, old, new, .. } => {
            format!("{does} {} -> {}", datum(location, old), datum(location, new.value))
        }
        Op::Commit { write } => match events.get(write as usize).and_then(|write| write.op.written()) {
            Some((location, written)) => format!("{does} {}", datum(location, written.value)),
            None => does,
        },
        op if op.is_pending() => format!("{does} (waits)"),
        op => match (op.written(), op.read_location(), op.read_value()) {
            (Some((location, written)), ..) => format!("{does} {}", datum(location, written.value)),
            (None, Some(location), Some(found)) => format!("{does} {}", datum(location, found)),
            _ => does,
        },
    }
}

/// As people write it: small numbers with a sign, others, which are addresses or masks, in hexadecimal.
fn value(trace: &Trace, location: LocationId, value: u128) -> String {
    let width = trace.tables.locations().get(location.index()).and_then(|location| location.width());
    let width = width.and_then(|width| u8::try_from(width).ok());
    let signed = width.map_or(value as i128, |width| to_signed(value, width));
    if signed.unsigned_abs() < 1 << 32 {
        return signed.to_string();
    }
    let object = if java::is_java(trace) { java::object(trace, value) } else { None };
    object.unwrap_or_else(|| format!("{value:#x}"))
}

/// `m.c:38` of `src/m.c:38:9`: a table has no room for more, and the places above it have the rest.
fn short_place(place: &str) -> String {
    match super::places::file_and_line(place) {
        Some((file, line)) => format!("{}:{line}", file.rsplit('/').next().unwrap_or(file)),
        None => place.to_owned(),
    }
}
