//! `warpath.diagnose/1`: a diagnosis as it is written down, and read back by those who show it.
//!
//! It has everything a page about it needs: the failing schedule and a passing one near it, event by event, the causes
//! as orderings of these events, and the repairs. [`docs/json.md`](../../../docs/json.md) describes each field.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Names the format and its version.
pub(crate) const FORMAT: &str = "warpath.diagnose/1";

/// The whole document.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Document {
    pub(crate) format: String,
    /// The SI file or the traces that were explained.
    pub(crate) source: Vec<String>,
    pub(crate) program: String,
    pub(crate) model: String,
    pub(crate) solver: String,
    /// `EXPLAINED`, `EVERY-SCHEDULE`, `INPUT-DEPENDENT`, `PASSED` or `UNKNOWN`.
    pub(crate) verdict: String,
    /// The result in a sentence.
    pub(crate) sentence: String,
    pub(crate) scope: ScopeOf,
    pub(crate) failure: Option<FailureOf>,
    pub(crate) inputs: Map<String, Value>,
    /// With which inputs it can fail at all, where others pass under every schedule.
    pub(crate) input_condition: Option<String>,
    /// What is known of that; `None` if the program has no inputs.
    #[serde(default)]
    pub(crate) input_dependence: Option<InputsOf>,
    pub(crate) raw_orderings: usize,
    pub(crate) iterations: usize,
    /// Does every failing schedule within the scope show one of the causes?
    pub(crate) complete: bool,
    pub(crate) orderings_per_cause: f64,
    pub(crate) unique_orderings: usize,
    /// Unique orderings, as a part of the raw ones.
    pub(crate) reduction: f64,
    pub(crate) threads: Vec<Thread>,
    pub(crate) failing: Vec<Event>,
    /// The passing schedule that has most of the failing one's orderings.
    pub(crate) passing: Option<Vec<Event>>,
    pub(crate) causes: Vec<Cause>,
    pub(crate) repairs: Vec<Repair>,
    /// The command that runs the program under the repair that was written, if one was.
    #[serde(default)]
    pub(crate) confirm: Option<String>,
    /// Other failures that the same inputs can lead to.
    pub(crate) other_failures: Vec<String>,
    pub(crate) queries: u64,
    pub(crate) time_ms: Times,
}

/// What is known of the program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ScopeOf {
    /// `exhausted`, `bounded` or `trace-only`.
    pub(crate) kind: String,
    pub(crate) executions: u64,
    /// Bounds that were hit, and other reasons why it is not more.
    pub(crate) reasons: Vec<String>,
}

/// Which inputs the failure needs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct InputsOf {
    pub(crate) sentence: String,
    /// `i = 3 and j >= 2`; `None` if every input will do, or nothing is known.
    pub(crate) condition: Option<String>,
    /// Was it proved that it cannot fail without?
    pub(crate) necessary: bool,
    /// Was it proved that with each such input some schedule fails?
    pub(crate) sufficient: bool,
    /// Was it proved that with such inputs no schedule passes?
    pub(crate) always_fails: bool,
    /// Inputs with which it cannot fail so.
    pub(crate) others: Option<Map<String, Value>>,
    /// Does it pass with them under every schedule?
    pub(crate) others_pass: bool,
    /// What is known of the program with inputs of the solver's choice.
    pub(crate) scope: ScopeOf,
}

/// The failure that is explained.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FailureOf {
    pub(crate) kind: String,
    pub(crate) message: String,
    pub(crate) thread: String,
    #[serde(rename = "where")]
    pub(crate) place: String,
    pub(crate) waits: Vec<WaitOf>,
}

/// In a deadlock, who waits for what.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct WaitOf {
    pub(crate) thread: String,
    #[serde(rename = "where")]
    pub(crate) place: String,
    pub(crate) waits_for: String,
}

/// A lane.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Thread {
    pub(crate) thread: String,
    /// Its start routine; empty if not known.
    pub(crate) start: String,
}

/// An event of a schedule.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Event {
    pub(crate) thread: String,
    /// How many events of the thread came before it.
    pub(crate) position: u32,
    /// What was done, in the words of the text form: `r`, `w`, `lock`, `fail`.
    pub(crate) kind: String,
    /// To what; may be empty.
    pub(crate) object: String,
    /// What was read or written; for an update both, as `1 -> 2`.
    pub(crate) value: Option<String>,
    #[serde(rename = "where")]
    pub(crate) place: String,
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) function: String,
    /// The source line, if it is at hand.
    pub(crate) source: Option<String>,
}

/// A cause.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Cause {
    pub(crate) sentence: String,
    pub(crate) orderings: Vec<Ordering>,
    /// Orderings of the failing schedule that it was found in.
    pub(crate) of: usize,
    /// Is there none of that schedule with fewer?
    pub(crate) smallest: bool,
}

/// One event before another.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Ordering {
    pub(crate) words: String,
    pub(crate) first: Side,
    pub(crate) second: Side,
}

/// One side of an ordering.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Side {
    pub(crate) thread: String,
    pub(crate) kind: String,
    pub(crate) object: String,
    #[serde(rename = "where")]
    pub(crate) place: String,
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) function: String,
    /// For the how many-th time on its path, from 0.
    pub(crate) nth: u32,
    /// Its index in `failing`; null if it does not happen there.
    pub(crate) failing: Option<usize>,
    /// Its index in `passing`.
    pub(crate) passing: Option<usize>,
}

/// A change that prevents the failure.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Repair {
    /// `critical-sections`, `fences`, `ordering`, `one-by-one` or `join-at-once`.
    pub(crate) kind: String,
    pub(crate) sentence: String,
    /// What to write where.
    pub(crate) sketch: Vec<Edit>,
    /// Which causes it prevents, by index.
    pub(crate) causes: Vec<usize>,
    /// How far that was checked.
    pub(crate) verified: Vec<String>,
    /// The same for machines, as in a repair file; who shows it has no use for it.
    #[serde(default)]
    pub(crate) rules: Vec<Value>,
}

/// One line of a patch sketch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Edit {
    pub(crate) file: String,
    pub(crate) line: u32,
    /// `before` or `after` that line.
    pub(crate) side: String,
    pub(crate) text: String,
    pub(crate) thread: String,
}

/// Times in milliseconds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Times {
    pub(crate) total: f64,
    /// For running the program.
    pub(crate) explore: f64,
    /// In the solver, for causes and repairs.
    pub(crate) solve: f64,
}
