//! One thread's registers.

/// Numbers of the general registers, as the hardware encodes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs, reason = "the processor's own names")]
pub enum Gpr {
    Rax,
    Rcx,
    Rdx,
    Rbx,
    Rsp,
    Rbp,
    Rsi,
    Rdi,
    R8,
    R9,
    R10,
    R11,
    R12,
    R13,
    R14,
    R15,
}

/// Bits of RFLAGS that programs see.
pub struct Flag;

impl Flag {
    /// Carry.
    pub const CF: u64 = 1;
    /// Parity of the low byte.
    pub const PF: u64 = 1 << 2;
    /// Carry out of bit 3.
    pub const AF: u64 = 1 << 4;
    /// Zero.
    pub const ZF: u64 = 1 << 6;
    /// Sign.
    pub const SF: u64 = 1 << 7;
    /// Direction of string instructions.
    pub const DF: u64 = 1 << 10;
    /// Signed overflow.
    pub const OF: u64 = 1 << 11;
    /// The six that arithmetic sets.
    pub const STATUS: u64 = Self::CF | Self::PF | Self::AF | Self::ZF | Self::SF | Self::OF;
}

/// What one thread has in the processor's registers.
///
/// The x87 and AVX parts are not here: instructions that use them are executed by the hardware, which keeps them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct Registers {
    /// Vector registers, the low 128 bits.
    pub xmm: [u128; 16],
    /// General registers, by [`Gpr`].
    pub gpr: [u64; 16],
    /// Address of the next instruction.
    pub rip: u64,
    /// RFLAGS: the status bits and DF; others as the kernel gave them.
    pub flags: u64,
    /// Base of the FS segment: the thread's own storage.
    pub fs_base: u64,
    /// Base of the GS segment.
    pub gs_base: u64,
    /// Control and status of SSE arithmetic.
    pub mxcsr: u32,
}

impl Default for Registers {
    fn default() -> Self {
        Registers { xmm: [0; 16], gpr: [0; 16], rip: 0, flags: 0x202, fs_base: 0, gs_base: 0, mxcsr: 0x1f80 }
    }
}

impl Registers {
    /// The whole 64 bits of a general register.
    pub fn get(&self, register: Gpr) -> u64 {
        self.gpr[register as usize]
    }

    /// Sets the whole 64 bits of a general register.
    pub fn set(&mut self, register: Gpr, value: u64) {
        self.gpr[register as usize] = value;
    }
}
