//! Running the command in tests.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// The command with a clean environment: nothing of the caller's terminal or settings shows through.
pub(crate) fn warpath() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpath"));
    command.env_remove("COLUMNS").env_remove("CC").env_remove("CXX").env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::null());
    command
}

/// What a run of the command gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs to the end.
pub(crate) fn run(command: &mut Command) -> Ran {
    ran(command.output().expect("the program starts"))
}

/// Output as text.
pub(crate) fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
    }
}

/// `warpath ARGS…`, run.
pub(crate) fn warpath_with<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ran {
    run(warpath().args(arguments))
}

impl Ran {
    /// Asserts the exit code, showing what was said if it is another.
    #[track_caller]
    pub(crate) fn expect_code(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Asserts that standard error says `text`.
    #[track_caller]
    pub(crate) fn expect_complaint(&self, text: &str) -> &Self {
        assert!(self.stderr.contains(text), "no `{text}` in:\n{}", self.stderr);
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| {
            panic!("{error}: standard output is not one JSON value:\n{}", self.stdout)
        })
    }
}

/// A folder for one test, gone afterwards.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file into it.
    pub(crate) fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, contents).expect("a file in the temporary folder");
        path
    }
}

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
