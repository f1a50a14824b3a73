//! The text of a dialogue: bytes, tokens, and how symbols are written.

mod classes;
mod lexer;
mod quote;
mod source;
mod words;

pub(crate) use lexer::{Kind, Lexer, Token};
pub(crate) use quote::{Respaced, error_text, write_symbol};
