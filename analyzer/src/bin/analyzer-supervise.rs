//! The process that guards solvers for this crate's tests and benchmarks, and the solver that comes with us. Cargo builds
//! a package's programs for its tests, but not those of the packages it depends on.

fn main() {
    let mut words = std::env::args_os().skip(1).peekable();
    let status = match words.next_if(|word| word == "smt") {
        Some(_) => i32::from(warpath_smt::serve_files(&[], &warpath_smt::Settings::default()).is_err()),
        None => warpath_solvers::supervise::main(&[], words),
    };
    std::process::exit(status);
}
