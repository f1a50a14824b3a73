//! The process that guards solvers for this crate's tests. Cargo builds a package's programs for its tests, but
//! not those of the packages it depends on.

fn main() {
    std::process::exit(warpath_solvers::supervise::main(&[], std::env::args_os().skip(1)));
}
