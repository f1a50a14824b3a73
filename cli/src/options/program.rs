//! `-- PROG ARGS…`: the program under test.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::{Serialize, Serializer};

use crate::inputs::find_program;

/// The words after `--`.
#[derive(Args, Debug)]
pub(crate) struct ProgramArgs {
    /// Program to run, and its arguments
    #[arg(last = true, value_name = "PROG ARGS", num_args = 1..)]
    words: Vec<OsString>,
}

/// A program that exists, with its arguments.
#[derive(Debug, Serialize)]
pub(crate) struct Program {
    path: PathBuf,
    #[serde(serialize_with = "lossy")]
    arguments: Vec<OsString>,
}

fn lossy<S: Serializer>(words: &[OsString], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(words.iter().map(|word| word.to_string_lossy()))
}

impl ProgramArgs {
    /// The program, if one was given.
    pub(crate) fn lower(self) -> anyhow::Result<Option<Program>> {
        let mut words = self.words.into_iter();
        let Some(name) = words.next() else { return Ok(None) };
        Ok(Some(Program { path: find_program(Path::new(OsStr::new(&name)))?, arguments: words.collect() }))
    }
}
