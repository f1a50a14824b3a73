//! From an executable to a machine at its first instruction.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use nix::unistd::{Whence, lseek};
use rustc_hash::FxHashMap;
use warpath_trace::header::Header;
use warpath_trace::ids::StringId;
use warpath_trace::thread::{Thread as Entry, ThreadKey};

use super::calls::{ATOMIC_PREFIX, FUNCTIONS, Function, Hooks, RUST_FUNCTIONS, SyncCall};
use super::error::RunError;
use super::kernel::{Kernel, PID, Since};
use super::known::Known;
use super::layout::Slots;
use super::machine::{Machine, Native, word_at};
use super::options::RunOptions;
use super::record::Recorder;
use super::sharing::Sharing;
use super::thread::Thread;
use super::world::GivenFiles;
use crate::cpu::{Code, Registers};
use crate::memory::{Backing, Protection, Space};
use crate::names::{Image, Images, SymbolKind};
use crate::process::{Launch, Stopped, from_native, spawn};
use crate::sym::{Shadow, ShadowOptions};

/// Two pages of ours in the program: code, and data for system calls.
const OURS: u64 = 0x0fff_ffff_0000;
const PAGE: u64 = 4096;

/// Memory of a native process, page by page.
pub(super) struct Pages(pub i32);

impl Backing for Pages {
    fn fetch(&mut self, page: u64, into: &mut [u8; 4096]) -> bool {
        use nix::sys::uio::{RemoteIoVec, process_vm_readv};
        let remote = RemoteIoVec { base: page as usize, len: into.len() };
        let pid = nix::unistd::Pid::from_raw(self.0);
        match process_vm_readv(pid, &mut [std::io::IoSliceMut::new(into)], &[remote]) {
            Ok(length) => length == into.len(),
            // Pages that may not be read by the program itself can be looked at all the same.
            Err(_) => {
                use std::os::unix::fs::FileExt;
                let file = std::fs::File::open(format!("/proc/{}/mem", self.0));
                file.and_then(|file| file.read_exact_at(into, page)).is_ok()
            }
        }
    }
}

/// What a run begins with.
pub(super) struct Beginning<'a> {
    pub launch: &'a Launch,
    pub header: &'a Header,
    pub options: &'a RunOptions,
    pub sharing: &'a Sharing,
    pub hot: &'a Sharing,
    pub known: &'a Known,
    pub stdin: Option<Arc<Mutex<Vec<u8>>>>,
    /// Files that are not what is on the disk.
    pub given: Arc<GivenFiles>,
    /// Since when times of files are the runs' own.
    pub since: Since,
    /// Names and hooks from an earlier run: files are mapped to the same addresses again.
    pub names: Option<(Images, Hooks)>,
}

/// A machine that stands at the first instruction of the program.
pub(super) fn machine(beginning: Beginning<'_>) -> Result<Machine, RunError> {
    let Beginning { launch, header, options, sharing, hot, known, stdin, given, since, names } = beginning;
    let (images, hooks) = names.unwrap_or_else(|| (Images::new(), Hooks::default()));
    let mut process = spawn(launch)?;
    let native = Native::prepare(&mut process)?;
    let mut registers = Registers::default();
    from_native(&process.registers()?, &mut registers);
    let mut space = Space::new(Box::new(Pages(process.pid())));
    let mut brk = 0;
    for mapping in mappings(process.pid()) {
        if mapping.name == b"[heap]" {
            brk = mapping.end;
        }
        space.map(mapping.start..mapping.end, mapping.protection);
    }
    let thread_locals = hide_kernel_pages(&mut space, &registers);

    let mut recorder = Recorder::new(header.clone());
    let ix = recorder.add_thread(Entry {
        parent: None,
        start: StringId::EMPTY,
        argument: None,
        name: StringId::EMPTY,
    })?;
    let key = ThreadKey::main();
    let mut slots = Slots::default();
    let slot = slots.take(&key).ok_or(RunError::Threads(0))?;
    let mut main = Thread::new(key, ix, slot, PID, registers);
    let sp = main.registers.get(crate::cpu::Gpr::Rsp);
    let stack = mappings(process.pid()).into_iter().find(|mapping| mapping.start <= sp && sp < mapping.end);
    // The kernel lets the stack of the initial thread grow down to its limit.
    main.stack = stack.map_or(sp - (8 << 20)..sp, |mapping| mapping.end.saturating_sub(8 << 20)..mapping.end);
    let mut kernel = Kernel { brk, ..Kernel::default() };
    kernel.files.stdin = stdin;
    kernel.files.given = given;
    kernel.files.since = since;

    let mut machine = Machine {
        process,
        native,
        space,
        code: Code::new(),
        images,
        threads: vec![main],
        current: 0,
        slots,
        kernel,
        heap: Default::default(),
        objects: Default::default(),
        keys: Default::default(),
        shadow: Shadow::new(ShadowOptions::default()),
        owners: Default::default(),
        recorder,
        sharing: sharing.clone(),
        hot: hot.clone(),
        watched: Sharing::default(),
        known: known.clone(),
        early: false,
        thread_locals,
        grown: false,
        hooks,
        environment: plain_inputs(&launch.environment),
        options: options.clone(),
        repair: Default::default(),
        output: Vec::new(),
        spin_sites: Default::default(),
        patience: u64::MAX,
        stop_at_main: true,
        approximations: Default::default(),
        instructions: 0,
        hardware_steps: 0,
        standings: Default::default(),
        skipped: 0,
        outside_changed: false,
    };
    machine.code.hook(machine.native.landing);
    for address in machine.hooks.addresses() {
        machine.code.hook(address);
    }
    machine.set_foreign();
    machine.add_images()?;
    machine.watch_shared();
    machine.meet_pages();
    // Files that are known from an earlier run are not added again.
    let bases: Vec<u64> = machine.images.iter().map(Image::base).collect();
    bases.into_iter().for_each(|base| machine.meet_variables(base));
    machine.meet_thread(0);
    Ok(machine)
}

impl Native {
    /// Maps our pages into the process.
    fn prepare(process: &mut Stopped) -> Result<Native, RunError> {
        let base = process.registers()?;
        let fpu = process.fpu()?;
        let mut saved = [0; 2];
        process.read(base.rip, &mut saved);
        process.write(base.rip, &[0x0f, 0x05])?;
        let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED) as u64;
        let bits = (libc::PROT_READ | libc::PROT_EXEC) as u64;
        process.system_call(base.rip, libc::SYS_mmap as u64, [OURS, PAGE, bits, flags, u64::MAX, 0])?;
        let bits = (libc::PROT_READ | libc::PROT_WRITE) as u64;
        process.system_call(
            base.rip,
            libc::SYS_mmap as u64,
            [OURS + PAGE, PAGE, bits, flags, u64::MAX, 0],
        )?;
        process.write(base.rip, &saved)?;
        // A system call, and behind it a place to return to.
        process.write(OURS, &[0x0f, 0x05, 0xcc, 0xcc])?;
        Ok(Native { syscall: OURS, landing: OURS + 2, first_sp: base.rsp, scratch: OURS + PAGE, base, fpu })
    }
}

/// One line of `/proc/PID/maps`.
pub(super) struct Mapping {
    pub start: u64,
    pub end: u64,
    pub offset: u64,
    pub protection: Protection,
    pub name: Vec<u8>,
}

/// What is mapped in a process.
pub(super) fn mappings(pid: i32) -> Vec<Mapping> {
    let text = std::fs::read(format!("/proc/{pid}/maps")).unwrap_or_default();
    text.split(|&byte| byte == b'\n').filter_map(mapping).collect()
}

fn mapping(line: &[u8]) -> Option<Mapping> {
    let mut words = line.splitn(6, |&byte| byte == b' ');
    let mut text = || words.next().and_then(|word| std::str::from_utf8(word).ok());
    let (range, bits, offset) = (text()?, text()?, text()?);
    let (start, end) = range.split_once('-')?;
    let name = words.nth(2).unwrap_or_default().trim_ascii_start().to_vec();
    Some(Mapping {
        start: u64::from_str_radix(start, 16).ok()?,
        end: u64::from_str_radix(end, 16).ok()?,
        offset: u64::from_str_radix(offset, 16).ok()?,
        protection: Protection {
            read: bits.contains('r'),
            write: bits.contains('w'),
            execute: bits.contains('x'),
        },
        name,
    })
}

/// Takes the kernel's own code (whose clocks run outside of ours) and its random bytes away from the program; how
/// many bytes of thread-local variables the program has.
fn hide_kernel_pages(space: &mut Space, registers: &Registers) -> u64 {
    const HEADERS: u64 = 3;
    const HEADER_COUNT: u64 = 5;
    const THREAD_LOCAL: u64 = 7;
    const RANDOM: u64 = 25;
    const HWCAP2: u64 = 26;
    const VDSO: u64 = 33;
    const IGNORE: u64 = 1;
    let word = |space: &mut Space, address: u64| word_at(space, address).unwrap_or(0);
    let mut at = registers.get(crate::cpu::Gpr::Rsp);
    let count = word(space, at);
    at += 8 * (count + 2);
    while word(space, at) != 0 {
        at += 8;
    }
    at += 8;
    let (mut headers, mut header_count) = (0, 0);
    loop {
        let (kind, value) = (word(space, at), word(space, at + 8));
        match kind {
            0 => break,
            VDSO => drop(space.write_bytes(at, &IGNORE.to_le_bytes())),
            HWCAP2 => drop(space.write_bytes(at + 8, &[0; 8])),
            HEADERS => headers = value,
            HEADER_COUNT => header_count = value,
            RANDOM => drop(space.write_bytes(value, b"warpath: by lot!")),
            _ => {}
        }
        at += 16;
    }
    for header in (0..header_count.min(64)).map(|n| headers + 56 * n) {
        if word(space, header) & 0xffff_ffff == THREAD_LOCAL {
            let (size, align) = (word(space, header + 40), word(space, header + 48).max(1));
            return size.div_ceil(align) * align;
        }
    }
    0
}

/// Values that a plain run takes for inputs.
fn plain_inputs(environment: &[OsString]) -> FxHashMap<String, String> {
    let entries = environment
        .iter()
        .filter_map(|entry| entry.to_str()?.strip_prefix("WARPATH_INPUT_")?.split_once('='));
    entries.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Standard input that can be read only once is kept for further runs; by all programs of this process together, since
/// what one of them has read no other can.
pub(super) fn unseekable_stdin() -> Option<Arc<Mutex<Vec<u8>>>> {
    static KEPT: LazyLock<Arc<Mutex<Vec<u8>>>> = LazyLock::new(Arc::default);
    stdin_position().is_none().then(|| Arc::clone(&KEPT))
}

/// Standard input that is a file, opened once more where it stands: programs that run side by side must not move each
/// other's position.
pub(super) struct OwnStdin {
    pub file: File,
    start: u64,
}

impl OwnStdin {
    pub(super) fn open() -> Option<OwnStdin> {
        let start = stdin_position()?;
        let file = File::open("/proc/self/fd/0").ok()?;
        file.metadata().ok()?.is_file().then_some(OwnStdin { file, start })
    }

    /// Standard input that holds these bytes.
    pub(super) fn of(bytes: &[u8]) -> Result<OwnStdin, RunError> {
        Ok(OwnStdin { file: super::world::in_memory("stdin", bytes)?, start: 0 })
    }

    /// Back to where it stood: the process of an earlier run has moved it.
    pub(super) fn rewind(&self) {
        // It is a regular file, and its position one that it has had: that does not fail.
        let _ = (&self.file).seek(SeekFrom::Start(self.start));
    }
}

fn stdin_position() -> Option<u64> {
    let position = lseek(std::io::stdin(), 0, Whence::SeekCur).ok()?;
    u64::try_from(position).ok()
}

impl Machine {
    /// Takes up every file that has code in the program.
    pub(crate) fn add_images(&mut self) -> Result<(), RunError> {
        let all = mappings(self.process.pid());
        let mut found: Vec<(PathBuf, u64)> = Vec::new();
        for mapping in
            all.iter().filter(|mapping| mapping.protection.execute && mapping.name.starts_with(b"/"))
        {
            let base = all
                .iter()
                .filter(|other| other.name == mapping.name)
                .map(|other| other.start - other.offset.min(other.start))
                .min();
            let path = PathBuf::from(std::ffi::OsStr::from_bytes(&mapping.name));
            if let Some(base) = base
                && !found.iter().any(|(known, _)| *known == path)
            {
                found.push((path, base));
            }
        }
        for (path, base) in found {
            if self.images.iter().all(|image| image.base() != base) {
                self.add_image(&path, base);
            }
        }
        Ok(())
    }

    fn add_image(&mut self, path: &Path, base: u64) {
        // A file that makes no sense has no names; the program runs all the same.
        if self.images.add(path, base).is_err() {
            self.approximate("files with code that has no names");
            return;
        }
        self.meet_variables(base);
        self.set_foreign();
        let names: Vec<&str> = FUNCTIONS.iter().map(|(name, _)| *name).collect();
        for symbol in self.images.symbols_named(&names) {
            if symbol.kind == SymbolKind::IndirectFunction {
                continue;
            }
            if let Some((_, function)) = FUNCTIONS.iter().find(|(name, _)| *name == symbol.name) {
                self.hooks.insert(symbol.address, *function);
                self.code.hook(symbol.address);
            }
        }
        let atomic = Function::Sync(SyncCall::AtomicCall);
        let atomics = self.images.functions_like(|name| name.starts_with(ATOMIC_PREFIX));
        let mut found: Vec<(u64, Function)> = atomics.into_iter().map(|address| (address, atomic)).collect();
        for &(end, function) in RUST_FUNCTIONS {
            let named = self.images.functions_like(|name| name.ends_with(end));
            found.extend(named.into_iter().map(|address| (address, function)));
        }
        for (address, function) in found {
            self.hooks.insert(address, function);
            self.code.hook(address);
        }
    }

    fn set_foreign(&mut self) {
        // The loader works for the program, not as a part of it.
        let loaders = self
            .images
            .iter()
            .filter(|image| image.name().starts_with("ld-linux") || image.name().starts_with("ld-2"));
        self.code.set_foreign(loaders.flat_map(|image| image.code()).collect());
    }
}
