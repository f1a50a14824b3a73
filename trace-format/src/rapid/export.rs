//! Writes what STD can say of a trace, and counts the rest.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::io::{BufWriter, Write};

use rustc_hash::{FxHashMap, FxHashSet};

use super::MARKS;
use super::error::ExportError;
use super::line::{Verb, is_position, is_space};
use crate::event::{Event, Op, RwMode, WaitResult};
use crate::ids::{LocationId, SourceId, StringId, ThreadIx};
use crate::trace::{Step, Trace};

/// What became of a trace in an export.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExportReport {
    /// Events written.
    pub written: u64,
    /// Events left out because STD has no word for them, by what they are.
    pub left_out: BTreeMap<&'static str, u64>,
    /// Accesses written whose bytes overlap those of another variable: STD takes the two as unrelated.
    pub overlapping: u64,
    /// What the numbers in the third field are.
    pub positions: Positions,
}

/// What the third field of each line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Positions {
    /// The line, 0 if it is not known: no two files have the same line.
    Lines,
    /// The number of the position in the trace's table of positions, because lines alone are ambiguous.
    Numbers,
}

/// Writes the trace in the STD format.
pub fn export(trace: &Trace, out: &mut impl Write) -> Result<ExportReport, ExportError> {
    trace.check()?;
    let steps: Vec<Step<'_>> = trace.in_order()?.collect();
    let mut export = Export::new(trace, &steps);
    let out = &mut BufWriter::new(out);
    for &(thread, _, event) in &steps {
        export.event(out, thread, event)?;
    }
    out.flush()?;
    Ok(export.report)
}

/// What an operation is in STD.
enum Said<'a> {
    Access(Verb, LocationId),
    Lock(Verb, LocationId),
    Thread(Verb, ThreadIx),
    Mark(&'a [u8]),
    LeftOut(&'static str),
}

struct Export<'a> {
    trace: &'a Trace,
    /// Read/write locks that are held by readers somewhere: STD's locks have one holder.
    shared_locks: FxHashSet<LocationId>,
    threads: Vec<Vec<u8>>,
    variables: FxHashMap<LocationId, Vec<u8>>,
    locks: FxHashMap<LocationId, Vec<u8>>,
    overlapping: FxHashSet<LocationId>,
    report: ExportReport,
}

impl<'a> Export<'a> {
    fn new(trace: &'a Trace, steps: &[Step<'a>]) -> Self {
        let report = ExportReport {
            written: 0,
            left_out: BTreeMap::new(),
            overlapping: 0,
            positions: Positions::Lines,
        };
        let mut export = Export {
            trace,
            shared_locks: shared_locks(steps),
            threads: Vec::new(),
            variables: FxHashMap::default(),
            locks: FxHashMap::default(),
            overlapping: FxHashSet::default(),
            report,
        };
        let mut variables = Vec::new();
        let mut locks = Vec::new();
        let mut operands = FxHashSet::default();
        let mut positions = Vec::new();
        for (_, _, event) in steps {
            match export.said(&event.op) {
                Said::Access(_, location) => variables.push(location),
                Said::Lock(_, location) => locks.push(location),
                Said::Thread(_, thread) => {
                    operands.insert(thread);
                }
                Said::Mark(_) => {}
                Said::LeftOut(_) => continue,
            }
            positions.push(event.at);
        }
        export.threads = thread_names(trace, &operands);
        export.overlapping = overlapping(trace, &variables);
        export.variables = location_names(trace, variables);
        export.locks = location_names(trace, locks);
        export.report.positions = position_style(trace, positions);
        export
    }

    fn event(&mut self, out: &mut impl Write, thread: ThreadIx, event: &Event) -> Result<(), ExportError> {
        let said = self.said(&event.op);
        if let Said::LeftOut(what) = said {
            *self.report.left_out.entry(what).or_default() += 1;
            return Ok(());
        }
        out.write_all(&self.threads[thread.index()])?;
        out.write_all(b"|")?;
        match said {
            Said::Access(verb, location) => {
                self.report.overlapping += u64::from(self.overlapping.contains(&location));
                operation(out, verb, &self.variables[&location])?;
            }
            Said::Lock(verb, location) => operation(out, verb, &self.locks[&location])?,
            Said::Thread(verb, thread) => operation(out, verb, &self.threads[thread.index()])?,
            Said::Mark(mark) => out.write_all(mark)?,
            Said::LeftOut(_) => {}
        }
        out.write_all(b"|")?;
        match self.report.positions {
            Positions::Lines => out.write_all(&line_of(self.trace, event.at))?,
            Positions::Numbers => write!(out, "{}", event.at.0)?,
        }
        out.write_all(b"\n")?;
        self.report.written += 1;
        Ok(())
    }

    /// What the operation is in STD. Exhaustive on purpose: a new operation must be thought about here.
    fn said(&self, op: &Op) -> Said<'a> {
        let lock = |done: bool, verb, mutex, failed| {
            if done { Said::Lock(verb, mutex) } else { Said::LeftOut(failed) }
        };
        match *op {
            Op::Read { location, .. } => Said::Access(Verb::Read, location),
            Op::Write { location, .. } => Said::Access(Verb::Write, location),
            Op::Fork { child } => Said::Thread(Verb::Fork, child),
            Op::Join { child, result: WaitResult::Done, .. } => Said::Thread(Verb::Join, child),
            Op::Join { .. } => Said::LeftOut("join that did not succeed"),
            Op::Lock { mutex, result, .. } => {
                lock(result.acquired(), Verb::Acquire, mutex, "lock that did not succeed")
            }
            Op::Unlock { mutex, result } => {
                lock(result == WaitResult::Done, Verb::Release, mutex, "unlock that did not succeed")
            }
            Op::RwLock { lock, .. } | Op::RwUnlock { lock, .. } if self.shared_locks.contains(&lock) => {
                Said::LeftOut("read/write lock")
            }
            Op::RwLock { lock: mutex, result, .. } => {
                lock(result.acquired(), Verb::Acquire, mutex, "lock that did not succeed")
            }
            Op::RwUnlock { lock: mutex, result, .. } => {
                lock(result == WaitResult::Done, Verb::Release, mutex, "unlock that did not succeed")
            }
            // A wait gives the mutex back and takes it again; that it was signalled cannot be said.
            Op::CondWait { mutex, .. } => Said::Lock(Verb::Release, mutex),
            Op::CondWake { result: WaitResult::Pending, .. } => Said::LeftOut("wait that is not over"),
            Op::CondWake { mutex, .. } => Said::Lock(Verb::Acquire, mutex),
            Op::Signal { .. } | Op::Broadcast { .. } => Said::LeftOut("signal"),
            Op::Output { stream: MARKS, bytes } => {
                let mark = &self.trace.tables.strings()[bytes.index()][..];
                let good = mark.starts_with(b"begin") || mark.starts_with(b"end");
                if good && is_field(mark) { Said::Mark(mark) } else { Said::LeftOut("output") }
            }
            Op::Output { .. } => Said::LeftOut("output"),
            Op::AtomicRead { .. } | Op::AtomicWrite { .. } | Op::Rmw { .. } => Said::LeftOut("atomic access"),
            Op::Fence { .. } => Said::LeftOut("fence"),
            Op::Commit { .. } => Said::LeftOut("commit of a write"),
            Op::Begin | Op::End => Said::LeftOut("thread begin or end"),
            Op::Detach { .. } => Said::LeftOut("detach"),
            Op::SyncInit { .. } | Op::SyncDestroy { .. } => {
                Said::LeftOut("synchronisation object made or destroyed")
            }
            Op::SemWait { .. } | Op::SemPost { .. } | Op::SemValue { .. } => Said::LeftOut("semaphore"),
            Op::BarrierArrive { .. } | Op::BarrierLeave { .. } => Said::LeftOut("barrier"),
            Op::Once { .. } => Said::LeftOut("once"),
            Op::FutexWait { .. }
            | Op::FutexResume { .. }
            | Op::FutexWake { .. }
            | Op::FutexRequeue { .. } => Said::LeftOut("futex"),
            Op::AtomicBegin | Op::AtomicEnd => Said::LeftOut("atomic region"),
            Op::Await { .. } => Said::LeftOut("await"),
            Op::Branch { .. } | Op::Switch { .. } => Said::LeftOut("branch"),
            Op::Concretise { .. } => Said::LeftOut("concretisation"),
            Op::Assume { .. } => Said::LeftOut("assumption"),
            Op::Assert { .. } => Said::LeftOut("assertion"),
            Op::Input { .. } => Said::LeftOut("input"),
            Op::Alloc { .. } | Op::Free { .. } => Said::LeftOut("allocation or free"),
            Op::Failure { .. } => Said::LeftOut("failure"),
        }
    }
}

fn operation(out: &mut impl Write, verb: Verb, operand: &[u8]) -> std::io::Result<()> {
    out.write_all(verb.word().as_bytes())?;
    out.write_all(b"(")?;
    out.write_all(operand)?;
    out.write_all(b")")
}

/// Can the text be a field of its own?
fn is_field(text: &[u8]) -> bool {
    !text.is_empty() && !text.iter().any(|byte| matches!(byte, b'|' | b'\n' | b'\r'))
}

/// Can the text stand between the parentheses of an operation?
fn is_operand(text: &[u8]) -> bool {
    is_field(text) && !text.iter().any(|&byte| is_space(byte))
}

fn bytes(trace: &Trace, id: StringId) -> &[u8] {
    &trace.tables.strings()[id.index()]
}

fn shared_locks(steps: &[Step<'_>]) -> FxHashSet<LocationId> {
    let shared = |(_, _, event): &Step<'_>| match event.op {
        Op::RwLock { lock, mode: RwMode::Read, .. } | Op::RwUnlock { lock, mode: RwMode::Read, .. } => {
            Some(lock)
        }
        _ => None,
    };
    steps.iter().filter_map(shared).collect()
}

/// The threads' own names if every thread has one that no other has, else their keys.
fn thread_names(trace: &Trace, operands: &FxHashSet<ThreadIx>) -> Vec<Vec<u8>> {
    let names: Vec<&[u8]> = trace.tables.threads().iter().map(|thread| bytes(trace, thread.name)).collect();
    let good = |(index, name): (usize, &&[u8])| {
        is_field(name) && (!operands.contains(&ThreadIx::from(index)) || is_operand(name))
    };
    if names.iter().enumerate().all(good) && all_different(names.iter().copied()) {
        names.into_iter().map(<[u8]>::to_vec).collect()
    } else {
        trace.tables.keys().iter().map(|key| key.to_string().into_bytes()).collect()
    }
}

/// Each location's name if it can be written and no other one here has it, else `&` and its number.
fn location_names(trace: &Trace, mut used: Vec<LocationId>) -> FxHashMap<LocationId, Vec<u8>> {
    used.sort();
    used.dedup();
    let name = |id: LocationId| bytes(trace, trace.tables.locations()[id.index()].name);
    let mut count: FxHashMap<&[u8], u32> = FxHashMap::default();
    for &id in &used {
        *count.entry(name(id)).or_default() += 1;
    }
    let named = |id: LocationId| is_operand(name(id)) && count[name(id)] == 1;
    let number = |id: LocationId| {
        let mut text = format!("&{}", id.0).into_bytes();
        while count.contains_key(&text[..]) {
            text.push(b'\'');
        }
        text
    };
    used.iter().map(|&id| (id, if named(id) { name(id).to_vec() } else { number(id) })).collect()
}

/// The locations among these that share a byte with another one.
fn overlapping(trace: &Trace, used: &[LocationId]) -> FxHashSet<LocationId> {
    let locations = trace.tables.locations();
    let mut sorted: Vec<LocationId> = used.to_vec();
    sorted.sort_by_key(|id| (locations[id.index()].object, locations[id.index()].offset, *id));
    sorted.dedup();
    let mut found = FxHashSet::default();
    // Sorted by start, a location overlaps an earlier one exactly if it overlaps the one that reaches furthest.
    let mut furthest: Option<LocationId> = None;
    for id in sorted {
        let location = &locations[id.index()];
        let end = |id: LocationId| {
            let location = &locations[id.index()];
            location.offset.saturating_add(location.size.into())
        };
        match furthest {
            Some(other) if locations[other.index()].overlaps(location) => {
                found.extend([other, id]);
                if end(id) > end(other) {
                    furthest = Some(id);
                }
            }
            _ => furthest = Some(id),
        }
    }
    found
}

/// The third field where it is a line: a number, which an import may have kept as text.
fn line_of(trace: &Trace, at: SourceId) -> Vec<u8> {
    let source = &trace.tables.sources()[at.index()];
    let file = bytes(trace, source.file);
    if source.line == 0 && is_position(file) { file.to_vec() } else { source.line.to_string().into_bytes() }
}

/// Lines if they say which position is meant.
fn position_style(trace: &Trace, mut used: Vec<SourceId>) -> Positions {
    used.sort();
    used.dedup();
    let mut file_of: FxHashMap<u32, StringId> = FxHashMap::default();
    for id in used {
        let source = &trace.tables.sources()[id.index()];
        let file = *file_of.entry(source.line).or_insert(source.file);
        let ambiguous = source.line > 0 && bytes(trace, file) != bytes(trace, source.file);
        if ambiguous || i32::try_from(source.line).is_err() {
            return Positions::Numbers;
        }
    }
    Positions::Lines
}

fn all_different<T: Hash + Eq>(mut items: impl Iterator<Item = T>) -> bool {
    let mut seen = FxHashSet::default();
    items.all(|item| seen.insert(item))
}
