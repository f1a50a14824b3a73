//! What an exploration came to.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use warpath_trace::trace::Trace;

use super::bug::Bug;
use super::coverage::Coverage;
use super::statistics::Statistics;
use crate::findings::Finding;
use crate::model::Forest;

/// What is known in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Judgement {
    /// At least one bug was found and reproduced.
    Bug,
    /// Nothing unexplored is reachable, and nothing was found.
    Safe,
    /// Nothing was found, but not everything was looked at.
    Unknown,
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Judgement::Bug => "BUG",
            Judgement::Safe => "SAFE",
            Judgement::Unknown => "UNKNOWN",
        })
    }
}

/// What an exploration came to.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// What is known.
    pub judgement: Judgement,
    /// Why it is not more, or what it rests on.
    pub reasons: Vec<String>,
    /// Was everything looked at that is reachable?
    pub exhausted: bool,
    /// Bounds that were hit.
    pub bounds_hit: Vec<String>,
    /// Bugs, in the order found.
    pub bugs: Vec<Bug>,
    /// What was predicted, but did not happen when it was tried.
    pub unconfirmed: Vec<Finding>,
    /// Paths: with `forest`, of single threads; with the strategies that enumerate them, of the whole program.
    pub paths: usize,
    /// Events of all threads, merged.
    pub nodes: usize,
    /// Outcomes that have neither been seen nor ruled out.
    pub open_ends: usize,
    /// What of the program was seen.
    pub coverage: Coverage,
    /// Everything that was observed.
    pub forest: Arc<Forest>,
    /// The first of the runs that it was made of, as the last round of runs recorded it.
    pub first: Option<Trace>,
    /// What was not followed exactly, and how often in one run at most.
    pub approximations: BTreeMap<String, u64>,
    /// What it took.
    pub statistics: Statistics,
    /// Who answered.
    pub solver: String,
}
