//! Declaring and defining.

use super::{Dialogue, Reply};
use crate::decide::Decider;
use crate::error::{At, Complaint, Fault, Place};
use crate::names::{Meaning, Symbol};
use crate::terms::{Macro, number, placeholder, read_sort};
use crate::text::{Kind, write_symbol};
use std::io::{Read, Write};
use std::rc::Rc;
use std::sync::Arc;
use warpath_solvers::term::{Sort, TermError, TermId};

impl<D: Decider, R: Read, W: Write> Dialogue<'_, D, R, W> {
    pub(super) fn declare_const(&mut self) -> Result<Reply, Fault> {
        let (symbol, at) = self.symbol()?;
        let sort = self.sort()?;
        self.end()?;
        self.declare(symbol, sort, at)
    }

    pub(super) fn declare_fun(&mut self) -> Result<Reply, Fault> {
        let (symbol, at) = self.symbol()?;
        self.expect(Kind::Open, "a list of sorts")?;
        let token = self.lexer.next()?;
        if token.kind != Kind::Close {
            let what = "a declared function with arguments is";
            return Err(Fault::new(token.at, Complaint::unsupported(what)));
        }
        let sort = self.sort()?;
        self.end()?;
        self.declare(symbol, sort, at)
    }

    fn sort(&mut self) -> Result<Sort, Fault> {
        read_sort(&mut self.lexer, &mut self.names)
    }

    fn declare(&mut self, symbol: Symbol, sort: Sort, at: Place) -> Result<Reply, Fault> {
        self.names.expect_free(symbol).at(at)?;
        let text = Arc::clone(self.names.text(symbol));
        let constant = match self.terms.constant(&text, sort) {
            // A popped constant of that name had another sort. Symbols have no bars, so this name is free.
            Err(TermError::ConstantRedeclared { .. }) => {
                let constant = self.terms.constant(&format!("{text}|{sort}"), sort).at(at)?;
                self.aliases.insert(constant, text);
                constant
            }
            other => other.at(at)?,
        };
        self.names.define(symbol, Meaning::Term(constant)).at(at)?;
        self.constants.push((symbol, constant));
        if let Some(proof) = self.proof {
            proof.declared(constant);
        }
        Ok(Reply::Silent)
    }

    pub(super) fn define_const(&mut self) -> Result<Reply, Fault> {
        let (symbol, at) = self.symbol()?;
        self.names.expect_free(symbol).at(at)?;
        let sort = self.sort()?;
        let term = self.reader().term()?;
        self.end()?;
        self.expect_sort(term, sort).at(at)?;
        self.names.define(symbol, Meaning::Term(term)).at(at)?;
        Ok(Reply::Silent)
    }

    pub(super) fn define_fun(&mut self) -> Result<Reply, Fault> {
        let (symbol, at) = self.symbol()?;
        self.names.expect_free(symbol).at(at)?;
        self.expect(Kind::Open, "a list of parameters")?;
        let parameters = self.parameters()?;
        let sort = self.sort()?;
        let body = self.body(&parameters)?;
        self.end()?;
        self.expect_sort(body, sort).at(at)?;
        let meaning = if parameters.is_empty() {
            Meaning::Term(body)
        } else {
            let parameters = parameters.into_iter().map(|(_, term, _)| term).collect();
            Meaning::Macro(Rc::new(Macro { parameters, body }))
        };
        self.names.define(symbol, meaning).at(at)?;
        Ok(Reply::Silent)
    }

    /// Parameters, up to the parenthesis behind them.
    fn parameters(&mut self) -> Result<Vec<(Symbol, TermId, Place)>, Fault> {
        let mut parameters: Vec<(Symbol, TermId, Place)> = Vec::new();
        loop {
            let token = self.lexer.next()?;
            match token.kind {
                Kind::Close => break,
                Kind::Open => {
                    let (symbol, at) = self.symbol()?;
                    let sort = self.sort()?;
                    self.expect(Kind::Close, "`)`")?;
                    let stand_in = placeholder(&mut self.terms, parameters.len(), sort).at(at)?;
                    parameters.push((symbol, stand_in, at));
                }
                _ => return Err(self.misplaced("a parameter", token)),
            }
        }
        let mut sorted: Vec<_> = parameters.iter().map(|&(symbol, _, at)| (symbol, at.line, at)).collect();
        sorted.sort_unstable_by_key(|&(symbol, line, _)| (symbol, line));
        match sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => {
                let symbol = self.names.text(pair[1].0).to_string();
                Err(Fault::new(pair[1].2, Complaint::Redeclared { symbol }))
            }
            None => Ok(parameters),
        }
    }

    fn body(&mut self, parameters: &[(Symbol, TermId, Place)]) -> Result<TermId, Fault> {
        let hidden = self.names.hidden();
        let mut hide =
            || parameters.iter().try_for_each(|&(symbol, term, at)| self.names.hide(symbol, term).at(at));
        let body = match hide() {
            Ok(()) => {
                let mut reader = self.reader();
                reader.may_name = parameters.is_empty();
                reader.term()
            }
            Err(fault) => Err(fault),
        };
        self.names.unhide(hidden);
        body
    }

    pub(super) fn define_sort(&mut self) -> Result<Reply, Fault> {
        let (symbol, at) = self.symbol()?;
        self.expect(Kind::Open, "a list of parameters")?;
        let token = self.lexer.next()?;
        if token.kind != Kind::Close {
            return Err(Fault::new(token.at, Complaint::unsupported("a sort with parameters is")));
        }
        let sort = self.sort()?;
        self.end()?;
        self.names.define_sort(symbol, sort).at(at)?;
        Ok(Reply::Silent)
    }

    /// How many levels a `push` or `pop` means.
    pub(super) fn level_count(&mut self) -> Result<(u64, String, Place), Fault> {
        let token = self.lexer.next()?;
        match token.kind {
            Kind::Close => Ok((1, "1".to_owned(), token.at)),
            Kind::Numeral => {
                let shown = self.lexer.shown(token);
                // What does not fit is too many anyway.
                let count = number(self.lexer.text(token)).unwrap_or(u64::MAX);
                self.end()?;
                Ok((count, shown, token.at))
            }
            _ => Err(self.misplaced("a number of levels", token)),
        }
    }

    /// A symbol as the user would write it.
    pub(super) fn shown_symbol(&self, symbol: Symbol) -> String {
        let mut text = String::new();
        write_symbol(&mut text, self.names.text(symbol)).expect("writing to a string does not fail");
        text
    }
}
