//! The solvers of this machine, guarded by the supervisor that was built with these tests.

use warpath_solvers::Solvers;
use warpath_solvers::config::Places;
use warpath_solvers::supervise::SupervisorCommand;

/// Fails with a sentence if the configuration is wrong.
pub fn solvers() -> Solvers {
    let supervisor = SupervisorCommand::at(env!("CARGO_BIN_EXE_analyzer-supervise"));
    Solvers::new(Places::from_environment(), supervisor).expect("the solvers' configuration is right")
}
