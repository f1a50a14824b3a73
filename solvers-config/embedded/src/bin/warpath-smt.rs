//! The solver by itself, for tests and benchmarks: `warpath-smt [FILE]…`. `warpath smt` is the command for people.

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|word| word == "--version") {
        println!("warpath-smt {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    if let Some(status) = warpath_smt::serve_if_guarded(std::env::args_os().skip(1)) {
        return ExitCode::from(u8::try_from(status).unwrap_or(2));
    }
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    match warpath_smt::serve_files(&files, &warpath_smt::Settings::default()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
