//! What an event did: one verb and its operands.

use super::Parser;
use super::cursor::{Cursor, Parsed};
use super::names::Named;
use super::tables::{thread_key, unnamed};
use crate::event::{Attempt, Datum, MutexKind, Op, RwMode, SyncKind, Verb, WaitResult};
use crate::expr::{Sort, Width};
use crate::ids::{LocationId, StringId, ThreadIx};
use crate::place::Location;
use crate::text::error::Problem;
use crate::text::lex;

impl Parser {
    pub(super) fn operation(&mut self, cursor: &mut Cursor<'_>, thread: ThreadIx) -> Parsed<Op> {
        let Some(verb) = cursor.maybe_word() else {
            return Err(cursor.expected("an operation such as `r`, `w`, `lock` or `branch`"));
        };
        Ok(match verb {
            Verb::Read => {
                let (location, width) = self.data(cursor)?;
                let order = cursor.maybe_word();
                let value = self.found(cursor, thread, width)?;
                match order {
                    None => Op::Read { location, value },
                    Some(order) => Op::AtomicRead { location, value, order },
                }
            }
            Verb::Write => {
                let (location, width) = self.data(cursor)?;
                let order = cursor.maybe_word();
                self.name_write(cursor, thread)?;
                let value = self.datum(cursor, thread, width)?;
                match order {
                    None => Op::Write { location, value },
                    Some(order) => Op::AtomicWrite { location, value, order },
                }
            }
            Verb::Rmw => {
                let (location, width) = self.data(cursor)?;
                let order = cursor.word()?;
                let old = self.found(cursor, thread, width)?;
                cursor.punctuation("->")?;
                Op::Rmw { location, old, new: self.datum(cursor, thread, width)?, order }
            }
            Verb::Fence => Op::Fence { order: cursor.word()? },
            Verb::Commit => Op::Commit { write: self.committed(cursor, thread)? },
            Verb::Begin => Op::Begin,
            Verb::End => Op::End,
            Verb::Fork => Op::Fork { child: self.forked(cursor, thread)? },
            Verb::Join => {
                let attempt = attempt(cursor);
                Op::Join { attempt, child: self.thread_ref(cursor)?, result: result(cursor)? }
            }
            Verb::Detach => Op::Detach { child: self.thread_ref(cursor)? },
            Verb::Init => Op::SyncInit { object: self.place(cursor)?, kind: sync_kind(cursor)? },
            Verb::Destroy => Op::SyncDestroy { object: self.place(cursor)? },
            Verb::Lock => {
                let attempt = attempt(cursor);
                Op::Lock { attempt, mutex: self.place(cursor)?, result: result(cursor)? }
            }
            Verb::Unlock => Op::Unlock { mutex: self.place(cursor)?, result: result(cursor)? },
            Verb::RdLock => self.rw_lock(cursor, RwMode::Read)?,
            Verb::WrLock => self.rw_lock(cursor, RwMode::Write)?,
            Verb::RdUnlock => self.rw_unlock(cursor, RwMode::Read)?,
            Verb::WrUnlock => self.rw_unlock(cursor, RwMode::Write)?,
            Verb::CondWait => {
                let attempt = attempt(cursor);
                Op::CondWait { attempt, condition: self.place(cursor)?, mutex: self.place(cursor)? }
            }
            Verb::CondWake => Op::CondWake {
                condition: self.place(cursor)?,
                mutex: self.place(cursor)?,
                result: result(cursor)?,
            },
            Verb::Signal => Op::Signal { condition: self.place(cursor)?, woken: woken(cursor)? },
            Verb::Broadcast => Op::Broadcast { condition: self.place(cursor)?, woken: woken(cursor)? },
            Verb::SemWait => {
                let attempt = attempt(cursor);
                Op::SemWait { attempt, semaphore: self.place(cursor)?, result: result(cursor)? }
            }
            Verb::SemPost => Op::SemPost { semaphore: self.place(cursor)? },
            Verb::SemValue => Op::SemValue {
                semaphore: self.place(cursor)?,
                value: cursor.number("the semaphore's count")?,
            },
            Verb::BarrierArrive => Op::BarrierArrive { barrier: self.place(cursor)? },
            Verb::BarrierLeave => Op::BarrierLeave {
                barrier: self.place(cursor)?,
                serial: cursor.skip_word("serial"),
                result: result(cursor)?,
            },
            Verb::Once => Op::Once { once: self.place(cursor)?, step: cursor.word()? },
            Verb::FutexWait => self.futex_wait(cursor, thread)?,
            Verb::FutexResume => Op::FutexResume { word: self.place(cursor)?, result: result(cursor)? },
            Verb::FutexWake => Op::FutexWake {
                word: self.place(cursor)?,
                limit: cursor.number("at most how many to wake")?,
                bitset: bitset(cursor)?,
                woken: labelled(cursor, "woke")?,
            },
            Verb::FutexRequeue => Op::FutexRequeue {
                from: self.place(cursor)?,
                to: self.place(cursor)?,
                wake_limit: labelled(cursor, "wake")?,
                move_limit: labelled(cursor, "move")?,
                woken: labelled(cursor, "woke")?,
                moved: labelled(cursor, "moved")?,
            },
            Verb::AtomicBegin => Op::AtomicBegin,
            Verb::AtomicEnd => Op::AtomicEnd,
            Verb::Await => Op::Await { window: cursor.number("how many events the idle turn had")? },
            Verb::Branch => {
                let taken = cursor.word()?;
                Op::Branch { taken, condition: self.expr(cursor, thread, Some(Sort::Bool))? }
            }
            Verb::Switch => {
                let value = cursor.number("the value switched on")?;
                Op::Switch { value, on: self.expr(cursor, thread, None)? }
            }
            Verb::Concretise => {
                let value = cursor.number("the concrete value")?;
                Op::Concretise { value, expr: self.expr(cursor, thread, None)?, why: cursor.word()? }
            }
            Verb::Assume => {
                let holds = cursor.word()?;
                let more = !cursor.at_end() && !matches!(cursor.peek(), Some('@' | '^'));
                let condition = if more { Some(self.expr(cursor, thread, Some(Sort::Bool))?) } else { None };
                Op::Assume { condition, holds }
            }
            Verb::Assert => {
                let holds = cursor.word()?;
                let more = !cursor.at_end() && !matches!(cursor.peek(), Some('@' | '^' | '"'));
                let condition = if more { Some(self.expr(cursor, thread, Some(Sort::Bool))?) } else { None };
                Op::Assert { condition, holds, message: self.message(cursor)? }
            }
            Verb::Input => {
                let input = self.names.input(cursor, &self.trace)?;
                let width = self.trace.tables.inputs()[input.index()].width;
                Op::Input { input, value: cursor.wide_value(width.into())? }
            }
            Verb::Alloc => Op::Alloc {
                object: self.names.object(cursor, &self.trace)?,
                size: cursor.number("how many bytes")?,
                address: address(cursor)?.unwrap_or(0),
            },
            Verb::Free => Op::Free { object: self.names.object(cursor, &self.trace)? },
            Verb::Output => {
                let stream = cursor.number("the number of a stream")?;
                Op::Output { stream, bytes: self.string(cursor)? }
            }
            Verb::Fail => Op::Failure {
                kind: cursor.numbered()?,
                message: self.message(cursor)?,
                address: address(cursor)?,
            },
        })
    }

    /// A location of any size.
    fn place(&mut self, cursor: &mut Cursor<'_>) -> Parsed<LocationId> {
        self.names.location(cursor, &self.trace)
    }

    /// A location that can be read or written, and its width.
    fn data(&mut self, cursor: &mut Cursor<'_>) -> Parsed<(LocationId, u32)> {
        let mark = cursor.mark();
        let id = self.place(cursor)?;
        let location: &Location = &self.trace.tables.locations()[id.index()];
        match location.width() {
            Some(width) => Ok((id, width)),
            None => {
                let name = cursor.since(mark).to_owned();
                Err(cursor.error_at(mark, Problem::NotAccessible { name, size: location.size }))
            }
        }
    }

    /// The index of the event that is being read.
    fn index(&self, thread: ThreadIx) -> u32 {
        // `Trace::push` refuses an event beyond the range.
        u32::try_from(self.trace.threads[thread.index()].len()).unwrap_or(u32::MAX)
    }

    /// A value found by this event, which may be given a name.
    fn found(&mut self, cursor: &mut Cursor<'_>, thread: ThreadIx, width: u32) -> Parsed<u128> {
        let mark = cursor.mark();
        if let Some(name) = cursor.maybe(lex::dollar) {
            let bits = width as Width;
            let named = Named::Read(thread, self.index(thread), bits);
            cursor.punctuation("=")?;
            self.names.define(cursor, mark, name, named)?;
        }
        cursor.value(width)
    }

    /// The name of a write, for a commit to refer to.
    fn name_write(&mut self, cursor: &mut Cursor<'_>, thread: ThreadIx) -> Parsed<()> {
        let mark = cursor.mark();
        if let Some(name) = cursor.maybe(lex::dollar) {
            let named = Named::Write(thread, self.index(thread));
            cursor.punctuation("=")?;
            self.names.define(cursor, mark, name, named)?;
        }
        Ok(())
    }

    /// The write that reaches memory: its name, or its index among the thread's events.
    fn committed(&mut self, cursor: &mut Cursor<'_>, thread: ThreadIx) -> Parsed<u32> {
        let mark = cursor.mark();
        let Some(name) = cursor.maybe(lex::dollar) else {
            return cursor.number("the `$` name of a write, or its index among the thread's events");
        };
        let found = match self.names.dollar(cursor, mark, name)? {
            Named::Write(writer, index) if writer == thread => return Ok(index),
            Named::Write(..) => "a write of another thread",
            Named::Read(..) => "a read",
            Named::Expr(_) => "an expression",
        };
        let problem = Problem::WrongName { name: name.to_owned(), found, wanted: "a write of this thread" };
        Err(cursor.error_at(mark, problem))
    }

    /// A value and, behind `:=`, the expression for it.
    fn datum(&mut self, cursor: &mut Cursor<'_>, thread: ThreadIx, width: u32) -> Parsed<Datum> {
        let value = cursor.value(width)?;
        if !cursor.skip(":=") {
            return Ok(Datum::concrete(value));
        }
        let expr = self.expr(cursor, thread, Some(Sort::Bits(width as Width)))?;
        Ok(Datum::symbolic(value, expr))
    }

    /// The thread that this one starts; a child of its own needs no `thread` line.
    fn forked(&mut self, cursor: &mut Cursor<'_>, thread: ThreadIx) -> Parsed<ThreadIx> {
        let mark = cursor.mark();
        let key = thread_key(cursor)?;
        if self.trace.tables.thread_by_key(&key).is_none()
            && let Some((parent, nth)) = key.parent()
            && parent == *self.trace.tables.key(thread)
        {
            return self.add_thread(cursor, mark, unnamed(Some((thread, nth))));
        }
        self.known_thread(cursor, mark, &key)
    }

    fn rw_lock(&mut self, cursor: &mut Cursor<'_>, mode: RwMode) -> Parsed<Op> {
        let attempt = attempt(cursor);
        Ok(Op::RwLock { mode, attempt, lock: self.place(cursor)?, result: result(cursor)? })
    }

    fn rw_unlock(&mut self, cursor: &mut Cursor<'_>, mode: RwMode) -> Parsed<Op> {
        Ok(Op::RwUnlock { mode, lock: self.place(cursor)?, result: result(cursor)? })
    }

    fn futex_wait(&mut self, cursor: &mut Cursor<'_>, thread: ThreadIx) -> Parsed<Op> {
        let attempt = attempt(cursor);
        let (word, width) = self.data(cursor)?;
        let value = self.found(cursor, thread, width)?;
        cursor.keyword("expected")?;
        let expected = self.datum(cursor, thread, width)?;
        let bitset = bitset(cursor)?;
        let queued = cursor.skip_word("queued");
        if !queued && !cursor.skip_word("refused") {
            return Err(cursor.expected("`queued` or `refused`"));
        }
        Ok(Op::FutexWait { word, value, expected, bitset, attempt, queued })
    }

    /// A message between quotes, if there is one.
    fn message(&mut self, cursor: &mut Cursor<'_>) -> Parsed<StringId> {
        if cursor.peek() == Some('"') { self.string(cursor) } else { Ok(StringId::EMPTY) }
    }
}

fn attempt(cursor: &mut Cursor<'_>) -> Attempt {
    cursor.maybe_word().unwrap_or(Attempt::Block)
}

fn result(cursor: &mut Cursor<'_>) -> Parsed<WaitResult> {
    Ok(cursor.maybe_numbered()?.unwrap_or(WaitResult::Done))
}

fn woken(cursor: &mut Cursor<'_>) -> Parsed<u32> {
    cursor.number("how many waiters it woke")
}

fn labelled(cursor: &mut Cursor<'_>, label: &str) -> Parsed<u32> {
    cursor.keyword(label)?;
    cursor.number("a number")
}

fn bitset(cursor: &mut Cursor<'_>) -> Parsed<u32> {
    if cursor.skip_word("bits") { cursor.number("a set of bits") } else { Ok(u32::MAX) }
}

fn address(cursor: &mut Cursor<'_>) -> Parsed<Option<u64>> {
    if cursor.skip_word("at") { cursor.number("an address").map(Some) } else { Ok(None) }
}

fn sync_kind(cursor: &mut Cursor<'_>) -> Parsed<SyncKind> {
    let mark = cursor.mark();
    let expected = "`mutex`, `rwlock`, `condition`, `semaphore`, `barrier`, `once` or `futex`";
    Ok(match cursor.take(lex::keyword, expected)? {
        "mutex" => SyncKind::Mutex {
            kind: cursor.maybe_word().unwrap_or(MutexKind::Normal),
            robust: cursor.skip_word("robust"),
        },
        "rwlock" => SyncKind::RwLock,
        "condition" => SyncKind::Condition,
        "semaphore" => SyncKind::Semaphore {
            initial: cursor.number("the units at the start")?,
            maximum: if cursor.skip_word("max") { Some(cursor.number("the most units")?) } else { None },
        },
        "barrier" => SyncKind::Barrier { parties: cursor.number("how many threads meet")? },
        "once" => SyncKind::Once,
        "futex" => SyncKind::Futex,
        other => {
            let problem = Problem::Expected { expected: expected.to_owned(), found: lex::token(other) };
            return Err(cursor.error_at(mark, problem));
        }
    })
}
