//! The lines at the start that say who recorded what, and how.

use super::Parser;
use super::cursor::{Cursor, Mark, Parsed};
use super::misplaced;
use crate::header::Clock;
use crate::text::lex;
use crate::text::words::Setting;

impl Parser {
    pub(super) fn setting(&mut self, cursor: &mut Cursor<'_>, mark: Mark, setting: Setting) -> Parsed<()> {
        if self.settings.contains(&setting) {
            return Err(misplaced(cursor, mark, "is there already; each header line may come once"));
        }
        self.settings.push(setting);
        let header = &mut self.trace.header;
        match setting {
            Setting::Program => {
                header.program = cursor.quoted_text()?;
                while !cursor.at_end() {
                    header.arguments.push(cursor.quoted()?);
                }
            }
            Setting::BuildId => {
                header.build_id = cursor.take(lex::hex_bytes, "bytes as pairs of hexadecimal digits")?;
            }
            Setting::Tracer => {
                header.tracer = cursor.quoted_text()?;
                header.tracer_version = cursor.quoted_text()?;
            }
            Setting::Clock => header.clock = clock(cursor)?,
            Setting::Order => header.order = cursor.word()?,
            Setting::Model => header.model = cursor.word()?,
            Setting::Values => header.values = cursor.word()?,
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
