//! Tickets of parallel recorders: the order made of them fits what was observed.
#![allow(clippy::unwrap_used, reason = "a test that meets an error should fail there")]

use warpath_trace::event::{Attempt, Datum, Event, Op, WaitResult};
use warpath_trace::header::{Header, OrderKind, Outcome};
use warpath_trace::ids::{LocationId, SourceId, StringId, ThreadIx};
use warpath_trace::place::{Location, Object, ObjectClass};
use warpath_trace::thread::Thread;
use warpath_trace::trace::Trace;

const X: LocationId = LocationId(0);
const LOCK: LocationId = LocationId(1);

fn trace(threads: u32) -> Trace {
    let mut trace = Trace::new(Header { order: OrderKind::Tickets, ..Header::default() });
    for nth in 0..threads {
        let parent = nth.checked_sub(1).map(|nth| (ThreadIx(0), nth));
        let thread = Thread { parent, start: StringId::EMPTY, argument: None, name: StringId::EMPTY };
        trace.add_thread(thread).unwrap();
    }
    let object = Object { class: ObjectClass::Global, owner: None, nth: 0, size: 8, name: StringId::EMPTY };
    let object = trace.tables.object(object).unwrap();
    for offset in [0, 4] {
        let location = Location { object, offset, size: 4, initial: Some(0), name: StringId::EMPTY };
        trace.tables.location(location).unwrap();
    }
    trace
}

fn at_unknown(op: Op) -> Event {
    Event { op, at: SourceId::UNKNOWN }
}

fn lock() -> Op {
    Op::Lock { mutex: LOCK, attempt: Attempt::Block, result: WaitResult::Done }
}

fn unlock() -> Op {
    Op::Unlock { mutex: LOCK, result: WaitResult::Done }
}

fn write(value: u128) -> Op {
    Op::Write { location: X, value: Datum::concrete(value) }
}

fn places(trace: &Trace) -> Vec<(u32, u32)> {
    trace.in_order().unwrap().map(|(thread, index, _)| (thread.0, index)).collect()
}

#[test]
fn the_second_owner_of_a_lock_comes_second() {
    let mut trace = trace(2);
    for (thread, first_ticket) in [(0, 3), (1, 1)] {
        trace.push_with_ticket(ThreadIx(thread), at_unknown(lock()), first_ticket).unwrap();
        trace.push(ThreadIx(thread), at_unknown(write(1))).unwrap();
        trace.push_with_ticket(ThreadIx(thread), at_unknown(unlock()), first_ticket + 1).unwrap();
    }
    trace.finish(Outcome::Exited(0));
    assert_eq!(places(&trace), [(1, 0), (1, 1), (1, 2), (0, 0), (0, 1), (0, 2)]);
}

#[test]
fn a_read_stands_between_the_write_it_saw_and_the_next() {
    let mut trace = trace(2);
    for number in 1..=2 {
        trace.push_with_ticket(ThreadIx(0), at_unknown(write(number.into())), number).unwrap();
    }
    for seen in 0..=2u64 {
        let read = Op::Read { location: X, value: seen.into() };
        trace.push_with_ticket(ThreadIx(1), at_unknown(read), seen).unwrap();
    }
    trace.finish(Outcome::Exited(0));
    let mut value = 0;
    for (_, _, event) in trace.in_order().unwrap() {
        match event.op {
            Op::Write { value: datum, .. } => value = datum.value,
            Op::Read { value: seen, .. } => assert_eq!(seen, value),
            _ => {}
        }
    }
    assert_eq!(places(&trace).len(), 5);
}

#[test]
fn forks_and_joins_order_without_tickets() {
    let mut trace = trace(2);
    let child = ThreadIx(1);
    let join = Op::Join { child, attempt: Attempt::Block, result: WaitResult::Done };
    for op in [Op::Begin, Op::Fork { child }, join, Op::End] {
        trace.push(ThreadIx(0), at_unknown(op)).unwrap();
    }
    for op in [Op::Begin, Op::End] {
        trace.push(child, at_unknown(op)).unwrap();
    }
    trace.finish(Outcome::Exited(0));
    assert_eq!(places(&trace), [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (0, 3)]);
}

#[test]
fn contradictory_tickets_are_named_but_a_cut_trace_gives_its_prefix() {
    let mut trace = trace(2);
    trace.push_with_ticket(ThreadIx(0), at_unknown(lock()), 1).unwrap();
    trace.push_with_ticket(ThreadIx(1), at_unknown(lock()), 3).unwrap();
    assert_eq!(places(&trace), [(0, 0)], "no footer: the holder of ticket 2 was cut away");
    trace.finish(Outcome::Exited(0));
    let error = trace.in_order().map(|_| ()).unwrap_err();
    assert_eq!((error.thread, error.event, error.ticket, error.reached), (1, 0, 3, 1));
}
