//! Values byte by byte: how shadow memory and vector registers keep them.
//!
//! A byte is a byte *of* an expression. So a value that is stored and loaded whole stays one expression, and moving,
//! shuffling and interleaving bytes builds nothing at all.

use warpath_trace::expr::{BinaryOp, Node, Width};
use warpath_trace::ids::ExprId;

use super::bits::Bits;
use super::build::Builder;

/// Which byte of which expression; or neither, for a concrete byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ByteRef {
    /// The expression's number plus one; 0 for a concrete byte.
    expr: u32,
    /// Which of its bytes, from the low end.
    index: u8,
}

impl ByteRef {
    /// A concrete byte.
    pub const CONCRETE: ByteRef = ByteRef { expr: 0, index: 0 };

    fn of(expr: ExprId, index: u8) -> Self {
        // The table holds fewer than `u32::MAX` expressions, so their numbers are below that.
        ByteRef { expr: expr.0 + 1, index }
    }

    pub fn is_symbolic(self) -> bool {
        self.expr != 0
    }

    pub fn expr(self) -> Option<ExprId> {
        self.expr.checked_sub(1).map(ExprId)
    }

    fn follows(self, lower: ByteRef) -> bool {
        self.expr == lower.expr && (self.expr == 0 || self.index == lower.index + 1)
    }
}

/// How many of the first bytes are consecutive bytes of one expression, or all concrete.
pub(super) fn run_length(refs: &[ByteRef]) -> usize {
    let breaks = refs.windows(2).position(|pair| !pair[1].follows(pair[0]));
    breaks.map_or(refs.len(), |at| at + 1)
}

/// The value that these bytes are, lowest first; `value` is its number.
pub(super) fn gather(build: &mut Builder, refs: &[ByteRef], value: u128) -> Bits {
    let width = (refs.len() * 8) as Width;
    if refs.iter().all(|byte| !byte.is_symbolic()) {
        return Bits::concrete(width, value);
    }
    let mut whole: Option<Bits> = None;
    let mut done = 0;
    while done < refs.len() {
        let run = run_length(&refs[done..]);
        let part = Bits::concrete((run * 8) as Width, value >> (done * 8));
        let part = match refs[done].expr() {
            None => part,
            Some(expr) => {
                let low = refs[done].index * 8;
                let value = part.value << low;
                let of = Bits { value, width: build.pool.width(expr), expr: Some(expr) };
                build.extract(low + part.width - 1, low, of)
            }
        };
        whole = Some(match whole {
            None => part,
            Some(lower) => build.concat(part, lower),
        });
        done += run;
    }
    whole.unwrap_or(Bits::concrete(width, value))
}

/// The bytes of a value, lowest first. Parts of it that are constant become concrete bytes.
pub(super) fn scatter(build: &Builder, bits: Bits, into: &mut [ByteRef]) {
    match bits.expr {
        None => into.fill(ByteRef::CONCRETE),
        Some(expr) => scatter_expr(build, expr, into),
    }
}

fn scatter_expr(build: &Builder, expr: ExprId, into: &mut [ByteRef]) {
    match build.pool.node(expr) {
        Node::Const { .. } => into.fill(ByteRef::CONCRETE),
        Node::ZeroExtend { of, .. } if build.pool.width(of).is_multiple_of(8) => {
            let (low, high) = into.split_at_mut(usize::from(build.pool.width(of) / 8));
            high.fill(ByteRef::CONCRETE);
            scatter_expr(build, of, low);
        }
        Node::Binary(BinaryOp::Concat, upper, lower) if build.pool.width(lower).is_multiple_of(8) => {
            let (low, high) = into.split_at_mut(usize::from(build.pool.width(lower) / 8));
            scatter_expr(build, lower, low);
            scatter_expr(build, upper, high);
        }
        Node::Extract { high, low, of } if low.is_multiple_of(8) && (high + 1).is_multiple_of(8) => {
            for (index, byte) in (low / 8..).zip(into) {
                *byte = ByteRef::of(of, index);
            }
        }
        _ => {
            for (index, byte) in (0..).zip(into) {
                *byte = ByteRef::of(expr, index);
            }
        }
    }
}
