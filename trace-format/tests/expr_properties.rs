//! The evaluator and the simplifier, against each other and against arithmetic done bit by bit.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::choices::Choices;
use common::exprs::{self, ARITHMETIC, COMPARE};
use proptest::prelude::*;
use warpath_trace::expr::{
    BinaryOp, Evaluator, ExprPool, Leaf, Node, Sort, UnaryOp, Width, apply_binary, apply_unary, mask,
    sign_extend,
};
use warpath_trace::ids::{ExprId, InputId, StringId, ThreadIx};
use warpath_trace::place::Input;

/// A graph of expressions over three inputs and three reads; the last node is on top of many others.
struct Graph {
    pool: ExprPool,
    roots: Vec<ExprId>,
    /// Four assignments of the leaves.
    leaves: Vec<[u128; 6]>,
}

impl Graph {
    fn new(tape: Vec<u64>) -> Self {
        let mut choices = Choices::new(tape);
        let mut pool = ExprPool::new();
        let mut leaves = Vec::new();
        for _ in 0..4 {
            leaves.push(std::array::from_fn(|_| choices.wide()));
        }
        let widths: Vec<Width> = (0..6).map(|_| choices.width()).collect();
        let input = |&width| Input { name: StringId::EMPTY, nth: 0, width };
        let inputs: Vec<Input> = widths[..3].iter().map(input).collect();
        let mut roots: Vec<ExprId> = (0..3u32)
            .zip(&widths[3..])
            .map(|(event, &width)| pool.intern(Node::Read { thread: ThreadIx(1), event, width }).unwrap())
            .collect();
        for (input, &width) in (0..).map(InputId).zip(&widths) {
            if inputs.len() > input.index() {
                roots.push(pool.intern(Node::Input { input, width }).unwrap());
            }
        }
        while !choices.is_empty() {
            let node = if choices.number_below(5) == 0 {
                exprs::leaf(&mut choices, &inputs)
            } else {
                exprs::grow(&mut choices, &mut pool, &roots)
            };
            roots.push(pool.intern(node).unwrap());
        }
        Graph { pool, roots, leaves }
    }

    fn values(&self, ids: &[ExprId]) -> Vec<Vec<u128>> {
        let under = |leaves: &[u128; 6]| {
            let mut evaluator = Evaluator::new(&self.pool, |leaf| {
                Some(match leaf {
                    Leaf::Input(input) => leaves[input.index()],
                    Leaf::Read(_, event) => leaves[3 + event as usize],
                })
            });
            ids.iter().map(|&id| evaluator.value(id).unwrap()).collect()
        };
        self.leaves.iter().map(under).collect()
    }
}

/// Nodes of the expression written as a tree; graphs can make that astronomical.
fn tree_sizes(pool: &ExprPool) -> Vec<u128> {
    let mut sizes: Vec<u128> = Vec::new();
    for node in pool.nodes() {
        let below = node.operands().map(|operand| sizes[operand.index()]);
        sizes.push(below.fold(1, u128::saturating_add));
    }
    sizes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn simplified_expressions_have_the_same_value_and_sort(tape in prop::collection::vec(any::<u64>(), 20..250)) {
        let mut graph = Graph::new(tape);
        let before = graph.roots.clone();
        let after: Vec<ExprId> = before.iter().map(|&id| graph.pool.simplify(id).unwrap()).collect();
        for (&old, &new) in before.iter().zip(&after) {
            prop_assert_eq!(graph.pool.sort(old), graph.pool.sort(new));
        }
        prop_assert_eq!(graph.values(&before), graph.values(&after));
    }

    #[test]
    fn simplified_expressions_are_no_larger(tape in prop::collection::vec(any::<u64>(), 20..250)) {
        let mut graph = Graph::new(tape);
        let before = graph.roots.clone();
        let after: Vec<ExprId> = before.iter().map(|&id| graph.pool.simplify(id).unwrap()).collect();
        let sizes = tree_sizes(&graph.pool);
        for (old, new) in before.iter().zip(after) {
            prop_assert!(sizes[new.index()] <= sizes[old.index()], "{:?}", graph.pool.node(*old));
        }
    }

    #[test]
    fn simplifying_again_changes_no_value(tape in prop::collection::vec(any::<u64>(), 20..250)) {
        let mut graph = Graph::new(tape);
        let root = graph.roots[graph.roots.len() - 1];
        let once = graph.pool.simplify(root).unwrap();
        let twice = graph.pool.simplify(once).unwrap();
        prop_assert_eq!(graph.values(&[once]), graph.values(&[twice]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn operations_agree_with_arithmetic_bit_by_bit(
        width in 1u8..=128,
        a in any::<u128>(),
        b in prop_oneof![any::<u128>(), 0u128..140, Just(u128::MAX), Just(1 << 127)],
        near in any::<bool>(),
    ) {
        let a = if near { 1u128.checked_shl(u32::from(width) - 1).unwrap_or(0) } else { a & mask(width) };
        let b = b & mask(width);
        for &op in ARITHMETIC.iter().chain(COMPARE) {
            let found = apply_binary(op, a, b, width, width);
            prop_assert_eq!(found, bitwise::binary(op, a, b, width), "{:?} {} {} at {}", op, a, b, width);
        }
        prop_assert_eq!(apply_unary(UnaryOp::Neg, a, width), bitwise::negated(a, width));
        prop_assert_eq!(apply_unary(UnaryOp::BvNot, a, width), bitwise::complement(a, width));
        for to in width..=128 {
            let sign = a >> (width - 1) & 1;
            let copies = if sign == 1 { mask(to) & !mask(width) } else { 0 };
            prop_assert_eq!(sign_extend(a, width, to), a | copies);
        }
    }
}

/// Every operation on these operands.
fn all_on(pool: &ExprPool, a: ExprId, others: &[ExprId]) -> Vec<Node> {
    let mut nodes = Vec::new();
    match pool.sort(a) {
        Sort::Bool => nodes.push(Node::Unary(UnaryOp::Not, a)),
        Sort::Bits(width) => {
            nodes.extend([UnaryOp::BvNot, UnaryOp::Neg].map(|op| Node::Unary(op, a)));
            nodes.extend([width, width + 1].map(|width| Node::ZeroExtend { width, of: a }));
            nodes.extend([width, width + 1].map(|width| Node::SignExtend { width, of: a }));
            for low in 0..width {
                nodes.extend((low..width).map(|high| Node::Extract { high, low, of: a }));
            }
        }
    }
    for &b in others {
        let same = pool.sort(a) == pool.sort(b);
        let bits = matches!((pool.sort(a), pool.sort(b)), (Sort::Bits(_), Sort::Bits(_)));
        let mut operations: Vec<BinaryOp> = Vec::new();
        match same {
            true if bits => operations.extend(ARITHMETIC.iter().chain(COMPARE)),
            true => operations.extend(exprs::LOGIC),
            false => {}
        }
        if bits {
            operations.push(BinaryOp::Concat);
        }
        nodes.extend(operations.iter().flat_map(|&op| [Node::Binary(op, a, b), Node::Binary(op, b, a)]));
        if pool.sort(a) == Sort::Bool {
            let branches = others.iter().filter(|&&other| pool.sort(other) == pool.sort(b));
            nodes.extend(branches.map(|&other| Node::Ite { condition: a, then: b, otherwise: other }));
        }
    }
    nodes
}

/// Where rules go wrong is at the edges: every expression of two operations over two leaves and all constants
/// of 1 and 2 bits, for all values of the leaves.
#[test]
fn small_expressions_are_simplified_exactly() {
    for width in [1, 2] {
        let mut pool = ExprPool::new();
        let x = pool.input(InputId(0), width).unwrap();
        let y = pool.input(InputId(1), width).unwrap();
        let mut atoms: Vec<ExprId> = vec![x, y];
        for constant in 1..=width + 1 {
            let values = 0..1u128 << constant;
            atoms.extend(values.map(|value| pool.constant(constant, value).unwrap()));
        }
        atoms.extend([true, false].map(|value| pool.bool(value).unwrap()));
        let mut first: Vec<ExprId> = Vec::new();
        for &atom in &atoms[..2] {
            for node in all_on(&pool, atom, &atoms) {
                first.push(pool.intern(node).unwrap());
            }
        }
        let mut all = Vec::new();
        for &below in &first {
            for node in all_on(&pool, below, &atoms) {
                all.push(pool.intern(node).unwrap());
            }
        }
        let simple: Vec<ExprId> = all.iter().map(|&id| pool.simplify(id).unwrap()).collect();
        assert!(all.len() > 10_000, "{} expressions are too few to mean anything", all.len());
        for values in 0..1u128 << (2 * width) {
            let leaf = |leaf| Some(if leaf == Leaf::Input(InputId(0)) { values } else { values >> width });
            let mut evaluator = Evaluator::new(&pool, leaf);
            for (&old, &new) in all.iter().zip(&simple) {
                let node = pool.node(old);
                assert_eq!(
                    evaluator.value(old),
                    evaluator.value(new),
                    "{node:?} of {:?}",
                    pool.node(node.operands().next().unwrap())
                );
            }
        }
    }
}

/// Arithmetic on one bit at a time, as taught at school.
mod bitwise {
    use super::*;

    fn bit(value: u128, index: Width) -> bool {
        value >> index & 1 == 1
    }

    fn number(bits: impl Iterator<Item = bool>) -> u128 {
        bits.enumerate().map(|(index, bit)| u128::from(bit) << index).sum()
    }

    pub fn complement(a: u128, width: Width) -> u128 {
        number((0..width).map(|index| !bit(a, index)))
    }

    fn sum(a: u128, b: u128, mut carry: bool, width: Width) -> u128 {
        number((0..width).map(|index| {
            let (x, y) = (bit(a, index), bit(b, index));
            let digit = x ^ y ^ carry;
            carry = x && y || carry && (x || y);
            digit
        }))
    }

    pub fn negated(a: u128, width: Width) -> u128 {
        sum(complement(a, width), 0, true, width)
    }

    fn difference(a: u128, b: u128, width: Width) -> u128 {
        sum(a, complement(b, width), true, width)
    }

    fn less(a: u128, b: u128, width: Width) -> bool {
        (0..width).rev().find(|&index| bit(a, index) != bit(b, index)).is_some_and(|index| bit(b, index))
    }

    fn signed_less(a: u128, b: u128, width: Width) -> bool {
        match (bit(a, width - 1), bit(b, width - 1)) {
            (true, false) => true,
            (false, true) => false,
            _ => less(a, b, width),
        }
    }

    fn shifted_left(a: u128, by: u128, width: Width) -> u128 {
        number((0..width).map(|index| u128::from(index) >= by && bit(a, index - by as Width)))
    }

    fn shifted_right(a: u128, by: u128, fill: bool, width: Width) -> u128 {
        let from = |index: Width| by.saturating_add(index.into());
        number(
            (0..width)
                .map(|index| if from(index) < width.into() { bit(a, from(index) as Width) } else { fill }),
        )
    }

    fn product(a: u128, b: u128, width: Width) -> u128 {
        (0..width)
            .filter(|&index| bit(b, index))
            .fold(0, |total, index| sum(total, shifted_left(a, index.into(), width), false, width))
    }

    /// Quotient and remainder by long division; by zero as SMT-LIB has it.
    fn divided(a: u128, b: u128, width: Width) -> (u128, u128) {
        let (mut quotient, mut rest) = (0, 0);
        if b == 0 {
            return (complement(0, width), a);
        }
        for index in (0..width).rev() {
            // The rest is below `b`, so its top bit is lost only when it is subtracted away at once.
            let overflow = bit(rest, width - 1);
            rest = shifted_left(rest, 1, width) | u128::from(bit(a, index));
            if overflow || !less(rest, b, width) {
                rest = difference(rest, b, width);
                quotient |= 1 << index;
            }
        }
        (quotient, rest)
    }

    fn absolute(a: u128, width: Width) -> u128 {
        if bit(a, width - 1) { negated(a, width) } else { a }
    }

    pub fn binary(op: BinaryOp, a: u128, b: u128, width: Width) -> u128 {
        let (negative_a, negative_b) = (bit(a, width - 1), bit(b, width - 1));
        let (quotient, rest) = divided(absolute(a, width), absolute(b, width), width);
        match op {
            BinaryOp::Eq => (0..width).all(|index| bit(a, index) == bit(b, index)).into(),
            BinaryOp::Ult => less(a, b, width).into(),
            BinaryOp::Ule => (!less(b, a, width)).into(),
            BinaryOp::Slt => signed_less(a, b, width).into(),
            BinaryOp::Sle => (!signed_less(b, a, width)).into(),
            BinaryOp::Add => sum(a, b, false, width),
            BinaryOp::Sub => difference(a, b, width),
            BinaryOp::Mul => product(a, b, width),
            BinaryOp::UDiv => divided(a, b, width).0,
            BinaryOp::URem => divided(a, b, width).1,
            BinaryOp::SDiv if negative_a != negative_b => negated(quotient, width),
            BinaryOp::SDiv => quotient,
            BinaryOp::SRem if negative_a => negated(rest, width),
            BinaryOp::SRem => rest,
            BinaryOp::BvAnd => number((0..width).map(|index| bit(a, index) && bit(b, index))),
            BinaryOp::BvOr => number((0..width).map(|index| bit(a, index) || bit(b, index))),
            BinaryOp::BvXor => number((0..width).map(|index| bit(a, index) != bit(b, index))),
            BinaryOp::Shl => shifted_left(a, b, width),
            BinaryOp::LShr => shifted_right(a, b, false, width),
            BinaryOp::AShr => shifted_right(a, b, negative_a, width),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Concat => {
                unreachable!("{op:?} does not take two equal widths to one")
            }
        }
    }
}

/// `((x + 1) xor x) + 1 …`, a million deep, which no rule makes shorter.
fn deep_chain(pool: &mut ExprPool, links: u32) -> ExprId {
    let x = pool.input(InputId(0), 64).unwrap();
    let one = pool.constant(64, 1).unwrap();
    let mut chain = x;
    for link in 0..links {
        let (op, operand) = if link % 2 == 0 { (BinaryOp::Add, one) } else { (BinaryOp::BvXor, x) };
        chain = pool.intern(Node::Binary(op, chain, operand)).unwrap();
    }
    chain
}

#[test]
fn a_million_links_are_simplified_and_evaluated_on_a_small_stack() {
    let work = || {
        let mut pool = ExprPool::new();
        let chain = deep_chain(&mut pool, 1_000_000);
        let simple = pool.simplify(chain).unwrap();
        let x = 0x1234_5678_9abc_def0u64;
        let expected =
            (0..1_000_000u32).fold(x, |v, link| if link % 2 == 0 { v.wrapping_add(1) } else { v ^ x });
        let mut evaluator = Evaluator::new(&pool, |_| Some(x.into()));
        assert_eq!(evaluator.value(chain), Ok(expected.into()));
        assert_eq!(evaluator.value(simple), Ok(expected.into()));
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap();
}

#[test]
fn a_million_additions_of_constants_become_one() {
    let mut pool = ExprPool::new();
    let x = pool.input(InputId(0), 32).unwrap();
    let three = pool.constant(32, 3).unwrap();
    let chain =
        (0..1_000_000).fold(x, |sum, _| pool.intern(Node::Binary(BinaryOp::Add, sum, three)).unwrap());
    let simple = pool.simplify(chain).unwrap();
    let total = pool.constant(32, 3_000_000).unwrap();
    assert_eq!(pool.node(simple), Node::Binary(BinaryOp::Add, x, total));
    assert_eq!(pool.sort(simple), Sort::Bits(32));
}

#[test]
fn a_leaf_without_a_value_is_named() {
    let mut pool = ExprPool::new();
    let known = pool.input(InputId(0), 8).unwrap();
    let unknown = pool.read(ThreadIx(2), 5, 8).unwrap();
    let sum = pool.binary(BinaryOp::Add, known, unknown).unwrap();
    let mut evaluator = Evaluator::new(&pool, |leaf| matches!(leaf, Leaf::Input(_)).then_some(1));
    assert_eq!(evaluator.value(known), Ok(1));
    assert_eq!(evaluator.value(sum).unwrap_err().0, Leaf::Read(ThreadIx(2), 5));
}
