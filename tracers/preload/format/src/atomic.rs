//! Size and order of atomic operations in one number: the size's logarithm, and from the fourth bit on the order as the
//! compilers number it.

/// Orders, as `__ATOMIC_*` has them.
pub mod order {
    /// `relaxed`.
    pub const RELAXED: u8 = 0;
    /// `consume`.
    pub const CONSUME: u8 = 1;
    /// `acquire`.
    pub const ACQUIRE: u8 = 2;
    /// `release`.
    pub const RELEASE: u8 = 3;
    /// `acq_rel`.
    pub const ACQ_REL: u8 = 4;
    /// `seq_cst`.
    pub const SEQ_CST: u8 = 5;
}

/// Both in one.
pub const fn code(log2: u8, order: i32) -> u8 {
    log2 | (order as u8 & 7) << 3
}

/// How many bytes, 1 to 16.
pub const fn size(code: u8) -> u8 {
    let log2 = code & 7;
    1 << if log2 > 4 { 4 } else { log2 }
}

/// The order's number.
pub const fn order(code: u8) -> u8 {
    code >> 3 & 7
}
