//! What can be looked for, and what can be found.

use serde::Serialize;

/// A property to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Property {
    /// An assertion can fail.
    Assertion,
    /// The program can crash: null dereference, division by zero, any failure that a run had.
    Crash,
    /// Threads can wait for ever.
    Deadlock,
    /// Two conflicting accesses with no synchronisation between them.
    Race,
    /// Another thread can get between two accesses that belong together.
    Atomicity,
    /// Something can be read before the thread that sets it up has done so.
    Order,
    /// Storage can be used, or given back again, after it was given back.
    UseAfterFree,
}

impl Property {
    /// Every property, in the order in which they are checked.
    pub const ALL: [Property; 7] = [
        Property::Assertion,
        Property::Crash,
        Property::Deadlock,
        Property::Race,
        Property::Atomicity,
        Property::Order,
        Property::UseAfterFree,
    ];

    /// Its name, as commands spell it.
    pub fn name(self) -> &'static str {
        match self {
            Property::Assertion => "assertion",
            Property::Crash => "crash",
            Property::Deadlock => "deadlock",
            Property::Race => "race",
            Property::Atomicity => "atomicity",
            Property::Order => "order",
            Property::UseAfterFree => "use-after-free",
        }
    }
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// An assertion that can fail.
    AssertionFailure,
    /// An address that can be null.
    NullDereference,
    /// A divisor that can be zero.
    DivisionByZero,
    /// A failure that a recorded run had and that can happen again.
    Failure,
    /// Threads that wait for each other, or for something that nobody is left to do.
    Deadlock,
    /// Conflicting accesses that can be adjacent.
    DataRace,
    /// Accesses that belong together and can be interrupted.
    AtomicityViolation,
    /// A read that can come before what it needs was written.
    OrderViolation,
    /// A use of storage that can come after it was given back.
    UseAfterFree,
    /// Storage that can be given back twice.
    DoubleFree,
}

impl Kind {
    /// In one word, for files and machines: `data-race`.
    pub fn word(self) -> String {
        self.name().replace(' ', "-")
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Kind::AssertionFailure => "assertion failure",
            Kind::NullDereference => "null dereference",
            Kind::DivisionByZero => "division by zero",
            Kind::Failure => "failure",
            Kind::Deadlock => "deadlock",
            Kind::DataRace => "data race",
            Kind::AtomicityViolation => "atomicity violation",
            Kind::OrderViolation => "order violation",
            Kind::UseAfterFree => "use after free",
            Kind::DoubleFree => "double free",
        }
    }
}
