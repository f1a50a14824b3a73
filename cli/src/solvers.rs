//! The solvers of this machine, guarded by this very program.

use std::env;
use std::sync::Arc;

use anyhow::Context;
use warpath_analyzer::encode::Options;
use warpath_solvers::config::Places;
use warpath_solvers::supervise::SupervisorCommand;
use warpath_solvers::{OwnSolver, Proofs, ResolvedChoice, SolverChoice, Solvers};
use warpath_trace::header::MemoryModel;

use crate::options::SolverConfig;

/// Reads the configuration. The command guards its solvers itself (`warpath __supervise …`), under whatever name it
/// is installed.
pub(crate) fn solvers() -> anyhow::Result<Solvers> {
    let program = env::current_exe().context("cannot tell where this program is")?;
    let own = OwnSolver::within(&program, env!("CARGO_PKG_VERSION"));
    let supervisor = SupervisorCommand { program, lead: vec![SupervisorCommand::SUBCOMMAND.into()] };
    Ok(Solvers::new(Places::from_environment(), supervisor)?.with_own(own))
}

/// The formula under a memory model, written as this solver likes it best.
pub(crate) fn formula(model: MemoryModel, solver: &ResolvedChoice) -> Options {
    Options { model, ..Options::liked_by(solver) }
}

/// The solver that the options name, with the memory that they allow it.
pub(crate) fn resolve(solvers: &Solvers, config: &SolverConfig) -> anyhow::Result<ResolvedChoice> {
    let choice = SolverChoice { name: config.name.clone(), cross_check: config.cross_check.clone() };
    Ok(limited(solvers.resolve(&choice)?, config))
}

/// Our own solver, keeping proofs, with the memory that the options allow it.
pub(crate) fn resolve_proving(
    solvers: &Solvers,
    config: &SolverConfig,
    proofs: Arc<Proofs>,
) -> anyhow::Result<ResolvedChoice> {
    Ok(limited(solvers.resolve_proving(proofs)?, config))
}

fn limited(resolved: ResolvedChoice, config: &SolverConfig) -> ResolvedChoice {
    match config.memory {
        Some(bytes) => resolved.with_memory_limit(bytes.div_ceil(1 << 20)),
        None => resolved,
    }
}
