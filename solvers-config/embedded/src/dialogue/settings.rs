//! Options, information, and commands about the conversation itself.

use super::checks::Mode;
use super::options::{Options, Slot};
use super::{Dialogue, Reply};
use crate::decide::Decider;
use crate::error::{Complaint, Fault, Place};
use crate::names::Names;
use crate::text::{Kind, error_text};
use rustc_hash::FxHashMap;
use std::io::{Read, Write};
use warpath_solvers::term::Terms;

/// Options that change how assertions are kept.
const BEFORE_ASSERTIONS: [&str; 3] = [":produce-unsat-cores", ":global-declarations", ":random-seed"];

impl<D: Decider, R: Read, W: Write> Dialogue<'_, D, R, W> {
    pub(super) fn set_logic(&mut self) -> Result<Reply, Fault> {
        // Any: what is asserted tells what is needed.
        self.symbol()?;
        self.end()?;
        Ok(Reply::Silent)
    }

    fn keyword(&mut self) -> Result<(String, Place), Fault> {
        let token = self.expect(Kind::Keyword, "a keyword")?;
        Ok((String::from_utf8_lossy(self.lexer.text(token)).into_owned(), token.at))
    }

    /// The value behind a keyword, and the end of the command. Empty if there is none.
    fn value_and_end(&mut self) -> Result<String, Fault> {
        let token = self.lexer.next()?;
        if token.kind == Kind::Close {
            return Ok(String::new());
        }
        if token.kind == Kind::End {
            return Err(self.misplaced("a value", token));
        }
        let text = self.expression(token)?;
        self.end()?;
        Ok(text)
    }

    pub(super) fn set_info(&mut self) -> Result<Reply, Fault> {
        let (keyword, _) = self.keyword()?;
        let value = self.value_and_end()?;
        if let Some(guard) = self.guard {
            guard.set_info(&keyword, &value);
        }
        Ok(Reply::Silent)
    }

    pub(super) fn set_option(&mut self, at: Place) -> Result<Reply, Fault> {
        let (keyword, _) = self.keyword()?;
        let value = self.value_and_end()?;
        let busy = !self.assertions.is_empty() || !self.softs.is_empty() || !self.levels.is_empty();
        if busy && BEFORE_ASSERTIONS.contains(&keyword.as_str()) {
            let what = "this option can only be set before anything is asserted or pushed";
            return Err(Fault::new(at, Complaint::OutOfTurn { what }));
        }
        let Some(slot) = self.options.slot(&keyword) else {
            return Ok(Reply::Unsupported);
        };
        let wrong = |expected| {
            let found = crate::error::shorten(&value);
            Fault::new(at, Complaint::Expected { expected, found })
        };
        match slot {
            Slot::Flag(flag) => *flag = value.parse().map_err(|_| wrong("`true` or `false`"))?,
            Slot::Number(number) => {
                let digits = value.bytes().all(|byte| byte.is_ascii_digit());
                *number = value.parse().ok().filter(|_| digits).ok_or_else(|| wrong("a 64-bit number"))?;
            }
            Slot::Output => {
                if value != "\"stdout\"" {
                    return Err(wrong("\"stdout\""));
                }
            }
            Slot::Diagnostics(channel) => match value.as_str() {
                "\"stdout\"" | "\"stderr\"" => *channel = value.trim_matches('"').to_owned(),
                _ => return Err(wrong("\"stdout\" or \"stderr\"")),
            },
        }
        if keyword == ":random-seed" {
            self.engine = (self.make)(self.options.for_engine());
        }
        Ok(Reply::Silent)
    }

    pub(super) fn get_option(&mut self) -> Result<Reply, Fault> {
        let (keyword, _) = self.keyword()?;
        self.end()?;
        Ok(match self.options.slot(&keyword) {
            None => Reply::Unsupported,
            Some(Slot::Flag(flag)) => Reply::Text(flag.to_string()),
            Some(Slot::Number(number)) => Reply::Text(number.to_string()),
            Some(Slot::Output) => Reply::Text("\"stdout\"".to_owned()),
            Some(Slot::Diagnostics(channel)) => Reply::Text(format!("\"{channel}\"")),
        })
    }

    pub(super) fn get_info(&mut self, at: Place) -> Result<Reply, Fault> {
        let (keyword, _) = self.keyword()?;
        self.end()?;
        if let Some(known) = self.guard.and_then(|guard| guard.info(&keyword)) {
            return Ok(Reply::Text(known));
        }
        Ok(match keyword.as_str() {
            ":name" => Reply::Text("(:name \"warpath-smt\")".to_owned()),
            ":version" => Reply::Text(format!("(:version \"{}\")", env!("CARGO_PKG_VERSION"))),
            ":authors" => Reply::Text(format!("(:authors \"{}\")", error_text(env!("CARGO_PKG_AUTHORS")))),
            ":error-behavior" => Reply::Text("(:error-behavior continued-execution)".to_owned()),
            ":assertion-stack-levels" => {
                Reply::Text(format!("(:assertion-stack-levels {})", self.levels.len()))
            }
            ":reason-unknown" => match &self.mode {
                Mode::Unknown(reason) => Reply::Text(format!("(:reason-unknown {reason})")),
                _ => {
                    let what = "the last check did not answer unknown";
                    return Err(Fault::new(at, Complaint::OutOfTurn { what }));
                }
            },
            ":all-statistics" => Reply::Text(self.all_statistics()),
            _ => Reply::Unsupported,
        })
    }

    fn all_statistics(&self) -> String {
        let done = self.engine.statistics();
        format!(
            "(:checks {} :terms {} :constants {} :assertions {} :conflicts {} :circles {} :decisions {} \
             :propagations {} :restarts {})",
            self.checks,
            self.terms.len(),
            self.constants.len(),
            self.assertions.len(),
            done.conflicts,
            done.circles,
            done.decisions,
            done.propagations,
            done.restarts
        )
    }

    pub(super) fn echo(&mut self) -> Result<Reply, Fault> {
        let token = self.expect(Kind::String, "a string")?;
        // As it came: with its quotes, and inner ones doubled.
        let text = format!("\"{}\"", String::from_utf8_lossy(self.lexer.text(token)));
        self.end()?;
        Ok(Reply::Text(text))
    }

    pub(super) fn reset(&mut self) -> Result<Reply, Fault> {
        self.end()?;
        self.options = Options::new(&self.settings);
        self.forget(false);
        self.checks = 0;
        Ok(Reply::Silent)
    }

    pub(super) fn reset_assertions(&mut self) -> Result<Reply, Fault> {
        self.end()?;
        self.forget(self.options.global_declarations);
        Ok(Reply::Silent)
    }

    fn forget(&mut self, keep_declarations: bool) {
        self.engine = (self.make)(self.options.for_engine());
        self.levels.clear();
        self.assertions.clear();
        self.tracked = 0;
        self.softs.clear();
        self.mode = Mode::Unasked;
        if !keep_declarations {
            if let Some(proof) = self.proof {
                proof.forget_constants();
            }
            self.terms = Terms::new();
            self.names = Names::new();
            self.constants.clear();
            self.aliases = FxHashMap::default();
        }
    }
}
