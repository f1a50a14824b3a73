//! From tokens to terms, at once: no tree in between, and a stack of our own instead of recursion.

use super::expand::{Macro, expand};
use super::literals::{self, number};
use super::operators::{self, IndexedOp, Operator, Style};
use crate::error::{At, Complaint, Fault, Place};
use crate::names::{Meaning, Names, Symbol};
use crate::text::{Kind, Lexer, Token};
use std::io::Read;
use std::rc::Rc;
use warpath_solvers::term::{Op, TermId, Terms};

/// What an open parenthesis is the beginning of.
enum Head {
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

struct Frame {
    head: Head,
    at: Place,
    /// Where its arguments begin.
    args: usize,
}

/// What a reader works with, kept from term to term so that its memory is.
#[derive(Default)]
pub(crate) struct Stacks {
    frames: Vec<Frame>,
    args: Vec<TermId>,
    bindings: Vec<(Symbol, TermId)>,
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

    fn unexpected<T>(&self, expected: &'static str, token: Token) -> Result<T, Fault> {
        if token.kind == Kind::End {
            return Err(Fault::new(token.at, Complaint::Unfinished { kind: "command" }));
        }
        let found = self.lexer.shown(token);
        Err(Fault::new(token.at, Complaint::Expected { expected, found }))
    }

    fn push(&mut self, head: Head, at: Place) {
        let args = self.stacks.args.len();
        self.stacks.frames.push(Frame { head, at, args });
    }

    /// The next token, which must be a symbol.
    fn symbol(&mut self, expected: &'static str) -> Result<Symbol, Fault> {
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

    fn unknown<T>(&self, symbol: Symbol, at: Place) -> Result<T, Fault> {
        Err(Fault::new(at, Complaint::Unknown { symbol: self.names.text(symbol).to_string() }))
    }

    /// After an opening parenthesis: what is opened?
    fn open(&mut self, open: Token) -> Result<(), Fault> {
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
