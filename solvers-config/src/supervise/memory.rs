//! Telling "ran out of memory" from other ends, as well as one can from outside.

use std::fs;
use std::time::{Duration, Instant};

use nix::unistd::Pid;

/// How often the solver's size is looked at while it works.
const INTERVAL: Duration = Duration::from_millis(100);

/// What solvers and their libraries say when an allocation fails.
const WORDS: [&str; 7] = [
    "out of memory",
    "out-of-memory",
    "bad_alloc",
    "memoryerror",
    "memory exhausted",
    "max. memory exceeded",
    "cannot allocate memory",
];

/// Watches the address space of one process against its limit.
#[derive(Debug)]
pub(crate) struct MemoryWatch {
    pid: Pid,
    /// The line of the process's status that counts.
    line: &'static str,
    limit_mb: u64,
    peak_mb: u64,
    next_look: Instant,
}

impl MemoryWatch {
    pub(crate) fn new(pid: Pid, limit_mb: u64) -> Self {
        // What the limit of the system counts.
        Self { pid, line: "VmPeak:", limit_mb, peak_mb: 0, next_look: Instant::now() }
    }

    /// The same for what the process itself has used, without what its threads reserve for later.
    pub(crate) fn of_this_process(limit_mb: u64) -> Self {
        Self { line: "VmHWM:", ..Self::new(Pid::this(), limit_mb) }
    }

    pub(crate) fn limit_mb(&self) -> u64 {
        self.limit_mb
    }

    /// When the next look is due; `None` without a limit.
    pub(crate) fn next_look(&self) -> Option<Instant> {
        (self.limit_mb > 0).then_some(self.next_look)
    }

    /// Looks if it is time to.
    pub(crate) fn look(&mut self) {
        let now = Instant::now();
        if self.next_look().is_none_or(|due| due > now) {
            return;
        }
        self.next_look = now + INTERVAL;
        let Ok(status) = fs::read_to_string(format!("/proc/{}/status", self.pid)) else { return };
        let peak_kb = status
            .lines()
            .find_map(|line| line.strip_prefix(self.line))
            .and_then(|rest| rest.split_whitespace().next())
            .and_then(|number| number.parse::<u64>().ok());
        self.peak_mb = self.peak_mb.max(peak_kb.unwrap_or(0) >> 10);
    }

    /// Why memory is the likely cause, given what the solver said; `died` when it ended unasked.
    pub(crate) fn suspicion(&self, said: &str, died: bool) -> Option<String> {
        let lower = said.to_lowercase();
        if let Some(word) = WORDS.iter().find(|word| lower.contains(*word)) {
            return Some(format!("it said \"{word}\""));
        }
        self.is_near().filter(|_| died)
    }

    /// The evidence that the limit is all but reached.
    pub(crate) fn is_near(&self) -> Option<String> {
        let near = self.limit_mb > 0 && self.peak_mb >= self.limit_mb - self.limit_mb / 10;
        near.then(|| format!("it reached {} MiB", self.peak_mb))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_sizes_are_evidence() {
        let mut watch = MemoryWatch::new(Pid::this(), 1);
        assert_eq!(watch.suspicion("Segmentation fault", true), None);
        assert!(watch.suspicion("terminate: what(): std::bad_alloc", true).is_some());
        watch.look();
        assert!(watch.suspicion("", true).is_some());
        assert!(watch.suspicion("", false).is_none());
    }
}
