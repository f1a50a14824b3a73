//! The files of findings: a schedule with inputs, and the question as a script.

use std::fs;
use std::path::PathBuf;

use warpath_analyzer::findings::{CheckError, Finding, Kind};
use warpath_trace::si::{Expect, Program, SharedBytes, Si, spins};
use warpath_trace::trace::Trace;

use super::AnalyzeConfig;
use crate::outputs::{make_folder, replace_file};

/// A finding that is on disk; its script is no longer in memory.
#[derive(Debug)]
pub(in crate::commands) struct Kept {
    pub(in crate::commands) finding: Finding,
    /// How many events of the recorded run come before the finding's own schedule.
    pub(in crate::commands) begin: u32,
    /// The SI file.
    pub(in crate::commands) si: String,
    /// The script, if there is one.
    pub(in crate::commands) script: Option<String>,
}

/// What schedules need to know of the recorded runs.
#[derive(Debug)]
pub(in crate::commands) struct Runs {
    program: Program,
    shared: Vec<SharedBytes>,
    spins: Vec<u64>,
}

impl Runs {
    /// Of traces of one program.
    pub(in crate::commands) fn of(traces: &[(String, Trace)]) -> Runs {
        let program = traces.first().map(|(_, trace)| Program::of_run(trace));
        let mut shared: Vec<SharedBytes> = Vec::new();
        for bytes in traces.iter().flat_map(|(_, trace)| SharedBytes::of_run(trace)) {
            if !shared.contains(&bytes) {
                shared.push(bytes);
            }
        }
        let mut spins: Vec<u64> = traces.iter().flat_map(|(_, trace)| spins(trace)).collect();
        spins.sort_unstable();
        spins.dedup();
        Runs { program: program.unwrap_or_default(), shared, spins }
    }

    /// Completes a schedule: what to run, what it takes as shared.
    pub(in crate::commands) fn complete(&self, si: &mut Si) {
        si.program = self.program.clone();
        si.shared = self.shared.clone();
        si.spins = self.spins.clone();
    }
}

/// Writes findings into `--out`, numbered as they come.
pub(super) struct Files<'c> {
    config: &'c AnalyzeConfig,
    runs: &'c Runs,
    kept: Vec<Kept>,
}

impl<'c> Files<'c> {
    pub(super) fn new(config: &'c AnalyzeConfig, runs: &'c Runs) -> Self {
        Files { config, runs, kept: Vec::new() }
    }

    /// Writes the files of one finding: `si` is its schedule from the start of the program on, which has `begin`
    /// events of the recorded run in front.
    pub(super) fn keep(
        &mut self,
        mut finding: Finding,
        begin: u32,
        mut si: Si,
        trace: &str,
    ) -> anyhow::Result<()> {
        let folder = &self.config.out;
        if self.kept.is_empty() {
            make_folder(folder)?;
        }
        let name = format!("{}-{}", finding.kind.word(), self.kept.len() + 1);
        self.runs.complete(&mut si);
        si.expect = expect(&finding);
        si.origin.trace = trace.to_owned();
        si.origin.query = finding.summary.clone();
        let si = self.write(format!("{name}.si.toml"), &si.print()?)?;
        let script = match std::mem::take(&mut finding.script) {
            text if text.is_empty() => None,
            text => Some(self.write(format!("{name}.smt2"), &text)?),
        };
        // The manifest says what the script's symbols mean, which nobody asks here.
        finding.manifest = None;
        self.kept.push(Kept { finding, begin, si, script });
        Ok(())
    }

    fn write(&self, name: String, text: &str) -> anyhow::Result<String> {
        let path: PathBuf = self.config.out.join(name);
        replace_file(&path, |out| Ok(out.write_all(text.as_bytes())?))?;
        Ok(path.display().to_string())
    }

    /// What was kept: by property, then as it came.
    pub(super) fn finish(mut self) -> Vec<Kept> {
        self.kept.sort_by_key(|kept| kept.finding.property);
        self.kept
    }
}

/// What a replay of a finding should come to.
fn expect(finding: &Finding) -> Expect {
    let outcome = match finding.kind {
        Kind::AssertionFailure => "assertion",
        Kind::NullDereference => "null-dereference",
        Kind::DivisionByZero => "arithmetic",
        Kind::Deadlock => "deadlock",
        Kind::UseAfterFree => "use-after-free",
        Kind::DoubleFree => "double-free",
        Kind::DataRace => "data-race",
        Kind::AtomicityViolation => "atomicity-violation",
        Kind::OrderViolation => "order-violation",
        // As the recorded run failed: any failure will do.
        _ => "",
    };
    // Where the program fails is where the last event of the finding is; what only the schedule shows has no such place.
    let at = finding
        .events
        .last()
        .filter(|_| matches!(finding.kind, Kind::AssertionFailure | Kind::DivisionByZero));
    Expect {
        outcome: outcome.to_owned(),
        thread: at.map(|event| event.thread.clone()).unwrap_or_default(),
        place: at.map(|event| event.place.clone()).unwrap_or_default(),
        message: finding.summary.clone(),
    }
}

/// An answer that cannot be executed is a bug of ours: the script is what shows it.
pub(super) fn keep_script(config: &AnalyzeConfig, error: CheckError) -> anyhow::Error {
    let CheckError::Bug { script, .. } = &error else { return error.into() };
    let path = config.out.join("warpath-bug.smt2");
    let kept = fs::create_dir_all(&config.out)
        .map_err(anyhow::Error::from)
        .and_then(|()| replace_file(&path, |out| Ok(out.write_all(script.as_bytes())?)));
    let text = match kept {
        Ok(()) => format!("the script is in {}", path.display()),
        Err(why) => format!("the script could not be kept: {why:#}"),
    };
    anyhow::Error::from(error).context(text)
}
