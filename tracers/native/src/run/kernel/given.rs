//! Calls that name a file which the program is given instead of the one on the disk.

use super::Call;
use crate::run::error::RunError;
use crate::run::machine::Machine;

/// Where in our page the path stands: what is before it is used by others.
const AT: u64 = 512;

impl Machine {
    /// The same call, about the file that is given, if there is one of that name.
    pub(super) fn with_given_file(&mut self, call: Call) -> Result<Call, RunError> {
        if self.kernel.files.given.is_empty() {
            return Ok(call);
        }
        let (path, flags) = match call.number {
            libc::SYS_open => (0, Some(1)),
            libc::SYS_openat => (1, Some(2)),
            libc::SYS_stat | libc::SYS_lstat | libc::SYS_access => (0, None),
            libc::SYS_newfstatat | libc::SYS_statx | libc::SYS_faccessat | libc::SYS_faccessat2 => (1, None),
            _ => return Ok(call),
        };
        let name = self.peek_string(call.arguments[path], 4096).unwrap_or_default();
        let writes = flags
            .is_some_and(|place: usize| call.arguments[place] as i32 & libc::O_ACCMODE != libc::O_RDONLY);
        let Some(real) = self.kernel.files.given.real_path(&name, writes) else { return Ok(call) };
        let place = self.native.scratch + AT;
        self.process.write(place, real.as_bytes_with_nul())?;
        let mut given = call;
        given.arguments[path] = place;
        // It is behind a link, which is not what the program asks about.
        match call.number {
            libc::SYS_lstat => given.number = libc::SYS_stat,
            libc::SYS_open | libc::SYS_openat => {
                if let Some(place) = flags {
                    given.arguments[place] &= !(libc::O_NOFOLLOW as u64);
                }
            }
            libc::SYS_newfstatat => given.arguments[3] &= !(libc::AT_SYMLINK_NOFOLLOW as u64),
            libc::SYS_statx => given.arguments[2] &= !(libc::AT_SYMLINK_NOFOLLOW as u64),
            _ => {}
        }
        Ok(given)
    }
}
