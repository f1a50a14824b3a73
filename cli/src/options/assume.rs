//! `--assume-repair`: run the program as if a repair had been made.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use warpath_trace::repair::{RepairFile, Rule};

use crate::failure::advise;
use crate::inputs::cannot_read;

/// The option.
#[derive(Args, Debug)]
pub(crate) struct AssumeOption {
    /// Run the program as if the repair of this file had been made: it comes from `warpath diagnose --repair-out`
    #[arg(long, value_name = "REPAIR.toml")]
    assume_repair: Option<PathBuf>,
}

/// A repair that runs are made under.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Assumed {
    file: PathBuf,
    rules: Vec<Rule>,
}

impl AssumeOption {
    /// Reads the file.
    pub(crate) fn lower(self) -> anyhow::Result<Option<Assumed>> {
        let Some(file) = self.assume_repair else { return Ok(None) };
        let text = fs::read_to_string(&file).map_err(|error| cannot_read(&file, error))?;
        let repair = RepairFile::parse(&text).map_err(|error| {
            let help = "repair files come from `warpath diagnose --repair-out`, and may be edited";
            advise(error, format!("{} cannot be assumed", file.display()), help)
        })?;
        Ok(Some(Assumed { file, rules: repair.rules }))
    }
}

impl Assumed {
    /// The file.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// What it changes.
    pub(crate) fn rules(&self) -> &[Rule] {
        &self.rules
    }
}
