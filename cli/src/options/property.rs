//! `--check`: what counts as a bug.

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};
use warpath_analyzer::findings::Property as Checked;

/// A class of bugs to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Property {
    /// An assertion can fail
    Assertion,
    /// The program can crash: null dereference, division by zero, out of bounds
    Crash,
    /// Threads can wait for each other for ever
    Deadlock,
    /// Two conflicting accesses with no synchronisation between them
    Race,
    /// Another thread can get between two accesses that belong together
    Atomicity,
    /// Memory can be used after it was freed
    UseAfterFree,
    /// Everything, as without this option
    All,
}

impl Property {
    /// What the analyzer looks for.
    pub(crate) fn checked(self) -> Vec<Checked> {
        match self {
            Property::Assertion => vec![Checked::Assertion],
            Property::Crash => vec![Checked::Crash],
            Property::Deadlock => vec![Checked::Deadlock],
            Property::Race => vec![Checked::Race],
            Property::Atomicity => vec![Checked::Atomicity, Checked::Order],
            Property::UseAfterFree => vec![Checked::UseAfterFree],
            // Replaced by the others when the options were lowered.
            Property::All => Vec::new(),
        }
    }

    /// Every property, in the order of the list in the help.
    pub(crate) fn all() -> impl Iterator<Item = Property> {
        Property::value_variants().iter().copied().filter(|property| *property != Property::All)
    }
}

/// The option.
#[derive(Args, Debug)]
pub(crate) struct CheckOption {
    /// What to look for: a comma-separated list [default: everything]
    #[arg(long, value_name = "KIND,…", value_delimiter = ',')]
    check: Vec<Property>,
}

/// The option where most is seen without asking.
#[derive(Args, Debug)]
pub(crate) struct MoreChecksOption {
    /// What to look for: a comma-separated list, or `all` [default: all but race and atomicity]
    #[arg(long, value_name = "KIND,…", value_delimiter = ',')]
    check: Vec<Property>,
}

impl MoreChecksOption {
    /// The properties, without repetitions, in the order of the list in the help.
    pub(crate) fn lower(self) -> Vec<Property> {
        let usual = |property: &Property| !matches!(property, Property::Race | Property::Atomicity);
        match self.check.is_empty() {
            true => Property::all().filter(usual).collect(),
            false => CheckOption { check: self.check }.lower(),
        }
    }
}

impl CheckOption {
    /// The properties, without repetitions, in the order of the list in the help.
    pub(crate) fn lower(self) -> Vec<Property> {
        let everything = self.check.is_empty() || self.check.contains(&Property::All);
        Property::all().filter(|property| everything || self.check.contains(property)).collect()
    }
}
