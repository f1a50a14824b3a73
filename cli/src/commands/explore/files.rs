//! The files that exploration writes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;
use warpath_analyzer::explore::Bug;
use warpath_analyzer::queries::Manifest;

use crate::commands::analyze::MANIFEST;
use crate::json::JsonTarget;
use crate::outputs::replace_file;
use crate::traces::{Destination, TraceForm};

/// Writes the schedule and the trace of the `number`-th bug; their paths.
pub(super) fn keep(bug: &Bug, number: usize, folder: &Path) -> anyhow::Result<(PathBuf, PathBuf)> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let path = |ending: &str| folder.join(format!("bug-{number}.{ending}"));
    let (schedule, trace) = (path("si.toml"), path("wpt"));
    let mut si = bug.si.clone();
    si.origin.trace = trace.display().to_string();
    let text = si.print()?;
    replace_file(&schedule, |out| Ok(out.write_all(text.as_bytes())?))?;
    let canonical = bug.trace.canonical().context("the trace cannot be numbered")?;
    Destination::new(trace.clone(), Some(TraceForm::Wpt), None)?.store(&canonical)?;
    Ok((schedule, trace))
}

/// The scripts of all questions, as they are asked.
pub(super) struct Scripts {
    folder: PathBuf,
    manifest: FolderManifest,
}

#[derive(Serialize)]
struct FolderManifest {
    format: &'static str,
    model: &'static str,
    scripts: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    file: String,
    #[serde(flatten)]
    manifest: Manifest,
}

impl Scripts {
    pub(super) fn new(folder: PathBuf, model: &'static str) -> Scripts {
        let manifest = FolderManifest { format: MANIFEST, model, scripts: Vec::new() };
        Scripts { folder, manifest }
    }

    pub(super) fn keep(&mut self, script: &str, manifest: &Manifest) -> anyhow::Result<()> {
        let folder = &self.folder;
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let file = format!("query-{}.smt2", self.manifest.scripts.len() + 1);
        replace_file(&folder.join(&file), |out| Ok(out.write_all(script.as_bytes())?))?;
        self.manifest.scripts.push(Entry { file, manifest: manifest.clone() });
        Ok(())
    }

    /// Writes the manifest of all of them.
    pub(super) fn finish(self) -> anyhow::Result<()> {
        fs::create_dir_all(&self.folder)
            .with_context(|| format!("cannot make the folder {}", self.folder.display()))?;
        JsonTarget::File(self.folder.join("manifest.json")).write(&self.manifest)
    }
}
