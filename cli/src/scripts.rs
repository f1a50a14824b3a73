//! Folders of scripts: `--emit` writes them, with a manifest that says what each asks and what its symbols mean.

use std::path::{Path, PathBuf};

use serde::Serialize;
use warpath_analyzer::queries::Manifest;

use crate::json::JsonTarget;
use crate::outputs::{make_folder, replace_file};

/// The format of a folder's manifest.
pub(crate) const MANIFEST: &str = "warpath.manifest/1";

/// `warpath.manifest/1`: what each script of a folder asks, and what its symbols mean.
#[derive(Debug, Serialize)]
pub(crate) struct FolderManifest {
    format: &'static str,
    model: &'static str,
    pub(crate) scripts: Vec<Entry>,
}

/// One script.
#[derive(Debug, Serialize)]
pub(crate) struct Entry {
    pub(crate) file: String,
    /// The trace that it is about, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<PathBuf>,
    #[serde(flatten)]
    pub(crate) manifest: Manifest,
}

/// A folder that scripts are written into, one after the other. It is made when there is something to write.
pub(crate) struct Scripts {
    folder: PathBuf,
    manifest: FolderManifest,
}

impl Scripts {
    /// One without scripts.
    pub(crate) fn new(folder: &Path, model: &'static str) -> Scripts {
        let manifest = FolderManifest { format: MANIFEST, model, scripts: Vec::new() };
        Scripts { folder: folder.to_owned(), manifest }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.manifest.scripts.len()
    }

    /// Writes a script.
    pub(crate) fn keep(
        &mut self,
        file: String,
        trace: Option<PathBuf>,
        script: &str,
        manifest: Manifest,
    ) -> anyhow::Result<()> {
        make_folder(&self.folder)?;
        replace_file(&self.folder.join(&file), |out| Ok(out.write_all(script.as_bytes())?))?;
        self.manifest.scripts.push(Entry { file, trace, manifest });
        Ok(())
    }

    /// Writes the manifest of all of them.
    pub(crate) fn finish(self) -> anyhow::Result<FolderManifest> {
        make_folder(&self.folder)?;
        JsonTarget::File(self.folder.join("manifest.json")).write(&self.manifest)?;
        Ok(self.manifest)
    }
}
