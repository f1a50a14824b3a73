//! Bit-vectors as circuits: gates, shared where they are equal, and each operation built of them.
//!
//! There is no rewriting of terms: constants, equal and opposite inputs are folded gate by gate, which does for free
//! what rewriting would (extractions of concatenations, comparisons of choices between constants, shifts and
//! products by constants, …).

mod arithmetic;
mod compare;
mod divide;
mod gates;
mod shift;

pub(crate) use gates::Circuit;
pub(crate) use shift::Direction;

use crate::sat::Lit;

/// The literals of a constant.
pub(crate) fn constant(value: u128, width: u32) -> Vec<Lit> {
    (0..width).map(|bit| Lit::TRUE.flipped(bit >= 128 || value >> bit & 1 == 0)).collect()
}

/// Whether all bits are known for good.
pub(crate) fn is_constant(bits: &[Lit]) -> bool {
    bits.iter().all(|&bit| bit == Lit::TRUE || bit == Lit::FALSE)
}

/// The number that literals are, if all are constants (and it fits).
fn known(bits: &[Lit]) -> Option<u128> {
    let mut value = 0;
    for (place, &bit) in bits.iter().enumerate() {
        match bit {
            Lit::FALSE => {}
            Lit::TRUE if place < 128 => value |= 1 << place,
            _ => return None,
        }
    }
    Some(value)
}
