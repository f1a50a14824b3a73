//! Numbers drawn by lot: the same ones in every run.

use super::Call;
use crate::run::error::RunError;
use crate::run::machine::Machine;
use crate::run::options::Source;

impl Machine {
    /// The next random number. SplitMix64: a counter, well stirred.
    fn draw(&mut self) -> u64 {
        self.kernel.drawn += 1;
        let mut z = self.kernel.drawn.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub(super) fn random_call(&mut self, t: usize, call: Call) -> Result<i64, RunError> {
        let [address, length, ..] = call.arguments;
        let length = length.min(1 << 20);
        let mut bytes = Vec::with_capacity(length as usize + 8);
        while (bytes.len() as u64) < length {
            bytes.extend(self.draw().to_le_bytes());
        }
        bytes.truncate(length as usize);
        if !self.kernel_write(t, address, &bytes)? {
            return Ok(super::error(libc::EFAULT));
        }
        if self.options.symbolic.contains(&Source::Random) {
            self.take_input(t, "random", address, length)?;
        }
        Ok(length as i64)
    }
}
