//! An SMT-LIB solver for orders of events and bit-vectors, on standard input.
//!
//! [`serve`] holds a conversation: commands come in, answers go out. What it decides with is the crate
//! `warpath-smt-engine`; what is here is the language around it. The layers, from the outside in:
//! `dialogue` (commands and what they do), `decide` (limits, optima, reasons, checking models), `terms` (from tokens to
//! terms), `names` (what symbols mean), `text` (bytes and tokens).

mod decide;
mod dialogue;
mod error;
mod files;
mod names;
mod proof;
mod terms;
mod text;
mod transcript;

pub use decide::Decider;
pub use dialogue::Settings;
pub use files::{ServeError, serve_files};

use proof::ProofLog;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use transcript::Transcribed;
use warpath_smt_engine::Engine;
use warpath_solvers::OwnSolver;
use warpath_solvers::supervise::{SelfGuard, guard_itself};

/// Answers commands until the input ends or says `exit`. Each answer is flushed before the next command is read.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// let script = b"(declare-const x Int) (get-info :name)";
/// let mut answers = Vec::new();
/// warpath_smt::serve(&script[..], &mut answers, &warpath_smt::Settings::default())?;
/// assert_eq!(answers, b"(:name \"warpath-smt\")\n");
/// # Ok(()) }
/// ```
pub fn serve(input: impl Read, output: impl Write, settings: &Settings) -> io::Result<()> {
    converse(input, output, settings, None)
}

/// Like [`serve`], on standard input and output, in a process that guards itself with this memory in MiB (0 for no
/// limit) as a supervisor of `warpath-solvers` would; the exit status. Call it on the main thread, before any other
/// thread exists.
pub fn serve_guarded(memory_mb: u64, settings: &Settings) -> i32 {
    guard_itself(memory_mb, |commands, answers, guard| converse(commands, answers, settings, Some(guard)))
}

/// Serves guarded if that is what the words of a command line ask for; the exit status.
pub fn serve_if_guarded(mut words: impl Iterator<Item = OsString>) -> Option<i32> {
    words.next().filter(|word| word == OwnSolver::GUARD_ITSELF)?;
    let memory_mb = words.next().and_then(|number| number.to_str()?.parse().ok()).unwrap_or(0);
    Some(serve_guarded(memory_mb, &Settings::default()))
}

fn converse(
    input: impl Read,
    output: impl Write,
    settings: &Settings,
    guard: Option<&SelfGuard>,
) -> io::Result<()> {
    match &settings.transcript {
        Some(path) => prove(Transcribed::create(path, input)?, output, settings, guard),
        None => prove(input, output, settings, guard),
    }
}

/// With a proof, if one is wanted.
fn prove(
    input: impl Read,
    output: impl Write,
    settings: &Settings,
    guard: Option<&SelfGuard>,
) -> io::Result<()> {
    let Some(path) = &settings.proof else {
        return dialogue::Dialogue::new(input, output, settings, &mut Engine::new).with_guard(guard).run();
    };
    let proof = ProofLog::create(path)?;
    let mut make = |options| {
        proof.restart();
        let mut engine = Engine::new(options);
        engine.set_proof(Box::new(proof.clone()));
        engine
    };
    dialogue::Dialogue::new(input, output, settings, &mut make).with_proof(&proof).with_guard(guard).run()?;
    proof.finish()
}

/// Like [`serve`], with something else that decides, and without a proof.
pub fn serve_with<D: Decider>(
    input: impl Read,
    output: impl Write,
    settings: &Settings,
    make: &mut dyn FnMut(warpath_smt_engine::Options) -> D,
) -> io::Result<()> {
    dialogue::Dialogue::new(input, output, settings, make).run()
}
