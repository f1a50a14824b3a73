//! What the tests of solver processes share.

mod common;
pub use common::*;
