//! The lines at the start that say who recorded what, and how.

use super::Parser;
use super::cursor::{Cursor, Mark, Parsed};
use super::misplaced;
use crate::header::Clock;
use crate::text::lex;
use crate::text::words::Entry;

impl Parser {
    pub(super) fn setting(&mut self, cursor: &mut Cursor<'_>, mark: Mark, entry: Entry) -> Parsed<()> {
        if self.settings.contains(&entry) {
            return Err(misplaced(cursor, mark, "is there already; each header line may come once"));
        }
        self.settings.push(entry);
        let header = &mut self.trace.header;
        match entry {
            Entry::Program => {
                header.program = cursor.quoted_text()?;
                while !cursor.at_end() {
                    header.arguments.push(cursor.quoted()?);
                }
            }
            Entry::BuildId => {
                header.build_id = cursor.take(lex::hex_bytes, "bytes as pairs of hexadecimal digits")?;
            }
            Entry::Tracer => {
                header.tracer = cursor.quoted_text()?;
                header.tracer_version = cursor.quoted_text()?;
            }
            Entry::Clock => header.clock = clock(cursor)?,
            Entry::Order => header.order = cursor.word()?,
            Entry::Model => header.model = cursor.word()?,
            Entry::Values => header.values = cursor.word()?,
            _ => return Err(misplaced(cursor, mark, "is not a header line")),
        }
        Ok(())
    }
}

fn clock(cursor: &mut Cursor<'_>) -> Parsed<Clock> {
    if cursor.skip_word("none") {
        Ok(Clock::None)
    } else if cursor.skip_word("virtual") {
        Ok(Clock::Virtual)
    } else if cursor.skip_word("real") {
        cursor.number("nanoseconds after the Unix epoch").map(Clock::Real)
    } else {
        Err(cursor.expected("`none`, `virtual`, or `real` and the start in nanoseconds"))
    }
}
