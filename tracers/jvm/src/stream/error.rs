//! What can be wrong with a stream.

use crate::classfile::ClassError;

/// A stream that cannot be read any further. Everything before the offset was complete.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// It is not a stream at all.
    #[error(
        "the agent's file does not begin as it should (`WPJVM1`): were agent and adapter built together?"
    )]
    Magic,
    /// It ends in the middle of a record.
    #[error("the agent's stream is cut at byte {offset}")]
    Cut {
        /// Where the record begins.
        offset: usize,
    },
    /// A tag that means nothing.
    #[error("the agent's stream has an unknown record {tag} at byte {offset}")]
    Tag {
        /// The tag.
        tag: u8,
        /// Where it stands.
        offset: usize,
    },
    /// A number of something that was not defined.
    #[error("the agent's stream speaks of {what} {number} at byte {offset}, which it has not defined")]
    Undefined {
        /// What kind of thing.
        what: &'static str,
        /// Its number.
        number: u64,
        /// Where the record begins.
        offset: usize,
    },
    /// A number that is not one of those possible.
    #[error("the agent's stream has {what} {number} at byte {offset}")]
    Number {
        /// What it is the number of.
        what: &'static str,
        /// The number.
        number: u64,
        /// Where the record begins.
        offset: usize,
    },
    /// A class file in it is damaged.
    #[error("the class `{name}` at byte {offset} of the agent's stream: {error}")]
    Class {
        /// Its name.
        name: String,
        /// What is wrong.
        error: ClassError,
        /// Where the record begins.
        offset: usize,
    },
    /// A record that does not fit the instruction that it names.
    #[error("the record at byte {offset} of the agent's stream does not fit instruction {pc} of {method}")]
    Misplaced {
        /// The instruction.
        pc: u32,
        /// The method.
        method: String,
        /// Where the record begins.
        offset: usize,
    },
}
