//! Fetching and unpacking Python packages with the machine's own Python, so that where they come from is the
//! machine's own setting.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::InstallError;
use crate::discover::Solvers;
use crate::supervise::{self, Printed};

const DOWNLOAD_PATIENCE: Duration = Duration::from_secs(900);
const PATIENCE: Duration = Duration::from_secs(120);
/// The longest first line of a script that every Linux reads.
const LONGEST_SHEBANG: usize = 120;

/// A Python interpreter that can fetch packages.
pub(super) struct Python<'a> {
    solvers: &'a Solvers,
    program: PathBuf,
}

impl<'a> Python<'a> {
    /// The `python3` of the search path.
    pub(super) fn find(solvers: &'a Solvers, debian: Option<&str>) -> Result<Self, InstallError> {
        let missing =
            |detail: String| InstallError::NoPython { detail, debian: debian.map(ToOwned::to_owned) };
        let python = Self { solvers, program: "/usr/bin/env".into() };
        // The interpreter itself, not a wrapper of it: launchers must run the very same one.
        let printed = python
            .call(&["python3", "-c", "import sys, pip; print(sys.executable)"], PATIENCE)
            .map_err(|error| missing(error.to_string()))?;
        let path = PathBuf::from(printed.text.trim());
        if !printed.success || !path.is_absolute() {
            return Err(missing(last_line(&printed.text)));
        }
        Ok(Self { solvers, program: path })
    }

    /// Downloads the newest wheel of a package that fits this interpreter and unpacks it.
    pub(super) fn unpack(&self, package: &str, work: &Path, into: &Path) -> Result<(), InstallError> {
        let failed = |detail: String| InstallError::Fetch { package: package.to_owned(), detail };
        let wheels = work.join("wheels");
        let wheels_text = wheels.to_string_lossy();
        let arguments = [
            "-m",
            "pip",
            "download",
            "--quiet",
            "--disable-pip-version-check",
            "--no-input",
            "--no-deps",
            "--only-binary",
            ":all:",
            "--dest",
            &*wheels_text,
            "--",
            package,
        ];
        let printed = self.call(&arguments, DOWNLOAD_PATIENCE).map_err(|error| failed(error.to_string()))?;
        if !printed.success {
            return Err(failed(last_line(&printed.text)));
        }
        let wheel = fs::read_dir(&wheels)
            .ok()
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
            .ok_or_else(|| failed("pip downloaded no wheel".to_owned()))?;
        let (wheel, into) = (wheel.to_string_lossy(), into.to_string_lossy());
        let printed = self
            .call(&["-m", "zipfile", "-e", &*wheel, &*into], PATIENCE)
            .map_err(|error| failed(error.to_string()))?;
        if printed.success { Ok(()) } else { Err(failed(last_line(&printed.text))) }
    }

    /// The first line of a script for this interpreter. Isolated: the user's Python settings must not matter.
    pub(super) fn shebang(&self) -> Result<String, InstallError> {
        let line = format!("#!{} -I\n", self.program.display());
        let fits = line.len() <= LONGEST_SHEBANG && line.split_whitespace().count() == 2;
        if fits { Ok(line) } else { Err(InstallError::Interpreter { path: self.program.clone() }) }
    }

    fn call(&self, arguments: &[&str], allowed: Duration) -> std::io::Result<Printed> {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        supervise::run_to_end(self.solvers.supervisor(), &self.program, &arguments, allowed)
    }
}

/// The last line that says something: where Python puts the reason.
fn last_line(text: &str) -> String {
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing").trim().to_owned()
}
