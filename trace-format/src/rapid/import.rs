//! Reads an STD file.
//!
//! STD has no values. Each write of a variable is given a fresh one, its ordinal among the writes of that
//! variable, and each read the value of the last write before it, 0 if there was none. The values are
//! pinned: a prediction keeps every read at the write it saw or at one that no reader can tell from it,
//! which is all that can be honestly said.

use std::io::{BufRead, BufReader, Read};

use rustc_hash::FxHashMap;

use super::MARKS;
use super::error::ImportError;
use super::line::{Operation, Verb, fields, is_position, operation};
use crate::event::{Attempt, Datum, Event, Op, WaitResult};
use crate::header::{Header, Outcome, Values};
use crate::ids::{LocationId, SourceId, StringId, ThreadIx};
use crate::place::{Location, Object, ObjectClass, Source};
use crate::tables::TableError;
use crate::thread::Thread;
use crate::trace::Trace;

/// The longest line that is read.
const LONGEST_LINE: u64 = 1 << 16;
/// Versions of a variable are counted in so many bytes.
const VARIABLE_SIZE: u32 = 8;

/// Reads an STD file, line by line. Threads keep their names; the first one to act is `T0`, a forked one is
/// a child of its forker, and any other one is taken as a child of `T0`.
pub fn import(input: impl Read) -> Result<Trace, ImportError> {
    let mut input = BufReader::new(input);
    let mut import = Import::new();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = input.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', &mut line);
        let read = read.map_err(|error| ImportError::Io { line: number, error })?;
        if read == 0 {
            break;
        }
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        if text.len() as u64 > LONGEST_LINE {
            return Err(ImportError::LongLine { line: number, limit: LONGEST_LINE });
        }
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if !text.is_empty() {
            import.line(number, text)?;
        }
    }
    import.trace.finish(Outcome::Unknown);
    Ok(import.trace)
}

/// The trace under way, and what the file's names stand for. Variables and locks have names of their own.
struct Import {
    trace: Trace,
    threads: FxHashMap<Vec<u8>, ThreadIx>,
    variables: FxHashMap<Vec<u8>, LocationId>,
    locks: FxHashMap<Vec<u8>, LocationId>,
    /// Writes so far of each location.
    versions: Vec<u64>,
    /// Children so far of each thread.
    children: Vec<u32>,
}

impl Import {
    fn new() -> Self {
        let header = Header { tracer: super::TRACER.to_owned(), values: Values::Pinned, ..Header::default() };
        Import {
            trace: Trace::new(header),
            threads: FxHashMap::default(),
            variables: FxHashMap::default(),
            locks: FxHashMap::default(),
            versions: Vec::new(),
            children: Vec::new(),
        }
    }

    fn line(&mut self, line: u64, text: &[u8]) -> Result<(), ImportError> {
        let Some([thread, operand, position]) = fields(text) else {
            return Err(ImportError::Fields { line, text: shown(text) });
        };
        if thread.is_empty() {
            return Err(ImportError::Thread { line });
        }
        let Some(operation) = operation(operand) else {
            return Err(ImportError::Operation { line, text: shown(operand) });
        };
        if !is_position(position) {
            return Err(ImportError::Position { line, text: shown(position) });
        }
        if let Operation::On(Verb::Fork, child) = operation
            && (self.threads.contains_key(child) || child == thread)
        {
            return Err(ImportError::LateFork { line, thread: shown(child) });
        }
        self.event(thread, operation, position).map_err(|error| ImportError::Table { line, error })
    }

    fn event(&mut self, thread: &[u8], operation: Operation<'_>, position: &[u8]) -> Result<(), TableError> {
        let thread = self.thread(thread, None)?;
        let op = match operation {
            Operation::Mark(mark) => Op::Output { stream: MARKS, bytes: self.trace.tables.string(mark)? },
            Operation::On(Verb::Read, name) => {
                let location = self.variable(name)?;
                Op::Read { location, value: self.versions[location.index()].into() }
            }
            Operation::On(Verb::Write, name) => {
                let location = self.variable(name)?;
                self.versions[location.index()] += 1;
                Op::Write { location, value: Datum::concrete(self.versions[location.index()].into()) }
            }
            Operation::On(Verb::Acquire, name) => {
                let mutex = self.lock(name)?;
                Op::Lock { mutex, attempt: Attempt::Block, result: WaitResult::Done }
            }
            Operation::On(Verb::Release, name) => {
                Op::Unlock { mutex: self.lock(name)?, result: WaitResult::Done }
            }
            Operation::On(Verb::Fork, name) => Op::Fork { child: self.thread(name, Some(thread))? },
            Operation::On(Verb::Join, name) => {
                let child = self.thread(name, None)?;
                Op::Join { child, attempt: Attempt::Block, result: WaitResult::Done }
            }
        };
        let at = self.position(position)?;
        self.trace.push(thread, Event { op, at })?;
        Ok(())
    }

    /// The thread of this name, new if need be; without a forker it is a child of the first.
    fn thread(&mut self, name: &[u8], forker: Option<ThreadIx>) -> Result<ThreadIx, TableError> {
        if let Some(&thread) = self.threads.get(name) {
            return Ok(thread);
        }
        let parent = forker.unwrap_or(ThreadIx(0));
        let parent = self.children.get_mut(parent.index()).map(|children| {
            let nth = *children;
            *children += 1;
            (parent, nth)
        });
        let text = self.trace.tables.string(name)?;
        let thread = Thread { parent, start: StringId::EMPTY, argument: None, name: text };
        let ix = self.trace.add_thread(thread)?;
        self.children.push(0);
        self.threads.insert(name.to_vec(), ix);
        Ok(ix)
    }

    fn variable(&mut self, name: &[u8]) -> Result<LocationId, TableError> {
        if let Some(&location) = self.variables.get(name) {
            return Ok(location);
        }
        let location = self.location(name, ObjectClass::Global, VARIABLE_SIZE, Some(0))?;
        self.variables.insert(name.to_vec(), location);
        Ok(location)
    }

    fn lock(&mut self, name: &[u8]) -> Result<LocationId, TableError> {
        if let Some(&location) = self.locks.get(name) {
            return Ok(location);
        }
        let location = self.location(name, ObjectClass::Sync, 0, None)?;
        self.locks.insert(name.to_vec(), location);
        Ok(location)
    }

    fn location(
        &mut self,
        name: &[u8],
        class: ObjectClass,
        size: u32,
        initial: Option<u128>,
    ) -> Result<LocationId, TableError> {
        let tables = &mut self.trace.tables;
        let name = tables.string(name)?;
        let object = tables.object(Object { class, owner: None, nth: 0, size: size.into(), name })?;
        let location = tables.location(Location { object, offset: 0, size, initial, name })?;
        self.versions.push(0);
        Ok(location)
    }

    /// A number is a line of a file without name. One that is written in a way that a number would not be
    /// (a sign, leading zeros) is kept as text, in place of the file.
    fn position(&mut self, text: &[u8]) -> Result<SourceId, TableError> {
        let number = std::str::from_utf8(text).ok().and_then(|text| text.parse::<u32>().ok());
        match number.filter(|number| number.to_string().as_bytes() == text) {
            Some(line) => self.trace.tables.source_line("", line),
            None => {
                let file = self.trace.tables.string(text)?;
                self.trace.tables.source(Source { file, ..Source::default() })
            }
        }
    }
}

/// As much of a text as an error message can bear.
fn shown(text: &[u8]) -> String {
    const SHOWN: usize = 60;
    let more = if text.len() > SHOWN { "…" } else { "" };
    format!("{}{more}", String::from_utf8_lossy(&text[..text.len().min(SHOWN)]))
}
