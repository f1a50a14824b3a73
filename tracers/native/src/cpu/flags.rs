//! Status flags, kept as the result they come from until somebody asks.
//!
//! Most flags are never read, so an operation only leaves its sign-extended result and the carries out of three of its
//! bits; each flag is a few machine instructions away from these, whatever the operation was.

use super::Flag;

/// The six status flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flags {
    /// Sign-extended result: zero flag, sign flag, and parity of the low byte.
    result: u64,
    /// Bit 63: carry out of the top bit. Bit 62: carry into it. Bit 3: carry out of bit 3.
    /// For flags that no result has: bit 0 inverts the sign flag, bits 8 to 15 are added to the byte for parity.
    carries: u64,
}

/// Sign-extends a value of `W` bytes.
#[inline(always)]
pub(crate) fn sign_extend<const W: usize>(value: u64) -> u64 {
    match W {
        1 => value as i8 as u64,
        2 => value as i16 as u64,
        4 => value as i32 as u64,
        _ => value,
    }
}

/// The low `W` bytes.
#[inline(always)]
pub(crate) fn truncate<const W: usize>(value: u64) -> u64 {
    match W {
        1 => value as u8 as u64,
        2 => value as u16 as u64,
        4 => value as u32 as u64,
        _ => value,
    }
}

/// The top bit of a value of `W` bytes.
#[inline(always)]
pub(crate) fn top<const W: usize>(value: u64) -> bool {
    (value >> (8 * W - 1)) & 1 != 0
}

impl Flags {
    /// Those of a result of `W` bytes that has carried as the vector says.
    #[inline(always)]
    fn of_carries<const W: usize>(result: u64, carries: u64) -> Flags {
        let outer = (carries << (64 - 8 * W)) & (3 << 62);
        Flags { result: sign_extend::<W>(result), carries: outer | (carries & 8) }
    }

    /// Those of `a + b` (and a carry), which gave `result`.
    #[inline(always)]
    pub(crate) fn of_sum<const W: usize>(a: u64, b: u64, result: u64) -> Flags {
        Flags::of_carries::<W>(result, (a & b) | ((a | b) & !result))
    }

    /// Those of `a - b` (and a borrow), which gave `result`.
    #[inline(always)]
    pub(crate) fn of_difference<const W: usize>(a: u64, b: u64, result: u64) -> Flags {
        Flags::of_carries::<W>(result, (!a & b) | ((!a | b) & result))
    }

    /// Those of a bitwise operation: nothing carries.
    #[inline(always)]
    pub(crate) fn of_logic<const W: usize>(result: u64) -> Flags {
        Flags { result: sign_extend::<W>(result), carries: 0 }
    }

    /// Those of a shift's result, with carry and overflow given. The carry out of bit 3 is undefined; it is set, as some
    /// processors do.
    #[inline(always)]
    pub(crate) fn of_shift<const W: usize>(result: u64, carry: bool, overflow: bool) -> Flags {
        let carries = (u64::from(carry) << 63) | (u64::from(carry ^ overflow) << 62) | 8;
        Flags { result: sign_extend::<W>(result), carries }
    }

    /// The same with another carry.
    #[inline(always)]
    pub(crate) fn with_carry(self, carry: bool) -> Flags {
        // Both bits change together, or overflow would change too.
        let flip = self.carry() ^ carry;
        Flags { carries: self.carries ^ if flip { 3 << 62 } else { 0 }, ..self }
    }

    /// The same with another carry and overflow.
    #[inline(always)]
    pub(crate) fn with_carry_overflow(self, carry: bool, overflow: bool) -> Flags {
        let outer = (u64::from(carry) << 63) | (u64::from(carry ^ overflow) << 62);
        Flags { carries: (self.carries & !(3 << 62)) | outer, ..self }
    }

    /// From bits of RFLAGS.
    pub(crate) fn from_bits(bits: u64) -> Flags {
        let bit = |flag: u64| u64::from(bits & flag != 0);
        let (carry, overflow) = (bit(Flag::CF), bit(Flag::OF));
        Flags {
            // Any value whose low byte is zero and whose sign is clear.
            result: if bits & Flag::ZF != 0 { 0 } else { 0x100 },
            carries: (carry << 63)
                | ((carry ^ overflow) << 62)
                | (bit(Flag::AF) << 3)
                | bit(Flag::SF)
                | ((bit(Flag::PF) ^ 1) << 8),
        }
    }

    /// As bits of RFLAGS.
    pub(crate) fn bits(self) -> u64 {
        let bit = |on: bool, flag: u64| if on { flag } else { 0 };
        bit(self.carry(), Flag::CF)
            | bit(self.parity(), Flag::PF)
            | bit(self.carries & 8 != 0, Flag::AF)
            | bit(self.zero(), Flag::ZF)
            | bit(self.sign(), Flag::SF)
            | bit(self.overflow(), Flag::OF)
    }

    #[inline(always)]
    pub(crate) fn carry(self) -> bool {
        self.carries >> 63 != 0
    }

    #[inline(always)]
    pub(crate) fn overflow(self) -> bool {
        (self.carries ^ (self.carries << 1)) >> 63 != 0
    }

    #[inline(always)]
    pub(crate) fn zero(self) -> bool {
        self.result == 0
    }

    #[inline(always)]
    pub(crate) fn sign(self) -> bool {
        (self.result >> 63) ^ (self.carries & 1) != 0
    }

    #[inline(always)]
    pub(crate) fn parity(self) -> bool {
        let byte = (self.result ^ (self.carries >> 8)) as u8;
        // One bit for each four-bit number: whether it has an even number of ones.
        (0x9669_u32 >> ((byte ^ (byte >> 4)) & 15)) & 1 != 0
    }

    /// Whether the condition with this number (as in the encoding of `jcc`) holds.
    #[inline(always)]
    pub(crate) fn condition(self, number: u8) -> bool {
        let holds = match (number >> 1) & 7 {
            0 => self.overflow(),
            1 => self.carry(),
            2 => self.zero(),
            3 => self.carry() | self.zero(),
            4 => self.sign(),
            5 => self.parity(),
            6 => self.sign() ^ self.overflow(),
            _ => (self.sign() ^ self.overflow()) | self.zero(),
        };
        holds ^ (number & 1 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_combination_of_flags_can_be_kept() {
        for n in 0..64 {
            let bit = |i: u32, flag: u64| if n >> i & 1 == 1 { flag } else { 0 };
            let bits =
                bit(0, Flag::CF) | bit(1, Flag::PF) | bit(2, Flag::AF) | bit(3, Flag::ZF) | bit(4, Flag::SF);
            let bits = bits | bit(5, Flag::OF);
            let flags = Flags::from_bits(bits);
            assert_eq!(flags.bits(), bits);
            for carry in [false, true] {
                let expected = bits & !Flag::CF | u64::from(carry);
                assert_eq!(flags.with_carry(carry).bits(), expected);
            }
        }
    }
}
