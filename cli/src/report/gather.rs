//! From files to what the page is about.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::results::{Analyzed, Explored, Replayed};
use crate::failure::{advise, advised};
use crate::inputs::cannot_read;
use crate::present::diagnosis::{self, Document};

/// Results, each with the folder of its file.
#[derive(Debug, Default)]
pub(crate) struct Given {
    pub(super) explored: Vec<(PathBuf, Explored)>,
    pub(super) diagnosed: Vec<(PathBuf, Document)>,
    pub(super) analyzed: Vec<(PathBuf, Analyzed)>,
    pub(super) replayed: Vec<(PathBuf, Replayed)>,
    /// The files that were read.
    seen: BTreeSet<PathBuf>,
}

const EXPLORE: &str = "warpath.explore/1";
const ANALYZE: &str = "warpath.analyze/1";
const REPLAY: &str = "warpath.replay/1";
const FORMATS: [&str; 4] = [EXPLORE, diagnosis::FORMAT, ANALYZE, REPLAY];

const HELP: &str =
    "give files that --json of explore, diagnose, analyze or replay wrote, or the --out folder of explore";

/// Reads files, and the results in folders.
pub(crate) fn read(paths: &[PathBuf]) -> anyhow::Result<Given> {
    let mut given = Given::default();
    for path in paths {
        if path.is_dir() {
            given.folder(path)?;
        } else {
            given.file(path)?;
        }
    }
    Ok(given)
}

impl Given {
    fn folder(&mut self, folder: &Path) -> anyhow::Result<()> {
        let entries = fs::read_dir(folder).map_err(|error| cannot_read(folder, error))?;
        let mut files: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
            .collect();
        files.sort();
        let mut taken = 0;
        for file in &files {
            // Other JSON may lie there as well: manifests, somebody's settings.
            taken += usize::from(self.take(file, parsed(file)?)?);
        }
        match taken {
            0 => Err(advised(format!("there is no result in the folder {}", folder.display()), HELP)),
            _ => Ok(()),
        }
    }

    fn file(&mut self, file: &Path) -> anyhow::Result<()> {
        let value = parsed(file)?;
        let format = value["format"].as_str().unwrap_or("no format at all").to_owned();
        match self.take(file, value)? {
            true => Ok(()),
            false => Err(advised(format!("{} is nothing for a page: it has {format}", file.display()), HELP)),
        }
    }

    /// Whether it is a result of ours. A file that is given twice, by itself and with its folder, counts once.
    fn take(&mut self, file: &Path, value: Value) -> anyhow::Result<bool> {
        let folder = file.parent().map(Path::to_path_buf).unwrap_or_default();
        let format = value["format"].as_str().unwrap_or_default().to_owned();
        let real = fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
        if FORMATS.contains(&format.as_str()) && !self.seen.insert(real) {
            return Ok(true);
        }
        match format.as_str() {
            EXPLORE => self.explored.push((folder, of(file, value)?)),
            diagnosis::FORMAT => self.diagnosed.push((folder, of(file, value)?)),
            ANALYZE => self.analyzed.push((folder, of(file, value)?)),
            REPLAY => self.replayed.push((folder, of(file, value)?)),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn parsed(file: &Path) -> anyhow::Result<Value> {
    let text = fs::read_to_string(file).map_err(|error| cannot_read(file, error))?;
    serde_json::from_str(&text)
        .map_err(|error| advise(error, format!("{} is not JSON", file.display()), HELP))
}

fn of<T: DeserializeOwned>(file: &Path, value: Value) -> anyhow::Result<T> {
    serde_json::from_value(value).with_context(|| format!("{} is not what its format says", file.display()))
}
