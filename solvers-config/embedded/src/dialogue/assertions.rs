//! What is asserted, level by level.

use super::checks::Mode;
use super::{Dialogue, Reply};
use crate::decide::Decider;
use crate::error::{At, Complaint, Fault, Place};
use crate::names::{Mark, Symbol};
use crate::terms::{TextBudget, number, write_term};
use crate::text::Kind;
use std::fmt::Write as _;
use std::io::{Read, Write};
use warpath_solvers::term::{Sort, TermId};

/// Something asserted.
pub(super) struct Assertion {
    pub(super) term: TermId,
    /// If unsat cores may speak of it: its name, and the assumption behind which it stands.
    pub(super) tracked: Option<(Symbol, TermId)>,
}

/// Something asserted that may be false, at a price.
pub(super) struct Soft {
    pub(super) term: TermId,
    pub(super) weight: u64,
    pub(super) id: Option<Symbol>,
}

/// How much there was when a level was opened.
pub(super) struct Level {
    assertions: usize,
    tracked: usize,
    softs: usize,
    constants: usize,
    names: Mark,
}

const MAX_LEVELS: usize = 100_000;
/// Longest text of all assertions.
const MAX_TEXT: usize = 64 << 20;

impl<D: Decider, R: Read, W: Write> Dialogue<'_, D, R, W> {
    pub(super) fn assert(&mut self, at: Place) -> Result<Reply, Fault> {
        let mut reader = self.reader();
        let term = reader.term()?;
        let name = reader.outer_name;
        self.end()?;
        self.expect_sort(term, Sort::Bool).at(at)?;
        let mut told = term;
        let mut tracked = None;
        if let Some(name) = name.filter(|_| self.options.produce_cores) {
            // The same assumptions again after a pop: what they stood for is gone.
            let number = self.tracked;
            let selector = self.terms.constant(&format!("{SELECTOR}{number}"), Sort::Bool).at(at)?;
            told = self.terms.implies(selector, term).at(at)?;
            tracked = Some((name, selector));
        }
        if let Some(proof) = self.proof {
            proof.asserting();
        }
        self.engine
            .assert(&mut self.terms, told)
            .map_err(|error| Complaint::Engine { what: error.what })
            .at(at)?;
        self.tracked += usize::from(tracked.is_some());
        self.assertions.push(Assertion { term, tracked });
        self.mode = Mode::Unasked;
        Ok(Reply::Silent)
    }

    pub(super) fn assert_soft(&mut self, at: Place) -> Result<Reply, Fault> {
        let term = self.reader().term()?;
        let mut soft = Soft { term, weight: 1, id: None };
        loop {
            let token = self.lexer.next()?;
            match token.kind {
                Kind::Close => break,
                Kind::Keyword if self.lexer.text(token) == b":weight" => {
                    let value = self.expect(Kind::Numeral, "a weight that is a numeral")?;
                    soft.weight = number(self.lexer.text(value)).at(value.at)?;
                }
                Kind::Keyword if self.lexer.text(token) == b":id" => soft.id = Some(self.symbol()?.0),
                _ => return Err(self.misplaced("`:weight` or `:id`", token)),
            }
        }
        self.expect_sort(term, Sort::Bool).at(at)?;
        self.softs.push(soft);
        self.mode = Mode::Unasked;
        Ok(Reply::Silent)
    }

    pub(super) fn push(&mut self) -> Result<Reply, Fault> {
        let (count, _, at) = self.level_count()?;
        let free = MAX_LEVELS - self.levels.len();
        if count > free as u64 {
            let what = format!("more than {MAX_LEVELS} levels are");
            return Err(Fault::new(at, Complaint::unsupported(what)));
        }
        for _ in 0..count {
            self.levels.push(Level {
                assertions: self.assertions.len(),
                tracked: self.tracked,
                softs: self.softs.len(),
                constants: self.constants.len(),
                names: self.names.mark(),
            });
            self.engine.push();
        }
        self.mode = Mode::Unasked;
        Ok(Reply::Silent)
    }

    pub(super) fn pop(&mut self) -> Result<Reply, Fault> {
        let (count, asked, at) = self.level_count()?;
        let open = self.levels.len();
        if count > open as u64 {
            return Err(Fault::new(at, Complaint::NotSoManyLevels { open, asked }));
        }
        for _ in 0..count {
            if let Some(level) = self.levels.pop() {
                self.engine.pop();
                self.assertions.truncate(level.assertions);
                self.tracked = level.tracked;
                self.softs.truncate(level.softs);
                self.names.back_to(level.names);
                if !self.options.global_declarations {
                    self.constants.truncate(level.constants);
                }
            }
        }
        self.mode = Mode::Unasked;
        Ok(Reply::Silent)
    }

    pub(super) fn get_assertions(&mut self, at: Place) -> Result<Reply, Fault> {
        self.end()?;
        let mut text = TextBudget::new(MAX_TEXT);
        let mut write = || {
            text.write_str("(")?;
            for (index, assertion) in self.assertions.iter().enumerate() {
                text.write_str(if index == 0 { "" } else { "\n " })?;
                write_term(&mut text, &self.terms, &self.aliases, assertion.term)?;
            }
            text.write_str(")")
        };
        let too_long = write().is_err();
        if too_long {
            return Err(Fault::new(at, Complaint::TooLong { limit: MAX_TEXT }));
        }
        Ok(Reply::Text(text.into_text()))
    }
}

/// Begins the names of assumptions. Symbols of the user have no bars.
const SELECTOR: &str = "selector|";
