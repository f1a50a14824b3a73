//! Commands one after the other: each is read whole, then carried out, then answered.
//!
//! A command that is wrong in any way is answered with an error and has no effect; reading goes on behind it.

mod answers;
mod assertions;
mod checks;
mod declarations;
mod options;
mod settings;

use crate::decide::Decider;
use crate::error::{At, Complaint, Fault, Place};
use crate::names::{Mark, Names, Symbol};
use crate::proof::ProofLog;
use crate::terms::{Reader, Stacks};
use crate::text::{Kind, Lexer, Respaced, Token, error_text};
use assertions::{Assertion, Level, Soft};
use checks::Mode;
use options::Options;
use rustc_hash::FxHashMap;
use std::io::{self, Read, Write};
use std::sync::Arc;
use warpath_solvers::supervise::SelfGuard;
use warpath_solvers::term::{Sort, TermId, Terms};

pub use options::Settings;

/// How a command is answered.
enum Reply {
    /// Not at all, or with `success`.
    Silent,
    Text(String),
    /// The option or information is not known.
    Unsupported,
    Exit,
}

/// One conversation.
pub(crate) struct Dialogue<'a, D, R, W> {
    lexer: Lexer<R>,
    out: W,
    make: &'a mut dyn FnMut(warpath_smt_engine::Options) -> D,
    settings: Settings,
    options: Options,
    engine: D,
    terms: Terms,
    names: Names,
    stacks: Stacks,
    levels: Vec<Level>,
    assertions: Vec<Assertion>,
    /// How many of the assertions stand behind an assumption.
    tracked: usize,
    softs: Vec<Soft>,
    /// Declared constants that are in scope, in order.
    constants: Vec<(Symbol, TermId)>,
    /// Symbols of constants that have another name in the arena.
    aliases: FxHashMap<TermId, Arc<str>>,
    mode: Mode,
    checks: u64,
    /// Is told what commands are met, in order.
    proof: Option<&'a ProofLog>,
    /// Is told how long answers may take.
    guard: Option<&'a SelfGuard>,
}

impl<'a, D: Decider, R: Read, W: Write> Dialogue<'a, D, R, W> {
    pub(crate) fn new(
        input: R,
        out: W,
        settings: &Settings,
        make: &'a mut dyn FnMut(warpath_smt_engine::Options) -> D,
    ) -> Self {
        let options = Options::new(settings);
        Dialogue {
            lexer: Lexer::new(input),
            out,
            engine: make(options.for_engine()),
            make,
            settings: settings.clone(),
            options,
            terms: Terms::new(),
            names: Names::new(),
            stacks: Stacks::default(),
            levels: Vec::new(),
            assertions: Vec::new(),
            tracked: 0,
            softs: Vec::new(),
            constants: Vec::new(),
            aliases: FxHashMap::default(),
            mode: Mode::Unasked,
            checks: 0,
            proof: None,
            guard: None,
        }
    }

    /// Writes a proof. What decides must be told of it as well.
    pub(crate) fn with_proof(mut self, proof: &'a ProofLog) -> Self {
        self.proof = Some(proof);
        self
    }

    /// Under a guard, which is told what is meant for it.
    pub(crate) fn with_guard(mut self, guard: Option<&'a SelfGuard>) -> Self {
        self.guard = guard;
        self
    }

    /// Answers until the end of the input or `exit`. The error is one of writing.
    pub(crate) fn run(&mut self) -> io::Result<()> {
        // Of several wrong words outside of commands only the first is worth a message.
        let mut lost = false;
        loop {
            let fault = match self.lexer.next() {
                Ok(token) => match token.kind {
                    Kind::End => return Ok(()),
                    Kind::Open => {
                        lost = false;
                        if self.command()? { continue } else { return Ok(()) }
                    }
                    _ => self.misplaced("a command", token),
                },
                Err(fault) => fault,
            };
            if !lost {
                self.say_error(&fault)?;
            }
            lost = true;
            if matches!(fault.complaint(), Complaint::Unreadable { .. }) {
                return Ok(());
            }
        }
    }

    /// Reads, does and answers one command; `false` if it was the last.
    fn command(&mut self) -> io::Result<bool> {
        let mark = self.names.mark();
        self.stacks.steps = 0;
        let result = self.perform();
        self.lexer.release();
        match result {
            Ok(reply) => self.reply(reply, mark),
            Err(fault) => {
                self.names.back_to(mark);
                self.say_error(&fault)?;
                Ok(self.skip())
            }
        }
    }

    fn reply(&mut self, reply: Reply, mark: Mark) -> io::Result<bool> {
        if self.options.global_declarations {
            self.names.keep_since(mark);
        }
        match reply {
            Reply::Silent if self.options.print_success => self.say("success")?,
            Reply::Silent => {}
            Reply::Text(text) => self.say(&text)?,
            Reply::Unsupported => self.say("unsupported")?,
            Reply::Exit => {
                if self.options.print_success {
                    self.say("success")?;
                }
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Goes behind the command that failed; `false` if there is nothing behind it.
    fn skip(&mut self) -> bool {
        while self.lexer.depth() > 0 {
            match self.lexer.next() {
                Ok(token) if token.kind == Kind::End => return false,
                Err(fault) if matches!(fault.complaint(), Complaint::Unreadable { .. }) => return false,
                _ => {}
            }
        }
        true
    }

    fn say(&mut self, answer: &str) -> io::Result<()> {
        self.out.write_all(answer.as_bytes())?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }

    fn say_error(&mut self, fault: &Fault) -> io::Result<()> {
        self.say(&format!("(error \"{}\")", error_text(&fault.to_string())))
    }

    fn perform(&mut self) -> Result<Reply, Fault> {
        let name = self.lexer.next()?;
        if name.kind != Kind::Symbol {
            return Err(self.misplaced("the name of a command", name));
        }
        let at = name.at;
        match self.lexer.text(name) {
            b"assert" => self.assert(at),
            b"declare-const" => self.declare_const(),
            b"declare-fun" => self.declare_fun(),
            b"define-const" => self.define_const(),
            b"define-fun" => self.define_fun(),
            b"define-sort" => self.define_sort(),
            b"push" => self.push(),
            b"pop" => self.pop(),
            b"assert-soft" => self.assert_soft(at),
            b"check-sat" => self.check_sat(at),
            b"check-sat-assuming" => self.check_sat_assuming(at),
            b"get-value" => self.get_value(at),
            b"get-model" => self.get_model(at),
            b"get-unsat-core" => self.get_unsat_core(at),
            b"get-unsat-assumptions" => self.get_unsat_assumptions(at),
            b"get-objectives" => self.get_objectives(at),
            b"get-assertions" => self.get_assertions(at),
            b"set-logic" => self.set_logic(),
            b"set-option" => self.set_option(at),
            b"get-option" => self.get_option(),
            b"set-info" => self.set_info(),
            b"get-info" => self.get_info(at),
            b"echo" => self.echo(),
            b"reset" => self.reset(),
            b"reset-assertions" => self.reset_assertions(),
            b"exit" => self.end().map(|()| Reply::Exit),
            _ => {
                let what = format!("the command `{}` is", self.lexer.shown(name));
                Err(Fault::new(at, Complaint::unsupported(what)))
            }
        }
    }

    fn misplaced(&self, expected: &'static str, found: Token) -> Fault {
        if found.kind == Kind::End {
            return Fault::new(found.at, Complaint::Unfinished { kind: "command" });
        }
        let shown = self.lexer.shown(found);
        Fault::new(found.at, Complaint::Expected { expected, found: shown })
    }

    /// The next token, which must be of this kind.
    fn expect(&mut self, kind: Kind, expected: &'static str) -> Result<Token, Fault> {
        let token = self.lexer.next()?;
        if token.kind == kind { Ok(token) } else { Err(self.misplaced(expected, token)) }
    }

    /// The parenthesis that ends the command.
    fn end(&mut self) -> Result<(), Fault> {
        self.expect(Kind::Close, "the end of the command").map(|_| ())
    }

    fn symbol(&mut self) -> Result<(Symbol, Place), Fault> {
        let token = self.lexer.next()?;
        match token.kind {
            Kind::Symbol | Kind::Quoted => {
                let symbol = self.names.intern(self.lexer.text(token)).at(token.at)?;
                Ok((symbol, token.at))
            }
            _ => Err(self.misplaced("a symbol", token)),
        }
    }

    fn reader(&mut self) -> Reader<'_, R> {
        Reader {
            lexer: &mut self.lexer,
            names: &mut self.names,
            terms: &mut self.terms,
            stacks: &mut self.stacks,
            outer_name: None,
            may_name: true,
        }
    }

    fn expect_sort(&self, term: TermId, expected: Sort) -> Result<(), Complaint> {
        let found = self.terms.sort(term);
        if found == expected { Ok(()) } else { Err(Complaint::WrongSort { expected, found }) }
    }

    /// Terms in parentheses, with their texts.
    fn terms_in_list(&mut self) -> Result<Vec<(TermId, String, Place)>, Fault> {
        self.expect(Kind::Open, "a list of terms")?;
        let mut found = Vec::new();
        loop {
            let token = self.lexer.next()?;
            if token.kind == Kind::Close {
                return Ok(found);
            }
            self.lexer.capture(token);
            let term = self.reader().term_from(token)?;
            let text = self.lexer.captured().at(token.at)?;
            found.push((term, Respaced(text).to_string(), token.at));
        }
    }

    /// The text of one expression that begins with this token.
    fn expression(&mut self, first: Token) -> Result<String, Fault> {
        self.lexer.capture(first);
        // An opening parenthesis counts already.
        let outside = self.lexer.depth() - usize::from(first.kind == Kind::Open);
        while self.lexer.depth() > outside {
            let token = self.lexer.next()?;
            if token.kind == Kind::End {
                return Err(self.misplaced("a value", token));
            }
        }
        let text = self.lexer.captured().at(first.at)?;
        Ok(Respaced(text).to_string())
    }
}
