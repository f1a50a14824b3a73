//! The trace being recorded, and the program's things in its tables.

use warpath_trace::event::{Datum, Event, FailureKind, Op};
use warpath_trace::expr::{BinaryOp, ExprPool, Node};
use warpath_trace::header::{Header, MemoryModel, Outcome};
use warpath_trace::ids::{InputId, LocationId, ObjectId, SourceId, StringId, ThreadIx};
use warpath_trace::place::{Input, Location, Object, ObjectClass};
use warpath_trace::thread::Thread;
use warpath_trace::trace::Trace;

use super::values::{Value, node};
use crate::oracle::program::{Program, ThreadNr};

const FITS: &str = "a small program fits the tables of a trace";

/// A trace under way.
#[derive(Clone)]
pub struct Recorder {
    pub trace: Trace,
    pub cells: Vec<LocationId>,
    pub syncs: Vec<LocationId>,
    pub storages: Vec<ObjectId>,
    inputs: Vec<InputId>,
}

impl Recorder {
    pub fn new(program: &Program, model: MemoryModel) -> Recorder {
        let header =
            Header { program: "program".to_owned(), tracer: "oracle".to_owned(), model, ..Header::default() };
        let mut trace = Trace::new(header);
        for thread in 0..program.thread_count() {
            let parent = thread.checked_sub(1).map(|nth| (ThreadIx(0), nth as u32));
            let (start, name) = (StringId::EMPTY, StringId::EMPTY);
            trace.add_thread(Thread { parent, start, argument: None, name }).expect(FITS);
        }
        let tables = &mut trace.tables;
        let mut heap = 0;
        let mut storages = Vec::new();
        for storage in &program.storages {
            let name = tables.string(&storage.name).expect(FITS);
            let (class, owner, nth) = match storage.heap {
                true => (ObjectClass::Heap, Some(ThreadIx(0)), heap),
                false => (ObjectClass::Global, None, 0),
            };
            heap += u64::from(storage.heap);
            let object = Object { class, owner, nth, size: storage.bytes.len() as u64, name };
            storages.push(tables.object(object).expect(FITS));
        }
        let mut cells = Vec::new();
        for cell in &program.cells {
            let bytes = &program.storages[cell.storage].bytes[cell.offset..cell.offset + cell.size];
            let location = Location {
                object: storages[cell.storage],
                offset: cell.offset as u64,
                size: cell.size as u32,
                initial: Some(number(bytes)),
                name: tables.string(&cell.name).expect(FITS),
            };
            cells.push(tables.location(location).expect(FITS));
        }
        let mut syncs = Vec::new();
        for sync in &program.syncs {
            let name = tables.string(&sync.name).expect(FITS);
            let object = Object { class: ObjectClass::Sync, owner: None, nth: 0, size: 0, name };
            let object = tables.object(object).expect(FITS);
            let location = Location { object, offset: 0, size: 0, initial: None, name };
            syncs.push(tables.location(location).expect(FITS));
        }
        let mut inputs = Vec::new();
        for input in &program.inputs {
            let name = tables.string(&input.name).expect(FITS);
            inputs.push(tables.input(Input { name, nth: 0, width: 8 }).expect(FITS));
        }
        Recorder { trace, cells, syncs, storages, inputs }
    }

    /// Records an event of a thread; statement 0 is no statement. Answers its index in the thread.
    pub fn event(&mut self, thread: ThreadNr, statement: u32, op: Op) -> u32 {
        let at = match statement {
            0 => SourceId::UNKNOWN,
            line => self.trace.tables.source_line("program", line).expect(FITS),
        };
        self.trace.push(ThreadIx::from(thread), Event { op, at }).expect(FITS)
    }

    /// Records that an input was taken. Answers its value as an expression.
    pub fn input(&mut self, thread: ThreadNr, statement: u32, input: usize, value: u8) -> Value {
        let input = self.inputs[input];
        self.event(thread, statement, Op::Input { input, value: value.into() });
        let expr = node(self.pool(), Node::Input { input, width: 8 });
        Value { value, expr: Some(expr) }
    }

    /// The registers' values behind a read, byte by byte.
    pub fn found(&mut self, thread: ThreadNr, event: u32, bytes: &[u8]) -> Vec<Value> {
        let width = bytes.len() as u8 * 8;
        let pool = self.pool();
        let whole = node(pool, Node::Read { thread: ThreadIx::from(thread), event, width });
        let byte = |(nth, &value): (usize, &u8)| {
            let low = nth as u8 * 8;
            let part = Node::Extract { high: low + 7, low, of: whole };
            let expr = if width == 8 { whole } else { node(pool, part) };
            Value { value, expr: Some(expr) }
        };
        bytes.iter().enumerate().map(byte).collect()
    }

    /// Bytes as one value, the lowest first.
    pub fn datum(&mut self, bytes: &[Value]) -> Datum {
        let values: Vec<u8> = bytes.iter().map(|byte| byte.value).collect();
        let symbolic = bytes.iter().any(|byte| byte.expr.is_some());
        let pool = self.pool();
        let whole = |pool: &mut ExprPool| {
            let mut parts = bytes.iter().map(|byte| byte.lifted(pool)).collect::<Vec<_>>().into_iter();
            let lowest = parts.next().expect("a cell has at least one byte");
            parts.fold(lowest, |low, high| node(pool, Node::Binary(BinaryOp::Concat, high, low)))
        };
        Datum { value: number(&values), expr: symbolic.then(|| whole(pool)) }
    }

    /// The text of an assertion.
    pub fn assertion(&mut self, statement: u32) -> StringId {
        self.trace.tables.string(format!("assertion {statement}")).expect(FITS)
    }

    /// Records a failure and ends the trace with it.
    pub fn fail(&mut self, thread: ThreadNr, statement: u32, kind: FailureKind, message: &str) {
        let message = self.trace.tables.string(message).expect(FITS);
        self.event(thread, statement, Op::Failure { kind, message, address: None });
        self.trace.finish(Outcome::Failed(kind));
    }

    pub fn pool(&mut self) -> &mut ExprPool {
        &mut self.trace.tables.exprs
    }
}

/// Bytes as one little-endian number.
pub fn number(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u128::from(byte))
}
