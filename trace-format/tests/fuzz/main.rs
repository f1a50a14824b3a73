//! Fuzzing of every reader of this crate, for a bounded time: no input may make one panic, hang or allocate
//! without bound.
//!
//! `cargo test -p warpath-trace --test fuzz` runs for `WARPATH_FUZZ_SECONDS` (10). Inputs are mutations of good files; binary ones
//! mostly get their checksums mended, so that the mutation reaches the code behind the check.
//! `WARPATH_FUZZ_SEED` repeats a run. What breaks a reader is kept under the temporary folder and named.

#[path = "../samples/mod.rs"]
mod samples;

mod mutate;
mod random;
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use nix::sys::resource::{Resource, setrlimit};
use random::Random;
use targets::{Target, targets};

/// Address space of this process. A reader that allocates by what a file claims runs into it and aborts.
const MEMORY: u64 = 2 << 30;
/// An input is a few kilobytes, so that even a slow debug build reads it in milliseconds.
const HANG: Duration = Duration::from_secs(20);

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn main() -> ExitCode {
    let seconds = number("WARPATH_FUZZ_SECONDS").unwrap_or(10);
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_nanos() as u64);
    let seed = number("WARPATH_FUZZ_SEED").unwrap_or(clock) | 1;
    if let Err(error) = setrlimit(Resource::RLIMIT_AS, MEMORY, MEMORY) {
        eprintln!("fuzz: the memory limit cannot be set: {error}");
        return ExitCode::FAILURE;
    }
    println!("fuzz: seed {seed}, {seconds} s");
    std::panic::set_hook(Box::new(|_| {}));
    let targets = targets();
    let share = Duration::from_secs(seconds) / targets.len() as u32;
    let failed = targets.iter().filter(|target| !run(target, seed, share)).count();
    println!("fuzz: {} passed, {failed} failed", targets.len() - failed);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Feeds one reader for a while; did it stand?
fn run(target: &Target, seed: u64, share: Duration) -> bool {
    let mut random = Random::new(seed);
    let start = Instant::now();
    let (mut inputs, mut accepted) = (0u64, 0u64);
    while start.elapsed() < share || inputs < 200 {
        let input = (target.mutate)(&mut random, &target.seeds);
        let began = Instant::now();
        // Kept before the reader runs: an abort leaves it behind.
        let kept = std::env::temp_dir().join(format!("warpath-fuzz-{}-{}", target.name, std::process::id()));
        let result = catch_unwind(AssertUnwindSafe(|| (target.read)(&input)));
        let complaint = match result {
            Ok(_) if began.elapsed() > HANG => format!("took {:?}", began.elapsed()),
            Ok(good) => {
                inputs += 1;
                accepted += u64::from(good);
                continue;
            }
            Err(panic) => match panic.downcast_ref::<String>() {
                Some(text) => format!("panicked: {text}"),
                None => "panicked".to_owned(),
            },
        };
        let place = match std::fs::write(&kept, &input) {
            Ok(()) => kept.display().to_string(),
            Err(error) => format!("lost ({error})"),
        };
        println!("fuzz: {}: {complaint}; seed {seed}, input {place}", target.name);
        return false;
    }
    println!("fuzz: {}: {inputs} inputs, {accepted} of them accepted", target.name);
    // Were all refused, the mutations would be too wild to reach anything.
    accepted > 0
}
