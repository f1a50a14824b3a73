//! What can be wrong with a class file.

/// A class file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClassError {
    /// It ends too early.
    #[error("the class file ends at byte {0}, in the middle of something")]
    Truncated(usize),
    /// It does not begin as class files do.
    #[error("the class file begins with {0:#010x}, not with 0xcafebabe")]
    Magic(u32),
    /// A constant of an unknown kind.
    #[error("constant {index} has the unknown tag {tag}")]
    ConstantTag {
        /// Its number.
        index: u16,
        /// The tag.
        tag: u8,
    },
    /// A reference to a constant that is not there or of another kind.
    #[error("constant {index} is not {wanted}")]
    Constant {
        /// The number.
        index: u16,
        /// What it should have been.
        wanted: &'static str,
    },
    /// A descriptor that makes no sense.
    #[error("`{0}` is not a descriptor")]
    Descriptor(String),
}
