//! What a script asks and what its symbols mean, so that an answer from elsewhere can be understood.

use std::collections::BTreeMap;

use serde::Serialize;

/// What a symbol of a script stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum Symbol {
    /// The event is executed.
    Executed {
        /// The event's name: thread key and position within the thread.
        event: String,
        /// Where in the program.
        place: String,
    },
    /// When the event is executed.
    Order {
        /// The event's name.
        event: String,
    },
    /// When the write takes effect for other threads.
    Commit {
        /// The event's name.
        event: String,
    },
    /// The value of an input.
    Input {
        /// Its name.
        name: String,
        /// Which of that name.
        nth: u32,
    },
}

/// What a script asks and what its symbols mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Manifest {
    /// The question in words.
    pub question: String,
    /// The symbols whose values make an answer, as the script spells them.
    pub symbols: BTreeMap<String, Symbol>,
}
