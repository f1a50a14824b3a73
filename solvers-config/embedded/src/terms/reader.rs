//! From tokens to terms, at once: no tree in between, and a stack of our own instead of recursion.

use super::expand::{Macro, expand};
use super::literals;
use super::operators::{self, IndexedOp, Operator, Style};
use crate::error::{At, Complaint, Fault, Place};
use crate::names::{Meaning, Names, Symbol};
use crate::text::{Kind, Lexer, Token};
use std::io::Read;
use std::rc::Rc;
use warpath_solvers::term::{Op, TermId, Terms};

/// What an open parenthesis is the beginning of.
pub(super) enum Head {
    Op(Op, Style),
    Indexed(IndexedOp),
    Call(Symbol, Rc<Macro>),
    /// `(let (`, with the bindings read so far beyond this many.
    Bindings(usize),
    /// `(x` in bindings.
    Binding(Symbol),
    /// A `let` behind its bindings; so many symbols were hidden before them.
    Body(usize),
    /// `(!`
    Annotated,
    /// `(_ bv5 8`, which is its own argument.
    Literal,
}

pub(super) struct Frame {
    pub(super) head: Head,
    at: Place,
    /// Where its arguments begin.
    args: usize,
}

/// What a reader works with, kept from term to term so that its memory is.
#[derive(Default)]
pub(crate) struct Stacks {
    pub(super) frames: Vec<Frame>,
    pub(super) args: Vec<TermId>,
    pub(super) bindings: Vec<(Symbol, TermId)>,
    /// What the command spent on expanding functions.
    pub(crate) steps: u64,
}

/// Reads terms out of one command.
pub(crate) struct Reader<'a, R> {
    pub(crate) lexer: &'a mut Lexer<R>,
    pub(crate) names: &'a mut Names,
    pub(crate) terms: &'a mut Terms,
    pub(crate) stacks: &'a mut Stacks,
    /// The name given to the whole of the term that was read last.
    pub(crate) outer_name: Option<Symbol>,
    /// Whether terms may be given names: not where they speak of parameters.
    pub(crate) may_name: bool,
}

impl<R: Read> Reader<'_, R> {
    /// Reads a term.
    pub(crate) fn term(&mut self) -> Result<TermId, Fault> {
        let token = self.lexer.next()?;
        self.term_from(token)
    }

    /// Reads the term that begins with this token. After an error the names that it hid are back.
    pub(crate) fn term_from(&mut self, first: Token) -> Result<TermId, Fault> {
        self.stacks.frames.clear();
        self.stacks.args.clear();
        self.stacks.bindings.clear();
        self.outer_name = None;
        let hidden = self.names.hidden();
        let term = self.read(first);
        self.names.unhide(hidden);
        term
    }

    fn read(&mut self, first: Token) -> Result<TermId, Fault> {
        let mut token = first;
        loop {
            let done = match token.kind {
                Kind::Open => {
                    self.open(token)?;
                    None
                }
                Kind::Close => self.close(token)?,
                Kind::Keyword => {
                    self.attribute(token)?;
                    None
                }
                _ => Some(self.atom(token)?),
            };
            if let Some(term) = done {
                match self.stacks.frames.last() {
                    None => return Ok(term),
                    Some(Frame { head: Head::Bindings(_), .. }) => {
                        return self.unexpected("a binding", token);
                    }
                    Some(_) => self.stacks.args.push(term),
                }
            }
            token = self.lexer.next()?;
        }
    }

    pub(super) fn unexpected<T>(&self, expected: &'static str, token: Token) -> Result<T, Fault> {
        if token.kind == Kind::End {
            return Err(Fault::new(token.at, Complaint::Unfinished { kind: "command" }));
        }
        let found = self.lexer.shown(token);
        Err(Fault::new(token.at, Complaint::Expected { expected, found }))
    }

    pub(super) fn push(&mut self, head: Head, at: Place) {
        let args = self.stacks.args.len();
        self.stacks.frames.push(Frame { head, at, args });
    }

    /// The next token, which must be a symbol.
    pub(super) fn symbol(&mut self, expected: &'static str) -> Result<Symbol, Fault> {
        let token = self.lexer.next()?;
        match token.kind {
            Kind::Symbol | Kind::Quoted => self.names.intern(self.lexer.text(token)).at(token.at),
            _ => self.unexpected(expected, token),
        }
    }

    fn atom(&mut self, token: Token) -> Result<TermId, Fault> {
        let text = self.lexer.text(token);
        match token.kind {
            Kind::Symbol | Kind::Quoted => {
                let symbol = self.names.intern(text).at(token.at)?;
                match self.names.meaning(symbol) {
                    Meaning::Term(term) => Ok(*term),
                    Meaning::Operator(Operator::True) => Ok(self.terms.bool(true)),
                    Meaning::Operator(Operator::False) => Ok(self.terms.bool(false)),
                    Meaning::Macro(function) => Err(Complaint::WrongArity {
                        symbol: self.names.text(symbol).to_string(),
                        expected: function.parameters.len(),
                        found: 0,
                    })
                    .at(token.at),
                    Meaning::Operator(_) => self.unexpected("a term", token),
                    Meaning::Nothing => self.unknown(symbol, token.at),
                }
            }
            Kind::Numeral => literals::integer(self.terms, text).at(token.at),
            Kind::Hexadecimal => literals::radix(self.terms, &text[2..], 4).at(token.at),
            Kind::Binary => literals::radix(self.terms, &text[2..], 1).at(token.at),
            Kind::Decimal => Err(Complaint::unsupported("a decimal is")).at(token.at),
            Kind::String => Err(Complaint::unsupported("a string as a term is")).at(token.at),
            _ => self.unexpected("a term", token),
        }
    }

    pub(super) fn unknown<T>(&self, symbol: Symbol, at: Place) -> Result<T, Fault> {
        Err(Fault::new(at, Complaint::Unknown { symbol: self.names.text(symbol).to_string() }))
    }

    /// `:named x`, or another attribute, which has no meaning.
    fn attribute(&mut self, keyword: Token) -> Result<(), Fault> {
        let args = self.stacks.args.len();
        let (outer, at) = match self.stacks.frames.last() {
            Some(Frame { head: Head::Annotated, args: first, at }) if args == first + 1 => {
                (self.stacks.frames.len() == 1, *at)
            }
            _ => return self.unexpected("a term", keyword),
        };
        if self.lexer.text(keyword) != b":named" {
            // The value is one expression. `:pattern` and its like only matter to quantifiers.
            let base = self.lexer.depth();
            loop {
                let token = self.lexer.next()?;
                match token.kind {
                    Kind::End => return self.unexpected("the value of an attribute", token),
                    Kind::Close if self.lexer.depth() < base => {
                        return self.unexpected("the value of an attribute", token);
                    }
                    _ if self.lexer.depth() == base => return Ok(()),
                    _ => {}
                }
            }
        }
        let symbol = self.symbol("a name")?;
        if !self.may_name {
            return Err(Complaint::unsupported("a name for a term with parameters is")).at(at);
        }
        let term = self.stacks.args[args - 1];
        self.names.define(symbol, Meaning::Term(term)).at(at)?;
        if outer {
            self.outer_name = Some(symbol);
        }
        Ok(())
    }

    /// A closing parenthesis: the term that it completes, if it completes one.
    fn close(&mut self, close: Token) -> Result<Option<TermId>, Fault> {
        let Some(frame) = self.stacks.frames.pop() else {
            return self.unexpected("a term", close);
        };
        let args = &self.stacks.args[frame.args..];
        let result = match frame.head {
            Head::Op(op, style) => operators::apply(self.terms, op, style, args).at(frame.at)?,
            Head::Indexed(op) => operators::apply_indexed(self.terms, op, args).at(frame.at)?,
            Head::Call(symbol, function) => {
                check_call(self.terms, self.names, symbol, &function, args).at(frame.at)?;
                expand(self.terms, &function, args, &mut self.stacks.steps).at(frame.at)?
            }
            Head::Annotated | Head::Literal | Head::Body(_) | Head::Binding(_) if args.len() != 1 => {
                return self.unexpected("exactly one term", close);
            }
            Head::Annotated | Head::Literal => args[0],
            Head::Body(hidden) => {
                self.names.unhide(hidden);
                args[0]
            }
            Head::Binding(symbol) => {
                let value = args[0];
                self.stacks.args.truncate(frame.args);
                self.stacks.bindings.push((symbol, value));
                return Ok(None);
            }
            Head::Bindings(first) => {
                self.bind(first, frame.at)?;
                return Ok(None);
            }
        };
        self.stacks.args.truncate(frame.args);
        Ok(Some(result))
    }

    /// All bindings of a `let` are read, and are seen from here on.
    fn bind(&mut self, first: usize, at: Place) -> Result<(), Fault> {
        let hidden = self.names.hidden();
        let bindings = &mut self.stacks.bindings[first..];
        // Sorted, because a list may be long.
        bindings.sort_unstable_by_key(|&(symbol, _)| symbol);
        if let Some(pair) = bindings.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(Complaint::Redeclared { symbol: self.names.text(pair[0].0).to_string() }).at(at);
        }
        for &(symbol, value) in bindings.iter() {
            self.names.hide(symbol, value).at(at)?;
        }
        self.stacks.bindings.truncate(first);
        self.push(Head::Body(hidden), at);
        Ok(())
    }
}

fn check_call(
    terms: &Terms,
    names: &Names,
    symbol: Symbol,
    function: &Macro,
    args: &[TermId],
) -> Result<(), Complaint> {
    if args.len() != function.parameters.len() {
        return Err(Complaint::WrongArity {
            symbol: names.text(symbol).to_string(),
            expected: function.parameters.len(),
            found: args.len(),
        });
    }
    for (&parameter, &arg) in function.parameters.iter().zip(args) {
        let (expected, found) = (terms.sort(parameter), terms.sort(arg));
        if expected != found {
            return Err(Complaint::WrongSort { expected, found });
        }
    }
    Ok(())
}
