//! Schedule+input files, `.si.toml`: what a replay driver needs to make a run happen again.
//!
//! They are made to be read and edited by people:
//!
//! ```toml
//! format = "warpath.si/1"
//! model = "sc"
//! schedule = [
//!   "T0.1 w x @m0.c:9",      # thread, operation, location, position
//!   "T0.2 w x @m0.c:14",
//!   "T0 *3",                 # any three visible events of T0
//! ]
//!
//! [program]
//! path = "./m0"
//!
//! [[input]]
//! name = "i"
//! width = 32
//! value = 3
//!
//! [expect]
//! outcome = "assertion"
//! where = "m0.c:13"
//! ```

mod bytes;
mod input;
mod recorded;
mod shared;
mod step;

pub use bytes::Text;
pub use input::InputValue;
pub use recorded::spins;
pub use shared::{SharedBytes, SharedError};
pub use step::{Expected, Step, StepError, Visible};

use serde::{Deserialize, Serialize};

use crate::header::MemoryModel;
use crate::repair::{RepairError, Rule};

/// Names this kind of file and its version.
const FORMAT: &str = "warpath.si/1";

/// A schedule and inputs, and what is expected of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Si {
    format: String,
    /// The memory model under which the schedule is to be run.
    pub model: MemoryModel,
    /// Visible events, one after the other. Past its end the replay driver chooses.
    #[serde(default)]
    pub schedule: Vec<Step>,
    /// Bytes whose accesses are steps of the schedule; empty if that is left to the replay driver to find out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<SharedBytes>,
    /// Loops that wait for another thread by looking again and again, by the address (within its module) of what looks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spins: Vec<u64>,
    /// What to run.
    #[serde(default)]
    pub program: Program,
    /// The inputs; one that is missing has the value it has in a plain run.
    #[serde(default, rename = "input", skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<InputValue>,
    /// The repair under which the schedule is to be run; empty for the program as it is.
    #[serde(default, rename = "repair", skip_serializing_if = "Vec::is_empty")]
    pub repair: Vec<Rule>,
    /// What should happen.
    #[serde(default, skip_serializing_if = "Expect::is_empty")]
    pub expect: Expect,
    /// Where this came from.
    #[serde(default, skip_serializing_if = "Origin::is_empty")]
    pub origin: Origin,
}

/// What to run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Program {
    /// The executable.
    pub path: String,
    /// Its arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<Text>,
    /// Build id in hexadecimal; replay warns if the program at hand has another.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub build_id: String,
}

/// What should happen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Expect {
    /// The kind of failure, in the words of the text form, such as `assertion`; empty for none. What the schedule
    /// itself shows, because it puts the events in question side by side, has its own words: `data-race`,
    /// `atomicity-violation`, `order-violation`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub outcome: String,
    /// The thread in which it happens.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub thread: String,
    /// Where in the program.
    #[serde(rename = "where", skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// In words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

impl Expect {
    fn is_empty(&self) -> bool {
        *self == Expect::default()
    }
}

/// Where a file came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Origin {
    /// The trace it was derived from.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub trace: String,
    /// The question whose answer it is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub query: String,
    /// The solver that answered.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub solver: String,
}

impl Origin {
    fn is_empty(&self) -> bool {
        *self == Origin::default()
    }
}

/// A file that is not a schedule+input file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SiError {
    /// Not TOML, or not the right fields; the text names line and column.
    #[error("not a schedule+input file: {0}")]
    Toml(String),
    /// Another format or version.
    #[error("the file says it is `{0}`; this version of Warpath reads `{FORMAT}`")]
    Format(String),
    /// A repair that makes no sense.
    #[error("the repair of the schedule+input file: {0}")]
    Repair(#[from] RepairError),
    /// A file that cannot be written, such as one with a control character that TOML has no place for.
    #[error("the schedule+input file cannot be written: {0}")]
    Write(String),
}

impl Si {
    /// A schedule+input file with nothing in it.
    pub fn new(model: MemoryModel) -> Self {
        Si {
            format: FORMAT.to_owned(),
            model,
            schedule: Vec::new(),
            shared: Vec::new(),
            spins: Vec::new(),
            program: Program::default(),
            inputs: Vec::new(),
            repair: Vec::new(),
            expect: Expect::default(),
            origin: Origin::default(),
        }
    }

    /// Reads the text of a file.
    pub fn parse(text: &str) -> Result<Si, SiError> {
        let si: Si = toml::from_str(text).map_err(|error| SiError::Toml(error.to_string()))?;
        if si.format != FORMAT {
            return Err(SiError::Format(si.format));
        }
        si.repair.iter().try_for_each(Rule::check)?;
        Ok(si)
    }

    /// The text of the file.
    pub fn print(&self) -> Result<String, SiError> {
        let body = toml::to_string_pretty(self).map_err(|error| SiError::Write(error.to_string()))?;
        Ok(format!("# A schedule and inputs. Run it: warpath replay THIS-FILE\n\n{body}"))
    }
}
