//! How long a check may take, and how much memory.

use std::fs;
use std::time::{Duration, Instant};

/// Looked at whenever the engine asks whether to stop.
#[derive(Debug)]
pub(crate) struct Limits {
    deadline: Option<Instant>,
    memory_mb: Option<u64>,
    asked: u32,
    reached: Option<&'static str>,
}

/// Memory is looked at only now and then: it costs a system call or three.
const MEMORY_EVERY: u32 = 256;
const PAGE_BYTES: u64 = 4096;

impl Limits {
    pub(crate) fn new(time: Option<Duration>, memory_mb: Option<u64>) -> Self {
        // A time too long for the clock is no limit.
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        Limits { deadline, memory_mb, asked: 0, reached: None }
    }

    /// Whether to stop.
    pub(crate) fn stop(&mut self) -> bool {
        self.asked = self.asked.wrapping_add(1);
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.reached = Some("timeout");
        }
        if self.asked % MEMORY_EVERY == 1
            && self.memory_mb.is_some_and(|limit| resident_mb().is_some_and(|used| used > limit))
        {
            self.reached = Some("memout");
        }
        self.reached.is_some()
    }

    /// Why an answer is unknown, in the words of `:reason-unknown`.
    pub(crate) fn reason(&self) -> &'static str {
        self.reached.unwrap_or("incomplete")
    }
}

fn resident_mb() -> Option<u64> {
    let statm = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some((pages * PAGE_BYTES) >> 20)
}
