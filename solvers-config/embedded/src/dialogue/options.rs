//! What can be set.

use std::path::PathBuf;
use std::time::Duration;

/// What the command line says: the options as they are at the start and after a `reset`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Settings {
    /// Of what is chosen by chance; no answer depends on it.
    pub seed: u64,
    /// Time for each check, in milliseconds; 0 for no limit.
    pub timeout_ms: u64,
    /// Where to write why each `unsat` was said; nowhere if there is none.
    pub proof: Option<PathBuf>,
    /// Where to write the commands, as they are read; nowhere if there is none.
    pub transcript: Option<PathBuf>,
}

impl Settings {
    /// With this seed.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Settings { seed, ..self }
    }

    /// With this time for each check; 0 for no limit.
    #[must_use]
    pub fn with_timeout_ms(self, timeout_ms: u64) -> Self {
        Settings { timeout_ms, ..self }
    }

    /// With a proof, which `warpath smt-check` can check, in this file.
    #[must_use]
    pub fn with_proof(self, proof: Option<PathBuf>) -> Self {
        Settings { proof, ..self }
    }

    /// With the commands, as they are read, in this file.
    #[must_use]
    pub fn with_transcript(self, transcript: Option<PathBuf>) -> Self {
        Settings { transcript, ..self }
    }
}

/// Options of one conversation.
#[derive(Debug)]
pub(super) struct Options {
    pub(super) print_success: bool,
    pub(super) produce_models: bool,
    pub(super) produce_cores: bool,
    pub(super) produce_assumptions: bool,
    pub(super) small_cores: bool,
    pub(super) global_declarations: bool,
    pub(super) seed: u64,
    /// 0 for no limit.
    pub(super) timeout_ms: u64,
    /// 0 for no limit.
    pub(super) memory_mb: u64,
    pub(super) diagnostics: String,
}

/// An option by its keyword.
pub(super) enum Slot<'a> {
    Flag(&'a mut bool),
    Number(&'a mut u64),
    /// Where answers go: they cannot go elsewhere.
    Output,
    /// Where diagnostics would go; there are none.
    Diagnostics(&'a mut String),
}

impl Options {
    pub(super) fn new(settings: &Settings) -> Self {
        Options {
            print_success: false,
            produce_models: true,
            produce_cores: false,
            produce_assumptions: true,
            small_cores: true,
            global_declarations: false,
            seed: settings.seed,
            timeout_ms: settings.timeout_ms,
            memory_mb: 0,
            diagnostics: "stderr".to_owned(),
        }
    }

    pub(super) fn slot(&mut self, keyword: &str) -> Option<Slot<'_>> {
        Some(match keyword {
            ":print-success" => Slot::Flag(&mut self.print_success),
            ":produce-models" => Slot::Flag(&mut self.produce_models),
            ":produce-unsat-cores" => Slot::Flag(&mut self.produce_cores),
            ":produce-unsat-assumptions" => Slot::Flag(&mut self.produce_assumptions),
            ":minimal-unsat-cores" => Slot::Flag(&mut self.small_cores),
            ":global-declarations" => Slot::Flag(&mut self.global_declarations),
            ":random-seed" => Slot::Number(&mut self.seed),
            ":timeout-ms" => Slot::Number(&mut self.timeout_ms),
            ":memory-limit-mb" => Slot::Number(&mut self.memory_mb),
            ":regular-output-channel" => Slot::Output,
            ":diagnostic-output-channel" => Slot::Diagnostics(&mut self.diagnostics),
            _ => return None,
        })
    }

    pub(super) fn for_engine(&self) -> warpath_smt_engine::Options {
        let mut options = warpath_smt_engine::Options::default();
        options.seed = self.seed;
        // Done here, once for each `sat` that is said, whatever it was built with.
        options.verify = false;
        options
    }

    pub(super) fn timeout(&self) -> Option<Duration> {
        (self.timeout_ms > 0).then(|| Duration::from_millis(self.timeout_ms))
    }

    pub(super) fn memory(&self) -> Option<u64> {
        (self.memory_mb > 0).then_some(self.memory_mb)
    }
}
