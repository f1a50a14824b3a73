//! Which solver answers, and how long it may think.

use std::time::Duration;

use clap::Args;
use serde::{Deserialize, Serialize};
use warpath_solvers::OwnSolver;

use crate::failure::advised;

use super::{from_millis, parse_bytes, parse_duration, whole_millis};

/// The name of the shipped portfolio.
const PORTFOLIO: &str = "portfolio";

/// The options.
#[derive(Args, Debug)]
#[command(next_help_heading = "Solver")]
pub(crate) struct SolverOptions {
    /// Solver to ask: a name from `warpath solvers list`, or `portfolio` to race several
    #[arg(long, value_name = "NAME|portfolio", default_value = PORTFOLIO)]
    solver: String,
    /// Second solver that must agree with the first; a disagreement is UNKNOWN and shown
    #[arg(long, value_name = "NAME")]
    cross_check: Option<String>,
    /// Time for one answer; after it the solver is killed and the query is UNKNOWN
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse_duration)]
    solver_timeout: Duration,
    /// Memory that one solver process may use [default: what its configuration says]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    solver_memory: Option<u64>,
}

/// What they ask for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SolverConfig {
    /// A configured solver's name, or `portfolio`.
    pub(crate) name: String,
    /// The solver that must agree.
    pub(crate) cross_check: Option<String>,
    /// Deadline per answer.
    #[serde(serialize_with = "whole_millis", deserialize_with = "from_millis")]
    pub(crate) timeout: Duration,
    /// Bytes per process, if not the configured number.
    pub(crate) memory: Option<u64>,
}

impl SolverConfig {
    /// The same for our own solver alone, if that may be: it is the one whose proofs can be checked.
    pub(crate) fn proving(self) -> anyhow::Result<SolverConfig> {
        if self.name != PORTFOLIO && self.name != OwnSolver::NAME {
            return Err(advised(
                format!(
                    "--proof is for answers of our own solver: `{}` writes no proof we can check",
                    self.name
                ),
                format!("leave --solver out, or say --solver {}", OwnSolver::NAME),
            ));
        }
        if let Some(second) = &self.cross_check {
            return Err(advised(
                format!(
                    "--proof has every answer checked, which leaves nothing to ask `{second}` (--cross-check)"
                ),
                "leave one of the two out",
            ));
        }
        Ok(SolverConfig { name: OwnSolver::NAME.to_owned(), ..self })
    }
}

impl SolverOptions {
    /// Lowers the options.
    pub(crate) fn lower(self) -> anyhow::Result<SolverConfig> {
        if self.cross_check.is_some() && self.solver == PORTFOLIO {
            return Err(advised(
                "--cross-check compares two solvers, and a portfolio is not one",
                "name the first one with --solver",
            ));
        }
        Ok(SolverConfig {
            name: self.solver,
            cross_check: self.cross_check,
            timeout: self.solver_timeout,
            memory: self.solver_memory,
        })
    }
}
