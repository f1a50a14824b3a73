//! What a program is given instead of what there is: its environment, standard input, files.

use std::ffi::{CString, OsString};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::RunError;

/// What a program is given. What is not here is as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct World {
    /// The whole environment, `NAME=value`.
    pub environment: Option<Vec<OsString>>,
    /// All of standard input.
    pub stdin: Option<Vec<u8>>,
    /// Files, whatever is on the disk.
    pub files: Vec<GivenFile>,
}

/// A file that a program is given. What it writes there nobody else sees, and every run begins with it anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenFile {
    /// The path, as the program names it.
    pub path: Vec<u8>,
    /// What is in it.
    pub bytes: Arc<Vec<u8>>,
}

/// Files that are given, in memory, where the program's process can open them.
#[derive(Debug, Default)]
pub(crate) struct GivenFiles(Vec<Given>);

#[derive(Debug)]
struct Given {
    path: Vec<u8>,
    bytes: Arc<Vec<u8>>,
    file: File,
    /// A run may have changed it.
    changed: AtomicBool,
}

impl GivenFiles {
    pub(crate) fn new(files: &[GivenFile]) -> Result<GivenFiles, RunError> {
        let given = |file: &GivenFile| {
            Ok(Given {
                path: file.path.clone(),
                bytes: Arc::clone(&file.bytes),
                file: in_memory("file", &file.bytes)?,
                changed: AtomicBool::new(false),
            })
        };
        Ok(GivenFiles(files.iter().map(given).collect::<Result<_, RunError>>()?))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where the program's process finds a file that it names so.
    pub(crate) fn real_path(&self, path: &[u8], writes: bool) -> Option<CString> {
        let given = self.0.iter().find(|given| given.path == path)?;
        if writes {
            given.changed.store(true, Ordering::Relaxed);
        }
        CString::new(format!("/proc/{}/fd/{}", std::process::id(), given.file.as_raw_fd())).ok()
    }

    /// Puts back what runs have changed.
    pub(crate) fn renew(&self) -> Result<(), RunError> {
        for given in self.0.iter().filter(|given| given.changed.swap(false, Ordering::Relaxed)) {
            fill(&given.file, &given.bytes)?;
        }
        Ok(())
    }
}

/// A file without a name that holds these bytes.
pub(crate) fn in_memory(what: &str, bytes: &[u8]) -> Result<File, RunError> {
    let name = CString::new(format!("warpath-{what}")).unwrap_or_default();
    // SAFETY: the name is terminated; the flags are the kernel's.
    let fd = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(RunError::Given(std::io::Error::last_os_error()));
    }
    // SAFETY: just made, and ours alone.
    let file = unsafe { File::from_raw_fd(fd) };
    fill(&file, bytes)?;
    Ok(file)
}

fn fill(mut file: &File, bytes: &[u8]) -> Result<(), RunError> {
    let mut fill = || {
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(bytes)?;
        file.seek(SeekFrom::Start(0))
    };
    fill().map(drop).map_err(RunError::Given)
}
