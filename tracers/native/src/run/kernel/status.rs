//! What the kernel says about files, without what is only true of this very run.
//!
//! A file of `/proc` is as old as the look at it, and what a program writes is as old as the run. Programs that do not
//! care copy such times about with the rest of their stack, and would do something else in every run.

use std::os::unix::fs::MetadataExt;

use nix::time::{ClockId, clock_gettime};

use super::Call;
use super::time::{EPOCH, SECOND};
use crate::run::machine::Machine;

/// Since when times are the run's own, and which device has the files of the kernel itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Since {
    /// Seconds since 1970, and nanoseconds.
    time: (i64, i64),
    /// The device of `/proc`.
    kernel_files: Option<u64>,
}

impl Default for Since {
    /// No time is.
    fn default() -> Self {
        Since { time: (i64::MAX, 0), kernel_files: None }
    }
}

impl Since {
    /// From now on.
    pub(crate) fn now() -> Since {
        // The clock that the kernel takes the times of files from: it may be some milliseconds behind the exact one.
        let now = clock_gettime(ClockId::CLOCK_REALTIME_COARSE);
        Since {
            time: now.map_or((i64::MAX, 0), |now| (now.tv_sec(), now.tv_nsec())),
            kernel_files: std::fs::metadata("/proc").ok().map(|folder| folder.dev()),
        }
    }
}

/// The inode of every file in `/proc` but folders: those differ from process to process.
const INODE: u64 = 1;

/// Where a structure that describes a file has what.
struct Layout {
    length: usize,
    /// Sixteen bits of it.
    mode: usize,
    inode: usize,
    /// Seconds in eight bytes, behind them nanoseconds in so many.
    times: &'static [usize],
    nanoseconds: usize,
}

/// `struct stat`.
const STAT: Layout = Layout { length: 144, mode: 24, inode: 8, times: &[72, 88, 104], nanoseconds: 8 };
/// `struct statx`.
const STATX: Layout = Layout { length: 256, mode: 28, inode: 32, times: &[64, 80, 96, 112], nanoseconds: 4 };

impl Machine {
    /// Makes what a call has just written about a file the same in every run.
    pub(super) fn steady_status(&mut self, call: Call, result: i64) {
        let [_, second, third, _, fifth, _] = call.arguments;
        let (address, layout) = match call.number {
            libc::SYS_stat | libc::SYS_lstat | libc::SYS_fstat => (second, &STAT),
            libc::SYS_newfstatat => (third, &STAT),
            libc::SYS_statx => (fifth, &STATX),
            _ => return,
        };
        if result != 0 {
            return;
        }
        let Some(mut status) = self.peek(address, layout.length) else { return };
        if layout.steady(&mut status, self.kernel.files.since) {
            self.poke(address, &status);
        }
    }
}

impl Layout {
    /// Gives what is of this run the time of the program's start: how late it is depends on who looked at the clock.
    /// Whether anything had to be changed.
    fn steady(&self, status: &mut [u8], since: Since) -> bool {
        let mut new = false;
        for &at in self.times {
            let seconds = i64::from_le_bytes(part(status, at));
            // Nanoseconds fit in the four bytes that both structures have.
            let nanoseconds = u32::from_le_bytes(part(status, at + 8));
            if (seconds, nanoseconds.into()) >= since.time {
                status[at..at + 8].copy_from_slice(&(EPOCH / SECOND).to_le_bytes());
                status[at + 8..at + 8 + self.nanoseconds].fill(0);
                new = true;
            }
        }
        let mode = u32::from(status[self.mode]) | (u32::from(status[self.mode + 1]) << 8);
        if new && Some(self.device(status)) == since.kernel_files && mode & libc::S_IFMT != libc::S_IFDIR {
            status[self.inode..self.inode + 8].copy_from_slice(&INODE.to_le_bytes());
        }
        new
    }

    fn device(&self, status: &[u8]) -> u64 {
        if self.length == STAT.length {
            return u64::from_le_bytes(part(status, 0));
        }
        let both = u64::from_le_bytes(part(status, 136));
        libc::makedev(both as u32, (both >> 32) as u32)
    }
}

fn part<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut word = [0; N];
    word.copy_from_slice(&bytes[at..at + N]);
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: (i64, i64) = ((EPOCH / SECOND) as i64, 0);

    fn status(device: u64, inode: u64, mode: u32, times: [(i64, i64); 3]) -> Vec<u8> {
        let mut status = vec![0; STAT.length];
        status[..8].copy_from_slice(&device.to_le_bytes());
        status[8..16].copy_from_slice(&inode.to_le_bytes());
        status[24..28].copy_from_slice(&mode.to_le_bytes());
        for ((seconds, nanoseconds), at) in times.into_iter().zip([72, 88, 104]) {
            status[at..at + 8].copy_from_slice(&seconds.to_le_bytes());
            status[at + 8..at + 16].copy_from_slice(&nanoseconds.to_le_bytes());
        }
        status
    }

    #[test]
    fn old_files_are_as_old_as_they_are() {
        let since = Since { time: (100, 5), kernel_files: Some(5) };
        let file = status(5, 77, libc::S_IFREG, [(99, 7), (100, 4), (-3, 3)]);
        let mut seen = file.clone();
        assert!(!STAT.steady(&mut seen, since));
        assert_eq!(seen, file);
    }

    #[test]
    fn times_of_the_run_are_that_of_its_start() {
        let since = Since { time: (100, 5), kernel_files: Some(5) };
        let mut seen = status(4, 77, libc::S_IFREG, [(100, 5), (98, 2), (102, 3)]);
        assert!(STAT.steady(&mut seen, since));
        assert_eq!(seen, status(4, 77, libc::S_IFREG, [START, (98, 2), START]));
    }

    #[test]
    fn files_of_the_kernel_have_one_inode_and_folders_their_own() {
        let since = Since { time: (100, 5), kernel_files: Some(5) };
        for (mode, inode) in [(libc::S_IFREG, INODE), (libc::S_IFDIR, 77)] {
            let mut seen = status(5, 77, mode, [(100, 6); 3]);
            assert!(STAT.steady(&mut seen, since));
            assert_eq!(seen, status(5, inode, mode, [START; 3]));
        }
    }
}
