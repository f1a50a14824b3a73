//! `--instrument`: the compiler's own instrumentation for races, with our recorder behind it.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use tempfile::NamedTempFile;

use super::command_line::{CommandLine, Driver};
use super::no_compiler;
use crate::commands::record_light::find_library;
use crate::failure::advised;

/// gcc links its race detector wherever it is told to instrument. So only the compiler proper is told, not the driver that
/// calls the linker.
const SPECS: &str = "*cc1:\n+ -fsanitize=thread\n\n*cc1plus:\n+ -fsanitize=thread\n\n";

/// gcc says nothing of copies that it makes itself instead of calling these.
const GCC: [&str; 3] = ["-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset"];

/// clang can be told not to link it. It leaves out reads in front of a write of the same variable, unless it is told not to:
/// without them nobody could see that `x++` is not one step.
const CLANG: [&str; 4] =
    ["-fsanitize=thread", "-fno-sanitize-link-runtime", "-mllvm", "-tsan-instrument-read-before-write"];

/// What a call of the compiler needs.
pub(super) struct Instrumentation {
    library: PathBuf,
    /// gcc's instructions; clang needs none.
    specs: Option<NamedTempFile>,
}

impl Instrumentation {
    /// Finds out which compiler it is, and where our library is.
    pub(super) fn of(driver: &Driver, command_line: &CommandLine) -> anyhow::Result<Instrumentation> {
        if command_line.has("-static") {
            return Err(advised(
                "a statically linked program cannot be recorded with --light",
                "leave out -static, or leave out --instrument and record without --light",
            ));
        }
        let library = find_library()?;
        let version =
            driver.command().arg("--version").output().map_err(|error| no_compiler(driver, error))?;
        let is_clang = String::from_utf8_lossy(&version.stdout).contains("clang");
        let specs = (!is_clang).then(write_specs).transpose()?;
        Ok(Instrumentation { library, specs })
    }

    /// Options for every call that compiles something.
    pub(super) fn compiling(&self) -> Vec<OsString> {
        // Most of what the program calls from now on is in another library: directly, not through a table of jumps.
        let mut options = ["-g", "-fno-plt"].map(OsString::from).to_vec();
        match &self.specs {
            Some(specs) => {
                let mut option = OsString::from("-specs=");
                option.push(specs.path());
                options.push(option);
                options.extend(GCC.map(OsString::from));
            }
            None => options.extend(CLANG.map(OsString::from)),
        }
        options
    }

    /// Options for a call that links: the library, wanted whether or not anything seems to need it, and found when the
    /// program runs.
    pub(super) fn linking(&self) -> Vec<OsString> {
        let folder = self.library.parent().map(PathBuf::from).unwrap_or_default();
        let with = |option: &str| {
            let mut option = OsString::from(option);
            option.push(&folder);
            option
        };
        vec![
            with("-L"),
            with("-Wl,-rpath,"),
            "-Wl,--push-state,--no-as-needed".into(),
            "-lwarpath_preload".into(),
            "-Wl,--pop-state".into(),
        ]
    }
}

fn write_specs() -> anyhow::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new()
        .prefix("warpath-cc-")
        .suffix(".specs")
        .tempfile()
        .context("cannot make a file that tells gcc what to instrument")?;
    file.write_all(SPECS.as_bytes())?;
    Ok(file)
}
