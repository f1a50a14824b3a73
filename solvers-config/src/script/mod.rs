//! Scripts: what is asked of a solver, as data, and as self-contained SMT-LIB files.
//!
//! A [`Script`] is a list of [`Command`]s over the terms of one arena. [`Script::emit`] writes it as
//! a file that any solver reads; [`Script::parse`] reads such files back, and ordinary hand-written
//! ones of the same fragment (Bool, Int, BitVec; no quantifiers, arrays or functions).
//!
//! # Soft assertions in portable files
//! `assert-soft` is no part of SMT-LIB, so a portable file carries it in a comment that only Warpath
//! reads: a line that begins with `;@(assert-soft` and holds the whole command. Any solver answers
//! the rest of the file; Warpath also minimises the weight of the soft assertions that are false.

mod command;
mod emit;
mod error;
mod logic;
mod read;

pub use command::{Command, Literal, Soft};
pub use emit::{EmitOptions, NameForm, SoftForm};
pub use error::{EmitError, Location, ScriptError};
pub use logic::Logic;
pub use read::ScriptLimits;

use crate::term::{TermId, Terms};

/// A dialogue with a solver, from first declaration to last question.
///
/// ```
/// use warpath_solvers::script::{EmitOptions, Script};
/// use warpath_solvers::term::{Sort, Terms};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut terms = Terms::new();
/// let a = terms.constant("o(a)", Sort::Int)?;
/// let b = terms.constant("o(b)", Sort::Int)?;
/// let before = terms.lt(a, b)?;
///
/// let mut script = Script::new();
/// script.comment("Can a come before b?");
/// script.assert_named(before, "program order");
/// script.check();
/// script.get_values(&[a, b]);
/// let text = script.emit(&terms, &EmitOptions::default())?;
/// assert!(text.contains("(set-logic QF_IDL)"));
/// assert!(text.contains("(assert (! (< o%28a%29 o%28b%29) :named |program order|))"));
///
/// let again = Script::parse(&text, &mut terms)?;
/// assert_eq!(again.emit(&terms, &EmitOptions::default())?, text);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// Comment lines at the top of the file: what is asked, for people.
    pub header: Vec<String>,
    /// The commands, in order. Constants are declared on first use.
    pub commands: Vec<Command>,
}

impl Script {
    /// An empty script.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a script into an arena, with the default limits.
    pub fn parse(text: &str, terms: &mut Terms) -> Result<Script, ScriptError> {
        Self::parse_limited(text, terms, &ScriptLimits::default())
    }

    /// Reads a script into an arena. Whatever the text is, this ends, and gives an error that names
    /// line and column instead of panicking or using more than the limits allow.
    pub fn parse_limited(
        text: &str,
        terms: &mut Terms,
        limits: &ScriptLimits,
    ) -> Result<Script, ScriptError> {
        read::parse(text, terms, limits)
    }

    /// Adds text to the header; each line becomes a comment line.
    pub fn comment(&mut self, text: &str) {
        self.header.extend(text.lines().map(str::to_owned));
    }

    /// Asserts a term.
    pub fn assert(&mut self, term: TermId) {
        self.commands.push(Command::Assert { term, name: None });
    }

    /// Asserts a term under a name, by which an unsat core speaks of it.
    pub fn assert_named(&mut self, term: TermId, name: &str) {
        self.commands.push(Command::Assert { term, name: Some(name.to_owned()) });
    }

    /// Asserts a term that may be false, at a price.
    pub fn assert_soft(&mut self, term: TermId, soft: Soft) {
        self.commands.push(Command::AssertSoft { term, soft });
    }

    /// Asks for satisfiability.
    pub fn check(&mut self) {
        self.commands.push(Command::CheckSat);
    }

    /// Asks for satisfiability under assumptions.
    pub fn check_assuming(&mut self, literals: Vec<Literal>) {
        self.commands.push(Command::CheckSatAssuming { literals });
    }

    /// Asks for the values of terms.
    pub fn get_values(&mut self, values: &[TermId]) {
        self.commands.push(Command::GetValue { terms: values.to_vec() });
    }

    /// Asks for an unsat core.
    pub fn get_unsat_core(&mut self) {
        self.commands.push(Command::GetUnsatCore);
    }

    /// Writes the script as a self-contained SMT-LIB 2.6 file. Same script, same bytes.
    pub fn emit(&self, terms: &Terms, options: &EmitOptions) -> Result<String, EmitError> {
        emit::emit(self, terms, options)
    }

    /// The smallest logic that holds everything the script says.
    pub fn logic(&self, terms: &Terms) -> Logic {
        Logic::of(terms, &command::roots(&self.commands))
    }
}
