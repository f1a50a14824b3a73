//! The solver by itself; `warpath smt` does the same.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(warpath_smt::main(std::env::args_os().skip(1)))
}
