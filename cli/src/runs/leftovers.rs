//! Processes that a program leaves behind.
//!
//! The tracer ends its own. But a program may start others, and be stopped before it has seen to them; as it is run
//! several times, so are they. Whoever loses his parent becomes our child, and is ended with us.

use std::fs;

use nix::errno::Errno;
use nix::sys::prctl::set_child_subreaper;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::{Pid, getpid};

/// From its beginning to its end, orphans below us are ours.
pub(crate) struct Leftovers(());

impl Leftovers {
    pub(crate) fn adopt() -> Leftovers {
        // Without it orphans go to the system's first process, as they always did.
        let _ = set_child_subreaper(true);
        Leftovers(())
    }
}

impl Drop for Leftovers {
    fn drop(&mut self) {
        // Each end may orphan others; what starts processes faster than this ends them is left alone at last.
        for _ in 0..64 {
            let children = children();
            if children.is_empty() {
                break;
            }
            for child in children {
                let _ = kill(child, Signal::SIGKILL);
                while waitpid(child, Some(WaitPidFlag::__WALL)) == Err(Errno::EINTR) {}
            }
        }
        let _ = set_child_subreaper(false);
    }
}

/// Our children, zombies included.
fn children() -> Vec<Pid> {
    let own = getpid();
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let child = |name: std::ffi::OsString| {
        let pid: i32 = name.to_str()?.parse().ok()?;
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in parentheses may hold anything; after it come the state and the parent.
        let parent: i32 = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
        (parent == own.as_raw()).then(|| Pid::from_raw(pid))
    };
    processes.filter_map(|entry| child(entry.ok()?.file_name())).collect()
}
