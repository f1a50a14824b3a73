//! Leaving no process behind.
//!
//! The supervisor is a *child subreaper*: a process that loses its parent anywhere below it becomes its child, also
//! after `setsid`. So killing everything that descends from the supervisor, until it has no children left, ends all
//! that the solver ever started.

use std::fs;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getpid};

use super::failure::Ending;

/// How long we try; only processes stuck inside the kernel survive SIGKILL that long.
const PATIENCE: Duration = Duration::from_secs(5);

/// What one look at the ended children brought.
#[derive(Debug, Default)]
pub(crate) struct Reaped {
    /// How the watched process ended, if it was among them.
    pub(crate) watched: Option<Ending>,
    /// There are no children any more.
    pub(crate) none_left: bool,
}

/// Collects every child that has ended, without waiting.
pub(crate) fn reap(watched: Pid) -> Reaped {
    let mut reaped = Reaped::default();
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(pid, code)) if pid == watched => reaped.watched = Some(Ending::Exit(code)),
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == watched => {
                reaped.watched = Some(Ending::Signal(signal as i32));
            }
            Ok(WaitStatus::StillAlive) => return reaped,
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => {
                reaped.none_left = true;
                return reaped;
            }
        }
    }
}

/// Kills the solver's group and every other descendant and collects them all; says how the watched one ended if
/// that had not been known before.
pub(crate) fn end_all(watched: Pid) -> Option<Ending> {
    let begun = Instant::now();
    let mut ending = None;
    let mut pause = Duration::from_micros(200);
    // The group's number cannot have been given to others: the watched process is either alive or not yet reaped,
    // or its group still has members, or nobody has it and the call fails.
    let _ = killpg(watched, Signal::SIGKILL);
    loop {
        let reaped = reap(watched);
        ending = ending.or(reaped.watched);
        if reaped.none_left || begun.elapsed() > PATIENCE {
            return ending;
        }
        // Killing a process hands its children to us, so every round reaches one generation further at least.
        for pid in descendants(getpid()) {
            let _ = kill(pid, Signal::SIGKILL);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// All processes below `root`, by the parent numbers in `/proc`.
fn descendants(root: Pid) -> Vec<Pid> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let parents: Vec<(i32, i32)> = entries
        .filter_map(|entry| {
            let pid: i32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            // The command's name may hold anything, also parentheses: the fields begin after the last one.
            let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
            Some((pid, parent))
        })
        .collect();
    let mut found = vec![root.as_raw()];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        for (pid, above) in &parents {
            // The listing is no snapshot: with numbers given anew while we read it could hold a cycle.
            if *above == parent && !found.contains(pid) {
                found.push(*pid);
            }
        }
        next += 1;
    }
    found.into_iter().skip(1).map(Pid::from_raw).collect()
}
