//! Expressions. Read with a stack of our own, since a text may nest them as deep as it is long.

use super::Parser;
use super::cursor::{Cursor, Mark, Parsed, bits};
use super::names::Named;
use crate::expr::{BinaryOp, ExprError, Node, Sort, UnaryOp, Width};
use crate::ids::{ExprId, ThreadIx};
use crate::text::error::Problem;
use crate::text::lex;
use crate::text::words::Word;

/// The operation of an open parenthesis.
#[derive(Clone, Copy)]
enum Operator {
    Unary(UnaryOp),
    Binary(BinaryOp),
    Extract(Width, Width),
    ZeroExtend(Width),
    SignExtend(Width),
    Ite,
}

impl Operator {
    fn node(self, operands: &[ExprId]) -> Option<Node> {
        Some(match (self, operands) {
            (Operator::Unary(op), &[a]) => Node::Unary(op, a),
            (Operator::Binary(op), &[a, b]) => Node::Binary(op, a, b),
            (Operator::Extract(high, low), &[of]) => Node::Extract { high, low, of },
            (Operator::ZeroExtend(width), &[of]) => Node::ZeroExtend { width, of },
            (Operator::SignExtend(width), &[of]) => Node::SignExtend { width, of },
            (Operator::Ite, &[condition, then, otherwise]) => Node::Ite { condition, then, otherwise },
            _ => return None,
        })
    }

    fn arity(self) -> usize {
        match self {
            Operator::Unary(_)
            | Operator::Extract(..)
            | Operator::ZeroExtend(_)
            | Operator::SignExtend(_) => 1,
            Operator::Binary(_) => 2,
            Operator::Ite => 3,
        }
    }
}

/// An open parenthesis. Its operands are those above `operands` on the stack of finished ones.
struct Open<'a> {
    operator: Operator,
    operands: usize,
    mark: Mark,
    name: Option<(Mark, &'a str)>,
}

impl Parser {
    /// An expression of a thread; `wanted` of `None` means bits of any width.
    pub(super) fn expr(
        &mut self,
        cursor: &mut Cursor<'_>,
        thread: ThreadIx,
        wanted: Option<Sort>,
    ) -> Parsed<ExprId> {
        let mark = cursor.mark();
        let id = self.any_expr(cursor, thread)?;
        let found = self.trace.tables.exprs.sort(id);
        if wanted.map_or(matches!(found, Sort::Bits(_)), |wanted| wanted == found) {
            return Ok(id);
        }
        let wanted = wanted.map_or_else(|| "a bit-vector".to_owned(), |sort| sort.to_string());
        Err(cursor.error_at(mark, Problem::Sort { found: found.to_string(), wanted }))
    }

    fn any_expr(&mut self, cursor: &mut Cursor<'_>, thread: ThreadIx) -> Parsed<ExprId> {
        let mut open: Vec<Open<'_>> = Vec::new();
        let mut done: Vec<ExprId> = Vec::new();
        loop {
            let mark = cursor.mark();
            if let Some(innermost) = open.last()
                && done.len() - innermost.operands == innermost.operator.arity()
            {
                cursor.punctuation(")")?;
                let closed = open.pop().expect("there is an innermost one");
                let node = closed.operator.node(&done[closed.operands..]);
                let node = node.expect("it has as many operands as it takes");
                done.truncate(closed.operands);
                let id = self.intern(cursor, closed.mark, node)?;
                if let Some((mark, name)) = closed.name {
                    self.names.define(cursor, mark, name, Named::Expr(id))?;
                }
                done.push(id);
            } else if let Some(name) = cursor.maybe(lex::dollar) {
                if cursor.skip("=") {
                    open.push(self.open(cursor, done.len(), Some((mark, name)))?);
                    continue;
                }
                done.push(self.named(cursor, mark, thread, name)?);
            } else if cursor.peek() == Some('(') {
                open.push(self.open(cursor, done.len(), None)?);
                continue;
            } else {
                done.push(self.atom(cursor, mark)?);
            }
            if open.is_empty() {
                return Ok(done.pop().expect("an operand was just added"));
            }
        }
    }

    fn open<'a>(
        &mut self,
        cursor: &mut Cursor<'a>,
        operands: usize,
        name: Option<(Mark, &'a str)>,
    ) -> Parsed<Open<'a>> {
        cursor.punctuation("(")?;
        let mark = cursor.mark();
        let word = cursor.take(lex::operator, "an operator such as `add` or `=`")?;
        let operator = match word {
            "ite" => Operator::Ite,
            "extract" => {
                Operator::Extract(cursor.number("the highest bit")?, cursor.number("the lowest bit")?)
            }
            "zext" => Operator::ZeroExtend(cursor.number("the new width")?),
            "sext" => Operator::SignExtend(cursor.number("the new width")?),
            _ => match (UnaryOp::from_word(word), BinaryOp::from_word(word)) {
                (Some(op), _) => Operator::Unary(op),
                (_, Some(op)) => Operator::Binary(op),
                _ => {
                    let hint = "; docs/trace-text.md has the list".to_owned();
                    let problem = Problem::Unknown { what: "operator", name: word.to_owned(), hint };
                    return Err(cursor.error_at(mark, problem));
                }
            },
        };
        Ok(Open { operator, operands, mark, name })
    }

    /// A constant or an input.
    fn atom(&mut self, cursor: &mut Cursor<'_>, mark: Mark) -> Parsed<ExprId> {
        if cursor.peek() == Some('?') {
            let input = self.names.input(cursor, &self.trace)?;
            let width = self.trace.tables.inputs()[input.index()].width;
            return self.intern(cursor, mark, Node::Input { input, width });
        }
        if let Some((negative, amount)) = cursor.maybe(lex::signed) {
            if !cursor.skip(":") {
                return Err(cursor.expected("`:` and the width of the constant, as in `5:32`"));
            }
            let width: Width = cursor.number("a width in bits")?;
            let value =
                bits(negative, amount, width.into()).ok_or_else(|| cursor.too_wide(mark, width.into()))?;
            return self.intern(cursor, mark, Node::Const { width, value });
        }
        match cursor.maybe_word() {
            Some(value) => self.intern(cursor, mark, Node::Bool(value)),
            None => {
                Err(cursor.expected("an expression: `(`, a constant such as `5:32`, `?input` or `$name`"))
            }
        }
    }

    /// The value that a `$` name stands for.
    fn named(&mut self, cursor: &Cursor<'_>, mark: Mark, thread: ThreadIx, name: &str) -> Parsed<ExprId> {
        let wrong =
            |found| Problem::WrongName { name: name.to_owned(), found, wanted: "a value of this thread" };
        match self.names.dollar(cursor, mark, name)? {
            Named::Expr(id) => Ok(id),
            Named::Read(reader, event, width) if reader == thread => {
                self.intern(cursor, mark, Node::Read { thread, event, width })
            }
            Named::Read(..) => Err(cursor.error_at(mark, wrong("a value read by another thread"))),
            Named::Write(..) => Err(cursor.error_at(mark, wrong("a write"))),
        }
    }

    fn intern(&mut self, cursor: &Cursor<'_>, mark: Mark, node: Node) -> Parsed<ExprId> {
        let interned: Result<ExprId, ExprError> = self.trace.tables.exprs.intern(node);
        interned.map_err(|error| cursor.error_at(mark, Problem::Expr(error)))
    }
}
