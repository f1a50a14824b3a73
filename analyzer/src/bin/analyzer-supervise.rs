//! The process that guards solvers for this crate's tests and benchmarks, and the solver that comes with us. Cargo builds
//! a package's programs for its tests, but not those of the packages it depends on.

fn main() {
    let mut words = std::env::args_os().skip(1).peekable();
    let status = match words.peek() {
        Some(word) if word == "smt" => i32::from(warpath_smt::main(words.skip(1))),
        _ => warpath_solvers::supervise::main(&[], words),
    };
    std::process::exit(status);
}
