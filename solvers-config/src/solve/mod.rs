//! Solving stored scripts: the same questions, asked on another machine or at another time.
//!
//! A script is not handed to the solver as it is: it is read, and its commands are put to anything that answers
//! ([`Smt`]), so that a stored question gets the same guard, the same checks of models and the same portfolios as a
//! fresh one.

mod answer_file;
mod run;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rayon::prelude::*;
use thiserror::Error;

use crate::cancel::CancelToken;
use crate::choice::ResolvedChoice;
use crate::discover::Solvers;
use crate::script::{Script, ScriptError, ScriptLimits};
use crate::stack::StackError;
use crate::term::{TermError, Terms};

#[cfg(doc)]
use crate::smt::Smt;

pub use answer_file::{AnswerFile, AnswerFileError, Recorded};
pub use run::{CheckResult, Response, ScriptResult, solve_script};

/// What scripts are solved with besides a solver.
#[derive(Debug, Clone, Default)]
pub struct SolveOptions {
    /// Time for each check; by default what the solver's configuration says.
    pub timeout: Option<Duration>,
    /// Switch that ends the solving.
    pub cancel: CancelToken,
}

/// Why a script could not be solved at all (an `unknown` is a result, not an error).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The script cannot be read.
    #[error("{}: {source}", path.display())]
    Script {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        source: ScriptError,
    },
    /// A command of the script makes no sense where it stands.
    #[error("command {number} of the script: {source}")]
    Command {
        /// Its number, from 1.
        number: usize,
        /// What is wrong.
        source: CommandFault,
    },
}

/// What is wrong with a command.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CommandFault {
    /// It does not fit the assertion stack.
    #[error(transparent)]
    Stack(#[from] StackError),
    /// Its terms cannot be built.
    #[error(transparent)]
    Term(#[from] TermError),
}

/// A script file that was solved.
#[derive(Debug)]
pub struct SolvedFile {
    /// The script.
    pub script: PathBuf,
    /// The file beside it that holds the answers.
    pub answers: PathBuf,
    /// The result.
    pub result: ScriptResult,
}

/// The file that holds the answers to a script: beside it, with the extension `answer`.
pub fn answer_path(script: &Path) -> PathBuf {
    script.with_extension("answer")
}

/// Solves a script file and writes its answers beside it.
pub fn solve_file(
    path: &Path,
    choice: &ResolvedChoice,
    solvers: &Solvers,
    options: &SolveOptions,
) -> Result<SolvedFile, SolveError> {
    let text = read(path)?;
    let mut terms = Terms::new();
    let script = Script::parse(&text, &mut terms)
        .map_err(|source| SolveError::Script { path: path.to_owned(), source })?;
    let mut smt = choice.open(solvers);
    let result = solve_script(&script, &mut terms, &mut *smt, options)?;
    let answers = answer_path(path);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    write(&answers, &AnswerFile::of(&name, &result, &terms).to_string())?;
    Ok(SolvedFile { script: path.to_owned(), answers, result })
}

/// Solves many script files at once, as many as the current thread pool has threads; results in the order of the paths.
pub fn solve_files(
    paths: &[PathBuf],
    choice: &ResolvedChoice,
    solvers: &Solvers,
    options: &SolveOptions,
) -> Vec<Result<SolvedFile, SolveError>> {
    paths.par_iter().map(|path| solve_file(path, choice, solvers, options)).collect()
}

/// The scripts that a path means: itself, or the `*.smt2` files of a folder in the order of their names.
pub fn scripts_in(path: &Path) -> Result<Vec<PathBuf>, SolveError> {
    let failed = |source| SolveError::File { path: path.to_owned(), source };
    if !fs::metadata(path).map_err(failed)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut scripts = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        if file.extension().is_some_and(|extension| extension == "smt2") {
            scripts.push(file);
        }
    }
    scripts.sort();
    Ok(scripts)
}

fn read(path: &Path) -> Result<String, SolveError> {
    let failed = |source| SolveError::File { path: path.to_owned(), source };
    let size = fs::metadata(path).map_err(failed)?.len();
    let limit = ScriptLimits::default().max_bytes;
    match usize::try_from(size) {
        Ok(size) if size <= limit => fs::read_to_string(path).map_err(failed),
        _ => {
            let size = usize::try_from(size).unwrap_or(usize::MAX);
            Err(SolveError::Script { path: path.to_owned(), source: ScriptError::TooLarge { size, limit } })
        }
    }
}

/// Writes a file so that it is there whole or not at all.
fn write(path: &Path, text: &str) -> Result<(), SolveError> {
    let failed = |source| SolveError::File { path: path.to_owned(), source };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}
