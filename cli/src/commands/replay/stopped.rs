//! `--gdb`: the process stays where the run ended until the user is done with it.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use warpath_native::run;

use super::debugger;
use crate::console::{Console, complain};
use crate::interrupt::Interrupt;
use crate::options::Program;
use crate::runs::explained;

/// Leaves the process stopped, starts the debugger on a terminal, else says how, and waits until the process is gone or
/// the user has had enough.
pub(super) fn wait(
    program: &mut run::Program,
    named: &Program,
    interrupt: &Interrupt,
    console: &Console,
) -> anyhow::Result<()> {
    let threads = program.standing();
    let left = program.leave_stopped().map_err(explained)?;
    let Some(pid) = left else {
        complain(&"warpath: the process is gone: there is nothing for a debugger to see");
        return Ok(());
    };
    console.note(format_args!("where the threads are:\n{}", debugger::stacks(&threads).trim_end()));
    let mut script = tempfile::Builder::new()
        .prefix("warpath-")
        .suffix(".gdb")
        .tempfile()
        .context("there is no place for the debugger's commands")?;
    script
        .write_all(debugger::script(&threads).as_bytes())
        .context("the debugger's commands cannot be written")?;
    console.note(format_args!(
        "note: the process has the memory of {} and the registers of one thread; `warpath-thread N` in gdb goes to another, `kill` ends it; it cannot go on, because its threads are not the system's",
        named.name().display()
    ));
    if !debugged(pid, script.path(), interrupt) {
        let commands = script.path().display();
        complain(&format_args!(
            "warpath: process {pid} is stopped there; attach with: gdb -x {commands} -p {pid}"
        ));
        console.note(format_args!("note: Ctrl-C here ends it, too"));
        while !interrupt.asked() && is_alive(pid) {
            thread::sleep(Duration::from_millis(50));
        }
    }
    if is_alive(pid) {
        kill(Pid::from_raw(pid), Signal::SIGKILL).context("the stopped process cannot be ended")?;
    }
    Ok(())
}

/// Runs gdb if there is a terminal to run it on; false if it was not run.
fn debugged(pid: i32, script: &Path, interrupt: &Interrupt) -> bool {
    if !(io::stdin().is_terminal() && io::stdout().is_terminal() && io::stderr().is_terminal()) {
        return false;
    }
    let mut gdb = Command::new("gdb");
    gdb.arg("-q").arg("-x").arg(script).arg("-p").arg(pid.to_string());
    match interrupt.leave_to(|| gdb.status()) {
        Ok(_) => true,
        Err(error) => {
            complain(&format_args!("warpath: gdb cannot be started: {error}"));
            false
        }
    }
}

/// Somebody else is its parent, so it may be gone without having been waited for.
fn is_alive(pid: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = status.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    state.is_some_and(|state| !"ZX".contains(state))
}
