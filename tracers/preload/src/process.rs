//! The recorded process: its folder, its first moments, its forks and its end.

use core::ffi::c_void;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use warpath_light_format::{Kind, MAPS_SEPARATOR, meta};

use crate::buffer::{Buffer, Origin};
use crate::control;
use crate::files::{File, Path, complain, decimal, keeping_errno};
use crate::follow;
use crate::here::Here;
use crate::inputs;
use crate::local::{self, Thread};
use crate::memory;
use crate::settings::{Settings, variable};

const UNTOUCHED: u32 = 0;
const SETTING_UP: u32 = 1;
const READY: u32 = 2;
const REFUSED: u32 = 3;

static STATE: AtomicU32 = AtomicU32::new(UNTOUCHED);
static THREADS: AtomicU64 = AtomicU64::new(0);
static FAREWELL: AtomicU32 = AtomicU32::new(u32::MAX);
static PROCESS: AtomicPtr<Process> = AtomicPtr::new(core::ptr::null_mut());
pub(crate) static BASE: AtomicU64 = AtomicU64::new(0);

struct Process {
    folder: Path,
    settings: Settings,
    pid: i32,
}

/// The dynamic linker has loaded the library.
pub(crate) extern "C" fn load() {
    crate::heap::decide();
    if ready() {
        // The first thread is met here, so that it is the first.
        local::current();
    }
}

/// Is the process set up? The first to ask sets it up.
pub(crate) fn ready() -> bool {
    match STATE.load(Ordering::Acquire) {
        READY => true,
        UNTOUCHED => {
            if STATE.compare_exchange(UNTOUCHED, SETTING_UP, Ordering::AcqRel, Ordering::Acquire).is_err() {
                return false;
            }
            let done = keeping_errno(|| set_up(None));
            STATE.store(if done { READY } else { REFUSED }, Ordering::Release);
            done
        }
        _ => false,
    }
}

fn process() -> Option<&'static Process> {
    // SAFETY: what is stored there is mapped for good, and never changed.
    unsafe { PROCESS.load(Ordering::Acquire).as_ref() }
}

/// Where the executable is loaded: places in it are near this.
#[inline(always)]
pub(crate) fn base() -> u64 {
    BASE.load(Ordering::Relaxed)
}

/// Is anything to be recorded? A program that is linked to the library and runs as it is has not asked for it.
fn wanted() -> bool {
    const NAME: &[u8] = b"libwarpath_preload";
    let preloaded = |list: &[u8]| list.windows(NAME.len()).any(|part| part == NAME);
    variable(c"WARPATH_LIGHT").is_some() || variable(c"LD_PRELOAD").is_some_and(preloaded)
}

/// The lowest address of the executable, which the dynamic linker lists first.
fn executable() -> u64 {
    extern "C" fn first(info: *mut libc::dl_phdr_info, _: usize, into: *mut c_void) -> i32 {
        // SAFETY: both pointers are valid for this call; the second is to the variable below, and the headers are as many
        // as the linker says.
        unsafe {
            let info = &*info;
            let headers = core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
            let loaded = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
            *into.cast::<u64>() = info.dlpi_addr + loaded.map(|header| header.p_vaddr).min().unwrap_or(0);
        }
        1
    }
    let mut base = 0u64;
    // SAFETY: the function keeps to its type, and the pointer is to a variable of ours.
    unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut base).cast()) };
    base & !0xfff
}

/// The folder of this process.
pub(crate) fn folder() -> Option<Path> {
    process().map(|process| process.folder)
}

fn set_up(forked_from: Option<i32>) -> bool {
    if !wanted() {
        return false;
    }
    BASE.store(executable(), Ordering::Release);
    let settings = process().map_or_else(Settings::read, |process| process.settings);
    let root = match process() {
        Some(before) => parent_folder(before),
        None => root_folder(),
    };
    // SAFETY: always succeeds.
    let pid = unsafe { libc::getpid() };
    let Some(folder) = make_folder(root, pid) else {
        complain(b"warpath: nothing is recorded: cannot make a folder in ", root.as_c().to_bytes());
        return false;
    };
    // SAFETY: a new anonymous mapping; nothing else is touched.
    let memory = unsafe {
        libc::mmap(
            core::ptr::null_mut(),
            size_of::<Process>(),
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if memory == libc::MAP_FAILED {
        return false;
    }
    let memory = memory.cast::<Process>();
    // SAFETY: page-aligned, large enough, and ours.
    unsafe { memory.write(Process { folder, settings, pid }) };
    PROCESS.store(memory, Ordering::Release);
    THREADS.store(0, Ordering::Release);
    write_meta(&folder, &settings, pid, forked_from);
    copy_maps();
    copy_maps_if_new();
    inputs::begin(&settings, forked_from.is_some());
    if forked_from.is_none() {
        install(&settings);
        follow::load();
    }
    control::begin(settings.on, settings.sample_on, settings.sample_period);
    true
}

/// Where folders of processes go: what `WARPATH_LIGHT` says, else `warpath-light` where the program started.
fn root_folder() -> Path {
    let wanted = variable(c"WARPATH_LIGHT").filter(|folder| !folder.is_empty()).unwrap_or(b"warpath-light");
    if wanted.first() == Some(&b'/') {
        return Path::EMPTY.and(wanted);
    }
    let mut here = [0u8; 400];
    // SAFETY: the pointer and length are those of the array.
    let found = unsafe { libc::getcwd(here.as_mut_ptr().cast(), here.len()) };
    if found.is_null() { Path::EMPTY.and(wanted) } else { Path::EMPTY.and(&here).and(b"/").and(wanted) }
}

fn parent_folder(process: &Process) -> Path {
    let folder = process.folder.as_c().to_bytes();
    let end = folder.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
    Path::EMPTY.and(&folder[..end])
}

fn make_folder(root: Path, pid: i32) -> Option<Path> {
    // SAFETY: the path is terminated. It may exist.
    unsafe { libc::mkdir(root.as_c().as_ptr(), 0o700) };
    for attempt in 0..1000 {
        let folder = root.and(b"/process-").number(pid as u64).and(b"-").number(attempt);
        // SAFETY: the path is terminated.
        if unsafe { libc::mkdir(folder.as_c().as_ptr(), 0o700) } == 0 {
            return Some(folder);
        }
        if crate::files::errno() != libc::EEXIST {
            return None;
        }
    }
    None
}

fn write_meta(folder: &Path, settings: &Settings, pid: i32, forked_from: Option<i32>) {
    let Some(file) = File::open(folder.and(b"/meta").as_c(), libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL)
    else {
        return;
    };
    let line = |key: &str, value: &[u8]| {
        file.write(key.as_bytes());
        file.write(b"=");
        for byte in value {
            match byte {
                b'\n' => file.write(b"\\n"),
                b'\\' => file.write(b"\\\\"),
                byte => file.write(&[*byte]),
            };
        }
        file.write(b"\n");
    };
    let number = |key: &str, value: u64| line(key, decimal(value, &mut [0; 20]));
    line(meta::FORMAT, b"3");
    let mut program = [0u8; 1024];
    // SAFETY: the path is terminated, the pointer and length are those of the array.
    let length =
        unsafe { libc::readlink(c"/proc/self/exe".as_ptr(), program.as_mut_ptr().cast(), program.len()) };
    line(meta::PROGRAM, program.get(..length.max(0) as usize).unwrap_or(b""));
    if let Some(arguments) = File::open(c"/proc/self/cmdline", libc::O_RDONLY) {
        let mut block = [0u8; 4096];
        let read = arguments.read(&mut block);
        for argument in block[..read].split(|byte| *byte == 0).take_while(|argument| !argument.is_empty()) {
            line(meta::ARGUMENT, argument);
        }
    }
    number(meta::PID, pid as u64);
    if let Some(parent) = forked_from {
        number(meta::FORKED_FROM, parent as u64);
    }
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a variable of ours.
    unsafe { libc::clock_gettime(libc::CLOCK_REALTIME, &mut now) };
    number(meta::BEGAN, now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64);
    number(meta::RING, u64::from(settings.ring));
}

/// Notes what is loaded where. Called at the beginning, at the end, and when threads begin: in between the program may
/// have loaded something.
pub(crate) fn copy_maps() {
    let Some(process) = process() else { return };
    let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND;
    let (Some(from), Some(to)) = (
        File::open(c"/proc/self/maps", libc::O_RDONLY),
        File::open(process.folder.and(b"/maps").as_c(), flags),
    ) else {
        return;
    };
    let mut block = [0u8; 4096];
    loop {
        let read = from.read(&mut block);
        if read == 0 || !to.write(&block[..read]) {
            break;
        }
    }
    to.write(MAPS_SEPARATOR.as_bytes());
    to.write(b"\n");
}

/// The same, if more has been loaded since: the number of libraries is what the dynamic linker counts.
pub(crate) fn copy_maps_if_new() {
    static LOADED: AtomicU64 = AtomicU64::new(0);
    extern "C" fn count(info: *mut libc::dl_phdr_info, _: usize, into: *mut c_void) -> i32 {
        // SAFETY: both pointers are valid for this call; the second is to the variable below.
        unsafe { *into.cast::<u64>() = (*info).dlpi_adds };
        1
    }
    let mut loaded = 0u64;
    // SAFETY: the function keeps to its type, and the pointer is to a variable of ours.
    unsafe { libc::dl_iterate_phdr(Some(count), (&raw mut loaded).cast()) };
    if LOADED.swap(loaded, Ordering::AcqRel) != loaded {
        copy_maps();
    }
}

/// Hooks into what happens to the process as a whole.
fn install(settings: &Settings) {
    let mut key: libc::pthread_key_t = 0;
    // SAFETY: the functions have the types that the C library wants, and are there for good: the library is not unloaded.
    unsafe {
        if libc::pthread_key_create(&mut key, Some(farewell)) == 0 {
            FAREWELL.store(key, Ordering::Release);
        }
        libc::pthread_atfork(Some(memory::settle_before_fork), None, Some(in_child));
        on_exit(exits, core::ptr::null_mut());
    }
    if settings.signal != 0 {
        // SAFETY: zeroes are a valid `sigaction`, and the handler only uses atomics.
        unsafe {
            let mut action: libc::sigaction = core::mem::zeroed();
            action.sa_sigaction = control::toggle as extern "C" fn(i32) as usize;
            action.sa_flags = libc::SA_RESTART;
            libc::sigaction(settings.signal, &action, core::ptr::null_mut());
        }
    }
    crate::calls::failure::watch();
}

unsafe extern "C" {
    fn on_exit(function: extern "C" fn(i32, *mut c_void), argument: *mut c_void) -> i32;
}

extern "C" fn exits(status: i32, _: *mut c_void) {
    follow::leaves();
    local::record(Kind::Exit, 0, status as u32, &[0]);
    keeping_errno(|| {
        copy_maps();
        inputs::end();
    });
}

/// Behind a fork the child is a process of its own, with one thread: nothing may go to the files of its parent.
extern "C" fn in_child() {
    control::stop();
    EXPECTED.store(0, Ordering::Release);
    follow::abandon();
    local::forget();
    let parent = process().map_or(0, |process| process.pid);
    let done = keeping_errno(|| set_up(Some(parent)));
    STATE.store(if done { READY } else { REFUSED }, Ordering::Release);
    if done {
        local::current();
    }
}

/// Asks the C library to call [`farewell`] when the running thread ends, however it ends.
pub(crate) fn ask_for_farewell(thread: *mut Thread) {
    let key = FAREWELL.load(Ordering::Acquire);
    if key != u32::MAX {
        // SAFETY: the key is valid.
        unsafe { libc::pthread_setspecific(key, thread.cast()) };
    }
}

/// The thread ends. Other destructors may run after this one, so it asks to be called again, as often as it may.
extern "C" fn farewell(thread: *mut c_void) {
    const ROUNDS: u32 = 4;
    let thread = thread.cast::<Thread>();
    // SAFETY: what `ask_for_farewell` was given; it is freed below, once.
    let farewells = unsafe { &(*thread).farewells };
    farewells.set(farewells.get() + 1);
    if farewells.get() < ROUNDS {
        ask_for_farewell(thread);
        return;
    }
    local::leave();
    // SAFETY: from `allocate`; a thread that has left is silent, and does not look at it any more.
    unsafe { Thread::free(thread) };
}

/// Children that were created, or are about to be, and have not begun.
static EXPECTED: AtomicU64 = AtomicU64::new(0);

/// A child is about to be created.
pub(crate) fn expect_thread() {
    EXPECTED.fetch_add(1, Ordering::AcqRel);
}

/// It has begun, or could not be created.
pub(crate) fn meet_expected() {
    EXPECTED.fetch_sub(1, Ordering::AcqRel);
}

/// Is a child expected?
pub(crate) fn expects_thread() -> bool {
    EXPECTED.load(Ordering::Acquire) > 0
}

/// A number for a new thread.
pub(crate) fn next_thread() -> u64 {
    THREADS.fetch_add(1, Ordering::AcqRel)
}

/// The file of a thread.
pub(crate) fn thread_file(origin: &Origin, here: &Here) -> Option<Buffer> {
    let process = process()?;
    Buffer::create(process.folder.and(b"/thread-").number(origin.thread), &process.settings, origin, here)
}
