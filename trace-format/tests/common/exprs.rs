//! Random well-sorted expressions.

use warpath_trace::expr::{BinaryOp, ExprPool, Node, Sort, UnaryOp, Width};
use warpath_trace::ids::{ExprId, InputId, ThreadIx};
use warpath_trace::place::Input;

use super::choices::Choices;

/// Operations that take two equal widths and give the same.
pub const ARITHMETIC: &[BinaryOp] = &[
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::UDiv,
    BinaryOp::URem,
    BinaryOp::SDiv,
    BinaryOp::SRem,
    BinaryOp::BvAnd,
    BinaryOp::BvOr,
    BinaryOp::BvXor,
    BinaryOp::Shl,
    BinaryOp::LShr,
    BinaryOp::AShr,
];

/// Operations that compare two equal widths.
pub const COMPARE: &[BinaryOp] = &[BinaryOp::Eq, BinaryOp::Ult, BinaryOp::Ule, BinaryOp::Slt, BinaryOp::Sle];

/// Operations on two Booleans.
pub const LOGIC: &[BinaryOp] = &[BinaryOp::And, BinaryOp::Or, BinaryOp::Xor, BinaryOp::Eq];

/// The expressions that each thread may use: those over inputs and over its own reads.
#[derive(Default)]
pub struct Palette {
    of_thread: Vec<Vec<ExprId>>,
}

impl Palette {
    pub fn add_thread(&mut self) {
        self.of_thread.push(Vec::new());
    }

    pub fn add_read(&mut self, pool: &mut ExprPool, thread: ThreadIx, event: u32, width: Width) {
        let read = pool.intern(Node::Read { thread, event, width }).unwrap();
        self.of_thread[thread.index()].push(read);
    }

    /// A new expression of a thread, built on what it has.
    pub fn any(
        &mut self,
        choices: &mut Choices,
        pool: &mut ExprPool,
        inputs: &[Input],
        thread: ThreadIx,
    ) -> ExprId {
        let known = &mut self.of_thread[thread.index()];
        if known.is_empty() || choices.number_below(4) == 0 {
            let leaf = leaf(choices, inputs);
            known.push(pool.intern(leaf).unwrap());
        }
        // Now and then a chain, deep and with every link used twice.
        let steps = if choices.number_below(16) == 15 { 40 } else { choices.below(4) };
        for _ in 0..steps {
            let node = grow(choices, pool, known);
            // Equal nodes at different ids are what a reader of a careless tracer's file gets.
            let id = if choices.number_below(8) == 7 { pool.push(node) } else { pool.intern(node) };
            known.push(id.unwrap());
        }
        known[known.len() - 1]
    }

    /// A new expression of this sort: any one, made fit.
    pub fn of_sort(
        &mut self,
        choices: &mut Choices,
        pool: &mut ExprPool,
        inputs: &[Input],
        thread: ThreadIx,
        sort: Sort,
    ) -> ExprId {
        let any = self.any(choices, pool, inputs, thread);
        let id = fit(choices, pool, any, sort);
        self.of_thread[thread.index()].push(id);
        id
    }
}

/// A constant or an input.
pub fn leaf(choices: &mut Choices, inputs: &[Input]) -> Node {
    if !inputs.is_empty() && choices.flip() {
        let index = choices.below(inputs.len());
        return Node::Input { input: InputId::from(index), width: inputs[index].width };
    }
    if choices.number_below(8) == 7 {
        return Node::Bool(choices.flip());
    }
    let width = choices.width();
    Node::Const { width, value: choices.value(width.into()) }
}

/// A node on top of known expressions, of any sort they allow.
pub fn grow(choices: &mut Choices, pool: &mut ExprPool, known: &[ExprId]) -> Node {
    let last = known[known.len() - 1];
    let a = if choices.flip() { last } else { *choices.pick(known) };
    let b = *choices.pick(known);
    let Sort::Bits(width) = pool.sort(a) else {
        let b = fit(choices, pool, b, Sort::Bool);
        return match choices.number_below(3) {
            0 => Node::Unary(UnaryOp::Not, a),
            1 => Node::Binary(*choices.pick(LOGIC), a, b),
            _ => {
                let then = *choices.pick(known);
                let otherwise = fit(choices, pool, last, pool.sort(then));
                Node::Ite { condition: a, then, otherwise }
            }
        };
    };
    match choices.number_below(8) {
        0 => Node::Unary(*choices.pick(&[UnaryOp::BvNot, UnaryOp::Neg]), a),
        1 | 2 => Node::Binary(*choices.pick(ARITHMETIC), a, fit(choices, pool, b, Sort::Bits(width))),
        3 => Node::Binary(*choices.pick(COMPARE), a, fit(choices, pool, b, Sort::Bits(width))),
        4 => {
            let low = choices.number_below(width.into()) as Width;
            let high = low + choices.number_below((width - low).into()) as Width;
            Node::Extract { high, low, of: a }
        }
        5 => Node::ZeroExtend { width: wider(choices, width), of: a },
        6 => Node::SignExtend { width: wider(choices, width), of: a },
        _ if width < 128 => {
            let room = 1 + choices.number_below((128 - width).into()) as Width;
            Node::Binary(BinaryOp::Concat, a, fit(choices, pool, b, Sort::Bits(room)))
        }
        _ => Node::Unary(UnaryOp::Neg, a),
    }
}

fn wider(choices: &mut Choices, width: Width) -> Width {
    width + choices.number_below(u64::from(128 - width) + 1) as Width
}

/// An expression of this sort made of any other.
pub fn fit(choices: &mut Choices, pool: &mut ExprPool, id: ExprId, sort: Sort) -> ExprId {
    let node = match (pool.sort(id), sort) {
        (found, wanted) if found == wanted => return id,
        (Sort::Bits(width), Sort::Bool) => {
            let value = choices.value(width.into());
            let constant = pool.intern(Node::Const { width, value }).unwrap();
            Node::Binary(*choices.pick(COMPARE), id, constant)
        }
        (Sort::Bool, Sort::Bits(width)) => {
            let then = pool.intern(Node::Const { width, value: choices.value(width.into()) }).unwrap();
            let otherwise = pool.intern(Node::Const { width, value: choices.value(width.into()) }).unwrap();
            Node::Ite { condition: id, then, otherwise }
        }
        (Sort::Bits(from), Sort::Bits(to)) if from > to => {
            let low = choices.number_below(u64::from(from - to) + 1) as Width;
            Node::Extract { high: low + to - 1, low, of: id }
        }
        (Sort::Bits(_), Sort::Bits(width)) if choices.flip() => Node::ZeroExtend { width, of: id },
        (_, Sort::Bits(width)) => Node::SignExtend { width, of: id },
        (Sort::Bool, Sort::Bool) => unreachable!("equal sorts were handled first"),
    };
    pool.intern(node).unwrap()
}
