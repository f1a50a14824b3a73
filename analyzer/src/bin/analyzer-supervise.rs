//! The process that guards solvers for this crate's tests and benchmarks, and the solver that comes with us. Cargo builds
//! a package's programs for its tests, but not those of the packages it depends on.

fn main() {
    let mut words = std::env::args_os().skip(1).peekable();
    let status = match words.next_if(|word| word == "smt") {
        // Behind it stand the option and the memory.
        Some(_) => {
            let memory = words.nth(1).and_then(|number| number.to_str()?.parse().ok());
            warpath_smt::serve_guarded(memory.unwrap_or(0), &warpath_smt::Settings::default())
        }
        None => warpath_solvers::supervise::main(&[], words),
    };
    std::process::exit(status);
}
