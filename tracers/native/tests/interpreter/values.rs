//! Random contents of registers and memory.

use crate::rng::Rng;

impl Rng {
    /// A number that is often a special one: arithmetic goes wrong at the edges.
    pub fn number(&mut self) -> u64 {
        match self.below(8) {
            0 => self.pick(&[0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000]),
            1 => self.pick(&[0xffff_ffff, 1 << 32, i64::MAX as u64, i64::MIN as u64, u64::MAX, u64::MAX - 1]),
            2 => self.below(256),
            3 => self.below(256).wrapping_neg(),
            4 => 1 << self.below(64),
            _ => self.next(),
        }
    }

    /// Sixteen bytes that are often numbers with a point.
    pub fn vector(&mut self) -> u128 {
        let halves = |a: u64, b: u64| u128::from(a) | (u128::from(b) << 64);
        match self.below(4) {
            0 => halves(self.double(), self.double()),
            1 => {
                let pair = |rng: &mut Rng| u64::from(rng.single()) | (u64::from(rng.single()) << 32);
                halves(pair(self), pair(self))
            }
            2 => halves(self.number(), self.number()),
            _ => halves(self.next(), self.next()),
        }
    }

    fn double(&mut self) -> u64 {
        match self.below(4) {
            0 => self
                .pick(&[0.0, -0.0, 1.0, -1.5, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 5e-324, 1e300])
                .to_bits(),
            // Not a number: quiet, signalling, with something in it.
            1 => self.pick(&[0x7ff8_0000_0000_0000, 0xfff8_0000_0000_1234, 0x7ff0_0000_0000_0001, 1 << 51]),
            2 => (self.next() as i32 as f64 / 256.0).to_bits(),
            _ => self.next(),
        }
    }

    fn single(&mut self) -> u32 {
        match self.below(4) {
            0 => self
                .pick(&[0.0, -0.0, 1.0, -1.5, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1e-45, 1e30])
                .to_bits(),
            1 => self.pick(&[0x7fc0_0000, 0xffc0_1234, 0x7f80_0001, 1 << 22]),
            2 => (self.next() as i16 as f32 / 16.0).to_bits(),
            _ => self.next() as u32,
        }
    }
}
