//! From syntax to terms: symbols looked up, `let` and `define-fun` expanded.

use super::ScriptLimits;
use super::operators;
use super::prepare::Piece;
use super::scope::{Function, Globals, Locals, Meaning};
use super::syntax::{Constant, Head, Item, Node, Number, Symbol, Symbols, Syntax, Verb};
use crate::script::command::{Command, Literal};
use crate::script::error::{Location, ScriptError};
use crate::smtlib::symbol;
use crate::term::{MAX_VALUE_WIDTH, Shape, Sort, TermError, TermId, Terms};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Turns one command after the other into terms.
pub(super) struct Resolver<'a> {
    terms: &'a mut Terms,
    limits: &'a ScriptLimits,
    globals: Globals,
    locals: Locals,
    /// Which symbol of the script stands for a name: two different ones must not.
    contents: FxHashMap<String, Symbol>,
    /// How much more work the whole script may cost.
    steps_left: u64,
}

/// What is still to do; the last comes first.
enum Task {
    Visit(Node),
    /// The arguments are on the stack of results.
    Apply(Node),
    /// The values of the bindings are on the stack of results.
    Bind(Node),
    Unbind(Node),
    /// Give the top result this name.
    Name(Symbol),
    /// The body of the current call is done.
    Return,
}

/// One expansion of a function.
struct Call {
    syntax: Rc<Syntax>,
    /// The function, but for the outermost "call", which is the command itself.
    function: Option<Rc<Function>>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(terms: &'a mut Terms, limits: &'a ScriptLimits, text_length: usize) -> Self {
        Resolver {
            terms,
            limits,
            globals: Globals::default(),
            locals: Locals::default(),
            contents: FxHashMap::default(),
            // Without functions a node costs at most three steps, and takes at least one byte.
            steps_left: (text_length as u64).saturating_mul(4).saturating_add(limits.max_steps),
        }
    }

    /// Resolves one command; `None` for those that only give names to terms.
    pub(super) fn command(
        &mut self,
        verb: Verb,
        syntax: Syntax,
        piece: &Piece,
        symbols: &Symbols,
    ) -> Result<Option<Command>, ScriptError> {
        let syntax = Rc::new(syntax);
        let at = piece.at;
        let command = match verb {
            Verb::Assert(node) => {
                // A name at the very top is the assertion's; one further in is an abbreviation.
                let name = match syntax.items.get(node as usize) {
                    Some(Item::Named(_, symbol)) => Some(*symbol),
                    _ => None,
                };
                let term = self.term(&syntax, node, at, symbols)?;
                self.expect(term, Sort::Bool, at)?;
                let name = name.map(|symbol| self.name(symbol, at, symbols)).transpose()?;
                match &piece.soft {
                    Some(soft) => Command::AssertSoft { term, soft: soft.clone() },
                    None => Command::Assert { term, name },
                }
            }
            Verb::Declare(symbol, sort) => {
                let content = symbols.content(symbol);
                if operators::is_operator(content) {
                    return Err(already_declared(at, content));
                }
                let name = self.name(symbol, at, symbols)?;
                let constant =
                    self.terms.constant(&name, sort).map_err(|source| ScriptError::Term { at, source })?;
                self.add(symbol, Meaning::Term(constant), at, symbols)?;
                Command::Declare { constant }
            }
            Verb::Define { symbol, parameters, sort, body } => {
                if operators::is_operator(symbols.content(symbol)) {
                    return Err(already_declared(at, symbols.content(symbol)));
                }
                let meaning = if parameters.is_empty() {
                    let term = self.term(&syntax, body, at, symbols)?;
                    self.expect(term, sort, at)?;
                    Meaning::Term(term)
                } else {
                    Meaning::Function(Rc::new(Function { parameters, sort, body, syntax }))
                };
                self.add(symbol, meaning, at, symbols)?;
                return Ok(None);
            }
            Verb::CheckSat => Command::CheckSat,
            Verb::CheckSatAssuming(literals) => Command::CheckSatAssuming {
                literals: literals
                    .into_iter()
                    .map(|(symbol, positive)| self.literal(symbol, positive, at, symbols))
                    .collect::<Result<_, _>>()?,
            },
            Verb::GetValue(nodes) => Command::GetValue {
                terms: nodes
                    .into_iter()
                    .map(|node| self.term(&syntax, node, at, symbols))
                    .collect::<Result<_, _>>()?,
            },
            Verb::Push(levels) => {
                let open = self.globals.open_levels();
                let levels =
                    self.levels(levels, self.limits.max_levels - open.min(self.limits.max_levels), at)?;
                self.globals.push(levels as usize);
                Command::Push { levels }
            }
            Verb::Pop(levels) => {
                let levels = self.levels(levels, self.globals.open_levels(), at)?;
                self.globals.pop(levels as usize);
                Command::Pop { levels }
            }
            Verb::Reset => {
                self.forget();
                Command::Reset
            }
            Verb::ResetAssertions => {
                self.forget();
                Command::ResetAssertions
            }
            Verb::Echo(text) => Command::Echo { text },
            Verb::Exit => Command::Exit,
            Verb::GetInfo(keyword) => Command::GetInfo { keyword },
            Verb::GetModel => Command::GetModel,
            Verb::GetUnsatAssumptions => Command::GetUnsatAssumptions,
            Verb::GetUnsatCore => Command::GetUnsatCore,
            Verb::SetInfo(keyword) => Command::SetInfo { keyword, value: piece.value.clone() },
            Verb::SetLogic(name) => Command::SetLogic { name: symbols.content(name).to_string() },
            Verb::SetOption(keyword) if keyword == "global-declarations" && piece.value != "false" => {
                return Err(ScriptError::UnsupportedCommand {
                    at,
                    command: "set-option :global-declarations".to_owned(),
                    help: "declare each constant at the level where it is used",
                });
            }
            Verb::SetOption(keyword) => Command::SetOption { keyword, value: piece.value.clone() },
        };
        Ok(Some(command))
    }

    fn forget(&mut self) {
        self.globals = Globals::default();
    }

    fn levels(&self, levels: Number, most: usize, at: Location) -> Result<u32, ScriptError> {
        match levels.0.map(u32::try_from) {
            Some(Ok(levels)) if levels as usize <= most => Ok(levels),
            _ => Err(ScriptError::BadLevels {
                at,
                levels: levels.0.and_then(|levels| u64::try_from(levels).ok()).unwrap_or(u64::MAX),
                open: self.globals.open_levels(),
            }),
        }
    }

    fn literal(
        &self,
        symbol: Symbol,
        positive: bool,
        at: Location,
        symbols: &Symbols,
    ) -> Result<Literal, ScriptError> {
        let constant = match self.globals.get(symbol) {
            Some(Meaning::Term(term)) => *term,
            _ => {
                return Err(ScriptError::UnknownSymbol { at, symbol: symbols.content(symbol).to_string() });
            }
        };
        self.expect(constant, Sort::Bool, at)?;
        if !matches!(self.terms.shape(constant), Shape::Constant(_)) {
            return Err(ScriptError::UnsupportedTerm {
                at,
                what: format!("the assumption `{}`, which is not a constant,", symbols.content(symbol)),
            });
        }
        Ok(Literal { constant, positive })
    }

    /// The name of a symbol, made sure that no other symbol has it.
    fn name(&mut self, symbol: Symbol, at: Location, symbols: &Symbols) -> Result<String, ScriptError> {
        let name = symbol::decode(symbols.content(symbol));
        match self.contents.get(&name) {
            Some(&other) if other != symbol => Err(already_declared(at, symbols.content(symbol))),
            Some(_) => Ok(name),
            None => {
                self.contents.insert(name.clone(), symbol);
                Ok(name)
            }
        }
    }

    fn add(
        &mut self,
        symbol: Symbol,
        meaning: Meaning,
        at: Location,
        symbols: &Symbols,
    ) -> Result<(), ScriptError> {
        if self.globals.add(symbol, meaning) {
            Ok(())
        } else {
            Err(already_declared(at, symbols.content(symbol)))
        }
    }

    fn expect(&self, term: TermId, expected: Sort, at: Location) -> Result<(), ScriptError> {
        let found = self.terms.sort(term);
        if found == expected { Ok(()) } else { Err(ScriptError::WrongSort { at, expected, found }) }
    }

    /// The term of a node.
    fn term(
        &mut self,
        syntax: &Rc<Syntax>,
        root: Node,
        at: Location,
        symbols: &Symbols,
    ) -> Result<TermId, ScriptError> {
        let mut work = Work {
            at,
            symbols,
            tasks: vec![Task::Visit(root)],
            results: Vec::new(),
            calls: vec![Call { syntax: Rc::clone(syntax), function: None }],
        };
        while let Some(task) = work.tasks.pop() {
            let Some(steps_left) = self.steps_left.checked_sub(1) else {
                return Err(ScriptError::TooMuchWork { at, limit: self.limits.max_steps });
            };
            self.steps_left = steps_left;
            self.step(&mut work, task)?;
        }
        work.results.pop().ok_or(ScriptError::ParserFailed { at })
    }

    fn step(&mut self, work: &mut Work<'_>, task: Task) -> Result<(), ScriptError> {
        match task {
            Task::Visit(node) => self.visit(work, node),
            Task::Apply(node) => self.apply(work, node),
            Task::Bind(node) => {
                if let Item::Let(bindings, _) = &work.syntax()?.items[node as usize] {
                    let values = work.take(bindings.len());
                    for (&(symbol, _), value) in bindings.iter().zip(values) {
                        self.locals.bind(symbol, work.calls.len(), value);
                    }
                }
                Ok(())
            }
            Task::Unbind(node) => {
                if let Item::Let(bindings, _) = &work.syntax()?.items[node as usize] {
                    for &(symbol, _) in bindings {
                        self.locals.unbind(symbol);
                    }
                }
                Ok(())
            }
            Task::Name(symbol) => match work.results.last() {
                Some(&term) => self.add(symbol, Meaning::Term(term), work.at, work.symbols),
                None => Err(ScriptError::ParserFailed { at: work.at }),
            },
            Task::Return => {
                let call = work.calls.pop().and_then(|call| call.function);
                if let (Some(function), Some(&result)) = (call, work.results.last()) {
                    for &(symbol, _) in &function.parameters {
                        self.locals.unbind(symbol);
                    }
                    self.expect(result, function.sort, work.at)?;
                }
                Ok(())
            }
        }
    }

    fn visit(&mut self, work: &mut Work<'_>, node: Node) -> Result<(), ScriptError> {
        let syntax = work.syntax()?;
        match &syntax.items[node as usize] {
            Item::Literal(constant) => {
                let term = self.constant(constant, work.at)?;
                work.results.push(term);
            }
            Item::Name(head) => {
                let term = self.symbol(head, work)?;
                work.results.push(term);
            }
            Item::App(_, arguments) => {
                work.tasks.push(Task::Apply(node));
                work.tasks.extend(arguments.iter().rev().map(|&argument| Task::Visit(argument)));
            }
            Item::Let(bindings, body) => {
                let mut names: Vec<Symbol> = bindings.iter().map(|&(symbol, _)| symbol).collect();
                names.sort_unstable();
                if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
                    return Err(already_declared(work.at, work.symbols.content(pair[0])));
                }
                work.tasks.push(Task::Unbind(node));
                work.tasks.push(Task::Visit(*body));
                work.tasks.push(Task::Bind(node));
                work.tasks.extend(bindings.iter().rev().map(|&(_, value)| Task::Visit(value)));
            }
            Item::Named(term, symbol) => {
                work.tasks.push(Task::Name(*symbol));
                work.tasks.push(Task::Visit(*term));
            }
        }
        Ok(())
    }

    fn constant(&mut self, constant: &Constant, at: Location) -> Result<TermId, ScriptError> {
        let term = match constant {
            Constant::Numeral(Ok(number)) => self.terms.int(*number),
            Constant::Numeral(Err(digits)) => {
                let text = digits.chars().take(60).collect();
                return Err(ScriptError::NumberOutOfRange { at, text });
            }
            Constant::Bits(bits) => operators::bits(self.terms, bits),
            Constant::Foreign(what) => {
                return Err(ScriptError::UnsupportedTerm { at, what: (*what).to_owned() });
            }
        };
        term.map_err(|source| ScriptError::Term { at, source })
    }

    /// A symbol that stands alone.
    fn symbol(&mut self, head: &Head, work: &Work<'_>) -> Result<TermId, ScriptError> {
        let at = work.at;
        match head {
            Head::Plain(symbol) => {
                if let Some(term) = self.locals.get(*symbol, work.calls.len()) {
                    return Ok(term);
                }
                let content = work.symbols.content(*symbol);
                match self.globals.get(*symbol) {
                    Some(Meaning::Term(term)) => Ok(*term),
                    Some(Meaning::Function(function)) => Err(ScriptError::WrongArity {
                        at,
                        symbol: content.to_string(),
                        expected: function.parameters.len(),
                        found: 0,
                    }),
                    None => match &**content {
                        "true" => Ok(self.terms.bool(true)),
                        "false" => Ok(self.terms.bool(false)),
                        _ => Err(unknown(at, content)),
                    },
                }
            }
            Head::Indexed(symbol, indices) => {
                let content = work.symbols.content(*symbol);
                match (content.strip_prefix("bv"), &**indices) {
                    (Some(digits), &[Number(Some(width))]) => self.decimal_bits(digits, width, at, content),
                    _ => Err(unknown(at, content)),
                }
            }
        }
    }

    /// `(_ bv5 8)`
    fn decimal_bits(
        &mut self,
        digits: &str,
        width: u128,
        at: Location,
        content: &str,
    ) -> Result<TermId, ScriptError> {
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(unknown(at, content));
        }
        let value: u128 = digits
            .parse()
            .map_err(|_| ScriptError::NumberOutOfRange { at, text: digits.chars().take(60).collect() })?;
        let width = u64::try_from(width).unwrap_or(u64::MAX);
        let term = match u32::try_from(width) {
            Ok(width) if width <= MAX_VALUE_WIDTH => self.terms.bits(value, width),
            Ok(width) if width <= crate::term::MAX_WIDTH => {
                let bits: Vec<bool> =
                    (0..width).rev().map(|bit| bit < 128 && value >> bit & 1 == 1).collect();
                operators::bits(self.terms, &bits)
            }
            _ => Err(TermError::WidthOutOfRange { width }),
        };
        term.map_err(|source| ScriptError::Term { at, source })
    }

    fn apply(&mut self, work: &mut Work<'_>, node: Node) -> Result<(), ScriptError> {
        let syntax = work.syntax()?;
        let Item::App(head, arguments) = &syntax.items[node as usize] else {
            return Err(ScriptError::ParserFailed { at: work.at });
        };
        let args = work.take(arguments.len());
        let (Head::Plain(symbol) | Head::Indexed(symbol, _)) = head;
        let content = work.symbols.content(*symbol);
        let applied = match head {
            Head::Plain(symbol) => {
                if let Some(Meaning::Function(function)) = self.globals.get(*symbol) {
                    let function = Rc::clone(function);
                    return self.call(work, &function, &args, content);
                }
                operators::apply(self.terms, content, &args)
            }
            Head::Indexed(_, indices) => operators::apply_indexed(self.terms, content, indices, &args),
        };
        match applied {
            Some(Ok(term)) => {
                work.results.push(term);
                Ok(())
            }
            Some(Err(source)) => Err(ScriptError::Term { at: work.at, source }),
            None => Err(unknown(work.at, content)),
        }
    }

    fn call(
        &mut self,
        work: &mut Work<'_>,
        function: &Rc<Function>,
        args: &[TermId],
        content: &str,
    ) -> Result<(), ScriptError> {
        if function.parameters.len() != args.len() {
            return Err(ScriptError::WrongArity {
                at: work.at,
                symbol: content.to_owned(),
                expected: function.parameters.len(),
                found: args.len(),
            });
        }
        work.tasks.push(Task::Return);
        work.tasks.push(Task::Visit(function.body));
        work.calls.push(Call { syntax: Rc::clone(&function.syntax), function: Some(Rc::clone(function)) });
        for (&(symbol, sort), &arg) in function.parameters.iter().zip(args) {
            self.expect(arg, sort, work.at)?;
            self.locals.bind(symbol, work.calls.len(), arg);
        }
        Ok(())
    }
}

/// The state of resolving one term.
struct Work<'a> {
    at: Location,
    symbols: &'a Symbols,
    tasks: Vec<Task>,
    results: Vec<TermId>,
    calls: Vec<Call>,
}

impl Work<'_> {
    /// The syntax that the tasks speak of: that of the current call.
    fn syntax(&self) -> Result<Rc<Syntax>, ScriptError> {
        self.calls.last().map(|call| Rc::clone(&call.syntax)).ok_or(ScriptError::ParserFailed { at: self.at })
    }

    /// The last results, in order.
    fn take(&mut self, count: usize) -> Vec<TermId> {
        let keep = self.results.len().saturating_sub(count);
        self.results.split_off(keep)
    }
}

fn already_declared(at: Location, content: &str) -> ScriptError {
    ScriptError::AlreadyDeclared { at, symbol: content.to_owned() }
}

fn unknown(at: Location, content: &str) -> ScriptError {
    ScriptError::UnknownSymbol { at, symbol: content.to_owned() }
}
