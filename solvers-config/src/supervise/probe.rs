//! Running a program to its end under guard, for what it prints.

use std::io::Write;
use std::os::fd::AsFd;
use std::process::Child;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signalfd::SignalFd;
use nix::unistd::{Pid, read};

use super::failure::Ending;
use super::reaper::{end_all, reap};

/// Most output that is kept; the rest is read and forgotten.
const LIMIT: usize = 64 << 10;
/// Exit status of the supervisor when the program failed.
pub(super) const FAILED: i32 = 3;
/// Exit status of the supervisor when the program was not done in time.
pub(super) const TOO_SLOW: i32 = 4;

/// Copies what the program prints, on either stream, until it ends, the time is up, or nobody wants to know any more;
/// leaves no process behind.
pub(super) fn run(mut program: Child, signals: &SignalFd, allowed: Duration) -> i32 {
    let until = Instant::now() + allowed;
    let pid = Pid::from_raw(i32::try_from(program.id()).unwrap_or(0));
    let mut printed = Vec::new();
    let mut streams: Vec<Box<dyn AsFd>> = Vec::new();
    streams.extend(program.stdout.take().map(|stream| Box::new(stream) as Box<dyn AsFd>));
    streams.extend(program.stderr.take().map(|stream| Box::new(stream) as Box<dyn AsFd>));
    drop(program.stdin.take());
    let client = std::io::stdin();
    let mut ending = None;
    while ending.is_none() || !streams.is_empty() {
        let left = until.saturating_duration_since(Instant::now());
        // What the program leaves running may hold the streams open: that is not waited for.
        let patience = if ending.is_some() { left.min(Duration::from_millis(100)) } else { left };
        let mut fds = vec![
            PollFd::new(signals.as_fd(), PollFlags::POLLIN),
            PollFd::new(client.as_fd(), PollFlags::empty()),
        ];
        fds.extend(streams.iter().map(|stream| PollFd::new(stream.as_fd(), PollFlags::POLLIN)));
        let woken = poll(&mut fds, PollTimeout::try_from(patience).unwrap_or(PollTimeout::MAX));
        let ready: Vec<bool> = fds.iter().map(|fd| fd.any().unwrap_or(false)).collect();
        if ready[1] || (woken == Ok(0) && (ending.is_some() || left.is_zero())) {
            break;
        }
        if ready[0] {
            while let Ok(Some(_)) = signals.read_signal() {}
            ending = ending.or(reap(pid).watched);
        }
        let mut at = 1;
        streams.retain(|stream| {
            at += 1;
            !ready[at] || take(stream, &mut printed)
        });
    }
    end_all(pid);
    let _ = std::io::stdout().write_all(&printed);
    match ending {
        Some(Ending::Exit(0)) => 0,
        Some(_) => FAILED,
        None => TOO_SLOW,
    }
}

/// Reads what is there; `false` at the end of the stream.
fn take(stream: &impl AsFd, printed: &mut Vec<u8>) -> bool {
    let mut chunk = [0; 4096];
    match read(stream, &mut chunk) {
        Ok(0) => false,
        Ok(count) => {
            let room = LIMIT.saturating_sub(printed.len());
            printed.extend_from_slice(&chunk[..count.min(room)]);
            true
        }
        Err(error) => error == nix::Error::EINTR,
    }
}
