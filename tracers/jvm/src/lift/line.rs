//! Lines of standard input: each character is a byte that is an input, and where a line ends depends on them.

use warpath_trace::event::Op;
use warpath_trace::ids::{ExprId, SourceId};
use warpath_trace::place::Input;

use super::{LiftError, Lifter};
use crate::interpret::{Site, Text};
use crate::stream::{Content, Definitions, ObjectRef};

const NEWLINE: u8 = 10;
const RETURN: u8 = 13;

impl Lifter {
    /// The line is made of bytes of standard input, from this one on; so many of them, its end included, are inputs.
    pub(super) fn line_input(
        &mut self,
        definitions: &Definitions,
        t: usize,
        object: ObjectRef,
        first: u64,
        inputs: u64,
    ) -> Result<(), LiftError> {
        let Some(Content::Text(text)) = definitions.object(object).map(|object| &object.content) else {
            return Ok(());
        };
        let bytes: Vec<u8> = text.bytes().chain([NEWLINE]).collect();
        let site = self.threads[t].frames.last().map(|frame| frame.site());
        let at = match site {
            Some(site) => self.source(definitions, site)?,
            None => SourceId::UNKNOWN,
        };
        let name = self.trace.tables.string("stdin")?;
        let mut characters = Vec::new();
        for (nth, &byte) in bytes.iter().enumerate() {
            let is_input = (nth as u64) < inputs;
            let mut expr = None;
            if is_input {
                let entry = Input { name, nth: (first + nth as u64) as u32, width: 8 };
                let input = self.trace.tables.input(entry)?;
                self.push(t, Op::Input { input, value: byte.into() }, at)?;
                if self.symbolic {
                    expr = Some(self.trace.tables.exprs.input(input, 8)?);
                }
            }
            if let (Some(expr), Some(site)) = (expr, site) {
                self.decide_byte(t, site, expr, nth == text.len())?;
                self.flush(definitions, t)?;
            }
            if nth < text.len() && self.symbolic {
                let pool = &mut self.trace.tables.exprs;
                characters.push(match expr {
                    Some(expr) => pool.zero_extend(16, expr)?,
                    None => pool.constant(16, byte.into())?,
                });
            }
        }
        let origin = format!("stdin {first}..{}", first + text.len() as u64);
        self.names.call(object, definitions, &origin);
        if self.symbolic {
            self.texts.insert(object, Text { characters: characters.into(), origin: origin.into() });
        }
        Ok(())
    }

    /// Does the line end at a byte? If not, it is a character of its own.
    fn decide_byte(&mut self, t: usize, site: Site, byte: ExprId, ends: bool) -> Result<(), LiftError> {
        let pool = &mut self.trace.tables.exprs;
        let effects = &mut self.threads[t].effects;
        let newline = pool.constant(8, NEWLINE.into())?;
        let is_newline = pool.equal(byte, newline)?;
        effects.branch(pool, site, is_newline, ends)?;
        if !ends {
            let (carriage, zero) = (pool.constant(8, RETURN.into())?, pool.constant(8, 0)?);
            let is_return = pool.equal(byte, carriage)?;
            effects.branch(pool, site, is_return, false)?;
            // Other encodings than ASCII take several bytes for such a character.
            let is_foreign = pool.binary(warpath_trace::expr::BinaryOp::Slt, byte, zero)?;
            effects.branch(pool, site, is_foreign, false)?;
        }
        Ok(())
    }
}
