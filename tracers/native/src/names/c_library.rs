//! Which code is the C library's: what it does with its own memory is not what the program does.

use std::ops::Range;

use super::Facts;
use super::elf::{Elf, Section};
use super::symbols::SymbolTable;

/// Libraries whose memory is not program state: glibc with its loader and former parts, musl, and the unwinder that
/// comes with the compiler. Not the libraries of C++ and Rust, whose code works on the program's objects.
const LIBRARIES: [&str; 16] = [
    "ld-linux-x86-64.so",
    "libc.so",
    "libpthread.so",
    "libm.so",
    "libmvec.so",
    "libdl.so",
    "librt.so",
    "libresolv.so",
    "libutil.so",
    "libanl.so",
    "libnsl.so",
    "libnss_",
    "libBrokenLocale.so",
    "libgcc_s.so",
    "ld-musl-x86_64.so",
    "libc.musl-x86_64.so",
];

/// Where the C library's own start-up code is: the first object file that the linker takes from a static library.
const START: [&str; 2] = ["__libc_start_call_main", "__libc_start_main"];

/// Functions that glibc itself marks as cold, so that they are moved in front of everything else.
const COLD: [&str; 2] = ["abort", "_dl_start"];

/// How much of an image is the C library.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CLibrary {
    /// All of it.
    Whole,
    /// None of it.
    No,
    /// The code at these addresses, of a statically linked program.
    Parts(Vec<Range<u64>>),
    /// It is linked in statically, and nothing tells where: the program has no symbols.
    Unknown,
}

/// Judges an image; addresses are those before relocation.
///
/// A shared library is known by its soname. In a static executable the linker puts the program's object files first,
/// then the libraries in the order of the command line, the C library last; so everything from the object file with
/// `__libc_start_main` on is the C library (and the compiler's own support code), and so are the parts that
/// compilers moved to the front because they are rarely executed. libm comes before it and counts as the program.
pub(super) fn judge<'a>(elf: &Elf, facts: &Facts, symbols: impl FnOnce() -> &'a SymbolTable) -> CLibrary {
    if let Some(soname) = &facts.soname {
        let is_known = LIBRARIES.iter().any(|library| soname.starts_with(library));
        return if is_known { CLibrary::Whole } else { CLibrary::No };
    }
    if !facts.is_static {
        return CLibrary::No;
    }
    parts(elf, symbols()).map_or(CLibrary::Unknown, CLibrary::Parts)
}

fn parts(elf: &Elf, symbols: &SymbolTable) -> Option<Vec<Range<u64>>> {
    let marked = START.iter().find_map(|name| symbols.named(name).next())?;
    let section = elf
        .sections
        .iter()
        .find(|section| section.executable && section.range().contains(&marked.address))?;
    // Static functions of the same object file may come before the one that is known by name.
    let together = symbols.functions().filter(|function| {
        !marked.global
            && !function.global
            && function.origin == marked.origin
            && section.range().contains(&function.address)
    });
    let is_cold = |name: &str| name.ends_with(".cold") || name.contains(".cold.");
    let together =
        together.filter(|function| !is_cold(symbols.name(function))).map(|function| function.address);
    let start = together.min().unwrap_or(marked.address).min(marked.address);
    let sections = elf.sections.iter().filter(|other| other.executable && other.name.starts_with(b"__libc_"));
    let rest = start..section.range().end;
    let mut parts: Vec<_> = std::iter::once(rest).chain(sections.map(Section::range)).collect();
    for function in symbols.functions().filter(|function| function.address < start && function.size != 0) {
        let name = symbols.name(function);
        let moved = name.split_once(".cold").is_some_and(|(whole, _)| {
            let rest_of = |whole: &str| symbols.named(whole).any(|other| other.address >= start);
            // A copy such as `f.constprop.0.cold` belongs to `f.constprop.0`.
            rest_of(whole) || whole.split('.').next().is_some_and(rest_of)
        });
        if moved || COLD.contains(&name) {
            parts.push(function.address..function.address.saturating_add(function.size));
        }
    }
    Some(parts)
}
