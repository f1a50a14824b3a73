//! Decisions read from a tape. When it is used up, every decision is the simplest one.

/// The tape.
pub struct Choices {
    tape: std::vec::IntoIter<u64>,
}

impl Choices {
    pub fn new(tape: Vec<u64>) -> Self {
        Choices { tape: tape.into_iter() }
    }

    /// The first so many decisions as a tape of their own.
    pub fn split_off(&mut self, count: usize) -> Choices {
        Choices::new(self.tape.by_ref().take(count).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.tape.len() == 0
    }

    fn next(&mut self) -> u64 {
        self.tape.next().unwrap_or(0)
    }

    pub fn number_below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.number_below(limit as u64) as usize
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// True in the simplest case.
    pub fn flip(&mut self) -> bool {
        self.number_below(2) == 0
    }

    /// Nothing in the simplest case.
    pub fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.flip() { None } else { Some(make(self)) }
    }

    /// A number of up to 128 bits: small ones, ones near powers of two, and anything.
    pub fn wide(&mut self) -> u128 {
        let bits = self.next();
        match self.number_below(4) {
            0 => u128::from(bits % 10),
            1 => u128::from(bits),
            2 => (1u128 << (bits % 128)).wrapping_sub(u128::from(bits >> 63)),
            _ => u128::from(bits) << 64 | u128::from(self.next()),
        }
    }

    /// A value of so many bits; 0 bits have only the value 0.
    pub fn value(&mut self, width: u32) -> u128 {
        let wide = self.wide();
        if width >= 128 { wide } else { wide & ((1 << width) - 1) }
    }

    /// A width of 1 to 128 bits, mostly one that programs have.
    pub fn width(&mut self) -> u8 {
        match self.number_below(3) {
            2 => 1 + self.number_below(128) as u8,
            _ => *self.pick(&[32, 8, 64, 1, 16, 128]),
        }
    }

    pub fn bytes(&mut self) -> Vec<u8> {
        (0..self.below(12)).map(|_| self.next() as u8).collect()
    }

    pub fn text(&mut self) -> String {
        const TEXTS: &[&str] = &["", "./m0", "with \"quotes\" and \\", "two\nlines", "größe", "# no comment"];
        (*self.pick(TEXTS)).to_owned()
    }
}
