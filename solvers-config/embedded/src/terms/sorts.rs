//! Sorts as they are written.

use super::literals::number;
use crate::error::{At, Complaint, Fault};
use crate::names::Names;
use crate::text::{Kind, Lexer};
use std::io::Read;
use warpath_solvers::term::{MAX_WIDTH, Sort, TermError};

/// Reads a sort: `Bool`, `Int`, `(_ BitVec n)`, or a defined one.
pub(crate) fn read_sort<R: Read>(lexer: &mut Lexer<R>, names: &mut Names) -> Result<Sort, Fault> {
    let token = lexer.next()?;
    match token.kind {
        Kind::Symbol | Kind::Quoted => {
            let symbol = names.intern(lexer.text(token)).at(token.at)?;
            names
                .sort(symbol)
                .ok_or_else(|| Complaint::unsupported(format!("the sort `{}` is", names.text(symbol))))
                .at(token.at)
        }
        Kind::Open => {
            for expected in ["_", "BitVec"] {
                let word = lexer.next()?;
                if word.kind != Kind::Symbol || lexer.text(word) != expected.as_bytes() {
                    let what = format!("a sort built with `{}` is", lexer.shown(word));
                    return Err(Fault::new(word.at, Complaint::unsupported(what)));
                }
            }
            let width = lexer.next()?;
            if width.kind != Kind::Numeral {
                let found = lexer.shown(width);
                return Err(Fault::new(width.at, Complaint::Expected { expected: "a width", found }));
            }
            let bits: u64 = number(lexer.text(width)).at(width.at)?;
            let close = lexer.next()?;
            if close.kind != Kind::Close {
                let found = lexer.shown(close);
                return Err(Fault::new(close.at, Complaint::Expected { expected: "`)`", found }));
            }
            match u32::try_from(bits) {
                Ok(bits) if (1..=MAX_WIDTH).contains(&bits) => Ok(Sort::Bits(bits)),
                _ => Err(Fault::new(width.at, TermError::WidthOutOfRange { width: bits }.into())),
            }
        }
        _ => {
            let found = lexer.shown(token);
            Err(Fault::new(token.at, Complaint::Expected { expected: "a sort", found }))
        }
    }
}
