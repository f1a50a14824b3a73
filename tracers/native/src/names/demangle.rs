//! Mangled names as people write them.

use cpp_demangle::{DemangleOptions, Symbol};
use gimli::DwLang;

/// Longer names are shown as they are: taking them apart could cost more than all else.
const LONGEST: usize = 16 * 1024;

/// The name of a function or variable as in its source: `Stack::push`, `queue::Queue<T>::pop`.
///
/// Parameters and return types are left out, and so are the hash of a Rust name, the version of a dynamic symbol, and
/// what gcc and clang append to parts and copies of a function (`.cold`, `.part.0`, `.llvm.123`).
pub(super) fn demangle(name: &str, language: Option<DwLang>) -> String {
    let name = without_version(name).0;
    let plain = without_clone_suffix(name);
    if plain.len() > LONGEST {
        return plain.to_owned();
    }
    let known = match language {
        Some(gimli::DW_LANG_Rust) => rust(plain),
        None if plain.starts_with("_R") || has_rust_hash(plain) => rust(plain),
        _ if plain.starts_with("_Z") => cpp(plain),
        _ => None,
    };
    known.unwrap_or_else(|| plain.to_owned())
}

fn rust(name: &str) -> Option<String> {
    addr2line::demangle(name, gimli::DW_LANG_Rust)
}

/// Rust once mangled like C++; what tells its names apart is the hash at the end.
fn has_rust_hash(name: &str) -> bool {
    let hash = name.strip_suffix('E').and_then(|name| name.rsplit_once("17h"));
    name.starts_with("_ZN")
        && hash
            .is_some_and(|(_, hash)| hash.len() == 16 && hash.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

fn cpp(name: &str) -> Option<String> {
    let options = DemangleOptions::new().no_params().no_return_type();
    let short = Symbol::new(name).ok()?.demangle_with_options(&options).ok();
    // The names that gcc and clang give to the namespace without one.
    short.map(|short| short.replace("_GLOBAL__N_1", "(anonymous namespace)"))
}

/// A symbol name without `@VERSION` or `@@VERSION`, and the version with whether it is the default one.
pub(super) fn without_version(name: &str) -> (&str, Option<(&str, bool)>) {
    match name.split_once('@') {
        // Some names begin with the sign; those have no version.
        Some(("", _)) | None => (name, None),
        Some((plain, version)) => match version.strip_prefix('@') {
            Some(version) => (plain, Some((version, true))),
            None => (plain, Some((version, false))),
        },
    }
}

/// What compilers append to the name of a function that they split or copied.
const CLONES: [&str; 8] = ["cold", "part", "isra", "constprop", "lto_priv", "llvm", "localalias", "resolver"];

fn without_clone_suffix(name: &str) -> &str {
    let mut plain = name;
    while let Some((rest, last)) = plain.rsplit_once('.') {
        let number = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
        let (rest, word) = match rest.rsplit_once('.') {
            Some((before, word)) if number => (before, word),
            _ => (rest, last),
        };
        if rest.is_empty() || !CLONES.contains(&word) {
            break;
        }
        plain = rest;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_as_in_the_source() {
        let names = [
            ("main", "main"),
            ("worker.part.0.cold", "worker"),
            ("worker.constprop.0", "worker"),
            ("counter.1", "counter.1"),
            (".hidden", ".hidden"),
            ("pthread_cond_wait@@GLIBC_2.3.2", "pthread_cond_wait"),
            ("_ZN5Stack4pushEi", "Stack::push"),
            ("_ZN12_GLOBAL__N_15countE", "(anonymous namespace)::count"),
            ("_ZNSt6threadC2Ev", "std::thread::thread"),
            ("_ZN7counter4main17h0123456789abcdefE", "counter::main"),
            ("_RNvC6_123foo3bar", "123foo::bar"),
            ("_Znot a name", "_Znot a name"),
            ("", ""),
        ];
        for (mangled, expected) in names {
            assert_eq!(demangle(mangled, None), expected, "{mangled}");
        }
    }

    #[test]
    fn a_plain_c_name_is_never_taken_apart() {
        assert_eq!(demangle("_R", Some(gimli::DW_LANG_C11)), "_R");
    }

    #[test]
    fn versions_are_told_apart() {
        assert_eq!(without_version("f@@V1"), ("f", Some(("V1", true))));
        assert_eq!(without_version("f@V1"), ("f", Some(("V1", false))));
        assert_eq!(without_version("@plt"), ("@plt", None));
    }
}
