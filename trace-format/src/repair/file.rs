//! A repair in a file.

use serde::{Deserialize, Serialize};

use super::{Region, Rule};

/// Names this kind of file and its version.
const FORMAT: &str = "warpath.repair/1";

/// A repair, and what it is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepairFile {
    format: String,
    /// The program it is for, as it was called.
    #[serde(default)]
    pub program: String,
    /// In words.
    #[serde(default)]
    pub sentence: String,
    /// What is to be done, all of it.
    #[serde(rename = "rule")]
    pub rules: Vec<Rule>,
}

/// A file that is not a repair.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RepairError {
    /// Not TOML, or not the right fields; the text names line and column.
    #[error("not a repair file: {0}")]
    Toml(String),
    /// Another format or version.
    #[error("the file says it is `{0}`; this version of Warpath reads `{FORMAT}`")]
    Format(String),
    /// There is nothing in it.
    #[error("the repair has no `[[rule]]`")]
    NoRule,
    /// A rule about nothing.
    #[error("a rule of kind `{0}` has nothing in its `{1}`")]
    Empty(&'static str, &'static str),
    /// A thread cannot wait for itself to have been where it waits.
    #[error("{0} is to be executed only after itself")]
    Itself(String),
    /// Lines that cannot be.
    #[error("{0} are no lines: the first line of a file is 1, and a region ends behind its beginning")]
    Lines(Region),
    /// Not the key of a thread.
    #[error("`{0}` is no thread: the first one is `T0`, and its first child `T0.0`")]
    Thread(String),
    /// A file that cannot be written.
    #[error("the repair cannot be written: {0}")]
    Write(String),
}

impl RepairFile {
    /// A repair of a program.
    pub fn new(program: String, sentence: String, rules: Vec<Rule>) -> RepairFile {
        RepairFile { format: FORMAT.to_owned(), program, sentence, rules }
    }

    /// Reads the text of a file.
    pub fn parse(text: &str) -> Result<RepairFile, RepairError> {
        /// Other versions may have other fields.
        #[derive(Deserialize)]
        struct Named {
            format: String,
        }
        if let Ok(Named { format }) = toml::from_str(text)
            && format != FORMAT
        {
            return Err(RepairError::Format(format));
        }
        let file: RepairFile = toml::from_str(text).map_err(|error| RepairError::Toml(error.to_string()))?;
        if file.rules.is_empty() {
            return Err(RepairError::NoRule);
        }
        file.rules.iter().try_for_each(Rule::check)?;
        Ok(file)
    }

    /// The text of the file.
    pub fn print(&self) -> Result<String, RepairError> {
        let body = toml::to_string(self).map_err(|error| RepairError::Write(error.to_string()))?;
        Ok(format!(
            "# A repair. Run the program under it: warpath explore --assume-repair THIS-FILE -- PROG\n\n{body}"
        ))
    }
}
