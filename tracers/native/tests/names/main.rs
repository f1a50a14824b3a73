//! Names for addresses, checked against what real programs say about themselves.

#![allow(clippy::unwrap_used, reason = "a test fails by unwrapping")]

mod build;
mod c_library;
mod damage;
mod facts;
mod lines;
mod stack;
mod symbols;
mod variables;
