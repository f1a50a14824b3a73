//! Results of other commands as the page reads them: only what it shows, and nothing that must be there.
//!
//! `docs/json.md` describes the formats. Fields that are missing are empty, so that results of an older version can be
//! shown, too.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

/// `warpath.explore/1`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Explored {
    pub(super) program: String,
    pub(super) strategy: String,
    pub(super) model: String,
    pub(super) solver: String,
    pub(super) verdict: String,
    pub(super) reason: String,
    pub(super) executions: u64,
    pub(super) paths: u64,
    pub(super) nodes: u64,
    pub(super) open_ends: u64,
    pub(super) queries: Queries,
    pub(super) time_ms: Times,
    pub(super) coverage: Coverage,
    pub(super) approximations: BTreeMap<String, u64>,
    pub(super) notes: Vec<String>,
    pub(super) unconfirmed: Vec<String>,
    pub(super) bugs: Vec<Bug>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Queries {
    pub(super) total: u64,
    pub(super) sat: u64,
    pub(super) unsat: u64,
    pub(super) unknown: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Times {
    pub(super) total: f64,
    pub(super) run: f64,
    pub(super) solve: f64,
    pub(super) encode: f64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Coverage {
    pub(super) branches: Branches,
    pub(super) trees: Vec<Tree>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Branches {
    pub(super) covered: u64,
    pub(super) unreachable: Vec<String>,
    pub(super) unknown: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tree {
    pub(super) thread: String,
    pub(super) stretches: Vec<Stretch>,
    pub(super) left_out: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Stretch {
    pub(super) after: Option<usize>,
    pub(super) outcome: String,
    pub(super) events: u64,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) state: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Bug {
    pub(super) kind: String,
    pub(super) message: String,
    #[serde(rename = "where")]
    pub(super) place: String,
    pub(super) threads: Vec<String>,
    pub(super) reason: String,
    pub(super) inputs: Map<String, Value>,
    pub(super) places: Vec<Place>,
    pub(super) waits: Vec<Wait>,
    pub(super) story: Vec<Told>,
    pub(super) si: String,
    pub(super) trace: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Place {
    #[serde(rename = "where")]
    pub(super) place: String,
    pub(super) thread: String,
    pub(super) role: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Wait {
    pub(super) thread: String,
    #[serde(rename = "where")]
    pub(super) place: String,
    pub(super) waits_for: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Told {
    pub(super) thread: String,
    pub(super) position: u32,
    pub(super) what: String,
    #[serde(rename = "where")]
    pub(super) place: String,
    pub(super) from: Option<usize>,
}

/// `warpath.analyze/1`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Analyzed {
    pub(super) traces: Vec<String>,
    pub(super) verdict: String,
    pub(super) findings: Vec<Finding>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Finding {
    pub(super) kind: String,
    pub(super) message: String,
    pub(super) reason: String,
    pub(super) events: Vec<Involved>,
    pub(super) si: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Involved {
    pub(super) role: String,
    pub(super) thread: String,
    pub(super) place: String,
}

/// `warpath.replay/1`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Replayed {
    pub(super) si: String,
    pub(super) program: String,
    pub(super) verdict: String,
    pub(super) message: String,
    pub(super) trace: Option<String>,
    pub(super) failure: Option<Failure>,
    pub(super) inputs: Vec<Input>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Failure {
    pub(super) kind: String,
    pub(super) message: String,
    pub(super) thread: String,
    #[serde(rename = "where")]
    pub(super) place: String,
    pub(super) waits: Vec<Wait>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Input {
    pub(super) name: String,
    pub(super) nth: u64,
    pub(super) value: String,
}
