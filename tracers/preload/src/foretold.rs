//! What a thread's accesses are foretold by: [`warpath_light_format::brief`] says how. [`crate::tsan::quick`] is what uses
//! it.

use warpath_light_format::brief::{MIRROR, PLACES, packed};

/// One place of the program.
#[repr(C)]
pub(crate) struct Place {
    /// Place and code of the access that had this slot last.
    tag: u32,
    /// The slot as records have it, if there was one.
    packed: u32,
    /// Where it was.
    last: u64,
}

/// All of it. Zeroes are what it begins with.
#[repr(C)]
pub(crate) struct Foretold {
    places: [Place; PLACES],
    mirror: [u8; MIRROR],
    /// An access to the last bytes of the mirror goes on here.
    behind: [u8; 8],
}

/// Where the mirror is.
pub(crate) const MIRRORED: usize = core::mem::offset_of!(Foretold, mirror);

// As the instructions have them.
const _: () = assert!(size_of::<Place>() == 16 && PLACES == 512 && packed(PLACES - 1) == 0xfdf);

impl Foretold {
    /// A segment begins: who reads it knows nothing.
    ///
    /// # Safety
    /// Points to one that only the running thread uses.
    pub(crate) unsafe fn forget(this: *mut Foretold) {
        // SAFETY: promised by the caller; all zeroes are valid.
        unsafe { this.write_bytes(0, 1) };
    }
}
