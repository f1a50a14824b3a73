//! The last bytes of a stream.

use std::collections::VecDeque;

/// Keeps the end of what is written to it and forgets the rest.
#[derive(Debug)]
pub(crate) struct Tail {
    kept: VecDeque<u8>,
    capacity: usize,
    lost: bool,
}

impl Tail {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { kept: VecDeque::with_capacity(capacity), capacity, lost: false }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let fitting = &bytes[bytes.len().saturating_sub(self.capacity)..];
        let overflow = (self.kept.len() + fitting.len()).saturating_sub(self.capacity);
        self.lost |= overflow > 0 || fitting.len() < bytes.len();
        self.kept.drain(..overflow);
        self.kept.extend(fitting);
    }

    /// The kept text, marked with an ellipsis when something before it was lost.
    pub(crate) fn text(&self) -> String {
        let bytes: Vec<u8> = self.kept.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if self.lost { format!("…{text}") } else { text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keeps_exactly_the_end(chunks in prop::collection::vec(prop::collection::vec(b'a'..=b'z', 0..20), 0..20), capacity in 1usize..30) {
            let mut tail = Tail::new(capacity);
            for chunk in &chunks {
                tail.push(chunk);
            }
            let whole: Vec<u8> = chunks.concat();
            let end = String::from_utf8(whole[whole.len().saturating_sub(capacity)..].to_vec()).unwrap();
            let expected = if whole.len() > capacity { format!("…{end}") } else { end };
            prop_assert_eq!(tail.text(), expected);
        }
    }
}
