//! Deterministic chance.

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// A number of which corner cases are as likely as any.
    pub fn number(&mut self) -> u64 {
        let shift = self.below(64);
        match self.below(8) {
            0 => self.below(4) as u64,
            1 => u64::MAX - self.below(4) as u64,
            2 => 1u64.rotate_left(shift as u32).wrapping_sub(self.below(3) as u64),
            3 => self.below(256) as u64,
            4 => self.next() & 0x0101_0101_0101_0101,
            5 => self.next() >> shift,
            _ => self.next(),
        }
    }
}
