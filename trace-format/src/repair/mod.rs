//! Repairs: changes of a program that rule out schedules, at lines of its source.
//!
//! A diagnosis proposes them, and a tracer can run the program as if they had been made. They are files of their own,
//!
//! ```toml
//! format = "warpath.repair/1"
//! program = "./mysql169"
//! sentence = "let one thread at a time execute mysql169.c:23-24 and mysql169.c:32-33, under one lock"
//!
//! [[rule]]
//! kind = "critical-sections"
//!
//! [[rule.regions]]
//! file = "mysql169.c"
//! function = "delete_all"
//! from = 23
//! to = 24
//! ```
//!
//! and parts of the schedule+input files of runs that were made under them.

mod file;
mod spot;

pub use file::{RepairError, RepairFile};
pub use spot::{Region, Spot};

use serde::{Deserialize, Serialize};

use crate::thread::ThreadKey;

/// A change of the program that rules out schedules.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
pub enum Rule {
    /// No two threads are in any of these regions at a time: one lock for all of them.
    CriticalSections {
        /// The regions.
        regions: Vec<Region>,
    },
    /// What a thread wrote before these lines is seen by all when it comes there.
    Fences {
        /// The lines, each with a fence in front.
        before: Vec<Spot>,
    },
    /// A thread waits in front of a line until somebody has been at another line.
    Wait {
        /// Where it waits.
        before: Spot,
        /// What has to have happened.
        until: Spot,
        /// How often, and by whom.
        how: How,
        /// By [`How::All`], who has to have been there: keys of threads.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        threads: Vec<String>,
    },
    /// Who starts a thread at this line goes on only after that thread has ended.
    JoinAtOnce {
        /// Where threads are started.
        after: Spot,
    },
    /// Of these threads one runs at a time, from its beginning to its end: one lock around what each of them does.
    OneByOne {
        /// Their keys.
        threads: Vec<String>,
    },
}

/// What a thread waits for in front of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// That somebody has been there once.
    Once,
    /// For the n-th time here, that somebody has been there n times.
    Each,
    /// That all of these threads have been there, but for the one that waits.
    All,
}

impl Rule {
    /// How many places of the program it changes.
    pub fn places(&self) -> usize {
        match self {
            Rule::CriticalSections { regions } => regions.len(),
            Rule::Fences { before } => before.len(),
            Rule::Wait { .. } => 2,
            Rule::JoinAtOnce { .. } => 1,
            Rule::OneByOne { threads } => threads.len(),
        }
    }

    /// How many lines it affects.
    pub fn lines(&self) -> u32 {
        match self {
            Rule::CriticalSections { regions } => {
                regions.iter().fold(0, |lines, region| lines.saturating_add(region.lines()))
            }
            Rule::Fences { before } => before.len() as u32,
            Rule::Wait { .. } => 2,
            // All that the started threads do.
            Rule::JoinAtOnce { .. } | Rule::OneByOne { .. } => u32::MAX,
        }
    }

    /// The lines that it is about: regions, and single lines as regions of one.
    pub fn regions(&self) -> Vec<Region> {
        match self {
            Rule::CriticalSections { regions } => regions.clone(),
            Rule::Fences { before } => before.iter().map(Region::of).collect(),
            Rule::Wait { before, until, .. } => vec![Region::of(before), Region::of(until)],
            Rule::JoinAtOnce { after } => vec![Region::of(after)],
            Rule::OneByOne { .. } => Vec::new(),
        }
    }

    /// Does it make sense by itself?
    pub fn check(&self) -> Result<(), RepairError> {
        let keys: &[String] = match self {
            Rule::CriticalSections { regions } if regions.is_empty() => {
                return Err(RepairError::Empty("critical-sections", "regions"));
            }
            Rule::Fences { before } if before.is_empty() => {
                return Err(RepairError::Empty("fences", "before"));
            }
            Rule::OneByOne { threads } if threads.is_empty() => {
                return Err(RepairError::Empty("one-by-one", "threads"));
            }
            Rule::Wait { how: How::All, threads, .. } if threads.is_empty() => {
                return Err(RepairError::Empty("wait", "threads"));
            }
            Rule::Wait { before, until, .. } if before == until => {
                return Err(RepairError::Itself(before.to_string()));
            }
            Rule::Wait { threads, .. } | Rule::OneByOne { threads } => threads,
            Rule::CriticalSections { .. } | Rule::Fences { .. } | Rule::JoinAtOnce { .. } => &[],
        };
        if let Some(wrong) = keys.iter().find(|key| key.parse::<ThreadKey>().is_err()) {
            return Err(RepairError::Thread(wrong.clone()));
        }
        match self.regions().into_iter().find(|region| region.from == 0 || region.from > region.to) {
            Some(wrong) => Err(RepairError::Lines(wrong)),
            None => Ok(()),
        }
    }
}
