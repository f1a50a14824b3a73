//! Class files: what the interpreter has to know of a class.
//!
//! Java 8 to 25 and older. What is not needed is skipped by its length; nothing is believed of a file but what its bytes
//! can hold, so that a damaged one is an error and never more.

mod attributes;
mod bytes;
mod constants;
mod descriptor;
mod error;
mod parse;

pub use attributes::{Code, Handler};
pub use constants::{Constant, ConstantPool, Member};
pub use descriptor::{JavaType, MethodDescriptor, parse_field_type};
pub use error::ClassError;
pub use parse::{ClassFile, Field, Method};

/// Bits of the access flags of classes, fields and methods that matter here.
pub mod access {
    /// A static field or method.
    pub const STATIC: u16 = 0x0008;
    /// A synchronized method.
    pub const SYNCHRONIZED: u16 = 0x0020;
    /// A volatile field.
    pub const VOLATILE: u16 = 0x0040;
}
