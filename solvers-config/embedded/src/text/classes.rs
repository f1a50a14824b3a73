//! What each byte may be part of.

pub(super) const SPACE: u8 = 1;
/// May stand in a simple symbol.
pub(super) const SYMBOL: u8 = 2;
/// May stand in a word, but not in a symbol: `#` and `:`.
pub(super) const MARK: u8 = 4;
pub(super) const WORD: u8 = SYMBOL | MARK;

/// The classes of all bytes; 0 for those that need a look of their own, or are not allowed.
pub(super) const CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b' ' | b'\t' | b'\r' | b'\n' => SPACE,
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => SYMBOL,
            b'~' | b'!' | b'@' | b'$' | b'%' | b'^' | b'&' | b'*' | b'_' | b'-' | b'+' | b'=' | b'<'
            | b'>' | b'.' | b'?' | b'/' => SYMBOL,
            b'#' | b':' => MARK,
            _ => 0,
        };
        byte += 1;
    }
    table
};

/// Whether a symbol can be written without bars.
pub(super) fn is_simple_symbol(symbol: &str) -> bool {
    !symbol.is_empty()
        && !symbol.starts_with(|first: char| first.is_ascii_digit())
        && symbol.bytes().all(|byte| CLASS[usize::from(byte)] == SYMBOL)
}
