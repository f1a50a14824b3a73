//! Standing in front of a function of the C library.

/// Defines a function under its C name that calls ours with one argument more: the address that it will return to.
///
/// The address is what tells one call from another in the program, and only the first instruction of the function
/// finds it where it is. `$register` is the first argument register that the C function does not use.
macro_rules! interpose {
    ($($name:ident $register:literal => $ours:path;)*) => {$(
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                concat!("mov ", $register, ", qword ptr [rsp]"),
                "jmp {ours}",
                ours = sym $ours,
            )
        }
    )*};
}

pub(crate) use interpose;
