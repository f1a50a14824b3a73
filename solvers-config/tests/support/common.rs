//! What the tests of solver processes share.

#![allow(dead_code)] // every test program uses a part of it

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use warpath_solvers::config::Places;
use warpath_solvers::supervise::SupervisorCommand;
use warpath_solvers::{FoundSolver, Solvers};

/// The supervisor that was built with these tests.
pub fn supervisor() -> SupervisorCommand {
    SupervisorCommand::at(env!("CARGO_BIN_EXE_warpath-supervise"))
}

/// The solvers of this machine.
pub fn solvers() -> Solvers {
    Solvers::new(Places::from_environment(), supervisor()).expect("the shipped configuration is right")
}

/// A solver that the tests need.
pub fn needed(name: &str) -> FoundSolver {
    solvers().find(name).unwrap_or_else(|error| panic!("{error}; run scripts/setup"))
}

/// Every installed version of a solver, the one on the search path and the installed one.
pub fn all_versions(name: &str) -> Vec<FoundSolver> {
    let solvers = solvers();
    let newest = needed(name);
    let config = &newest.config;
    let found: Vec<FoundSolver> = solvers
        .candidates(config)
        .into_iter()
        .filter_map(|candidate| {
            let version = candidate.version.ok().filter(|version| *version >= config.find.minimum)?;
            Some(FoundSolver {
                version,
                program: candidate.program,
                lead: candidate.lead,
                origin: candidate.origin,
                config: config.clone(),
            })
        })
        .collect();
    assert!(!found.is_empty());
    found
}

/// Processes that carry the marker in their arguments or environment.
pub fn processes_with(marker: &str) -> Vec<String> {
    let holds = |path: &Path| {
        let bytes = fs::read(path).unwrap_or_default();
        bytes.windows(marker.len()).any(|window| window == marker.as_bytes())
    };
    let own = std::process::id().to_string();
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.parse::<u32>().is_ok() && *name != own)
        .filter(|pid| {
            let folder = Path::new("/proc").join(pid);
            holds(&folder.join("cmdline")) || holds(&folder.join("environ"))
        })
        .map(|pid| {
            let command = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            format!("{pid}: {}", command.replace('\0', " "))
        })
        .collect()
}

/// Waits until no process carries the marker; a process that is being torn down needs a moment.
pub fn expect_none_left(marker: &str) {
    let until = Instant::now() + Duration::from_secs(5);
    loop {
        let left = processes_with(marker);
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < until, "processes are left: {left:#?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
