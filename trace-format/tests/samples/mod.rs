//! Small fixed traces that several tests use.
#![allow(dead_code, reason = "each test binary uses some of these")]
#![allow(clippy::unwrap_used, reason = "a test that meets an error should fail there")]

use warpath_trace::event::{
    Attempt, Concretised, Datum, Event, FailureKind, MemoryOrder, MutexKind, OnceStep, Op, RwMode, SyncKind,
    WaitResult,
};
use warpath_trace::expr::BinaryOp;
use warpath_trace::header::{Footer, Header, Outcome, SharedRange};
use warpath_trace::ids::{ExprId, InputId, LocationId, ObjectId, SourceId, StringId, ThreadIx};
use warpath_trace::place::{Input, Location, Object, ObjectClass};
use warpath_trace::thread::Thread;
use warpath_trace::trace::Trace;

/// One of every kind of event, referring to entries 0 and 1 of each table.
pub fn every_op() -> Vec<Op> {
    let location = LocationId(0);
    let object = LocationId(1);
    let datum = Datum::symbolic(7, ExprId(0));
    let order = MemoryOrder::SeqCst;
    let attempt = Attempt::Timed;
    let result = WaitResult::Failed(22);
    let child = ThreadIx(1);
    vec![
        Op::Read { location, value: 5 },
        Op::Write { location, value: datum },
        Op::AtomicRead { location, value: 300, order },
        Op::AtomicWrite { location, value: Datum::concrete(70_000), order },
        Op::Rmw { location, old: 1, new: datum, order },
        Op::Fence { order },
        Op::Commit { write: 1 },
        Op::Begin,
        Op::End,
        Op::Fork { child },
        Op::Join { child, attempt, result },
        Op::Detach { child },
        Op::SyncInit { object, kind: SyncKind::Mutex { kind: MutexKind::Recursive, robust: true } },
        Op::SyncDestroy { object },
        Op::Lock { mutex: object, attempt, result },
        Op::Unlock { mutex: object, result },
        Op::RwLock { lock: object, mode: RwMode::Write, attempt, result },
        Op::RwUnlock { lock: object, mode: RwMode::Read, result },
        Op::CondWait { condition: object, mutex: location, attempt },
        Op::CondWake { condition: object, mutex: location, result },
        Op::Signal { condition: object, woken: 1 },
        Op::Broadcast { condition: object, woken: 2 },
        Op::SemWait { semaphore: object, attempt, result },
        Op::SemPost { semaphore: object },
        Op::SemValue { semaphore: object, value: 3 },
        Op::BarrierArrive { barrier: object },
        Op::BarrierLeave { barrier: object, serial: true, result },
        Op::Once { once: object, step: OnceStep::Finish },
        Op::FutexWait {
            word: location,
            value: 2,
            expected: Datum::concrete(2),
            bitset: u32::MAX,
            attempt,
            queued: true,
        },
        Op::FutexResume { word: location, result },
        Op::FutexWake { word: location, limit: 1, bitset: u32::MAX, woken: 1 },
        Op::FutexRequeue { from: location, to: object, wake_limit: 1, move_limit: 2, woken: 1, moved: 0 },
        Op::AtomicBegin,
        Op::AtomicEnd,
        Op::Await { window: 2 },
        Op::Branch { condition: ExprId(2), taken: true },
        Op::Switch { on: ExprId(0), value: 9 },
        Op::Concretise { expr: ExprId(0), value: 9, why: Concretised::Jump },
        Op::Assume { condition: None, holds: true },
        Op::Assert { condition: Some(ExprId(2)), holds: false, message: StringId(1) },
        Op::Input { input: InputId(0), value: 9 },
        Op::Alloc { object: ObjectId(0), size: 8, address: 0x7fff_0000 },
        Op::Free { object: ObjectId(0) },
        Op::Output { stream: 1, bytes: StringId(1) },
        Op::Failure { kind: FailureKind::Exit(-1), message: StringId(1), address: Some(0) },
    ]
}

/// One of every kind of failure.
pub fn every_failure() -> Vec<FailureKind> {
    use FailureKind::*;
    vec![
        Assertion,
        Abort,
        Exit(3),
        Segfault,
        NullDereference,
        Bus,
        Arithmetic,
        IllegalInstruction,
        OutOfBounds,
        UseAfterFree,
        DoubleFree,
        InvalidFree,
        Deadlock,
        Livelock,
        UnlockNotHeld,
        UncaughtException,
        Panic,
        BoundReached,
        Killed(9),
        Other,
    ]
}

fn thread(parent: Option<(ThreadIx, u32)>) -> Thread {
    Thread { parent, start: StringId::EMPTY, argument: None, name: StringId::EMPTY }
}

/// The example of `FORMAT.md`.
pub fn two_threads() -> Trace {
    let mut trace = Trace::new(Header { program: "./p".to_owned(), ..Header::default() });
    let main = trace.add_thread(thread(None)).unwrap();
    let child = trace.add_thread(thread(Some((main, 0)))).unwrap();
    let name = trace.tables.string("x").unwrap();
    let object = Object { class: ObjectClass::Global, owner: None, nth: 0, size: 4, name };
    let object = trace.tables.object(object).unwrap();
    let location = Location { object, offset: 0, size: 4, initial: Some(0), name };
    let location = trace.tables.location(location).unwrap();
    let at = trace.tables.source_line("p.c", 300).unwrap();
    let unknown = SourceId::UNKNOWN;
    let join = Op::Join { child, attempt: Attempt::Block, result: WaitResult::Done };
    for (thread, op, at) in [
        (main, Op::Begin, unknown),
        (main, Op::Fork { child }, unknown),
        (child, Op::Begin, unknown),
        (child, Op::Write { location, value: Datum::concrete(5) }, at),
        (child, Op::End, unknown),
        (main, join, unknown),
        (main, Op::End, unknown),
    ] {
        trace.push(thread, Event { op, at }).unwrap();
    }
    trace.finish(Outcome::Exited(0));
    trace
}

/// A trace with every kind of event, expression and table entry.
pub fn everything() -> Trace {
    let mut trace = Trace::new(Header {
        program: "./every thing".to_owned(),
        arguments: vec![b"--flag".to_vec(), vec![0xff, 0x00]],
        build_id: vec![1, 2, 3],
        tracer: "sample".to_owned(),
        tracer_version: "1.0".to_owned(),
        ..Header::default()
    });
    let main = trace.add_thread(thread(None)).unwrap();
    let message = trace.tables.string("a message").unwrap();
    let named = Thread { start: message, argument: Some(5), name: message, ..thread(Some((main, 0))) };
    let child = trace.add_thread(named).unwrap();
    let object = Object { class: ObjectClass::Heap, owner: Some(child), nth: 3, size: 64, name: message };
    let object = trace.tables.object(object).unwrap();
    for (offset, size) in [(0, 8), (8, 16)] {
        let location = Location { object, offset, size, initial: Some(1), name: message };
        trace.tables.location(location).unwrap();
    }
    let input = trace.tables.input(Input { name: message, nth: 2, width: 64 }).unwrap();
    let at = trace.tables.source_line("sample.c", 12).unwrap();
    let exprs = &mut trace.tables.exprs;
    let value = exprs.input(input, 64).unwrap();
    let seven = exprs.constant(64, 7).unwrap();
    exprs.equal(value, seven).unwrap();
    let read = exprs.read(main, 0, 64).unwrap();
    let sum = exprs.binary(BinaryOp::Add, read, value).unwrap();
    for op in every_op() {
        trace.push(main, Event { op, at }).unwrap();
    }
    let location = LocationId(0);
    trace.push(main, Event { op: Op::Write { location, value: Datum::symbolic(14, sum) }, at }).unwrap();
    for kind in every_failure() {
        let op = Op::Failure { kind, message: StringId::EMPTY, address: None };
        trace.push(child, Event { op, at: SourceId::UNKNOWN }).unwrap();
    }
    trace.sharing.push(SharedRange { object, offset: 0, size: 24 });
    let events = trace.len();
    let outcome = Outcome::Failed(FailureKind::Assertion);
    trace.footer = Some(Footer { outcome, events, approximations: vec![(message, 3)] });
    trace
}
