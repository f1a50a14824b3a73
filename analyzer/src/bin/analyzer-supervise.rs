//! The process that guards solvers for this crate's tests and benchmarks, and the solver that comes with us. Cargo builds
//! a package's programs for its tests, but not those of the packages it depends on.

fn main() {
    let mut words = std::env::args_os().skip(1).peekable();
    let status = match words.next_if(|word| word == "smt") {
        // Nobody starts it in another way; 2 is what wrong usage ends with everywhere.
        Some(_) => warpath_smt::serve_if_guarded(words).unwrap_or(2),
        None => warpath_solvers::supervise::main(&[], words),
    };
    std::process::exit(status);
}
