//! The solvers of this machine, guarded by the supervisor that was built with these tests.

use warpath_solvers::config::Places;
use warpath_solvers::supervise::SupervisorCommand;
use warpath_solvers::{OwnSolver, Solvers};

/// Fails with a sentence if the configuration is wrong.
pub fn solvers() -> Solvers {
    let supervisor = SupervisorCommand::at(env!("CARGO_BIN_EXE_analyzer-supervise"));
    let own = OwnSolver::within(env!("CARGO_BIN_EXE_analyzer-supervise"), env!("CARGO_PKG_VERSION"));
    let solvers = Solvers::new(Places::from_environment(), supervisor);
    solvers.expect("the solvers' configuration is right").with_own(own)
}
