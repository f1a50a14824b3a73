//! Commands as syntax: flat trees without any nesting of their own.

use crate::term::Sort;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A symbol of the script, by number.
pub(super) type Symbol = u32;

/// A node of a [`Syntax`] tree.
pub(super) type Node = u32;

/// A number: exact as long as it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number(pub(super) Option<u128>);

impl From<u32> for Number {
    fn from(value: u32) -> Self {
        Number(Some(value.into()))
    }
}

/// A literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Constant {
    /// A number, or its digits if it does not fit.
    Numeral(Result<i128, String>),
    /// Bits, the most significant first.
    Bits(Box<[bool]>),
    /// A literal of a sort that terms do not have, by what it is called.
    Foreign(&'static str),
}

/// What stands at the head of an application, or alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Head {
    Plain(Symbol),
    Indexed(Symbol, Box<[Number]>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    Literal(Constant),
    Name(Head),
    App(Head, Box<[Node]>),
    Let(Box<[(Symbol, Node)]>, Node),
    /// A term with a `:named` annotation. Other annotations say nothing and are dropped.
    Named(Node, Symbol),
}

/// The terms of one command; nodes come after the nodes they are made of.
#[derive(Debug, Clone, Default)]
pub(super) struct Syntax {
    pub(super) items: Vec<Item>,
}

/// The commands as the parser gives them. The values of options and information are not here: they
/// are taken from the text as they stand.
#[derive(Debug, Clone)]
pub(super) enum Verb {
    Assert(Node),
    CheckSat,
    CheckSatAssuming(Vec<(Symbol, bool)>),
    Declare(Symbol, Sort),
    Define { symbol: Symbol, parameters: Vec<(Symbol, Sort)>, sort: Sort, body: Node },
    Echo(String),
    Exit,
    GetInfo(String),
    GetModel,
    GetUnsatAssumptions,
    GetUnsatCore,
    GetValue(Vec<Node>),
    Pop(Number),
    Push(Number),
    Reset,
    ResetAssertions,
    SetInfo(String),
    SetLogic(Symbol),
    SetOption(String),
}

/// The symbols met so far, shared between the builder and the resolver.
#[derive(Debug, Clone, Default)]
pub(super) struct Symbols {
    contents: Vec<Rc<str>>,
    numbers: FxHashMap<Rc<str>, Symbol>,
}

impl Symbols {
    pub(super) fn number(&mut self, content: &str) -> Symbol {
        if let Some(&number) = self.numbers.get(content) {
            return number;
        }
        let number = self.contents.len() as Symbol;
        let content: Rc<str> = content.into();
        self.contents.push(Rc::clone(&content));
        self.numbers.insert(content, number);
        number
    }

    pub(super) fn content(&self, symbol: Symbol) -> &Rc<str> {
        &self.contents[symbol as usize]
    }
}
