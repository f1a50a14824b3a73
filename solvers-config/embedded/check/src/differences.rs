//! Terms of integers: `plus - minus + offset`.

use crate::orders::{LARGEST, Node, Sum};

const ZERO: Node = 0;

/// `plus - minus + offset`; node 0 stands for what is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) plus: Node,
    pub(crate) minus: Node,
    pub(crate) offset: i64,
}

impl Difference {
    pub(crate) fn of(node: Node) -> Difference {
        Difference { plus: node, minus: ZERO, offset: 0 }
    }

    pub(crate) fn constant(value: i128) -> Option<Difference> {
        let offset = i64::try_from(value).ok().filter(|offset| offset.unsigned_abs() <= LARGEST as u64)?;
        Some(Difference { plus: ZERO, minus: ZERO, offset })
    }

    pub(crate) fn negated(self) -> Difference {
        Difference { plus: self.minus, minus: self.plus, offset: -self.offset }
    }

    /// As a node and a number, if it is that.
    pub(crate) fn sum(self) -> Option<Sum> {
        (self.minus == ZERO).then_some((self.plus, self.offset))
    }

    /// The sum, if it is a difference again.
    pub(crate) fn plus(self, other: Difference) -> Option<Difference> {
        let mut ups = [self.plus, other.plus];
        let mut downs = [self.minus, other.minus];
        for up in &mut ups {
            if let Some(down) = downs.iter_mut().find(|down| *down == up) {
                (*up, *down) = (ZERO, ZERO);
            }
        }
        let one = |side: [Node; 2]| match side {
            [node, ZERO] | [ZERO, node] => Some(node),
            _ => None,
        };
        let offset = self.offset + other.offset;
        let fits = offset.unsigned_abs() <= LARGEST as u64;
        Some(Difference { plus: one(ups)?, minus: one(downs)?, offset: fits.then_some(offset)? })
    }
}
