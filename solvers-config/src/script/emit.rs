//! Writing a script as an SMT-LIB file.

use super::Script;
use super::command::{Command, Literal, Soft, roots};
use super::error::EmitError;
use super::logic::Logic;
use crate::smtlib::sexpr::{Sexpr, SexprLimits, TokenKind, Tokens};
use crate::smtlib::{Definitions, symbol, term_text};
use crate::term::{Shape, Sort, TermId, Terms};
use rustc_hash::FxHashSet;
use std::fmt::Write as _;

/// How soft assertions are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SoftForm {
    /// As `;@(assert-soft …)` comment lines: every solver reads the file, Warpath reads them too.
    #[default]
    Directive,
    /// As `(assert-soft …)` commands, for z3.
    Command,
}

/// How the names of assertions are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NameForm {
    /// As `(! … :named …)`, so that an unsat core can speak of them.
    #[default]
    Annotation,
    /// Not at all, for solvers without annotations (Boolector).
    Omitted,
}

/// How a script is written. The default is the portable form.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct EmitOptions {
    /// The logic to set; `None` takes the script's own, or else the smallest that fits.
    pub logic: Option<Logic>,
    /// How soft assertions are written.
    pub soft: SoftForm,
    /// How the names of assertions are written.
    pub names: NameForm,
}

pub(super) fn emit(script: &Script, terms: &Terms, options: &EmitOptions) -> Result<String, EmitError> {
    let mut emitter = Emitter {
        terms,
        options,
        known: Definitions::new(),
        names: vec![FxHashSet::default()],
        constants: terms
            .constants_in(&roots(&script.commands))
            .into_iter()
            .filter_map(|id| terms.name(id))
            .collect(),
        out: String::new(),
    };
    emitter.header(&script.header);
    // `reset` also forgets logic and options, so each stretch between resets begins anew.
    for stretch in script.commands.split_inclusive(|command| *command == Command::Reset) {
        emitter.stretch(stretch)?;
    }
    Ok(emitter.out)
}

struct Emitter<'a> {
    terms: &'a Terms,
    options: &'a EmitOptions,
    known: Definitions,
    /// Names of assertions, by levels.
    names: Vec<FxHashSet<String>>,
    /// Names of all constants of the script: assertions must not take them.
    constants: FxHashSet<&'a str>,
    out: String,
}

impl Emitter<'_> {
    fn header(&mut self, lines: &[String]) {
        for line in lines.iter().flat_map(|line| line.split('\n')) {
            let clean: String = line.chars().filter(|c| !c.is_control()).collect();
            self.line(format_args!("{}", format!("; {clean}").trim_end()));
        }
    }

    fn stretch(&mut self, commands: &[Command]) -> Result<(), EmitError> {
        let settings = commands
            .iter()
            .take_while(|command| {
                matches!(
                    command,
                    Command::SetOption { .. } | Command::SetInfo { .. } | Command::SetLogic { .. }
                )
            })
            .count();
        let (settings, rest) = commands.split_at(settings);
        self.settings(settings, rest)?;
        for (index, command) in rest.iter().enumerate() {
            self.command(command, &rest[index + 1..])?;
        }
        Ok(())
    }

    /// Options, information and logic: the script's own, completed by what its commands need.
    fn settings(&mut self, settings: &[Command], rest: &[Command]) -> Result<(), EmitError> {
        let sets = |wanted: &str| {
            settings.iter().any(|command| match command {
                Command::SetOption { keyword, .. } | Command::SetInfo { keyword, .. } => keyword == wanted,
                _ => false,
            })
        };
        let asks = |test: fn(&Command) -> bool| rest.iter().any(test);
        if !sets("smt-lib-version") && !rest.is_empty() {
            self.line(format_args!("(set-info :smt-lib-version 2.6)"));
        }
        // Only what is needed: Yices, for one, cannot have cores and assumptions together.
        for (option, needed) in [
            ("produce-models", asks(|c| matches!(c, Command::GetValue { .. } | Command::GetModel))),
            ("produce-unsat-cores", asks(|c| *c == Command::GetUnsatCore)),
            ("produce-unsat-assumptions", asks(|c| *c == Command::GetUnsatAssumptions)),
        ] {
            if needed && !sets(option) {
                self.line(format_args!("(set-option :{option} true)"));
            }
        }
        let mut has_logic = false;
        for command in settings {
            if let Command::SetLogic { .. } = command {
                has_logic = true;
            }
            self.command(command, &[])?;
        }
        if !has_logic && rest.iter().any(|command| *command != Command::Reset) {
            let logic = match &self.options.logic {
                Some(logic) => logic.clone(),
                None => Logic::of(self.terms, &roots(rest)),
            };
            self.set_logic(logic.name())?;
        }
        Ok(())
    }

    fn command(&mut self, command: &Command, following: &[Command]) -> Result<(), EmitError> {
        match command {
            Command::SetLogic { name } => {
                let options = self.options;
                let name = options.logic.as_ref().map_or(name.as_str(), Logic::name);
                self.set_logic(name)?;
            }
            Command::SetOption { keyword, value } => self.setting("set-option", keyword, value)?,
            Command::SetInfo { keyword, value } => self.setting("set-info", keyword, value)?,
            Command::Declare { constant } => self.introduce(&[*constant]),
            Command::Assert { term, name } => self.assertion(*term, name.as_deref())?,
            Command::AssertSoft { term, soft } => self.soft(*term, soft)?,
            Command::Push { levels } => {
                let levels = *levels;
                self.known.push(levels as usize);
                self.names.resize_with(self.names.len() + levels as usize, FxHashSet::default);
                self.line(format_args!("(push {levels})"));
            }
            Command::Pop { levels } => {
                let (levels, open) = (*levels, self.names.len() - 1);
                if levels as usize > open {
                    return Err(EmitError::BadLevels { levels, open });
                }
                self.known.pop(levels as usize);
                self.names.truncate(open + 1 - levels as usize);
                self.line(format_args!("(pop {levels})"));
            }
            Command::CheckSat => {
                self.prepare_values(following);
                self.line(format_args!("(check-sat)"));
            }
            Command::CheckSatAssuming { literals } => self.assuming(literals, following)?,
            Command::GetValue { terms } => {
                // A no-op after a check; a script that asks out of turn is still well-formed.
                self.introduce(terms);
                let texts: Vec<String> =
                    terms.iter().map(|&term| self.known.text(self.terms, term)).collect();
                if !texts.is_empty() {
                    self.line(format_args!("(get-value ({}))", texts.join(" ")));
                }
            }
            Command::GetUnsatCore => self.line(format_args!("(get-unsat-core)")),
            Command::GetUnsatAssumptions => self.line(format_args!("(get-unsat-assumptions)")),
            Command::GetModel => self.line(format_args!("(get-model)")),
            Command::GetInfo { keyword } => {
                check_keyword(keyword)?;
                self.line(format_args!("(get-info :{keyword})"));
            }
            Command::Reset => {
                self.forget();
                self.line(format_args!("(reset)"));
            }
            Command::ResetAssertions => {
                self.forget();
                self.line(format_args!("(reset-assertions)"));
            }
            Command::Echo { text } => {
                self.line(format_args!("(echo \"{}\")", text.replace('"', "\"\"")));
            }
            Command::Exit => self.line(format_args!("(exit)")),
        }
        Ok(())
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.out, "{line}").expect("writing to a string does not fail");
    }

    fn introduce(&mut self, roots: &[TermId]) {
        for news in self.known.introduce(self.terms, roots) {
            self.line(format_args!("{news}"));
        }
    }

    /// Names what the questions after a check need: solvers drop the model at the next definition.
    fn prepare_values(&mut self, following: &[Command]) {
        let asked: Vec<TermId> = following
            .iter()
            .take_while(|command| {
                matches!(
                    command,
                    Command::GetValue { .. }
                        | Command::GetModel
                        | Command::GetInfo { .. }
                        | Command::GetUnsatCore
                        | Command::GetUnsatAssumptions
                        | Command::Echo { .. }
                )
            })
            .flat_map(Command::terms)
            .collect();
        self.introduce(&asked);
    }

    fn set_logic(&mut self, name: &str) -> Result<(), EmitError> {
        if !is_one(name, &[TokenKind::Symbol]) {
            return Err(EmitError::Unwritable { text: name.to_owned(), role: "the name of a logic" });
        }
        self.line(format_args!("(set-logic {name})"));
        Ok(())
    }

    fn setting(&mut self, command: &str, keyword: &str, value: &str) -> Result<(), EmitError> {
        check_keyword(keyword)?;
        let one_value = Sexpr::parse(value.as_bytes(), SexprLimits::default()).is_ok();
        let no_comment = Tokens::new(value.as_bytes())
            .all(|token| token.is_ok_and(|token| token.kind != TokenKind::Comment));
        if value.is_empty() {
            self.line(format_args!("({command} :{keyword})"));
        } else if one_value && no_comment {
            self.line(format_args!("({command} :{keyword} {value})"));
        } else {
            return Err(EmitError::Unwritable { text: value.to_owned(), role: "the value of an option" });
        }
        Ok(())
    }

    fn assertion(&mut self, term: TermId, name: Option<&str>) -> Result<(), EmitError> {
        self.expect_bool(term, "asserted")?;
        self.introduce(&[term]);
        let text = self.known.text(self.terms, term);
        match name {
            None => self.line(format_args!("(assert {text})")),
            Some(name) => {
                let taken = self.names.iter().any(|level| level.contains(name));
                if taken || self.constants.contains(name) {
                    return Err(EmitError::DuplicateName { name: name.to_owned() });
                }
                if let Some(level) = self.names.last_mut() {
                    level.insert(name.to_owned());
                }
                match self.options.names {
                    NameForm::Omitted => self.line(format_args!("(assert {text})")),
                    NameForm::Annotation => {
                        let symbol = symbol::quote(name);
                        self.line(format_args!("(assert (! {text} :named {symbol}))"));
                    }
                }
            }
        }
        Ok(())
    }

    fn soft(&mut self, term: TermId, soft: &Soft) -> Result<(), EmitError> {
        self.expect_bool(term, "a soft assertion")?;
        self.introduce(&[term]);
        let text = self.known.text(self.terms, term);
        let mark = match self.options.soft {
            SoftForm::Directive => ";@",
            SoftForm::Command => "",
        };
        let weight = soft.weight;
        match &soft.id {
            None => self.line(format_args!("{mark}(assert-soft {text} :weight {weight})")),
            Some(id) => {
                let id = symbol::quote(id);
                self.line(format_args!("{mark}(assert-soft {text} :weight {weight} :id {id})"));
            }
        }
        Ok(())
    }

    fn assuming(&mut self, literals: &[Literal], following: &[Command]) -> Result<(), EmitError> {
        for literal in literals {
            self.expect_bool(literal.constant, "assumed")?;
            if !matches!(self.terms.shape(literal.constant), Shape::Constant(_)) {
                return Err(self.not_boolean(literal.constant, "assumed: it is not a constant"));
            }
            self.introduce(&[literal.constant]);
        }
        self.prepare_values(following);
        let texts: Vec<String> = literals
            .iter()
            .map(|literal| {
                let symbol = self.known.text(self.terms, literal.constant);
                if literal.positive { symbol } else { format!("(not {symbol})") }
            })
            .collect();
        self.line(format_args!("(check-sat-assuming ({}))", texts.join(" ")));
        Ok(())
    }

    fn expect_bool(&self, term: TermId, role: &'static str) -> Result<(), EmitError> {
        if self.terms.sort(term) == Sort::Bool { Ok(()) } else { Err(self.not_boolean(term, role)) }
    }

    fn not_boolean(&self, term: TermId, role: &'static str) -> EmitError {
        EmitError::NotBoolean {
            term: match self.terms.shape(term) {
                Shape::App(op, _) => format!("({op} …)"),
                _ => term_text(self.terms, term),
            },
            sort: self.terms.sort(term),
            role,
        }
    }

    fn forget(&mut self) {
        self.known.reset();
        self.names = vec![FxHashSet::default()];
    }
}

fn check_keyword(keyword: &str) -> Result<(), EmitError> {
    if is_one(&format!(":{keyword}"), &[TokenKind::Keyword]) {
        return Ok(());
    }
    Err(EmitError::Unwritable { text: keyword.to_owned(), role: "a keyword" })
}

/// Whether the text is exactly one token of these kinds, without anything around it.
fn is_one(text: &str, kinds: &[TokenKind]) -> bool {
    let mut tokens = Tokens::new(text.as_bytes());
    match (tokens.next(), tokens.next()) {
        (Some(Ok(token)), None) => kinds.contains(&token.kind) && token.start == 0 && token.end == text.len(),
        _ => false,
    }
}
