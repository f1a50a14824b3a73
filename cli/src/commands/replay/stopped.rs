//! `--gdb`: the process stays where the run ended until the user is done with it.

use std::fs;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use warpath_native::run;

use crate::console::{Console, complain};
use crate::interrupt::Interrupt;
use crate::options::Program;
use crate::runs::explained;

/// Leaves the process stopped, says how to attach, and waits until it is gone or the user has had enough.
pub(super) fn wait(
    program: &mut run::Program,
    named: &Program,
    interrupt: &Interrupt,
    console: &Console,
) -> anyhow::Result<()> {
    let left = program.leave_stopped().map_err(explained)?;
    let Some(pid) = left else { return Ok(()) };
    complain(&format_args!("warpath: process {pid} is stopped there; attach with: gdb -p {pid}"));
    console.note(format_args!(
        "note: it has the memory of {} and the registers of the thread shown above; `kill` in the debugger or Ctrl-C here ends it",
        named.name().display()
    ));
    while !interrupt.asked() && is_alive(pid) {
        thread::sleep(Duration::from_millis(50));
    }
    if is_alive(pid) {
        kill(Pid::from_raw(pid), Signal::SIGKILL).context("the stopped process cannot be ended")?;
    }
    Ok(())
}

/// Somebody else is its parent, so it may be gone without having been waited for.
fn is_alive(pid: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = status.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    state.is_some_and(|state| !"ZX".contains(state))
}
