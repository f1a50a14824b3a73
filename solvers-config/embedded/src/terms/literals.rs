//! Numbers and bit-vectors as they are written.

use crate::error::{Complaint, shorten};
use warpath_solvers::term::{MAX_VALUE_WIDTH, MAX_WIDTH, Op, TermError, TermId, Terms};

fn too_large(digits: &[u8]) -> Complaint {
    Complaint::TooLarge { number: shorten(&String::from_utf8_lossy(digits)) }
}

/// A number of a numeral token.
pub(crate) fn number<N: std::str::FromStr>(digits: &[u8]) -> Result<N, Complaint> {
    std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).ok_or_else(|| too_large(digits))
}

/// `5` as an integer.
pub(super) fn integer(terms: &mut Terms, digits: &[u8]) -> Result<TermId, Complaint> {
    Ok(terms.int(number(digits)?)?)
}

/// `#b0101` and `#x0f`, of any width that terms have.
pub(super) fn radix(terms: &mut Terms, digits: &[u8], bits_per_digit: u32) -> Result<TermId, Complaint> {
    let width = digits.len() as u64 * u64::from(bits_per_digit);
    if width > u64::from(MAX_WIDTH) {
        return Err(TermError::WidthOutOfRange { width }.into());
    }
    // Wide ones are put together from parts that have values.
    let per_part = (MAX_VALUE_WIDTH / bits_per_digit) as usize;
    let mut whole = None;
    for part in digits.rchunks(per_part).rev() {
        let text = std::str::from_utf8(part).unwrap_or_default();
        let value = u128::from_str_radix(text, 1 << bits_per_digit).map_err(|_| too_large(part))?;
        let part = terms.bits(value, part.len() as u32 * bits_per_digit)?;
        whole = Some(match whole {
            None => part,
            Some(high) => terms.apply(Op::Concat, &[high, part])?,
        });
    }
    whole.ok_or_else(|| TermError::WidthOutOfRange { width }.into())
}

/// `(_ bv5 8)`, given `5` and `8`.
pub(super) fn decimal(terms: &mut Terms, digits: &[u8], width: u64) -> Result<TermId, Complaint> {
    let value: u128 = number(digits)?;
    match u32::try_from(width) {
        Ok(width) if width <= MAX_VALUE_WIDTH => Ok(terms.bits(value, width)?),
        Ok(width) if width <= MAX_WIDTH => {
            let low = terms.bits(value, MAX_VALUE_WIDTH)?;
            Ok(terms.apply(Op::ZeroExtend((width - MAX_VALUE_WIDTH) as u16), &[low])?)
        }
        _ => Err(TermError::WidthOutOfRange { width }.into()),
    }
}
