//! Guards one solver process for the library; see `warpath_solvers::supervise`.

fn main() {
    std::process::exit(warpath_solvers::supervise::main(&[], std::env::args_os().skip(1)));
}
