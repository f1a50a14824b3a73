//! The parser's visitor, which builds [`Syntax`].

use super::syntax::{Constant, Head, Item, Node, Number, Symbol, Symbols, Syntax, Verb};
use crate::script::error::{Location, ScriptError};
use crate::term::{MAX_WIDTH, Sort, TermError};
use smt2parser::visitors::{
    AttributeValue, CommandVisitor, ConstantVisitor, DatatypeDec, FunctionDec, Identifier, Index,
    KeywordVisitor, QualIdentifierVisitor, SExprVisitor, Smt2Visitor, SortVisitor, SymbolKind, SymbolVisitor,
    TermVisitor,
};
use smt2parser::{Binary, Decimal, Hexadecimal, Numeral, Position};

type Result<T> = std::result::Result<T, ScriptError>;

/// Builds the syntax of one command after the other.
#[derive(Debug)]
pub(super) struct Builder {
    at: Location,
    symbols: Symbols,
    syntax: Syntax,
}

impl Default for Builder {
    fn default() -> Self {
        Builder {
            at: Location { line: 1, column: 1 },
            symbols: Symbols::default(),
            syntax: Syntax::default(),
        }
    }
}

impl Builder {
    /// A command begins here.
    pub(super) fn begin(&mut self, at: Location) {
        self.at = at;
        self.syntax.items.clear();
    }

    /// The terms of the command that was just read.
    pub(super) fn take(&mut self) -> Syntax {
        std::mem::take(&mut self.syntax)
    }

    pub(super) fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    fn add(&mut self, item: Item) -> Result<Node> {
        // A node needs at least one byte of text, and texts are limited.
        let node = Node::try_from(self.syntax.items.len())
            .map_err(|_| self.unsupported("a command of this size"))?;
        self.syntax.items.push(item);
        Ok(node)
    }

    fn unsupported(&self, what: &str) -> ScriptError {
        ScriptError::UnsupportedTerm { at: self.at, what: what.to_owned() }
    }

    fn unsupported_command<T>(&self, command: &str) -> Result<T> {
        Err(ScriptError::UnsupportedCommand {
            at: self.at,
            command: command.to_owned(),
            help: "remove it, or solve the file with the solver that knows it",
        })
    }

    fn head(&self, identifier: Identifier<Symbol>) -> Result<Head> {
        match identifier {
            Identifier::Simple { symbol } => Ok(Head::Plain(symbol)),
            Identifier::Indexed { symbol, indices } => indices
                .into_iter()
                .map(|index| match index {
                    Index::Numeral(number) => Ok(number_of(&number)),
                    Index::Symbol(_) => Err(self.unsupported("a symbol as an index")),
                })
                .collect::<Result<_>>()
                .map(|indices| Head::Indexed(symbol, indices)),
        }
    }
}

fn number_of(value: &Numeral) -> Number {
    Number(u128::try_from(value).ok())
}

impl ConstantVisitor for Builder {
    type T = Constant;
    type E = ScriptError;

    fn visit_numeral_constant(&mut self, value: Numeral) -> Result<Constant> {
        Ok(Constant::Numeral(i128::try_from(&value).map_err(|_| value.to_string())))
    }

    fn visit_decimal_constant(&mut self, _: Decimal) -> Result<Constant> {
        Ok(Constant::Foreign("a decimal literal"))
    }

    fn visit_hexadecimal_constant(&mut self, value: Hexadecimal) -> Result<Constant> {
        let bits =
            value.into_iter().flat_map(|digit| (0..4).rev().map(move |bit| digit >> bit & 1 == 1)).collect();
        Ok(Constant::Bits(bits))
    }

    fn visit_binary_constant(&mut self, value: Binary) -> Result<Constant> {
        Ok(Constant::Bits(value.into()))
    }

    fn visit_string_constant(&mut self, _: String) -> Result<Constant> {
        Ok(Constant::Foreign("a string literal"))
    }
}

impl SymbolVisitor for Builder {
    type T = Symbol;
    type E = ScriptError;

    fn visit_fresh_symbol(&mut self, value: String, _: SymbolKind) -> Result<Symbol> {
        Ok(self.symbols.number(&value))
    }
}

impl KeywordVisitor for Builder {
    type T = String;
    type E = ScriptError;

    fn visit_keyword(&mut self, value: String) -> Result<String> {
        Ok(value)
    }
}

/// Free s-expressions stand only in annotations and in the values of options: what they say is not
/// needed here, and building them would cost quadratic time in their depth.
impl SExprVisitor<Constant, Symbol, String> for Builder {
    type T = ();
    type E = ScriptError;

    fn visit_constant_s_expr(&mut self, _: Constant) -> Result<()> {
        Ok(())
    }

    fn visit_symbol_s_expr(&mut self, _: Symbol) -> Result<()> {
        Ok(())
    }

    fn visit_keyword_s_expr(&mut self, _: String) -> Result<()> {
        Ok(())
    }

    fn visit_application_s_expr(&mut self, _: Vec<()>) -> Result<()> {
        Ok(())
    }
}

impl SortVisitor<Symbol> for Builder {
    type T = Sort;
    type E = ScriptError;

    fn visit_simple_sort(&mut self, identifier: Identifier<Symbol>) -> Result<Sort> {
        let head = self.head(identifier)?;
        match &head {
            Head::Plain(symbol) => match &**self.symbols.content(*symbol) {
                "Bool" => Ok(Sort::Bool),
                "Int" => Ok(Sort::Int),
                other => Err(self.unsupported(&format!("the sort {other}"))),
            },
            Head::Indexed(symbol, indices) => match (&**self.symbols.content(*symbol), &**indices) {
                ("BitVec", &[Number(width)]) => {
                    let width = width.and_then(|width| u64::try_from(width).ok());
                    match width.unwrap_or(u64::MAX) {
                        width if (1..=u64::from(MAX_WIDTH)).contains(&width) => Ok(Sort::Bits(width as u32)),
                        width => Err(ScriptError::Term {
                            at: self.at,
                            source: TermError::WidthOutOfRange { width },
                        }),
                    }
                }
                (other, _) => Err(self.unsupported(&format!("the sort (_ {other} …)"))),
            },
        }
    }

    fn visit_parameterized_sort(&mut self, identifier: Identifier<Symbol>, _: Vec<Sort>) -> Result<Sort> {
        let (Identifier::Simple { symbol } | Identifier::Indexed { symbol, .. }) = identifier;
        let name = self.symbols.content(symbol);
        Err(self.unsupported(&format!("the sort ({name} …)")))
    }
}

impl QualIdentifierVisitor<Identifier<Symbol>, Sort> for Builder {
    type T = Head;
    type E = ScriptError;

    fn visit_simple_identifier(&mut self, identifier: Identifier<Symbol>) -> Result<Head> {
        self.head(identifier)
    }

    fn visit_sorted_identifier(&mut self, _: Identifier<Symbol>, _: Sort) -> Result<Head> {
        Err(self.unsupported("the qualified identifier (as …)"))
    }
}

impl TermVisitor<Constant, Head, String, (), Symbol, Sort> for Builder {
    type T = Node;
    type E = ScriptError;

    fn visit_constant(&mut self, constant: Constant) -> Result<Node> {
        self.add(Item::Literal(constant))
    }

    fn visit_qual_identifier(&mut self, head: Head) -> Result<Node> {
        self.add(Item::Name(head))
    }

    fn visit_application(&mut self, head: Head, arguments: Vec<Node>) -> Result<Node> {
        self.add(Item::App(head, arguments.into()))
    }

    fn visit_let(&mut self, bindings: Vec<(Symbol, Node)>, body: Node) -> Result<Node> {
        self.add(Item::Let(bindings.into(), body))
    }

    fn visit_forall(&mut self, _: Vec<(Symbol, Sort)>, _: Node) -> Result<Node> {
        Err(self.unsupported("the quantifier forall"))
    }

    fn visit_exists(&mut self, _: Vec<(Symbol, Sort)>, _: Node) -> Result<Node> {
        Err(self.unsupported("the quantifier exists"))
    }

    fn visit_match(&mut self, _: Node, _: Vec<(Vec<Symbol>, Node)>) -> Result<Node> {
        Err(self.unsupported("the pattern match"))
    }

    fn visit_attributes(
        &mut self,
        term: Node,
        attributes: Vec<(String, AttributeValue<Constant, Symbol, ()>)>,
    ) -> Result<Node> {
        attributes.into_iter().try_fold(term, |term, (keyword, value)| match (&*keyword, value) {
            ("named", AttributeValue::Symbol(name)) => self.add(Item::Named(term, name)),
            ("named", _) => Err(self.unsupported("a :named annotation without a symbol")),
            _ => Ok(term),
        })
    }
}

impl CommandVisitor<Node, Symbol, Sort, String, Constant, ()> for Builder {
    type T = Verb;
    type E = ScriptError;

    fn visit_assert(&mut self, term: Node) -> Result<Verb> {
        Ok(Verb::Assert(term))
    }

    fn visit_check_sat(&mut self) -> Result<Verb> {
        Ok(Verb::CheckSat)
    }

    fn visit_check_sat_assuming(&mut self, literals: Vec<(Symbol, bool)>) -> Result<Verb> {
        Ok(Verb::CheckSatAssuming(literals))
    }

    fn visit_declare_const(&mut self, symbol: Symbol, sort: Sort) -> Result<Verb> {
        Ok(Verb::Declare(symbol, sort))
    }

    fn visit_declare_datatype(&mut self, _: Symbol, _: DatatypeDec<Symbol, Sort>) -> Result<Verb> {
        self.unsupported_command("declare-datatype")
    }

    fn visit_declare_datatypes(
        &mut self,
        _: Vec<(Symbol, Numeral, DatatypeDec<Symbol, Sort>)>,
    ) -> Result<Verb> {
        self.unsupported_command("declare-datatypes")
    }

    fn visit_declare_fun(&mut self, symbol: Symbol, parameters: Vec<Sort>, sort: Sort) -> Result<Verb> {
        if parameters.is_empty() {
            return Ok(Verb::Declare(symbol, sort));
        }
        Err(self.unsupported("a function with arguments that is declared, not defined,"))
    }

    fn visit_declare_sort(&mut self, _: Symbol, _: Numeral) -> Result<Verb> {
        self.unsupported_command("declare-sort")
    }

    fn visit_define_fun(&mut self, sig: FunctionDec<Symbol, Sort>, body: Node) -> Result<Verb> {
        Ok(Verb::Define { symbol: sig.name, parameters: sig.parameters, sort: sig.result, body })
    }

    fn visit_define_fun_rec(&mut self, _: FunctionDec<Symbol, Sort>, _: Node) -> Result<Verb> {
        self.unsupported_command("define-fun-rec")
    }

    fn visit_define_funs_rec(&mut self, _: Vec<(FunctionDec<Symbol, Sort>, Node)>) -> Result<Verb> {
        self.unsupported_command("define-funs-rec")
    }

    fn visit_define_sort(&mut self, _: Symbol, _: Vec<Symbol>, _: Sort) -> Result<Verb> {
        self.unsupported_command("define-sort")
    }

    fn visit_echo(&mut self, message: String) -> Result<Verb> {
        Ok(Verb::Echo(message))
    }

    fn visit_exit(&mut self) -> Result<Verb> {
        Ok(Verb::Exit)
    }

    fn visit_get_assertions(&mut self) -> Result<Verb> {
        self.unsupported_command("get-assertions")
    }

    fn visit_get_assignment(&mut self) -> Result<Verb> {
        self.unsupported_command("get-assignment")
    }

    fn visit_get_info(&mut self, flag: String) -> Result<Verb> {
        Ok(Verb::GetInfo(flag))
    }

    fn visit_get_model(&mut self) -> Result<Verb> {
        Ok(Verb::GetModel)
    }

    fn visit_get_option(&mut self, _: String) -> Result<Verb> {
        self.unsupported_command("get-option")
    }

    fn visit_get_proof(&mut self) -> Result<Verb> {
        self.unsupported_command("get-proof")
    }

    fn visit_get_unsat_assumptions(&mut self) -> Result<Verb> {
        Ok(Verb::GetUnsatAssumptions)
    }

    fn visit_get_unsat_core(&mut self) -> Result<Verb> {
        Ok(Verb::GetUnsatCore)
    }

    fn visit_get_value(&mut self, terms: Vec<Node>) -> Result<Verb> {
        Ok(Verb::GetValue(terms))
    }

    fn visit_pop(&mut self, level: Numeral) -> Result<Verb> {
        Ok(Verb::Pop(number_of(&level)))
    }

    fn visit_push(&mut self, level: Numeral) -> Result<Verb> {
        Ok(Verb::Push(number_of(&level)))
    }

    fn visit_reset(&mut self) -> Result<Verb> {
        Ok(Verb::Reset)
    }

    fn visit_reset_assertions(&mut self) -> Result<Verb> {
        Ok(Verb::ResetAssertions)
    }

    fn visit_set_info(&mut self, keyword: String, _: AttributeValue<Constant, Symbol, ()>) -> Result<Verb> {
        Ok(Verb::SetInfo(keyword))
    }

    fn visit_set_logic(&mut self, symbol: Symbol) -> Result<Verb> {
        Ok(Verb::SetLogic(symbol))
    }

    fn visit_set_option(&mut self, keyword: String, _: AttributeValue<Constant, Symbol, ()>) -> Result<Verb> {
        Ok(Verb::SetOption(keyword))
    }
}

impl Smt2Visitor for Builder {
    type Error = ScriptError;
    type Constant = Constant;
    type QualIdentifier = Head;
    type Keyword = String;
    type Sort = Sort;
    type SExpr = ();
    type Symbol = Symbol;
    type Term = Node;
    type Command = Verb;

    fn syntax_error(&mut self, position: Position, message: String) -> ScriptError {
        ScriptError::Syntax { at: Location { line: position.line, column: position.column }, message }
    }

    fn parsing_error(&mut self, position: Position, message: String) -> ScriptError {
        self.syntax_error(position, message)
    }
}
