//! Why a file cannot be traced.

use std::path::PathBuf;

/// A file that is not a program or library for this tracer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NamesError {
    /// It could not be read.
    #[error("`{}` cannot be read: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        reason: std::io::Error,
    },
    /// It does not begin as an ELF file does.
    #[error("`{}` is not an ELF file: give the program itself, not a script or an archive", path.display())]
    NotElf {
        /// The file.
        path: PathBuf,
    },
    /// A program of 32-bit machines.
    #[error("`{}` is a 32-bit program; only 64-bit ones can be traced: build it with `-m64`", path.display())]
    ThirtyTwoBit {
        /// The file.
        path: PathBuf,
    },
    /// A program of another processor.
    #[error("`{}` is for another processor (ELF machine {machine}); only x86-64 can be traced", path.display())]
    OtherMachine {
        /// The file.
        path: PathBuf,
        /// `e_machine` as in the file.
        machine: u16,
    },
    /// An object file or a core dump, not something that can be loaded.
    #[error("`{}` is neither an executable nor a shared library (ELF type {kind}): link it first", path.display())]
    NotLoadable {
        /// The file.
        path: PathBuf,
        /// `e_type` as in the file.
        kind: u16,
    },
    /// Its headers contradict themselves or the length of the file.
    #[error("`{}` is damaged: {what}; build it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: &'static str,
    },
}
