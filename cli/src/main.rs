//! The `warpath` command: wires the parts together, prints, shows progress and sets the exit code.
//!
//! Everything that another crate could know lives there. What is left here: [`app`] (the command tree),
//! [`options`] (option groups shared by commands), [`commands`] (one file per command: arguments, their lowering into
//! a configuration, the run), and the terminal: [`console`], [`progress`], [`interrupt`], [`failure`], [`json`].

mod app;
mod commands;
mod console;
mod exit;
mod failure;
mod inputs;
mod interrupt;
mod json;
mod options;
mod outputs;
mod present;
mod progress;
mod report;
mod runs;
mod scripts;
mod solvers;
mod traces;

use std::process::ExitCode;

fn main() -> ExitCode {
    match failure::contain(app::run) {
        Ok(code) => code,
        Err(bug) => {
            console::complain(&bug);
            exit::Exit::Trouble.into()
        }
    }
}
