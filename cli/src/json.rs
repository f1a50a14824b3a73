//! `--json FILE|-`: the same results for machines. Every format is described in `docs/json.md`.

use std::path::PathBuf;

use anyhow::Context;
use serde::Serialize;

use crate::console;
use crate::failure::help_of;
use crate::outputs::replace_file;

/// Where `--json` goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum JsonTarget {
    /// `-`: standard output, which then carries nothing else.
    Stdout,
    /// A file, replaced as a whole.
    File(PathBuf),
}

impl From<PathBuf> for JsonTarget {
    fn from(path: PathBuf) -> Self {
        if path.as_os_str() == "-" { JsonTarget::Stdout } else { JsonTarget::File(path) }
    }
}

impl JsonTarget {
    /// Writes `value`, indented, with a final newline.
    pub(crate) fn write<T: Serialize>(&self, value: &T) -> anyhow::Result<()> {
        let mut text = serde_json::to_string_pretty(value).context("cannot put the results into JSON")?;
        text.push('\n');
        match self {
            JsonTarget::Stdout => console::print_with(|out| Ok(out.write_all(text.as_bytes())?)),
            JsonTarget::File(path) => replace_file(path, |out| Ok(out.write_all(text.as_bytes())?)),
        }
    }

    /// Does standard output belong to the JSON text?
    pub(crate) fn takes_stdout(target: Option<&JsonTarget>) -> bool {
        target == Some(&JsonTarget::Stdout)
    }
}

/// What `--json` holds when the command failed (`warpath.error/1`).
#[derive(Debug, Serialize)]
pub(crate) struct ErrorReport<'a> {
    format: &'static str,
    command: &'a str,
    error: String,
    causes: Vec<String>,
    help: Option<&'a str>,
}

impl<'a> ErrorReport<'a> {
    /// Describes `error`, which ended `command`.
    pub(crate) fn new(command: &'a str, error: &'a anyhow::Error) -> Self {
        ErrorReport {
            format: "warpath.error/1",
            command,
            error: error.to_string(),
            causes: error.chain().skip(1).map(ToString::to_string).collect(),
            help: help_of(error),
        }
    }
}
