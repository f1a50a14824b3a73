//! `warpath solvers list`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use clap::Args;
use serde::Serialize;
use warpath_solvers::config::{Cores, Soft, SolverConfig};
use warpath_solvers::discover::Origin;
use warpath_solvers::{FindError, FoundSolver, Solvers};

use crate::console;
use crate::exit::Exit;
use crate::json::JsonTarget;
use crate::options::{JsonOption, LoudnessOptions};
use crate::solvers::solvers;

/// List the solvers that are known: version, where it is, what it is good for
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  warpath solvers list
  warpath solvers list --json - | jq -r '.solvers[] | select(.found) | .name'

Exit codes:
  0  the list is printed, even if no solver is here
  2  wrong usage, or a broken configuration file")]
pub(super) struct ListArgs {
    #[command(flatten)]
    pub(super) json: JsonOption,
    #[command(flatten)]
    pub(super) loudness: LoudnessOptions,
}

#[derive(Debug, Serialize)]
pub(crate) struct ListConfig {
    json: Option<JsonTarget>,
}

impl ListArgs {
    pub(super) fn lower(self) -> ListConfig {
        ListConfig { json: self.json.json }
    }
}

/// `warpath.solvers/1`
#[derive(Serialize)]
struct List {
    format: &'static str,
    solvers: Vec<Entry>,
    portfolios: Vec<Portfolio>,
}

#[derive(Serialize)]
struct Entry {
    name: String,
    summary: String,
    found: bool,
    version: Option<String>,
    program: Option<PathBuf>,
    origin: Option<&'static str>,
    problem: Option<String>,
    abilities: Abilities,
}

#[derive(Serialize)]
struct Abilities {
    incremental: bool,
    assumptions: bool,
    cores: &'static str,
    soft: &'static str,
    integers: bool,
    bits: bool,
    mixed: bool,
}

#[derive(Serialize)]
struct Portfolio {
    name: String,
    summary: String,
    members: Vec<String>,
}

pub(super) fn run(config: &ListConfig) -> anyhow::Result<Exit> {
    let solvers = solvers()?;
    let list = List {
        format: "warpath.solvers/1",
        solvers: find_all(&solvers).into_iter().map(|(config, found)| entry(&config, found)).collect(),
        portfolios: solvers
            .catalog()
            .portfolios()
            .map(|portfolio| Portfolio {
                name: portfolio.name.clone(),
                summary: portfolio.summary.clone(),
                members: portfolio.members.clone(),
            })
            .collect(),
    };
    if let Some(target) = &config.json {
        target.write(&list)?;
    }
    if !JsonTarget::takes_stdout(config.json.as_ref()) {
        console::print(table(&list))?;
    }
    Ok(Exit::Clean)
}

type Finding = (Arc<SolverConfig>, Result<FoundSolver, FindError>);

/// Looks for all at once: each has to be run for its version, and some start slowly.
fn find_all(solvers: &Solvers) -> Vec<Finding> {
    thread::scope(|scope| {
        let searches: Vec<_> = solvers
            .catalog()
            .solvers()
            .map(|config| (Arc::clone(config), scope.spawn(|| solvers.find(&config.name))))
            .collect();
        let finished = searches.into_iter().map(|(config, search)| {
            let name = config.name.clone();
            // A search that panicked found nothing; the list must come all the same.
            (config, search.join().unwrap_or(Err(FindError::NotFound { name })))
        });
        finished.collect()
    })
}

fn entry(config: &SolverConfig, found: Result<FoundSolver, FindError>) -> Entry {
    let (found, problem) = match found {
        Ok(found) => (Some(found), None),
        Err(error) => (None, Some(error.to_string())),
    };
    Entry {
        name: config.name.clone(),
        summary: config.summary.clone(),
        found: found.is_some(),
        version: found.as_ref().map(|found| found.version.to_string()),
        origin: found.as_ref().map(|found| match found.origin {
            Origin::Own => "own",
            Origin::Path => "path",
            Origin::Installed => "installed",
        }),
        program: found.map(|found| found.program),
        problem,
        abilities: Abilities {
            incremental: config.abilities.incremental,
            assumptions: config.abilities.assumptions,
            cores: match config.abilities.cores {
                Cores::Named => "named",
                Cores::Assumptions => "assumptions",
                Cores::None => "none",
            },
            soft: match config.abilities.soft {
                Soft::Native => "native",
                Soft::Search => "search",
            },
            integers: config.logic.difference.is_some() || config.logic.linear.is_some(),
            bits: config.logic.bits.is_some(),
            mixed: config.logic.mixed.is_some(),
        },
    }
}

fn table(list: &List) -> String {
    let mut text = String::new();
    for entry in &list.solvers {
        let version = entry.version.as_deref().unwrap_or("-");
        let place = match (&entry.program, &entry.problem) {
            (Some(program), _) => program.display().to_string(),
            (None, Some(problem)) => problem.clone(),
            (None, None) => String::new(),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:<10} {version:<8} {place}\n{:<20}{}", entry.name, "", entry.summary);
    }
    for portfolio in &list.portfolios {
        let members = portfolio.members.join(", ");
        let _ = writeln!(text, "{:<10} {:<8} {members}\n{:<20}{}", portfolio.name, "", "", portfolio.summary);
    }
    text
}
