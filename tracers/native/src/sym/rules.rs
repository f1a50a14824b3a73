//! Every rule preserves the value: random expressions, built with the rules and without, under random assignments.

use proptest::prelude::*;
use warpath_trace::expr::{BinaryOp, Evaluator, ExprPool, Leaf, Node, Sort, UnaryOp, Width, mask};
use warpath_trace::ids::{ExprId, InputId};

use super::bits::{Bits, Truth};
use super::build::Builder;
use super::path::essence;

const INPUTS: [Width; 4] = [8, 8, 16, 32];

/// A value built with the rules, and the same without.
#[derive(Clone, Copy)]
struct Twin {
    ruled: Bits,
    plain: ExprId,
}

struct Twins {
    build: Builder,
    plain: ExprPool,
    values: Vec<Twin>,
    truths: Vec<(Truth, ExprId)>,
}

impl Twins {
    fn new() -> Self {
        let mut twins = Twins {
            build: Builder::new(usize::MAX),
            plain: ExprPool::new(),
            values: Vec::new(),
            truths: Vec::new(),
        };
        for (index, width) in INPUTS.into_iter().enumerate() {
            let node = Node::Input { input: InputId::from(index), width };
            let expr = twins.build.leaf(node);
            let plain = twins.plain.intern(node).unwrap();
            twins.values.push(Twin { ruled: Bits { value: 0, width, expr }, plain });
        }
        twins
    }

    fn plain(&mut self, node: Node) -> ExprId {
        self.plain.intern(node).unwrap()
    }

    /// A value of this width: one that is there, made fit, or a constant that is likely to matter.
    fn pick(&mut self, choice: u64, width: Width) -> Twin {
        if choice.is_multiple_of(3) {
            let around =
                [0, 1, 2, 3, 48, 127, 128, 255, 256, 0x7fff, 0xffff, u64::MAX, u64::MAX - 47, 1 << 31];
            let value = around[(choice / 3) as usize % around.len()];
            let ruled = Bits::concrete(width, u128::from(value));
            let plain = self.plain(Node::Const { width, value: ruled.value });
            return Twin { ruled, plain };
        }
        // The latest are the deepest.
        let back = (choice >> 8) as usize % self.values.len().min(6);
        let twin = self.values[self.values.len() - 1 - back];
        self.fit(twin, width, choice >> 16)
    }

    fn fit(&mut self, twin: Twin, width: Width, choice: u64) -> Twin {
        let from = twin.ruled.width;
        if from > width {
            let low = (choice % u64::from(from - width + 1)) as Width;
            let low = if choice & 0x100 == 0 { 0 } else { low };
            return self.extract(twin, low + width - 1, low);
        }
        if from == width {
            return twin;
        }
        if choice & 1 == 0 {
            let plain = self.plain(Node::ZeroExtend { width, of: twin.plain });
            Twin { ruled: self.build.zero_extend(width, twin.ruled), plain }
        } else {
            let plain = self.plain(Node::SignExtend { width, of: twin.plain });
            Twin { ruled: self.build.sign_extend(width, twin.ruled), plain }
        }
    }

    fn extract(&mut self, twin: Twin, high: Width, low: Width) -> Twin {
        let plain = self.plain(Node::Extract { high, low, of: twin.plain });
        Twin { ruled: self.build.extract(high, low, twin.ruled), plain }
    }

    fn grow(&mut self, op: u8, a: u64, b: u64) {
        use BinaryOp::*;
        const ARITHMETIC: [BinaryOp; 9] = [Add, Sub, Mul, BvAnd, BvOr, BvXor, Shl, LShr, AShr];
        const COMPARE: [BinaryOp; 5] = [Eq, Ult, Ule, Slt, Sle];
        let width = [8, 16, 32, 64][(a >> 40) as usize % 4];
        let (x, y) = (self.pick(a, width), self.pick(b, width));
        let new = match op % 24 {
            0..=8 => {
                let op = ARITHMETIC[usize::from(op % 24)];
                let plain = self.plain(Node::Binary(op, x.plain, y.plain));
                Twin { ruled: self.build.binary(op, x.ruled, y.ruled), plain }
            }
            9..=15 => {
                let op = COMPARE[(a >> 44) as usize % 5];
                let truth = self.build.compare(op, x.ruled, y.ruled);
                let plain = self.plain(Node::Binary(op, x.plain, y.plain));
                self.truths.push((truth, plain));
                return;
            }
            16 => {
                let op = if b & 1 == 0 { UnaryOp::BvNot } else { UnaryOp::Neg };
                let plain = self.plain(Node::Unary(op, x.plain));
                Twin { ruled: self.build.unary(op, x.ruled), plain }
            }
            17 if width < 64 => {
                let plain = self.plain(Node::Binary(Concat, x.plain, y.plain));
                Twin { ruled: self.build.concat(x.ruled, y.ruled), plain }
            }
            18..=20 if !self.truths.is_empty() => {
                let (truth, condition) = self.truths[(a >> 48) as usize % self.truths.len()];
                let plain = self.plain(Node::Ite { condition, then: x.plain, otherwise: y.plain });
                Twin { ruled: self.build.ite(truth, x.ruled, y.ruled), plain }
            }
            22 if !self.truths.is_empty() => {
                let (truth, condition) = self.truths[(a >> 48) as usize % self.truths.len()];
                let then = self.plain(Node::Const { width, value: mask(width) });
                let otherwise = self.plain(Node::Const { width, value: 0 });
                let plain = self.plain(Node::Ite { condition, then, otherwise });
                Twin { ruled: self.build.fill(truth, width), plain }
            }
            21 if width > 8 => {
                let low = (b % u64::from(width - 1)) as Width;
                let high = low + (b >> 8) as u8 % (width - low);
                let bits = self.extract(x, high, low);
                self.fit(bits, width, b >> 20)
            }
            _ => self.fit(x, 64, b),
        };
        self.values.push(new);
    }

    fn check(&mut self, inputs: [u64; 4]) -> Result<(), TestCaseError> {
        let leaves = |leaf| match leaf {
            Leaf::Input(input) => Some(u128::from(inputs[input.index()]) & mask(INPUTS[input.index()])),
            Leaf::Read(..) => None,
        };
        let mut plain = Evaluator::new(&self.plain, leaves);
        let mut ruled = Evaluator::new(&self.build.pool, leaves);
        for &(truth, id) in &self.truths {
            let expected = plain.holds(id).unwrap();
            let found = truth.expr.map_or(truth.value, |expr| ruled.holds(expr).unwrap());
            prop_assert_eq!(found, expected, "a condition");
        }
        for twin in &self.values {
            let expected = plain.value(twin.plain).unwrap();
            let Some(expr) = twin.ruled.expr else {
                prop_assert_eq!(twin.ruled.value, expected, "a constant");
                continue;
            };
            prop_assert_eq!(self.build.pool.sort(expr), Sort::Bits(twin.ruled.width));
            let found = ruled.value(expr).unwrap();
            prop_assert_eq!(found, expected, "a value");
            // What it depends on has a value if and only if it has its: here, and for the value that it has with all
            // inputs zero, which this assignment may or may not give it.
            let here = essence(&self.build, expr, found);
            prop_assert_eq!(ruled.value(here.0).unwrap(), here.1, "the essence of a value");
            let zero = essence(&self.build, expr, twin.ruled.value);
            prop_assert_eq!(ruled.value(zero.0).unwrap() == zero.1, found == twin.ruled.value, "of another");
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6_000))]

    #[test]
    fn rules_preserve_values(
        steps in proptest::collection::vec((any::<u8>(), any::<u64>(), any::<u64>()), 1..24),
        assignments in proptest::collection::vec(any::<[u64; 4]>(), 4),
        small in proptest::collection::vec([0..4u64, 0..260u64, 0..70_000u64, 0..3u64], 4),
    ) {
        let mut twins = Twins::new();
        for (op, a, b) in steps {
            twins.grow(op, a, b);
        }
        for inputs in assignments.into_iter().chain(small) {
            twins.check(inputs)?;
        }
    }
}
