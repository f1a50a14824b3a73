//! Standard input of a program at full speed, kept on its way.
//!
//! What comes through a pipe can be read only once, and the C library reads it where the recorder cannot see it. So it
//! goes through here. A terminal is left to the program, which would behave differently without one; a file is copied
//! by the recorder.

use std::io::{self, Read, Write};
use std::os::unix::fs::FileTypeExt;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// What has gone through so far.
#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    whole: bool,
}

/// Standard input that goes through here.
pub(super) struct Passed {
    kept: Arc<Mutex<Kept>>,
    limit: usize,
}

impl Passed {
    /// Prepares a command whose standard input is to be kept; none if it is not a pipe.
    pub(super) fn through(command: &mut Command, limit: usize) -> Option<Passed> {
        let kind = std::fs::metadata("/proc/self/fd/0").ok()?.file_type();
        if !kind.is_fifo() && !kind.is_socket() {
            return None;
        }
        command.stdin(Stdio::piped()).env("WARPATH_LIGHT_STDIN", "outside");
        Some(Passed { kept: Arc::new(Mutex::new(Kept { whole: true, ..Kept::default() })), limit })
    }

    /// Passes on, until one of the two ends closes. The thread may outlast the program: nobody waits for it.
    pub(super) fn begin(&self, mut to: ChildStdin) {
        let (kept, limit) = (Arc::clone(&self.kept), self.limit);
        thread::spawn(move || {
            let mut block = vec![0; 1 << 16];
            loop {
                let read = match io::stdin().lock().read(&mut block) {
                    Ok(0) => break,
                    Ok(read) => read,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(_) => break,
                };
                keep(&kept, &block[..read], limit);
                if to.write_all(&block[..read]).is_err() {
                    break;
                }
            }
        });
    }

    /// What went through, and whether that is all.
    pub(super) fn kept(&self) -> (Vec<u8>, bool) {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        (kept.bytes.clone(), kept.whole)
    }
}

/// Before it is passed on: the program may read it and end at once.
fn keep(kept: &Mutex<Kept>, bytes: &[u8], limit: usize) {
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    let room = limit.saturating_sub(kept.bytes.len()).min(bytes.len());
    kept.bytes.extend_from_slice(&bytes[..room]);
    kept.whole &= room == bytes.len();
}
