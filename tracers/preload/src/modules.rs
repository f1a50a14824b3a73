//! Which code is instrumented, which is the C library's.

use core::ffi::{CStr, c_void};
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Ranges of addresses that only become more. Looked at without locks.
struct Ranges<const N: usize> {
    count: AtomicUsize,
    ends: [(AtomicU64, AtomicU64); N],
}

impl<const N: usize> Ranges<N> {
    const fn new() -> Self {
        Ranges { count: AtomicUsize::new(0), ends: [const { (AtomicU64::new(0), AtomicU64::new(0)) }; N] }
    }

    #[inline(always)]
    fn contain(&self, address: u64) -> bool {
        let count = self.count.load(Ordering::Acquire).min(N);
        self.ends[..count].iter().any(|(from, to)| {
            let from = from.load(Ordering::Relaxed);
            address.wrapping_sub(from) < to.load(Ordering::Relaxed) - from
        })
    }

    /// Adds a range. Ranges that are added at the same time have places of their own; until its ends are there, a place
    /// is an empty range.
    fn add(&self, from: u64, to: u64) {
        let place = self.count.fetch_add(1, Ordering::AcqRel);
        if let Some(ends) = self.ends.get(place) {
            ends.1.store(to, Ordering::Relaxed);
            ends.0.store(from, Ordering::Release);
        }
    }
}

static INSTRUMENTED: Ranges<256> = Ranges::new();
static LIBRARY: Ranges<32> = Ranges::new();

/// Is this address in code that says what it does to memory?
#[inline(always)]
pub(crate) fn is_instrumented(address: u64) -> bool {
    INSTRUMENTED.contain(address)
}

/// Is this address in the C library, the loader or another of their parts?
#[inline(always)]
pub(crate) fn is_c_library(address: u64) -> bool {
    if LIBRARY.count.load(Ordering::Acquire) == 0 {
        find_c_library();
    }
    LIBRARY.contain(address)
}

/// The module that this address is in says what it does to memory.
pub(crate) fn add_instrumented(address: u64) {
    if is_instrumented(address) {
        return;
    }
    each(|module| {
        if (module.from..module.to).contains(&address) {
            INSTRUMENTED.add(module.code.0, module.code.1);
            return true;
        }
        false
    });
}

/// Does the executable itself need a library whose name begins so?
pub(crate) fn executable_needs(name: &[u8]) -> bool {
    extern "C" fn first(info: *mut libc::dl_phdr_info, _: usize, wanted: *mut c_void) -> i32 {
        // SAFETY: both pointers are valid for this call; the second is to the variables below; the headers are as many as
        // the linker says, and the table that they name is as the linker has relocated it.
        unsafe {
            let (info, wanted) = (&*info, &mut *wanted.cast::<(&[u8], bool)>());
            let headers = core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
            let Some(dynamic) = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC) else {
                return 1;
            };
            let table = (info.dlpi_addr + dynamic.p_vaddr) as *const [u64; 2];
            let entries = || (0..).map(|nth| *table.add(nth)).take_while(|[tag, _]| *tag != 0);
            let strings = entries().find(|[tag, _]| *tag == STRTAB).map_or(0, |[_, value]| value);
            wanted.1 = strings != 0
                && entries().filter(|[tag, _]| *tag == NEEDED).any(|[_, value]| {
                    let name = CStr::from_ptr((strings + value) as *const core::ffi::c_char);
                    name.to_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or(b"").starts_with(wanted.0)
                });
        }
        1
    }
    const NEEDED: u64 = 1;
    const STRTAB: u64 = 5;
    let mut wanted = (name, false);
    // SAFETY: the function keeps to its type, and the pointer is to a variable of ours.
    unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut wanted).cast()) };
    wanted.1
}

/// What a thread was doing that faulted at `at`, with this stack: a fault of ours, which read what the program was about
/// to read, is the program's. As places of calls are, it is an address just behind.
pub(crate) fn place_of_fault(at: u64, stack: u64) -> u64 {
    const NEAR: u64 = 32;
    let mut ours = false;
    each(|module| {
        let own = add_instrumented as fn(u64) as usize as u64;
        ours = (module.from..module.to).contains(&own) && (module.from..module.to).contains(&at);
        ours
    });
    // Places are those of calls, which are before the address that is noted.
    if !ours {
        return at + 1;
    }
    // The hooks are called by instrumented code and keep little on the stack: the nearest address of such code that is
    // behind a call is where they return to.
    for nth in 0..NEAR {
        // SAFETY: the stack of the thread that faulted; what lies above its top is there.
        let word = unsafe { ((stack + nth * 8) as *const u64).read_unaligned() };
        // SAFETY: code of a module that is loaded, of which the first bytes are no return address.
        if is_instrumented(word) && is_instrumented(word - 5) && unsafe { is_behind_call(word) } {
            return word;
        }
    }
    at + 1
}

/// Does an instruction end here that calls something, directly or through a table?
///
/// # Safety
/// The five bytes before are there.
unsafe fn is_behind_call(address: u64) -> bool {
    // SAFETY: promised by the caller.
    unsafe { ((address - 5) as *const u8).read() == 0xe8 || ((address - 6 + 1) as *const u8).read() == 0x15 }
}

struct Module<'a> {
    from: u64,
    to: u64,
    /// The part of it that is executed.
    code: (u64, u64),
    name: &'a [u8],
}

/// Calls the function with each loaded module until it says that it has seen enough.
fn each<F: FnMut(Module<'_>) -> bool>(mut look: F) {
    extern "C" fn one<F: FnMut(Module<'_>) -> bool>(
        info: *mut libc::dl_phdr_info,
        _: usize,
        look: *mut c_void,
    ) -> i32 {
        // SAFETY: both pointers are valid for this call; the second is to the function below, and the headers are as many as
        // the linker says.
        let (info, look, headers) = unsafe {
            let info = &*info;
            let headers = core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
            (info, &mut *look.cast::<F>(), headers)
        };
        let loaded = || headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
        let from = loaded().map(|header| header.p_vaddr).min().unwrap_or(0);
        let to = loaded().map(|header| header.p_vaddr + header.p_memsz).max().unwrap_or(0);
        // SAFETY: the linker's names are terminated.
        let path = if info.dlpi_name.is_null() { c"" } else { unsafe { CStr::from_ptr(info.dlpi_name) } };
        let name = path.to_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or(b"");
        let executed = || loaded().filter(|header| header.p_flags & libc::PF_X != 0);
        let code = (
            info.dlpi_addr + executed().map(|header| header.p_vaddr).min().unwrap_or(0),
            info.dlpi_addr + executed().map(|header| header.p_vaddr + header.p_memsz).max().unwrap_or(0),
        );
        i32::from(look(Module { from: info.dlpi_addr + from, to: info.dlpi_addr + to, code, name }))
    }
    // SAFETY: the function keeps to its type, and the pointer is to a variable of ours.
    unsafe { libc::dl_iterate_phdr(Some(one::<F>), (&raw mut look).cast()) };
}

/// The same libraries as where programs are traced in the other way, whose storage is not the program's.
const NAMES: [&[u8]; 14] = [
    b"ld-linux-x86-64.so",
    b"libc.so",
    b"libpthread.so",
    b"libm.so",
    b"libmvec.so",
    b"libdl.so",
    b"librt.so",
    b"libresolv.so",
    b"libutil.so",
    b"libanl.so",
    b"libnsl.so",
    b"libnss_",
    b"libgcc_s.so",
    b"libwarpath_preload.so",
];

#[cold]
fn find_c_library() {
    each(|module| {
        if NAMES.iter().any(|name| module.name.starts_with(name)) {
            LIBRARY.add(module.from, module.to);
        }
        false
    });
}
