//! One event as one line.

use super::Printer;
use crate::event::{Attempt, Datum, Event, Op, SyncKind, Verb, WaitResult};
use crate::ids::{ExprId, LocationId, ObjectId, SourceId, StringId, ThreadIx};
use crate::text::lex::{self, push};
use crate::text::words::Word;

/// The thread and index of the event being written.
type Place = (ThreadIx, u32);

impl Printer<'_> {
    /// Writes the event without its ticket and without the end of the line.
    pub(super) fn event(&mut self, thread: ThreadIx, index: u32, event: &Event) {
        push(&mut self.line, format_args!("{} ", self.trace.tables.key(thread)));
        self.op((thread, index), &event.op);
        self.position(event.at);
    }

    fn op(&mut self, place: Place, op: &Op) {
        match *op {
            Op::Read { location, value } => {
                self.verb(Verb::Read).location(location).found(place, value);
            }
            Op::Write { location, value } => {
                self.verb(Verb::Write).location(location).found(place, value.value).expr_of(value);
            }
            Op::AtomicRead { location, value, order } => {
                self.verb(Verb::Read).location(location).word(order);
                self.found(place, value);
            }
            Op::AtomicWrite { location, value, order } => {
                self.verb(Verb::Write).location(location).word(order);
                self.found(place, value.value).expr_of(value);
            }
            Op::Rmw { location, old, new, order } => {
                self.verb(Verb::Rmw).location(location).word(order);
                self.found(place, old);
                self.line.push_str(" ->");
                self.number(new.value);
                self.expr_of(new);
            }
            Op::Fence { order } => self.verb(Verb::Fence).word(order),
            Op::Commit { write } => {
                self.verb(Verb::Commit);
                match self.exprs.write_name(place.0, write) {
                    Some(name) => push(&mut self.line, format_args!(" ${name}")),
                    None => self.number(write),
                }
            }
            Op::Begin => {
                self.verb(Verb::Begin);
            }
            Op::End => {
                self.verb(Verb::End);
            }
            Op::Fork { child } => {
                self.verb(Verb::Fork).thread(child);
            }
            Op::Join { child, attempt, result } => {
                self.verb(Verb::Join).attempt(attempt).thread(child).result(result);
            }
            Op::Detach { child } => {
                self.verb(Verb::Detach).thread(child);
            }
            Op::SyncInit { object, kind } => {
                self.verb(Verb::Init).location(object);
                self.sync_kind(kind);
            }
            Op::SyncDestroy { object } => {
                self.verb(Verb::Destroy).location(object);
            }
            Op::Lock { mutex, attempt, result } => {
                self.verb(Verb::Lock).attempt(attempt).location(mutex).result(result);
            }
            Op::Unlock { mutex, result } => {
                self.verb(Verb::Unlock).location(mutex).result(result);
            }
            Op::RwLock { lock, mode, attempt, result } => {
                self.verb(Verb::rw_lock(mode)).attempt(attempt).location(lock).result(result);
            }
            Op::RwUnlock { lock, mode, result } => {
                self.verb(Verb::rw_unlock(mode)).location(lock).result(result);
            }
            Op::CondWait { condition, mutex, attempt } => {
                self.verb(Verb::CondWait).attempt(attempt).location(condition).location(mutex);
            }
            Op::CondWake { condition, mutex, result } => {
                self.verb(Verb::CondWake).location(condition).location(mutex).result(result);
            }
            Op::Signal { condition, woken } => self.verb(Verb::Signal).location(condition).number(woken),
            Op::Broadcast { condition, woken } => {
                self.verb(Verb::Broadcast).location(condition).number(woken);
            }
            Op::SemWait { semaphore, attempt, result } => {
                self.verb(Verb::SemWait).attempt(attempt).location(semaphore).result(result);
            }
            Op::SemPost { semaphore } => {
                self.verb(Verb::SemPost).location(semaphore);
            }
            Op::SemValue { semaphore, value } => self.verb(Verb::SemValue).location(semaphore).number(value),
            Op::BarrierArrive { barrier } => {
                self.verb(Verb::BarrierArrive).location(barrier);
            }
            Op::BarrierLeave { barrier, serial, result } => {
                self.verb(Verb::BarrierLeave).location(barrier);
                if serial {
                    self.line.push_str(" serial");
                }
                self.result(result);
            }
            Op::Once { once, step } => self.verb(Verb::Once).location(once).word(step),
            Op::FutexWait { word, value, expected, bitset, attempt, queued } => {
                self.verb(Verb::FutexWait).attempt(attempt).location(word).found(place, value);
                self.line.push_str(" expected");
                self.number(expected.value);
                self.expr_of(expected).bits(bitset);
                self.line.push_str(if queued { " queued" } else { " refused" });
            }
            Op::FutexResume { word, result } => {
                self.verb(Verb::FutexResume).location(word).result(result);
            }
            Op::FutexWake { word, limit, bitset, woken } => {
                self.verb(Verb::FutexWake).location(word).number(limit);
                self.bits(bitset).labelled("woke", woken);
            }
            Op::FutexRequeue { from, to, wake_limit, move_limit, woken, moved } => {
                self.verb(Verb::FutexRequeue).location(from).location(to);
                self.labelled("wake", wake_limit).labelled("move", move_limit);
                self.labelled("woke", woken).labelled("moved", moved);
            }
            Op::AtomicBegin => {
                self.verb(Verb::AtomicBegin);
            }
            Op::AtomicEnd => {
                self.verb(Verb::AtomicEnd);
            }
            Op::Await { window } => self.verb(Verb::Await).number(window),
            Op::Branch { condition, taken } => {
                self.verb(Verb::Branch).word(taken);
                self.expr(condition);
            }
            Op::Switch { on, value } => {
                self.verb(Verb::Switch).number(value);
                self.expr(on);
            }
            Op::Concretise { expr, value, why } => {
                self.verb(Verb::Concretise).number(value);
                self.expr(expr).word(why);
            }
            Op::Assume { condition, holds } => {
                self.verb(Verb::Assume).word(holds);
                if let Some(condition) = condition {
                    self.expr(condition);
                }
            }
            Op::Assert { condition, holds, message } => {
                self.verb(Verb::Assert).word(holds);
                if let Some(condition) = condition {
                    self.expr(condition);
                }
                self.message(message);
            }
            Op::Input { input, value } => {
                self.verb(Verb::Input);
                push(&mut self.line, format_args!(" {}", self.names.input(input)));
                self.number(value);
            }
            Op::Alloc { object, size, address } => {
                self.verb(Verb::Alloc).object_ref(object).number(size);
                self.address((address != 0).then_some(address));
            }
            Op::Free { object } => {
                self.verb(Verb::Free).object_ref(object);
            }
            Op::Output { stream, bytes } => {
                self.verb(Verb::Output).number(stream);
                self.string(bytes);
            }
            Op::Failure { kind, message, address } => {
                self.verb(Verb::Fail).numbered(kind);
                self.message(message);
                self.address(address);
            }
        }
    }

    fn verb(&mut self, verb: Verb) -> &mut Self {
        self.line.push_str(verb.word());
        self
    }

    fn location(&mut self, id: LocationId) -> &mut Self {
        push(&mut self.line, format_args!(" {}", self.names.location(id)));
        self
    }

    fn object_ref(&mut self, id: ObjectId) -> &mut Self {
        push(&mut self.line, format_args!(" {}", self.names.object(id)));
        self
    }

    fn thread(&mut self, thread: ThreadIx) -> &mut Self {
        push(&mut self.line, format_args!(" {}", self.trace.tables.key(thread)));
        self
    }

    /// A value found or left by the event, with the event's name if something refers to it.
    fn found(&mut self, place: Place, value: u128) -> &mut Self {
        self.line.push(' ');
        if let Some(name) = self.exprs.name_event(place.0, place.1) {
            push(&mut self.line, format_args!("${name}="));
        }
        lex::write_number(&mut self.line, value);
        self
    }

    fn expr_of(&mut self, datum: Datum) -> &mut Self {
        if let Some(expr) = datum.expr {
            self.line.push_str(" :=");
            self.expr(expr);
        }
        self
    }

    fn expr(&mut self, expr: ExprId) -> &mut Self {
        self.exprs.write(&mut self.line, &self.names, expr);
        self
    }

    fn attempt(&mut self, attempt: Attempt) -> &mut Self {
        if attempt != Attempt::Block {
            self.word(attempt);
        }
        self
    }

    fn result(&mut self, result: WaitResult) -> &mut Self {
        if result != WaitResult::Done {
            self.numbered(result);
        }
        self
    }

    fn sync_kind(&mut self, kind: SyncKind) {
        match kind {
            SyncKind::Mutex { kind, robust } => {
                self.line.push_str(" mutex");
                self.word(kind);
                if robust {
                    self.line.push_str(" robust");
                }
            }
            SyncKind::RwLock => self.line.push_str(" rwlock"),
            SyncKind::Condition => self.line.push_str(" condition"),
            SyncKind::Semaphore { initial, maximum } => {
                self.labelled("semaphore", initial);
                if let Some(maximum) = maximum {
                    self.labelled("max", maximum);
                }
            }
            SyncKind::Barrier { parties } => {
                self.labelled("barrier", parties);
            }
            SyncKind::Once => self.line.push_str(" once"),
            SyncKind::Futex => self.line.push_str(" futex"),
        }
    }

    fn labelled(&mut self, label: &str, number: u32) -> &mut Self {
        push(&mut self.line, format_args!(" {label}"));
        self.number(number);
        self
    }

    fn bits(&mut self, bitset: u32) -> &mut Self {
        if bitset != u32::MAX {
            self.labelled("bits", bitset);
        }
        self
    }

    fn message(&mut self, message: StringId) {
        if message != StringId::EMPTY {
            self.string(message);
        }
    }

    fn address(&mut self, address: Option<u64>) {
        if let Some(address) = address {
            push(&mut self.line, format_args!(" at {address:#x}"));
        }
    }

    fn position(&mut self, at: SourceId) {
        let trace = self.trace;
        let source = &trace.tables.sources()[at.index()];
        if *source == Default::default() {
            return;
        }
        self.line.push_str(" @");
        lex::write_file(&mut self.line, &trace.tables.strings()[source.file.index()]);
        if source.line != 0 || source.column != 0 {
            push(&mut self.line, format_args!(":{}", source.line));
        }
        if source.column != 0 {
            push(&mut self.line, format_args!(":{}", source.column));
        }
        if source.function != StringId::EMPTY {
            self.line.push_str(" in");
            self.name(source.function);
        }
        if source.address != 0 {
            push(&mut self.line, format_args!(" pc {:#x}", source.address));
        }
    }
}
