//! Random consistent traces for property tests: every operation, every table, awkward names, wide values,
//! deep and shared expressions, both kinds of order, complete and cut.
//!
//! A trace is built from a tape of numbers, so that proptest can shrink it: a shorter tape has fewer
//! events, and smaller numbers are simpler choices.

#![allow(dead_code, reason = "each test binary uses its own part of this module")]
#![allow(clippy::unwrap_used, reason = "a generator that cannot go on is wrong")]

pub mod choices;
pub mod exprs;
mod ops;

use choices::Choices;
use proptest::prelude::*;
use warpath_trace::event::{Event, FailureKind, Op, WaitResult};
use warpath_trace::header::{Clock, Footer, Header, MemoryModel, OrderKind, Outcome, SharedRange, Values};
use warpath_trace::ids::{InputId, LocationId, ObjectId, SourceId, StringId, ThreadIx};
use warpath_trace::order::{Order, Run, ordered_location};
use warpath_trace::place::{Input, Location, Object, ObjectClass, Source};
use warpath_trace::recorded::RecordedInput;
use warpath_trace::thread::Thread;
use warpath_trace::trace::Trace;

/// Any consistent trace, of up to a few hundred events.
pub fn trace() -> impl Strategy<Value = Trace> {
    prop::collection::vec(any::<u64>(), 0..1200).prop_map(|tape| Builder::new(Choices::new(tape)).build())
}

/// Any consistent trace that ended by itself.
pub fn complete_trace() -> impl Strategy<Value = Trace> {
    trace().prop_map(|mut trace| {
        if trace.footer.is_none() {
            trace.finish(Outcome::Unknown);
        }
        trace
    })
}

/// Names that a careless writer or reader would trip over.
const NAMES: &[&[u8]] = &[
    b"x",
    b"y",
    b"x",
    b"",
    b"table[3].next",
    b"Queue<int>::head->tail",
    b"try",
    b"timed",
    b"block",
    b"true",
    b"in",
    b"pc",
    b"at",
    b"with space",
    b"quote\"d",
    b"back\\slash",
    b"new\nline",
    b"tab\tand\rreturn",
    b"\x00\x01\x7f",
    b"\xff\xfe not utf-8 \xc3",
    "größe→∞".as_bytes(),
    "\u{85}\u{2028}\u{feff}".as_bytes(),
    b"#comment",
    b"a|b",
    b"$1",
    b"%0",
    b"&0",
    b"?i",
    b"@file:1",
    b"^7",
    b":=",
    b"T0.1",
    b"0x10",
    b"5",
    b"-",
    b"(add",
    b"m0.c",
    b"dir/file+1.c",
    b"C:\\file.c:3",
];

/// What is being built.
pub struct Builder {
    choices: Choices,
    /// Kept back for the end, when the rest is used up.
    ending: Choices,
    trace: Trace,
    exprs: exprs::Palette,
    /// Ended threads do nothing more.
    ended: Vec<bool>,
    /// Threads that were joined although they had not ended: they must not end later.
    endless: Vec<bool>,
    tickets: Vec<u64>,
}

impl Builder {
    fn new(mut choices: Choices) -> Self {
        let ending = choices.split_off(24);
        let header = header(&mut choices);
        Builder {
            choices,
            ending,
            trace: Trace::new(header),
            exprs: exprs::Palette::default(),
            ended: Vec::new(),
            endless: Vec::new(),
            tickets: Vec::new(),
        }
    }

    fn build(mut self) -> Trace {
        self.tables();
        while !self.choices.is_empty() && !self.trace.threads.is_empty() {
            let thread = self.choices.below(self.trace.threads.len());
            if self.ended[thread] {
                if self.ended.iter().all(|&ended| ended) {
                    break;
                }
                continue;
            }
            self.event(ThreadIx::from(thread));
        }
        self.finish()
    }

    fn tables(&mut self) {
        for index in 0..self.choices.below(6) {
            let parent = (index > 0).then(|| (ThreadIx::from(self.choices.below(index)), 0));
            // The number must be free; it need not be the next.
            let step = 1 + self.choices.number_below(3) as u32;
            let parent = parent.map(|(parent, _)| {
                let siblings = self.trace.tables.threads().iter().filter_map(|thread| thread.parent);
                let last = siblings.filter(|(other, _)| *other == parent).map(|(_, nth)| nth).max();
                (parent, last.map_or(step - 1, |last| last + step))
            });
            let thread = Thread {
                parent,
                start: self.string(),
                argument: self.choices.maybe(|choices| choices.wide() as u64),
                name: self.string(),
            };
            self.trace.add_thread(thread).unwrap();
            self.exprs.add_thread();
            self.ended.push(false);
            self.endless.push(false);
        }
        for _ in 0..self.choices.below(6) {
            self.object();
        }
        for _ in 0..self.choices.below(4) {
            let name = self.string();
            let nth = if self.choices.flip() { 0 } else { self.choices.wide() as u32 };
            let width = self.choices.width();
            self.trace.tables.input(Input { name, nth, width }).unwrap();
        }
        for _ in 0..self.choices.below(4) {
            if let Some(object) = self.some_object() {
                let (offset, size) = (self.choices.wide() as u64, self.choices.wide() as u64);
                self.trace.sharing.push(SharedRange { object, offset, size });
            }
        }
        for nth in 0..self.choices.below(3) {
            let mut name = self.choices.pick(NAMES).to_vec();
            // Each name is there once.
            name.push(b'0' + nth as u8);
            let bytes = (0..self.choices.below(40)).map(|_| self.choices.wide() as u8).collect();
            self.trace.recorded.push(RecordedInput { name, bytes, whole: self.choices.flip() });
        }
    }

    /// An object, and locations in it or in earlier ones.
    fn object(&mut self) {
        const CLASSES: &[ObjectClass] = &[
            ObjectClass::Global,
            ObjectClass::Sync,
            ObjectClass::Heap,
            ObjectClass::Stack,
            ObjectClass::ThreadLocal,
            ObjectClass::Stream,
            ObjectClass::Other,
        ];
        let class = *self.choices.pick(CLASSES);
        // Each deviation from a plain variable or lock alone, so that shorthands meet every near miss.
        let owner = if self.seldom() { self.some_thread() } else { None };
        let nth = if self.seldom() { self.choices.wide() as u64 } else { 0 };
        let size = match class {
            _ if self.seldom() => self.choices.wide() as u64,
            _ if self.seldom() => self.choices.number_below(48),
            ObjectClass::Sync => 0,
            _ => 1 + self.choices.number_below(16),
        };
        let name = self.string();
        let object = self.trace.tables.object(Object { class, owner, nth, size, name }).unwrap();
        if self.choices.flip() {
            let offset = if self.seldom() { self.choices.wide() as u64 } else { 0 };
            let size = if self.seldom() { self.choices.number_below(20) as u32 } else { size as u32 };
            let name = if self.seldom() { self.string() } else { name };
            self.location(object, offset, size, name);
        }
        for _ in 0..self.choices.below(3) {
            let object = self.some_object().unwrap();
            let offset = self.choices.wide() as u64;
            let size = match self.choices.number_below(4) {
                0 => self.choices.number_below(100) as u32,
                _ => 1 + self.choices.number_below(16) as u32,
            };
            let name = self.string();
            self.location(object, offset, size, name);
        }
    }

    fn location(&mut self, object: ObjectId, offset: u64, size: u32, name: StringId) {
        let initial = self.choices.maybe(|choices| choices.value(size.saturating_mul(8)));
        let location = Location { object, offset, size, initial, name };
        self.trace.tables.location(location).unwrap();
        self.tickets.push(0);
    }

    fn event(&mut self, thread: ThreadIx) {
        let op = self.op(thread);
        let at = self.source();
        match op {
            Op::End => self.ended[thread.index()] = true,
            Op::Join { child, result: WaitResult::Done, .. } => self.endless[child.index()] = true,
            _ => {}
        }
        let event = Event { op, at };
        let index = match self.ticket(&op) {
            Some(number) => self.trace.push_with_ticket(thread, event, number).unwrap(),
            None => self.trace.push(thread, event).unwrap(),
        };
        if let Some(location) = op.read_location() {
            let width = self.trace.tables.locations()[location.index()].width().unwrap();
            self.exprs.add_read(&mut self.trace.tables.exprs, thread, index, width as u8);
        }
    }

    /// The ticket that the event would have drawn had the events happened in the order of building.
    fn ticket(&mut self, op: &Op) -> Option<u64> {
        if self.choices.number_below(4) == 0 {
            return None;
        }
        match ordered_location(op) {
            Some(location) => {
                let changes = !matches!(op, Op::Read { .. } | Op::AtomicRead { .. });
                let reached = &mut self.tickets[location.index()];
                *reached += u64::from(changes);
                Some(*reached)
            }
            None => self.choices.maybe(|choices| choices.wide() as u64),
        }
    }

    fn finish(mut self) -> Trace {
        self.choices = std::mem::replace(&mut self.ending, Choices::new(Vec::new()));
        if let Order::Total(runs) = &mut self.trace.order
            && self.choices.flip()
        {
            // The same order in more runs than it needs.
            let split = |run: &Run| {
                let thread = run.thread;
                [Run { thread, count: 1 }, Run { thread, count: run.count - 1 }]
            };
            *runs = runs.iter().flat_map(split).collect();
        }
        if self.choices.number_below(4) != 3 {
            let outcome = match self.choices.number_below(4) {
                0 => Outcome::Exited(self.choices.wide() as i32),
                1 => Outcome::Failed(self.failure_kind()),
                2 => Outcome::Stopped,
                _ => Outcome::Unknown,
            };
            let mut approximations = Vec::new();
            for _ in 0..self.choices.below(3) {
                approximations.push((self.string(), self.choices.wide() as u64));
            }
            self.trace.footer = Some(Footer { outcome, events: self.trace.len(), approximations });
        }
        self.trace.check().expect("the generator makes consistent traces");
        self.trace
    }

    fn seldom(&mut self) -> bool {
        self.choices.number_below(8) == 7
    }

    fn string(&mut self) -> StringId {
        let bytes = match self.choices.number_below(4) {
            3 => self.choices.bytes(),
            _ => self.choices.pick(NAMES).to_vec(),
        };
        self.trace.tables.string(bytes).unwrap()
    }

    fn source(&mut self) -> SourceId {
        if self.choices.flip() {
            return SourceId::UNKNOWN;
        }
        let source = Source {
            file: self.string(),
            line: if self.choices.flip() { 0 } else { self.choices.wide() as u32 },
            column: if self.choices.flip() { 0 } else { self.choices.wide() as u32 },
            function: self.string(),
            address: if self.choices.flip() { 0 } else { self.choices.wide() as u64 },
        };
        self.trace.tables.source(source).unwrap()
    }

    fn some_thread(&mut self) -> Option<ThreadIx> {
        let len = self.trace.threads.len();
        (len > 0).then(|| ThreadIx::from(self.choices.below(len)))
    }

    fn some_object(&mut self) -> Option<ObjectId> {
        let len = self.trace.tables.objects().len();
        (len > 0).then(|| ObjectId::from(self.choices.below(len)))
    }

    fn some_input(&mut self) -> Option<InputId> {
        let len = self.trace.tables.inputs().len();
        (len > 0).then(|| InputId::from(self.choices.below(len)))
    }

    fn some_location(&mut self) -> Option<LocationId> {
        let len = self.trace.tables.locations().len();
        (len > 0).then(|| LocationId::from(self.choices.below(len)))
    }

    /// A location that can be read and written, and its width.
    fn some_data(&mut self) -> Option<(LocationId, u32)> {
        let locations = self.trace.tables.locations().iter().enumerate();
        let data = locations.filter_map(|(id, location)| Some((LocationId::from(id), location.width()?)));
        let data: Vec<_> = data.collect();
        (!data.is_empty()).then(|| *self.choices.pick(&data))
    }

    fn failure_kind(&mut self) -> FailureKind {
        const KINDS: &[FailureKind] = &[
            FailureKind::Assertion,
            FailureKind::Abort,
            FailureKind::Segfault,
            FailureKind::NullDereference,
            FailureKind::Bus,
            FailureKind::Arithmetic,
            FailureKind::IllegalInstruction,
            FailureKind::OutOfBounds,
            FailureKind::UseAfterFree,
            FailureKind::DoubleFree,
            FailureKind::InvalidFree,
            FailureKind::Deadlock,
            FailureKind::Livelock,
            FailureKind::UnlockNotHeld,
            FailureKind::UncaughtException,
            FailureKind::Panic,
            FailureKind::BoundReached,
            FailureKind::Other,
        ];
        match self.choices.number_below(4) {
            0 => FailureKind::Exit(self.choices.wide() as i32),
            1 => FailureKind::Killed(self.choices.wide() as u32),
            _ => *self.choices.pick(KINDS),
        }
    }
}

fn header(choices: &mut Choices) -> Header {
    let order = if choices.flip() { OrderKind::Total } else { OrderKind::Tickets };
    if choices.flip() {
        return Header { order, ..Header::default() };
    }
    Header {
        program: choices.text(),
        arguments: (0..choices.below(4)).map(|_| choices.bytes()).collect(),
        build_id: choices.bytes(),
        tracer: choices.text(),
        tracer_version: choices.text(),
        clock: match choices.number_below(3) {
            0 => Clock::None,
            1 => Clock::Virtual,
            _ => Clock::Real(choices.wide() as u64),
        },
        order,
        model: *choices.pick(&[MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso]),
        values: *choices.pick(&[Values::Symbolic, Values::Pinned]),
    }
}
