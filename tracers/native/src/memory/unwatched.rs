//! Memory without marks: for executing an instruction that was stopped because of them.

use super::slow::Checks;
use super::{Memory, Space, Trouble};

/// A space whose marks do not stop anything. Protections hold, and accesses are noted.
///
/// Marks stay as they are: whoever executes a store over symbolic bytes unmarks them.
pub struct Unwatched<'a> {
    space: &'a mut Space,
}

const CHECKS: Checks = Checks { marks: false, code: false };

impl Space {
    /// This space without its marks.
    pub fn unwatched(&mut self) -> Unwatched<'_> {
        Unwatched { space: self }
    }
}

impl Unwatched<'_> {
    /// The whole space.
    pub fn space(&mut self) -> &mut Space {
        self.space
    }
}

impl Memory for Unwatched<'_> {
    fn load<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Trouble> {
        self.space.load_with(address, CHECKS)
    }

    fn store<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Result<(), Trouble> {
        self.space.store_with(address, bytes, CHECKS)
    }
}
