//! The lines that declare threads, objects, locations, inputs and shared ranges.

use super::Parser;
use super::cursor::{Cursor, Mark, Parsed};
use super::names::{input_name, unknown};
use crate::header::SharedRange;
use crate::ids::{ObjectId, StringId, ThreadIx};
use crate::place::{Input, Location, Object, ObjectClass};
use crate::recorded::RecordedInput;
use crate::text::error::Problem;
use crate::text::lex;
use crate::text::words::Declaration;
use crate::thread::{Thread, ThreadKey};

impl Parser {
    pub(super) fn declaration(
        &mut self,
        cursor: &mut Cursor<'_>,
        mark: Mark,
        declaration: Declaration,
    ) -> Parsed<()> {
        match declaration {
            Declaration::Thread => self.thread(cursor),
            Declaration::Object => self.object(cursor),
            Declaration::Location => self.location(cursor),
            Declaration::Input => self.input(cursor),
            Declaration::Shared => {
                let (object, offset, size) = self.range(cursor)?;
                self.trace.sharing.push(SharedRange { object, offset, size });
                Ok(())
            }
            Declaration::Recorded => self.recorded(cursor),
            Declaration::Sync => {
                let name = self.name(cursor)?;
                self.whole_object(cursor, mark, name, ObjectClass::Sync, 0)
            }
            Declaration::Global => {
                let name = self.name(cursor)?;
                let size = cursor.number("the variable's size in bytes")?;
                self.whole_object(cursor, mark, name, ObjectClass::Global, size)
            }
        }
    }

    /// Lines of the same name follow each other's bytes.
    fn recorded(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let (name, bytes) = (cursor.quoted()?, cursor.quoted()?);
        let whole = !cursor.skip_word("cut");
        let all = &mut self.trace.recorded;
        match all.iter_mut().rev().find(|input| input.name == name) {
            Some(known) => {
                known.bytes.extend(bytes);
                known.whole = whole;
            }
            None => all.push(RecordedInput { name, bytes, whole }),
        }
        Ok(())
    }

    fn thread(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let mark = cursor.mark();
        let key = thread_key(cursor)?;
        let parent = match key.parent() {
            None => None,
            Some((parent, nth)) => Some((self.known_thread(cursor, mark, &parent)?, nth)),
        };
        let mut thread = Thread { parent, start: StringId::EMPTY, argument: None, name: StringId::EMPTY };
        if cursor.skip_word("start") {
            thread.start = self.string(cursor)?;
        }
        if cursor.skip_word("arg") {
            thread.argument = Some(cursor.number("the argument of the start routine")?);
        }
        if cursor.skip_word("name") {
            thread.name = self.string(cursor)?;
        }
        self.add_thread(cursor, mark, thread).map(|_| ())
    }

    pub(super) fn add_thread(&mut self, cursor: &Cursor<'_>, mark: Mark, thread: Thread) -> Parsed<ThreadIx> {
        let ix = self.table(cursor, mark, |trace| trace.add_thread(thread))?;
        self.event_lines.push(Vec::new());
        Ok(ix)
    }

    /// The thread of a key. The initial thread needs no line of its own.
    pub(super) fn known_thread(
        &mut self,
        cursor: &Cursor<'_>,
        mark: Mark,
        key: &ThreadKey,
    ) -> Parsed<ThreadIx> {
        if let Some(ix) = self.trace.tables.thread_by_key(key) {
            return Ok(ix);
        }
        if key.depth() == 0 {
            return self.add_thread(cursor, mark, unnamed(None));
        }
        let hint = format!("; declare it with `thread {key}`, or let its parent `fork {key}` before");
        Err(unknown(cursor, mark, "thread", key.to_string(), hint))
    }

    /// A thread that is declared by now.
    pub(super) fn thread_ref(&mut self, cursor: &mut Cursor<'_>) -> Parsed<ThreadIx> {
        let mark = cursor.mark();
        let key = thread_key(cursor)?;
        self.known_thread(cursor, mark, &key)
    }

    fn object(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let mark = cursor.mark();
        let class = cursor.word()?;
        let name = self.name(cursor)?;
        let size = cursor.number("the object's size in bytes, 0 if it is not known")?;
        let owner = if cursor.skip_word("of") { Some(self.thread_ref(cursor)?) } else { None };
        let nth = if cursor.skip_word("nth") { cursor.number("which of that thread, from 0")? } else { 0 };
        self.add_object(cursor, mark, Object { class, owner, nth, size, name }).map(|_| ())
    }

    /// An object and one location that is all of it, under one name.
    fn whole_object(
        &mut self,
        cursor: &mut Cursor<'_>,
        mark: Mark,
        name: StringId,
        class: ObjectClass,
        size: u32,
    ) -> Parsed<()> {
        let object = Object { class, owner: None, nth: 0, size: size.into(), name };
        let object = self.add_object(cursor, mark, object)?;
        self.add_location(cursor, mark, Location { object, offset: 0, size, initial: None, name })
    }

    fn location(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let mark = cursor.mark();
        let name = if cursor.peek() == Some('%') { StringId::EMPTY } else { self.name(cursor)? };
        let (object, offset, size) = self.range(cursor)?;
        let size = u32::try_from(size).map_err(|_| cursor.too_wide(mark, 32))?;
        self.add_location(cursor, mark, Location { object, offset, size, initial: None, name })
    }

    fn add_object(&mut self, cursor: &Cursor<'_>, mark: Mark, object: Object) -> Parsed<ObjectId> {
        let name = object.name;
        let id = self.table(cursor, mark, |trace| trace.tables.object(object))?;
        self.names.add_object(&self.trace.tables.strings()[name.index()], id);
        Ok(id)
    }

    /// Adds a location, with the initial value if one follows.
    fn add_location(&mut self, cursor: &mut Cursor<'_>, mark: Mark, mut location: Location) -> Parsed<()> {
        if cursor.skip("=") {
            location.initial = Some(cursor.value(location.size.saturating_mul(8).min(128))?);
        }
        let name = location.name;
        let id = self.table(cursor, mark, |trace| trace.tables.location(location))?;
        self.names.add_location(&self.trace.tables.strings()[name.index()], id);
        Ok(())
    }

    fn input(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let mark = cursor.mark();
        let (name, nth) = input_name(cursor)?;
        let width = cursor.number("the input's width in bits, 1 to 128")?;
        let string = self.table(cursor, mark, |trace| trace.tables.string(&name))?;
        let id = self.table(cursor, mark, |trace| trace.tables.input(Input { name: string, nth, width }))?;
        self.names.add_input(&name, nth, id);
        Ok(())
    }

    /// Bytes of an object: `%object+offset:size`.
    fn range(&mut self, cursor: &mut Cursor<'_>) -> Parsed<(ObjectId, u64, u64)> {
        let object = self.names.object(cursor, &self.trace)?;
        cursor.punctuation("+")?;
        let offset = cursor.number("the first byte")?;
        cursor.punctuation(":")?;
        Ok((object, offset, cursor.number("how many bytes")?))
    }

    /// A name, which may be `""`.
    fn name(&mut self, cursor: &mut Cursor<'_>) -> Parsed<StringId> {
        let mark = cursor.mark();
        let name = cursor.name("a name; between quotes if it is not a plain word")?;
        self.table(cursor, mark, |trace| trace.tables.string(name))
    }

    /// A string between quotes.
    pub(super) fn string(&mut self, cursor: &mut Cursor<'_>) -> Parsed<StringId> {
        let mark = cursor.mark();
        let bytes = cursor.quoted()?;
        self.table(cursor, mark, |trace| trace.tables.string(bytes))
    }
}

/// A thread about which nothing is known but its place.
pub(super) fn unnamed(parent: Option<(ThreadIx, u32)>) -> Thread {
    Thread { parent, start: StringId::EMPTY, argument: None, name: StringId::EMPTY }
}

/// A thread key.
pub(super) fn thread_key(cursor: &mut Cursor<'_>) -> Parsed<ThreadKey> {
    let mark = cursor.mark();
    match cursor.maybe(lex::key) {
        Some(text) => parsed_key(cursor, mark, text),
        None => Err(cursor.expected(A_KEY)),
    }
}

const A_KEY: &str = "a thread key: `T0`, or `T0.1` for the second thread it forked";

/// What looks like a thread key as one.
pub(super) fn parsed_key(cursor: &Cursor<'_>, mark: Mark, text: &str) -> Parsed<ThreadKey> {
    text.parse().map_err(|_| {
        let problem = Problem::Expected { expected: A_KEY.to_owned(), found: lex::token(text) };
        cursor.error_at(mark, problem)
    })
}
