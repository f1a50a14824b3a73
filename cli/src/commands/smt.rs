//! `warpath smt`: our own solver, on standard input or on files.

use std::io::ErrorKind;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use warpath_smt::{ServeError, Settings, serve_files, serve_guarded};

use crate::app::Invocation;
use crate::console::Console;
use crate::exit::Exit;
use crate::json::JsonTarget;
use crate::options::Loudness;

/// Answer SMT-LIB commands: a solver for orders of events and bit-vectors
///
/// Reads commands from standard input or from files and answers on standard output, as z3, cvc5 and Yices do: Booleans,
/// differences of integers, and bit-vectors; levels, assumptions, unsat cores, soft assertions. What is outside of
/// that is answered with an error that names line and column. Every model is checked before `sat` is said.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  warpath smt query.smt2
  warpath smt --timeout 5000 queries/*.smt2     each file by itself, one after the other
  echo '(check-sat)' | warpath smt
  warpath smt --proof query.proof query.smt2 && warpath smt-check query.smt2 query.proof

Exit codes:
  0  the commands were answered, be it with errors
  2  wrong usage, or a file that cannot be read")]
pub(crate) struct SmtArgs {
    /// Scripts to answer, each by itself; none or `-` for standard input
    #[arg(value_name = "FILE.smt2")]
    files: Vec<PathBuf>,
    /// Start value of what is chosen by chance: it may change how long an answer takes
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Answer `unknown` to a check that takes longer, in milliseconds; 0 for no limit
    #[arg(long, value_name = "MS", default_value_t = 0)]
    timeout: u64,
    /// Write why each `unsat` was said, for `warpath smt-check`; of one script only
    #[arg(long, value_name = "PROOF")]
    proof: Option<PathBuf>,
    /// Write what is read, for `warpath smt-check`; of one script only
    #[arg(long, value_name = "FILE.smt2")]
    transcript: Option<PathBuf>,
    /// Answer a program of ours on standard input, and guard this process for it; with the memory it may use, in MiB
    #[arg(long, value_name = "MIB", hide = true, conflicts_with = "files")]
    guard_itself: Option<u64>,
}

#[derive(Debug, Serialize)]
pub(crate) struct SmtConfig {
    files: Vec<PathBuf>,
    seed: u64,
    timeout_ms: u64,
    proof: Option<PathBuf>,
    transcript: Option<PathBuf>,
    guard_itself: Option<u64>,
}

impl Invocation for SmtArgs {
    const NAME: &'static str = "smt";
    type Config = SmtConfig;

    fn loudness(&self) -> Loudness {
        Loudness::Normal
    }

    fn json(&self) -> Option<&JsonTarget> {
        None
    }

    fn lower(self) -> anyhow::Result<SmtConfig> {
        let Self { files, seed, timeout: timeout_ms, proof, transcript, guard_itself } = self;
        Ok(SmtConfig { files, seed, timeout_ms, proof, transcript, guard_itself })
    }

    fn run(config: SmtConfig, _: &Console) -> anyhow::Result<Exit> {
        let settings = Settings::default()
            .with_seed(config.seed)
            .with_timeout_ms(config.timeout_ms)
            .with_proof(config.proof)
            .with_transcript(config.transcript);
        if let Some(memory_mb) = config.guard_itself {
            // Whatever went wrong has been told to the program that asks.
            return Ok(match serve_guarded(memory_mb, &settings) {
                0 => Exit::Clean,
                _ => Exit::Trouble,
            });
        }
        match serve_files(&config.files, &settings) {
            Ok(()) => Ok(Exit::Clean),
            // Whoever asked has gone.
            Err(ServeError::Write(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(Exit::Clean),
            Err(error) => Err(error.into()),
        }
    }
}
