//! `-q` and `-v`.

use clap::Args;

/// How much is said on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Loudness {
    /// Errors only.
    Quiet,
    /// Errors, remarks, progress.
    Normal,
    /// And what is being done.
    Verbose,
    /// And what the command understood of its arguments.
    Debug,
}

/// The two switches.
#[derive(Args, Debug)]
pub(crate) struct LoudnessOptions {
    /// Print only results and errors: no progress, no remarks
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Say what is being done; twice: also how the arguments were understood
    #[arg(short, long, action = clap::ArgAction::Count)]
    verbose: u8,
}

impl LoudnessOptions {
    /// What they mean.
    pub(crate) fn loudness(&self) -> Loudness {
        match (self.quiet, self.verbose) {
            (true, _) => Loudness::Quiet,
            (false, 0) => Loudness::Normal,
            (false, 1) => Loudness::Verbose,
            (false, _) => Loudness::Debug,
        }
    }
}
