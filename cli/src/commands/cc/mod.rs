//! `warpath cc`: the C or C++ compiler, with `<warpath.h>` and its stubs found.

mod command_line;
mod instrument;
mod stubs;

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};

use anyhow::anyhow;
use clap::Args;
use serde::Serialize;

use self::command_line::{CommandLine, Driver};
use self::instrument::Instrumentation;
use self::stubs::Stubs;
use crate::app::Invocation;
use crate::console::Console;
use crate::exit::Exit;
use crate::failure::advise;
use crate::json::JsonTarget;
use crate::options::Loudness;

/// C and C++ compiler with `warpath.h` and its stubs found
///
/// Calls $CC (else `cc`), or $CXX (else `c++`) when a C++ source is among the arguments, passes every argument
/// through, lets `#include <warpath.h>` work and, when the call links, adds the stubs. So the binary also runs
/// without Warpath: inputs are then 0 or come from `$WARPATH_INPUT_NAME`. The stubs also stand in for
/// __VERIFIER_nondet_*, __VERIFIER_assume, __VERIFIER_atomic_*, reach_error, klee_make_symbolic and klee_assume
/// wherever the program does not bring its own.
///
/// With --instrument the program says what it does to memory while it runs at full speed: it is compiled with the
/// compiler's -fsanitize=thread and -g, and linked to Warpath's recorder instead of the compiler's race detector.
/// `warpath record --light` then records accesses, too. Run as it is, such a program records nothing.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  warpath cc -g -O1 -pthread prog.c -o prog
  WARPATH_INPUT_i=3 WARPATH_INPUT_buf=hex:00ff ./prog    a plain run with inputs
  CC=clang warpath cc -g prog.c -o prog
  make CC='warpath cc'                                   a whole project
  warpath cc --instrument -O2 -pthread prog.c -o prog    for `warpath record --light`
  warpath cc -- --help                                   the compiler's own help

Files written: those of the compiler; the compiled stubs are kept in ~/.cache/warpath.

Exit codes:
  0  the compiler succeeded
  2  the compiler failed (its own exit code is named), or there is none")]
pub(crate) struct CcArgs {
    /// Let the program tell the light recorder what it does to memory; before all arguments for the compiler
    #[arg(long)]
    instrument: bool,
    /// Arguments for the compiler
    #[arg(value_name = "ARGS", trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    arguments: Vec<OsString>,
}

#[derive(Debug, Serialize)]
pub(crate) struct CcConfig {
    command_line: CommandLine,
    driver: Driver,
    instrument: bool,
}

impl Invocation for CcArgs {
    const NAME: &'static str = "cc";
    type Config = CcConfig;

    /// Every option belongs to the compiler, so there is no `-v` here.
    fn loudness(&self) -> Loudness {
        Loudness::Normal
    }

    fn json(&self) -> Option<&JsonTarget> {
        None
    }

    fn lower(self) -> anyhow::Result<CcConfig> {
        let command_line = CommandLine::new(self.arguments);
        let driver = Driver::choose(command_line.language());
        Ok(CcConfig { command_line, driver, instrument: self.instrument })
    }

    fn run(CcConfig { command_line, driver, instrument }: CcConfig, _: &Console) -> anyhow::Result<Exit> {
        let stubs = Stubs::unpack()?;
        let instrumentation = instrument.then(|| Instrumentation::of(&driver, &command_line)).transpose()?;
        let mut compiler = driver.command();
        compiler.args(command_line.words());
        if let Some(instrumentation) = instrumentation.as_ref().filter(|_| command_line.has_inputs()) {
            compiler.args(instrumentation.compiling());
        }
        if command_line.has_inputs() {
            compiler.arg("-isystem").arg(stubs.include());
        }
        if command_line.links() {
            let object = stubs.object(&driver, &command_line.machine_options())?;
            // `-x none`: an earlier `-x c++` would make the compiler read the object as source.
            compiler.args(["-x", "none"]).arg(object).arg("-pthread");
        }
        if let Some(instrumentation) = instrumentation.as_ref().filter(|_| command_line.links()) {
            compiler.args(instrumentation.linking());
        }
        run_compiler(&driver, &mut compiler)?;
        Ok(Exit::Clean)
    }
}

/// Runs the compiler on our terminal; anything but success is an error that says how it ended.
fn run_compiler(driver: &Driver, command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().map_err(|error| no_compiler(driver, error))?;
    if status.success() { Ok(()) } else { Err(anyhow!("{driver} {}", how_it_ended(status))) }
}

fn how_it_ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended in an unknown way".into(),
    }
}

fn no_compiler(driver: &Driver, error: io::Error) -> anyhow::Error {
    advise(
        error,
        format!("cannot run the compiler `{driver}`"),
        format!("install one (scripts/setup does) or name one in ${}", driver.variable()),
    )
}
