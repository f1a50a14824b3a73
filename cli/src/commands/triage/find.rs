//! The traces in folders.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::inputs::cannot_read;

/// Folders within folders, at most so deep.
const DEEPEST: usize = 64;

/// Every trace in these folders and those within them, each once, in the order of their names; a file named is taken for
/// a trace whatever its name. `but` is left out: what the command writes itself.
pub(super) fn traces(roots: &[PathBuf], but: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let but = fs::canonicalize(but).ok();
    let mut found = BTreeSet::new();
    for root in roots {
        match root.is_dir() {
            true => look(root, but.as_deref(), &mut found, DEEPEST)?,
            false => {
                found.insert(root.clone());
            }
        }
    }
    Ok(found.into_iter().collect())
}

fn look(
    folder: &Path,
    but: Option<&Path>,
    found: &mut BTreeSet<PathBuf>,
    depth: usize,
) -> anyhow::Result<()> {
    if depth == 0 || (but.is_some() && fs::canonicalize(folder).ok().as_deref() == but) {
        return Ok(());
    }
    for entry in fs::read_dir(folder).map_err(|error| cannot_read(folder, error))? {
        let entry = entry.map_err(|error| cannot_read(folder, error))?;
        let path = entry.path();
        // A link to a folder is not followed: it may lead back here.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            look(&path, but, found, depth - 1)?;
        } else if is_named_so(&path) && path.is_file() {
            found.insert(path);
        }
    }
    Ok(())
}

/// Does the name promise a trace? Files that are being written have names that begin with a point.
fn is_named_so(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    !name.starts_with('.') && [".wpt", ".wpt.txt", ".std"].iter().any(|end| name.ends_with(end))
}
