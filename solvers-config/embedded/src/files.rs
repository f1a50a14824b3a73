//! Conversations with files and standard input.

use crate::{Settings, serve};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why not everything was answered.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// A file cannot be opened.
    #[error("{} cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Standard output does not take the answers, or a file does not take the proof or the transcript.
    #[error("answers, or their proof, cannot be written")]
    Write(#[from] io::Error),
    /// One file cannot hold the proofs or the commands of several conversations.
    #[error("a proof is of one script, and so is a transcript, not of {scripts}")]
    OneProof {
        /// How many were given.
        scripts: usize,
    },
}

/// Answers files one after the other on standard output, each by itself; `-` and no file at all are standard input.
pub fn serve_files(files: &[PathBuf], settings: &Settings) -> Result<(), ServeError> {
    let standard = [PathBuf::from("-")];
    let files = if files.is_empty() { &standard } else { files };
    if (settings.proof.is_some() || settings.transcript.is_some()) && files.len() > 1 {
        return Err(ServeError::OneProof { scripts: files.len() });
    }
    for path in files {
        if path == Path::new("-") {
            serve(io::stdin().lock(), io::stdout().lock(), settings)?;
            continue;
        }
        let file = File::open(path).map_err(|source| ServeError::Read { path: path.clone(), source })?;
        serve(file, io::stdout().lock(), settings)?;
    }
    Ok(())
}
