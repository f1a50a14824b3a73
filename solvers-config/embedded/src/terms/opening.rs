//! What stands behind an opening parenthesis: an operator, with or without indices, a function, a `let`, a literal.

use super::literals::{self, number};
use super::operators::{self, Operator};
use super::reader::{Frame, Head, Reader};
use crate::error::{At, Complaint, Fault};
use crate::names::Meaning;
use crate::text::{Kind, Token};
use std::io::Read;
use std::rc::Rc;
use warpath_solvers::term::TermId;

impl<R: Read> Reader<'_, R> {
    /// After an opening parenthesis: what is opened?
    pub(super) fn open(&mut self, open: Token) -> Result<(), Fault> {
        if let Some(Frame { head: Head::Bindings(_), .. }) = self.stacks.frames.last() {
            let symbol = self.symbol("a variable")?;
            self.push(Head::Binding(symbol), open.at);
            return Ok(());
        }
        let token = self.lexer.next()?;
        match token.kind {
            Kind::Symbol => match self.lexer.text(token) {
                b"let" => {
                    let list = self.lexer.next()?;
                    if list.kind != Kind::Open {
                        return self.unexpected("a list of bindings", list);
                    }
                    self.push(Head::Bindings(self.stacks.bindings.len()), open.at);
                    Ok(())
                }
                b"!" => {
                    self.push(Head::Annotated, open.at);
                    Ok(())
                }
                b"_" => {
                    let term = self.indexed_literal()?;
                    self.push(Head::Literal, open.at);
                    self.stacks.args.push(term);
                    Ok(())
                }
                word @ (b"forall" | b"exists" | b"match" | b"as" | b"lambda" | b"choice") => {
                    let what = format!("`{}` is", String::from_utf8_lossy(word));
                    Err(Fault::new(token.at, Complaint::unsupported(what)))
                }
                _ => self.open_application(open, token),
            },
            Kind::Quoted => self.open_application(open, token),
            Kind::Open => self.open_indexed(open),
            _ => self.unexpected("an operator", token),
        }
    }

    fn open_application(&mut self, open: Token, token: Token) -> Result<(), Fault> {
        let symbol = self.names.intern(self.lexer.text(token)).at(token.at)?;
        let head = match self.names.meaning(symbol) {
            Meaning::Operator(Operator::Plain(op, style)) => Head::Op(*op, *style),
            Meaning::Macro(function) => Head::Call(symbol, Rc::clone(function)),
            Meaning::Operator(Operator::Foreign) => {
                let what = format!("the operator `{}` is", self.names.text(symbol));
                return Err(Fault::new(token.at, Complaint::unsupported(what)));
            }
            Meaning::Nothing => return self.unknown(symbol, token.at),
            Meaning::Operator(Operator::Indexed(_)) => return self.unexpected("an operator", token),
            // `(x)` is no way to write x.
            Meaning::Term(_) | Meaning::Operator(_) => return self.unexpected("a function", token),
        };
        self.push(head, open.at);
        Ok(())
    }

    /// After `((`: an operator with indices.
    fn open_indexed(&mut self, open: Token) -> Result<(), Fault> {
        let underscore = self.lexer.next()?;
        if underscore.kind != Kind::Symbol || self.lexer.text(underscore) != b"_" {
            return self.unexpected("`_`", underscore);
        }
        let token = self.lexer.next()?;
        let at = token.at;
        let (Kind::Symbol | Kind::Quoted) = token.kind else {
            return self.unexpected("an operator", token);
        };
        let symbol = self.names.intern(self.lexer.text(token)).at(at)?;
        let kind = match self.names.meaning(symbol) {
            Meaning::Operator(Operator::Indexed(kind)) => *kind,
            _ => {
                let what = format!("the indexed operator `{}` is", self.names.text(symbol));
                return Err(Fault::new(at, Complaint::unsupported(what)));
            }
        };
        let (indices, count) = self.indices()?;
        match operators::indexed(kind, &indices[..count]) {
            Some(op) => {
                self.push(Head::Indexed(op), open.at);
                Ok(())
            }
            None => {
                let what = format!("`{}` with {count} indices is", self.names.text(symbol));
                Err(Fault::new(at, Complaint::unsupported(what)))
            }
        }
    }

    /// Up to two numerals and the closing parenthesis.
    fn indices(&mut self) -> Result<([u64; 2], usize), Fault> {
        let mut indices = [0; 2];
        let mut count = 0;
        loop {
            let token = self.lexer.next()?;
            match token.kind {
                Kind::Close if count > 0 => return Ok((indices, count)),
                Kind::Numeral if count < indices.len() => {
                    indices[count] = number(self.lexer.text(token)).at(token.at)?;
                    count += 1;
                }
                _ => return self.unexpected("an index", token),
            }
        }
    }

    /// After `(_`: `bv5 8`, up to but without the closing parenthesis.
    fn indexed_literal(&mut self) -> Result<TermId, Fault> {
        let token = self.lexer.next()?;
        let text = self.lexer.text(token);
        let digits = match (token.kind, text.strip_prefix(b"bv")) {
            (Kind::Symbol, Some(digits)) if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
                digits.to_vec()
            }
            _ => return self.unexpected("a literal such as `bv5`", token),
        };
        let width = self.lexer.next()?;
        if width.kind != Kind::Numeral {
            return self.unexpected("a width", width);
        }
        let bits = number(self.lexer.text(width)).at(width.at)?;
        literals::decimal(self.terms, &digits, bits).at(token.at)
    }
}
