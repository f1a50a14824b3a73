//! Marks on single bytes of a page.

use super::page::PAGE;

/// One bit for each byte of a page.
#[derive(Clone)]
pub(crate) struct Marks {
    bits: [u64; PAGE as usize / 64],
    count: u32,
}

impl Marks {
    pub(crate) fn new() -> Marks {
        Marks { bits: [0; PAGE as usize / 64], count: 0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Sets or clears the marks of some bytes.
    pub(crate) fn put(&mut self, offset: usize, length: usize, on: bool) {
        for (word, mask) in words(offset, length) {
            let before = self.bits[word];
            self.bits[word] = if on { before | mask } else { before & !mask };
            self.count = self.count + self.bits[word].count_ones() - before.count_ones();
        }
    }

    /// Whether any of these bytes is marked.
    pub(crate) fn any(&self, offset: usize, length: usize) -> bool {
        words(offset, length).any(|(word, mask)| self.bits[word] & mask != 0)
    }
}

/// The words that the bits of a range lie in, each with the bits concerned.
fn words(offset: usize, length: usize) -> impl Iterator<Item = (usize, u64)> {
    let end = offset + length;
    (offset / 64..end.div_ceil(64)).map(move |word| {
        let from = offset.saturating_sub(word * 64);
        let to = (end - word * 64).min(64);
        (word, (u64::MAX << from) & (u64::MAX >> (64 - to)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_marks_are_exact() {
        for (offset, length) in [(0, 1), (63, 2), (64, 64), (1, 200), (4095, 1), (0, 4096)] {
            let mut marks = Marks::new();
            marks.put(offset, length, true);
            for at in 0..4096 {
                assert_eq!(
                    marks.any(at, 1),
                    (offset..offset + length).contains(&at),
                    "{offset}+{length}: byte {at}"
                );
            }
            assert!(!marks.is_empty());
            marks.put(0, 4096, false);
            assert!(marks.is_empty());
        }
    }
}
