//! Expressions as text. What is used more than once is named where it first occurs, so that a graph is
//! written in the size of the graph, not of the tree.

use std::convert::Infallible;

use rustc_hash::FxHashMap;

use super::names::Names;
use crate::event::{Op, Ref};
use crate::expr::{ExprPool, Leaf, Node};
use crate::ids::{ExprId, ThreadIx};
use crate::text::lex::{self, push};
use crate::text::words::Word;
use crate::trace::Trace;

/// Which reads, writes and sub-expressions have names, and which names were given so far.
pub(super) struct ExprPrinter<'a> {
    trace: &'a Trace,
    pool: &'a ExprPool,
    /// How often each node is used, up to 2.
    uses: Vec<u8>,
    /// The name of each node that has one by now; 0 for none.
    named: Vec<u32>,
    next_expr: u32,
    /// Events that something refers to, and their names by now; 0 for none.
    events: FxHashMap<(ThreadIx, u32), u32>,
    next_event: u32,
}

enum Piece {
    Expr(ExprId),
    Close,
}

impl<'a> ExprPrinter<'a> {
    pub(super) fn new(trace: &'a Trace) -> Self {
        let pool = &trace.tables.exprs;
        let mut uses = vec![0u8; pool.len()];
        let mut roots = Vec::new();
        let mut events = FxHashMap::default();
        for (thread, index, event) in trace.listing() {
            let mut event = *event;
            let Ok(()) = event.try_refs(|reference| {
                if let Ref::Expr(id) = reference {
                    count(&mut uses, *id);
                    roots.push(*id);
                }
                Ok::<(), Infallible>(())
            });
            if let Op::Commit { write } = event.op
                && write < index
                && is_write(trace, thread, write)
            {
                events.insert((thread, write), 0);
            }
        }
        pool.visit_once(roots, |_, node| {
            node.operands().for_each(|operand| count(&mut uses, operand));
            if let Some(Leaf::Read(thread, event)) = node.leaf() {
                events.insert((thread, event), 0);
            }
        });
        ExprPrinter { trace, pool, uses, named: vec![0; pool.len()], next_expr: 1, events, next_event: 1 }
    }

    /// Names an event that something refers to: the number of its name.
    pub(super) fn name_event(&mut self, thread: ThreadIx, event: u32) -> Option<u32> {
        let name = self.events.get_mut(&(thread, event))?;
        *name = self.next_event;
        self.next_event += 1;
        Some(*name)
    }

    /// The number of the name that an event was given.
    fn event_name(&self, thread: ThreadIx, event: u32) -> Option<u32> {
        self.events.get(&(thread, event)).copied().filter(|&name| name != 0)
    }

    /// The number of the name that an event was given, if it is a write.
    pub(super) fn write_name(&self, thread: ThreadIx, event: u32) -> Option<u32> {
        self.event_name(thread, event).filter(|_| is_write(self.trace, thread, event))
    }

    /// Writes the expression. Iterative: it may be as deep as the trace is long.
    pub(super) fn write(&mut self, out: &mut String, names: &Names, root: ExprId) {
        let mut pieces = vec![Piece::Expr(root)];
        while let Some(piece) = pieces.pop() {
            let Piece::Expr(id) = piece else {
                out.push(')');
                continue;
            };
            out.push(' ');
            let node = self.pool.node(id);
            if self.atom(out, names, id, node) {
                continue;
            }
            if self.uses[id.index()] > 1 {
                self.named[id.index()] = self.next_expr;
                push(out, format_args!("$e{}=", self.next_expr));
                self.next_expr += 1;
            }
            open(out, node);
            pieces.push(Piece::Close);
            let from = pieces.len();
            pieces.extend(node.operands().map(Piece::Expr));
            pieces[from..].reverse();
        }
    }

    /// Writes the node if it needs no parentheses.
    fn atom(&self, out: &mut String, names: &Names, id: ExprId, node: Node) -> bool {
        match node {
            Node::Bool(value) => out.push_str(value.word()),
            Node::Const { width, value } => {
                lex::write_number(out, value);
                push(out, format_args!(":{width}"));
            }
            Node::Input { input, .. } => {
                let name = names.input(input);
                if !name.starts_with('?') {
                    out.push('?');
                }
                out.push_str(name);
            }
            Node::Read { thread, event, .. } => {
                let name = self.event_name(thread, event);
                let name = name.expect("a checked trace has every read before the expressions that use it");
                push(out, format_args!("${name}"));
            }
            _ if self.named[id.index()] != 0 => push(out, format_args!("$e{}", self.named[id.index()])),
            _ => return false,
        }
        true
    }
}

/// Writes the opening parenthesis, the operator and its numbers.
fn open(out: &mut String, node: Node) {
    match node {
        Node::Unary(op, _) => push(out, format_args!("({}", op.word())),
        Node::Binary(op, ..) => push(out, format_args!("({}", op.word())),
        Node::Extract { high, low, .. } => push(out, format_args!("(extract {high} {low}")),
        Node::ZeroExtend { width, .. } => push(out, format_args!("(zext {width}")),
        Node::SignExtend { width, .. } => push(out, format_args!("(sext {width}")),
        Node::Ite { .. } => out.push_str("(ite"),
        Node::Bool(_) | Node::Const { .. } | Node::Input { .. } | Node::Read { .. } => {
            unreachable!("these are atoms")
        }
    }
}

/// Does the event only write? A read-modify-write's name stands for the value it found.
fn is_write(trace: &Trace, thread: ThreadIx, event: u32) -> bool {
    let op = trace.event(thread, event).map(|event| event.op);
    matches!(op, Some(Op::Write { .. } | Op::AtomicWrite { .. }))
}

fn count(uses: &mut [u8], id: ExprId) {
    let uses = &mut uses[id.index()];
    *uses = (*uses + 1).min(2);
}
