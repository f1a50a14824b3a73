//! Files and everything else that the kernel does for the program.

use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

use super::{Call, Next, Since, error};
use crate::run::action::{Action, Wait};
use crate::run::error::RunError;
use crate::run::machine::Machine;
use crate::run::options::{Output, Source};
use crate::run::world::GivenFiles;

/// Descriptors that matter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    /// Standard input that cannot be rewound, read once and kept for all runs.
    pub stdin: Option<Arc<Mutex<Vec<u8>>>>,
    stdin_position: usize,
    /// Descriptors whose first bytes are inputs.
    symbolic: FxHashMap<i32, Stream>,
    /// Descriptors that are standard input (0), output (1) or error (2).
    standard: Standard,
    /// Bytes of output that were kept.
    kept: u64,
    /// Files that are given to the program instead of those on the disk.
    pub given: Arc<GivenFiles>,
    /// Since when times of files are the run's own.
    pub since: Since,
}

/// Which descriptors lead to which of the three streams that the program was started with.
#[derive(Clone, Debug)]
struct Standard(FxHashMap<i32, i32>);

impl Default for Standard {
    fn default() -> Self {
        Standard([(0, 0), (1, 1), (2, 2)].into_iter().collect())
    }
}

impl Files {
    fn is_kept_stdin(&self, fd: i32) -> bool {
        self.stdin.is_some() && self.standard.0.get(&fd) == Some(&0)
    }

    /// Which of the two outputs a descriptor is.
    fn output(&self, fd: i32) -> Option<i32> {
        self.standard.0.get(&fd).copied().filter(|&stream| stream != 0)
    }
}

impl Standard {
    /// A descriptor is a copy of another now; of one that is not known, it is something else.
    fn copy(&mut self, from: i32, to: i32) {
        match self.0.get(&from).copied() {
            Some(stream) => self.0.insert(to, stream),
            None => self.0.remove(&to),
        };
    }
}

#[derive(Clone, Debug)]
struct Stream {
    name: String,
    limit: u64,
    position: u64,
}

/// Bytes of one output that a trace keeps.
const SHOWN: usize = 4096;

impl Machine {
    /// Standard input's first bytes are inputs.
    pub(crate) fn symbolic_stdin(&mut self, limit: u64) {
        self.kernel.files.symbolic.insert(0, Stream { name: "stdin".into(), limit, position: 0 });
    }

    pub(super) fn file_call(&mut self, t: usize, call: Call) -> Result<Next, RunError> {
        let fd = call.arguments[0] as i32;
        match call.number {
            libc::SYS_write | libc::SYS_writev => return self.output_call(t, call),
            libc::SYS_read if self.kernel.files.is_kept_stdin(fd) => return self.read_stdin(t, call),
            libc::SYS_read
            | libc::SYS_readv
            | libc::SYS_recvfrom
            | libc::SYS_recvmsg
            | libc::SYS_accept
            | libc::SYS_accept4
                if !self.ready(fd, libc::POLLIN)? =>
            {
                self.call_again(t, call);
                return Ok(Next::Poise(Action::Blocked(Wait::Descriptor { fd, events: libc::POLLIN })));
            }
            libc::SYS_sendto | libc::SYS_sendmsg if !self.ready(fd, libc::POLLOUT)? => {
                self.call_again(t, call);
                return Ok(Next::Poise(Action::Blocked(Wait::Descriptor { fd, events: libc::POLLOUT })));
            }
            _ => {}
        }
        self.write_back()?;
        let real = self.with_given_file(call)?;
        let result = self.raw_call(real.number, real.arguments)?;
        let promised = self.promised(fd, call.arguments[2]);
        if call.number == libc::SYS_read && result == 0 && promised > 0 {
            return self.give_bytes(t, call, &vec![0; promised]);
        }
        match self.written_by(call, result) {
            Some(ranges) => {
                for (address, length) in ranges.into_iter().filter(|(_, length)| *length > 0) {
                    self.space.forget(address..address.saturating_add(length));
                    self.steady_status(call, result);
                    self.kernel_wrote(t, address, length)?;
                }
            }
            None => {
                self.approximate("system calls that are not modelled");
                self.space.forget(0..u64::MAX);
            }
        }
        self.follow_streams(t, call, result)?;
        Ok(self.give(t, result))
    }

    /// What the call wrote to memory; `None` if that is not known.
    fn written_by(&mut self, call: Call, result: i64) -> Option<Vec<(u64, u64)>> {
        let [first, second, third, fourth, fifth, _] = call.arguments;
        let count = u64::try_from(result).unwrap_or(0);
        Some(match call.number {
            libc::SYS_read
            | libc::SYS_pread64
            | libc::SYS_recvfrom
            | libc::SYS_getdents64
            | libc::SYS_readlink => {
                vec![
                    (second, count.min(third)),
                    (fifth, if call.number == libc::SYS_recvfrom { 128 } else { 0 }),
                ]
            }
            libc::SYS_readlinkat => vec![(third, count)],
            libc::SYS_readv | libc::SYS_preadv => self.vectors(second, third, count),
            libc::SYS_getcwd => vec![(first, count)],
            libc::SYS_fstat | libc::SYS_stat | libc::SYS_lstat => vec![(second, 144)],
            libc::SYS_newfstatat => vec![(third, 144)],
            libc::SYS_statx => vec![(fifth, 256)],
            libc::SYS_statfs | libc::SYS_fstatfs => vec![(second, 120)],
            libc::SYS_uname => vec![(first, 390)],
            libc::SYS_sysinfo => vec![(first, 112)],
            libc::SYS_getrusage => vec![(second, 144)],
            libc::SYS_getrlimit => vec![(second, 16)],
            libc::SYS_prlimit64 => vec![(fourth, 16)],
            libc::SYS_pipe | libc::SYS_pipe2 => vec![(first, 8)],
            libc::SYS_socketpair => vec![(fourth, 8)],
            libc::SYS_ioctl => vec![(third, 256)],
            libc::SYS_getsockopt => vec![(fourth, 256), (fifth, 4)],
            libc::SYS_getsockname | libc::SYS_getpeername | libc::SYS_accept | libc::SYS_accept4 => {
                vec![(second, 128), (third, 4)]
            }
            libc::SYS_getresuid | libc::SYS_getresgid => vec![(first, 4), (second, 4), (third, 4)],
            libc::SYS_madvise => {
                // Given back, not written: nobody shares what is zero again.
                if third as i32 == libc::MADV_DONTNEED {
                    self.shadow.clear(first, second);
                    self.update_marks();
                    self.space.forget(first..first.saturating_add(second));
                }
                Vec::new()
            }
            libc::SYS_open
            | libc::SYS_openat
            | libc::SYS_creat
            | libc::SYS_close
            | libc::SYS_lseek
            | libc::SYS_access
            | libc::SYS_faccessat
            | libc::SYS_faccessat2
            | libc::SYS_dup
            | libc::SYS_dup2
            | libc::SYS_dup3
            | libc::SYS_fsync
            | libc::SYS_fdatasync
            | libc::SYS_ftruncate
            | libc::SYS_truncate
            | libc::SYS_pwrite64
            | libc::SYS_fadvise64
            | libc::SYS_fallocate
            | libc::SYS_unlink
            | libc::SYS_unlinkat
            | libc::SYS_rename
            | libc::SYS_renameat
            | libc::SYS_renameat2
            | libc::SYS_mkdir
            | libc::SYS_mkdirat
            | libc::SYS_rmdir
            | libc::SYS_chdir
            | libc::SYS_chmod
            | libc::SYS_fchmod
            | libc::SYS_fchmodat
            | libc::SYS_fchown
            | libc::SYS_chown
            | libc::SYS_utimensat
            | libc::SYS_umask
            | libc::SYS_getuid
            | libc::SYS_geteuid
            | libc::SYS_getgid
            | libc::SYS_getegid
            | libc::SYS_socket
            | libc::SYS_connect
            | libc::SYS_bind
            | libc::SYS_listen
            | libc::SYS_shutdown
            | libc::SYS_setsockopt
            | libc::SYS_sendto
            | libc::SYS_sendmsg
            | libc::SYS_eventfd2
            | libc::SYS_epoll_create1
            | libc::SYS_epoll_ctl
            | libc::SYS_flock
            | libc::SYS_setrlimit
            | libc::SYS_mlock
            | libc::SYS_munlock
            | libc::SYS_setpriority
            | libc::SYS_sched_setaffinity
            | libc::SYS_setpgid
            | libc::SYS_setsid
            | libc::SYS_copy_file_range => Vec::new(),
            libc::SYS_prctl if [libc::PR_SET_NAME, libc::PR_SET_VMA].contains(&(first as i32)) => Vec::new(),
            libc::SYS_fcntl => vec![(third, if [libc::F_GETLK].contains(&(second as i32)) { 32 } else { 0 })],
            _ => return None,
        })
    }

    fn vectors(&mut self, address: u64, count: u64, mut filled: u64) -> Vec<(u64, u64)> {
        let mut ranges = Vec::new();
        for n in 0..count.min(1024) {
            let (Some(base), Some(length)) =
                (self.peek_word::<8>(address + 16 * n), self.peek_word::<8>(address + 16 * n + 8))
            else {
                break;
            };
            ranges.push((base, length.min(filled)));
            filled -= length.min(filled);
        }
        ranges
    }

    /// Bytes that go out are an event: they are written when the thread's turn comes.
    fn output_call(&mut self, t: usize, call: Call) -> Result<Next, RunError> {
        let [fd, address, count, ..] = call.arguments;
        let fd = fd as i32;
        if !self.ready(fd, libc::POLLOUT)? {
            self.call_again(t, call);
            return Ok(Next::Poise(Action::Blocked(Wait::Descriptor { fd, events: libc::POLLOUT })));
        }
        let ranges = match call.number {
            libc::SYS_write => vec![(address, count)],
            _ => self.vectors(address, count, u64::MAX),
        };
        let mut bytes = Vec::new();
        for (address, length) in ranges {
            let room = SHOWN.saturating_sub(bytes.len()).min(usize::try_from(length).unwrap_or(usize::MAX));
            bytes.extend(self.peek(address, room).unwrap_or_default());
        }
        Ok(Next::Poise(Action::Output { fd, bytes }))
    }

    /// Writes what the thread was about to write.
    pub(crate) fn perform_output(&mut self, t: usize, fd: i32) -> Result<i64, RunError> {
        let call = Call::of(&self.threads[t].registers);
        let kept = self.options.output != Output::Inherit;
        let Some(stream) = self.kernel.files.output(fd).filter(|_| kept) else {
            return self.memory_call(call.number, call.arguments, &[]);
        };
        let ranges = match call.number {
            libc::SYS_write => vec![(call.arguments[1], call.arguments[2])],
            _ => self.vectors(call.arguments[1], call.arguments[2], u64::MAX),
        };
        let mut written = 0;
        for (address, length) in ranges {
            let bytes = self.readable(address, length);
            written += bytes.len() as i64;
            let all = bytes.len() as u64 == length;
            if self.options.output == Output::Keep && !bytes.is_empty() {
                self.kernel.files.kept += bytes.len() as u64;
                self.output.push((stream, bytes));
            }
            if !all {
                return Ok(if written == 0 { error(libc::EFAULT) } else { written });
            }
        }
        Ok(written)
    }

    /// Has the program written more than is kept?
    pub(crate) fn too_much_output(&self) -> Option<u64> {
        let limit = self.options.max_output;
        (self.kernel.files.kept > limit).then_some(limit)
    }

    /// The bytes at an address, as far as they can be read; at most as many as the kernel takes at once.
    fn readable(&mut self, address: u64, length: u64) -> Vec<u8> {
        const PAGE: u64 = 4096;
        const MOST: u64 = 0x7fff_f000;
        let end = address.saturating_add(length.min(MOST));
        let mut bytes = Vec::new();
        let mut at = address;
        while at < end {
            let next = ((at & !(PAGE - 1)) + PAGE).min(end);
            let Some(piece) = self.peek(at, (next - at) as usize) else { break };
            bytes.extend(piece);
            at = next;
        }
        bytes
    }

    /// Standard input that cannot be rewound: from what was kept, then from the source itself.
    fn read_stdin(&mut self, t: usize, call: Call) -> Result<Next, RunError> {
        let (fd, count) = (call.arguments[0] as i32, call.arguments[2]);
        let Some(kept) = self.kernel.files.stdin.clone() else { return Ok(self.give(t, error(libc::EBADF))) };
        let mut kept = kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let position = self.kernel.files.stdin_position;
        if position >= kept.len() {
            if !self.ready(0, libc::POLLIN)? {
                self.call_again(t, call);
                return Ok(Next::Poise(Action::Blocked(Wait::Descriptor { fd: 0, events: libc::POLLIN })));
            }
            let mut more = vec![0; 1 << 16];
            let length = std::io::stdin().lock().read(&mut more).unwrap_or(0);
            kept.extend_from_slice(&more[..length]);
        }
        let end = kept.len().min(position.saturating_add(usize::try_from(count).unwrap_or(usize::MAX)));
        let mut bytes = kept.get(position..end).unwrap_or_default().to_vec();
        drop(kept);
        if bytes.is_empty() {
            bytes = vec![0; self.promised(fd, count)];
        }
        self.kernel.files.stdin_position = position + bytes.len();
        self.give_bytes(t, call, &bytes)
    }

    /// The program reads these.
    fn give_bytes(&mut self, t: usize, call: Call, bytes: &[u8]) -> Result<Next, RunError> {
        if !self.kernel_write(t, call.arguments[1], bytes)? {
            return Ok(self.give(t, error(libc::EFAULT)));
        }
        self.follow_streams(t, call, bytes.len() as i64)?;
        Ok(self.give(t, bytes.len() as i64))
    }

    /// How many bytes of standard input are given as inputs from where the program stands: a schedule has them also
    /// where there is nothing to read.
    fn promised(&self, fd: i32, most: u64) -> usize {
        let Some(stream) = self.kernel.files.symbolic.get(&fd) else { return 0 };
        let inputs =
            self.options.inputs.iter().filter(|input| input.name == "stdin" && stream.name == "stdin");
        let end = inputs.map(|input| u64::from(input.nth) + 1).max().unwrap_or(0).min(stream.limit);
        usize::try_from(end.saturating_sub(stream.position).min(most)).unwrap_or(0)
    }

    /// Keeps track of descriptors whose bytes are inputs, and makes them inputs.
    fn follow_streams(&mut self, t: usize, call: Call, result: i64) -> Result<(), RunError> {
        let Ok(count) = u64::try_from(result) else { return Ok(()) };
        let [first, second, third, fourth, ..] = call.arguments;
        let fd = first as i32;
        match call.number {
            libc::SYS_open | libc::SYS_openat => {
                let path = if call.number == libc::SYS_open { first } else { second };
                let path = self.peek_string(path, 4096).unwrap_or_default();
                self.opened(&path, result as i32);
            }
            libc::SYS_close => {
                self.kernel.files.symbolic.remove(&fd);
                self.kernel.files.standard.0.remove(&fd);
            }
            libc::SYS_dup | libc::SYS_dup2 | libc::SYS_dup3 => self.copied(fd, result as i32),
            libc::SYS_fcntl if [libc::F_DUPFD, libc::F_DUPFD_CLOEXEC].contains(&(second as i32)) => {
                self.copied(fd, result as i32);
            }
            libc::SYS_lseek => {
                if let Some(stream) = self.kernel.files.symbolic.get_mut(&fd) {
                    stream.position = count;
                }
            }
            libc::SYS_read => self.read_inputs(t, fd, &[(second, count)], None)?,
            libc::SYS_pread64 => self.read_inputs(t, fd, &[(second, count)], Some(fourth))?,
            libc::SYS_readv => {
                let ranges = self.vectors(second, third, count);
                self.read_inputs(t, fd, &ranges, None)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn copied(&mut self, from: i32, to: i32) {
        let files = &mut self.kernel.files;
        files.standard.copy(from, to);
        match files.symbolic.get(&from).cloned() {
            Some(stream) => files.symbolic.insert(to, stream),
            None => files.symbolic.remove(&to),
        };
    }

    fn opened(&mut self, path: &[u8], fd: i32) {
        let name = Path::new(std::ffi::OsStr::from_bytes(path));
        let same = |wanted: &Path| {
            wanted == name
                || wanted.canonicalize().ok().is_some_and(|wanted| Some(wanted) == name.canonicalize().ok())
        };
        let found = self.options.symbolic.iter().find_map(|source| match source {
            Source::File { path, bytes } if same(path) => Some((format!("file:{}", path.display()), *bytes)),
            _ => None,
        });
        if let Some((name, limit)) = found {
            self.kernel.files.symbolic.insert(fd, Stream { name, limit, position: 0 });
        }
    }

    fn read_inputs(
        &mut self,
        t: usize,
        fd: i32,
        ranges: &[(u64, u64)],
        at: Option<u64>,
    ) -> Result<(), RunError> {
        let Some(stream) = self.kernel.files.symbolic.get(&fd).cloned() else { return Ok(()) };
        let mut position = at.unwrap_or(stream.position);
        for &(address, length) in ranges {
            for n in 0..length {
                if position + n < stream.limit {
                    self.take_byte(t, &stream.name, position + n, address + n)?;
                }
            }
            position += length;
        }
        if at.is_none()
            && let Some(stream) = self.kernel.files.symbolic.get_mut(&fd)
        {
            stream.position = position;
        }
        Ok(())
    }
}
