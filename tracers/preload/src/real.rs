//! The functions that we stand in front of.

use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::{AtomicPtr, Ordering};

/// A function of a library behind this one, looked up when it is first called.
pub(crate) struct Real {
    name: &'static CStr,
    /// Some functions have an old form that only old programs mean.
    version: Option<&'static CStr>,
    address: AtomicPtr<c_void>,
}

impl Real {
    pub(crate) const fn new(name: &'static CStr) -> Real {
        Real { name, version: None, address: AtomicPtr::new(core::ptr::null_mut()) }
    }

    pub(crate) const fn versioned(name: &'static CStr, version: &'static CStr) -> Real {
        Real { name, version: Some(version), address: AtomicPtr::new(core::ptr::null_mut()) }
    }

    /// Its address, if it was looked up before.
    #[inline(always)]
    pub(crate) fn known(&self) -> Option<*mut c_void> {
        let known = self.address.load(Ordering::Relaxed);
        (!known.is_null()).then_some(known)
    }

    /// Its address. Ends the process if there is none: the program could not go on in any way.
    #[inline(always)]
    pub(crate) fn address(&self) -> *mut c_void {
        self.known().unwrap_or_else(|| self.look_up())
    }

    #[cold]
    fn look_up(&self) -> *mut c_void {
        let found = match self.version {
            // SAFETY: both strings are terminated; looking up does not run code of the program.
            Some(version) => unsafe { dlvsym(libc::RTLD_NEXT, self.name.as_ptr(), version.as_ptr()) },
            None => core::ptr::null_mut(),
        };
        let found = if found.is_null() {
            // SAFETY: as above.
            unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) }
        } else {
            found
        };
        if found.is_null() {
            crate::files::complain(
                b"warpath: a function of the C library is missing: ",
                self.name.to_bytes(),
            );
            // SAFETY: ends the process.
            unsafe { libc::_exit(127) }
        }
        self.address.store(found, Ordering::Relaxed);
        found
    }
}

unsafe extern "C" {
    fn dlvsym(handle: *mut c_void, name: *const c_char, version: *const c_char) -> *mut c_void;
}

/// Declares a C function that is called through [`Real`].
macro_rules! real {
    ($($(#[version = $version:literal])? fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?;)*) => {$(
        /// The C library's function of this name.
        ///
        /// # Safety
        /// As the C function's.
        #[allow(clippy::too_many_arguments)]
        pub(crate) unsafe fn $name($($arg: $ty),*) $(-> $ret)? {
            static REAL: $crate::real::Real = $crate::real::real!(@new $name $($version)?);
            type Function = unsafe extern "C-unwind" fn($($ty),*) $(-> $ret)?;
            // SAFETY: the address is that of the C function, which has this type.
            let function = unsafe { core::mem::transmute::<*mut core::ffi::c_void, Function>(REAL.address()) };
            // SAFETY: promised by the caller.
            unsafe { function($($arg),*) }
        }
    )*};
    (@new $name:ident) => {
        $crate::real::Real::new($crate::real::real!(@name $name))
    };
    (@new $name:ident $version:literal) => {
        $crate::real::Real::versioned($crate::real::real!(@name $name), $version)
    };
    (@name $name:ident) => {
        // SAFETY: the literal ends with its only zero.
        unsafe { core::ffi::CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes()) }
    };
}

pub(crate) use real;
