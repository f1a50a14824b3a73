//! `-- PROG ARGS…`: the program under test.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::{Serialize, Serializer};
use warpath_native::run::World;

use crate::inputs::find_program;

/// The words after `--`.
#[derive(Args, Debug)]
pub(crate) struct ProgramArgs {
    /// Program to run, and its arguments
    #[arg(last = true, value_name = "PROG ARGS", num_args = 1..)]
    words: Vec<OsString>,
}

/// A program that exists, with its arguments.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Program {
    /// As it was typed, which is what the program itself sees.
    name: PathBuf,
    path: PathBuf,
    #[serde(serialize_with = "lossy")]
    arguments: Vec<OsString>,
    /// What it is given instead of what there is.
    #[serde(skip)]
    world: World,
}

fn lossy<S: Serializer>(words: &[OsString], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(words.iter().map(|word| word.to_string_lossy()))
}

impl ProgramArgs {
    /// The program, if one was given.
    pub(crate) fn lower(self) -> anyhow::Result<Option<Program>> {
        let mut words = self.words.into_iter();
        let Some(name) = words.next() else { return Ok(None) };
        let name = PathBuf::from(name);
        Ok(Some(Program {
            path: find_program(&name)?,
            name,
            arguments: words.collect(),
            world: World::default(),
        }))
    }
}

impl Program {
    /// A program that is named elsewhere than on the command line.
    pub(crate) fn new(name: PathBuf, arguments: Vec<OsString>) -> anyhow::Result<Program> {
        Ok(Program { path: find_program(&name)?, name, arguments, world: World::default() })
    }

    /// The same, given this instead of what there is.
    pub(crate) fn in_world(self, world: World) -> Program {
        Program { world, ..self }
    }

    /// What it is given instead of what there is.
    pub(crate) fn world(&self) -> &World {
        &self.world
    }

    /// As it was typed.
    pub(crate) fn name(&self) -> &Path {
        &self.name
    }

    /// Where it was found.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Its arguments.
    pub(crate) fn arguments(&self) -> &[OsString] {
        &self.arguments
    }
}
