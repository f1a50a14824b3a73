//! A machine of registers and a little memory, on which the interpreter executes one instruction at a time.

use warpath_native::cpu::{self, Decoded, Exit, Gpr, Registers, Stepped};
use warpath_native::memory::{Fault, FaultKind, Memory, Trouble};
use warpath_native::sym::Access;

/// Where instructions are.
pub const CODE: u64 = 0x40_0000;
/// Where data is.
pub const DATA: u64 = 0x10_0000;
/// Bytes of data; the stack is in the upper half.
pub const DATA_SIZE: usize = 2048;

#[derive(Clone)]
pub struct Machine {
    pub registers: Registers,
    pub data: Vec<u8>,
}

/// What a step did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    pub accesses: Vec<Access>,
    pub exit: Result<Stepped, Exit>,
}

impl Machine {
    /// Executes the instruction. If it fails, nothing has changed.
    pub fn step(&mut self, decoded: &Decoded) -> Done {
        let before = self.registers.clone();
        let kept = self.data.clone();
        let mut data = Data { bytes: &mut self.data, accesses: Vec::new() };
        let exit = cpu::step(&mut self.registers, decoded, &mut data);
        let accesses = data.accesses;
        if exit.is_err() {
            self.registers = before;
            self.data = kept;
        }
        Done { accesses, exit }
    }

    /// Puts the pointers back where memory is.
    pub fn point(&mut self) {
        let half = DATA + DATA_SIZE as u64 / 2;
        self.registers.set(Gpr::R15, DATA);
        self.registers.set(Gpr::Rsp, half + 512);
        self.registers.set(Gpr::Rsi, half - 100);
        self.registers.set(Gpr::Rdi, half + 100);
    }
}

struct Data<'a> {
    bytes: &'a mut [u8],
    accesses: Vec<Access>,
}

impl Data<'_> {
    fn range(&self, address: u64, size: usize, kind: FaultKind) -> Result<std::ops::Range<usize>, Trouble> {
        let offset = address.wrapping_sub(DATA);
        if offset > (DATA_SIZE - size) as u64 {
            return Err(Trouble::Fault(Fault { address, kind, mapped: false }));
        }
        Ok(offset as usize..offset as usize + size)
    }
}

fn number(bytes: &[u8]) -> u128 {
    let mut value = [0; 16];
    value[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(value)
}

impl Memory for Data<'_> {
    fn load<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Trouble> {
        let range = self.range(address, N, FaultKind::Read)?;
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.bytes[range]);
        self.accesses.push(Access::read(address, N as u8, number(&bytes)));
        Ok(bytes)
    }

    fn store<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Result<(), Trouble> {
        let range = self.range(address, N, FaultKind::Write)?;
        self.bytes[range].copy_from_slice(&bytes);
        self.accesses.push(Access::write(address, N as u8, number(&bytes)));
        Ok(())
    }
}
