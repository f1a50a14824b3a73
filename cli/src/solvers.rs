//! The solvers of this machine, guarded by this very program.

use std::env;

use anyhow::Context;
use warpath_solvers::Solvers;
use warpath_solvers::config::Places;
use warpath_solvers::supervise::SupervisorCommand;

/// Reads the configuration. The command guards its solvers itself (`warpath __supervise …`), under whatever name it
/// is installed.
pub(crate) fn solvers() -> anyhow::Result<Solvers> {
    let program = env::current_exe().context("cannot tell where this program is")?;
    let supervisor = SupervisorCommand { program, lead: vec![SupervisorCommand::SUBCOMMAND.into()] };
    Ok(Solvers::new(Places::from_environment(), supervisor)?)
}
