//! The files of findings: a schedule with inputs, and the question as a script.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use warpath_analyzer::findings::{CheckError, Finding};
use warpath_trace::si::Si;

use super::AnalyzeConfig;
use crate::outputs::replace_file;

/// A finding that is on disk; its script is no longer in memory.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) finding: Finding,
    /// How many events of the recorded run come before the finding's own schedule.
    pub(super) begin: u32,
    /// The SI file.
    pub(super) si: String,
    /// The script, if there is one.
    pub(super) script: Option<String>,
}

/// Writes findings into `--out`, numbered as they come.
pub(super) struct Files<'c> {
    config: &'c AnalyzeConfig,
    kept: Vec<Kept>,
}

impl<'c> Files<'c> {
    pub(super) fn new(config: &'c AnalyzeConfig) -> Self {
        Files { config, kept: Vec::new() }
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
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        let name = format!("{}-{}", finding.kind.name().replace(' ', "-"), self.kept.len() + 1);
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
