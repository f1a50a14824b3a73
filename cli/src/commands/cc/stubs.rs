//! The header and the stub library, which travel inside the command and are unpacked where the compiler can see them.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::Context;
use tempfile::{Builder, TempDir};

use super::command_line::Driver;
use super::run_compiler;
use crate::inputs::find_program;

const HEADER: &str = include_str!("../../../../tracers/native/include/warpath.h");
const SOURCE: &str = include_str!("../../../../tracers/native/stubs/warpath_stubs.c");

/// The unpacked files.
pub(super) struct Stubs {
    folder: PathBuf,
    /// Keeps the folder when it is a temporary one.
    _temporary: Option<TempDir>,
}

impl Stubs {
    /// Unpacks into the user's cache folder or, where that cannot be written, into a temporary one that lives as
    /// long as the value. The folder's name depends on the contents, so versions do not disturb each other.
    pub(super) fn unpack() -> anyhow::Result<Stubs> {
        let mut hasher = DefaultHasher::new();
        (HEADER, SOURCE).hash(&mut hasher);
        let name = format!("cc-{:016x}", hasher.finish());

        if let Some(cache) = cache_folder() {
            let folder = cache.join("warpath").join(&name);
            if fill(&folder).is_ok() {
                return Ok(Stubs { folder, _temporary: None });
            }
        }
        let temporary = Builder::new().prefix("warpath-cc-").tempdir().context(
            "cannot make a folder for <warpath.h>, neither in the cache folder nor in the temporary one",
        )?;
        let folder = temporary.path().to_path_buf();
        fill(&folder).with_context(|| format!("cannot write <warpath.h> into {}", folder.display()))?;
        Ok(Stubs { folder, _temporary: Some(temporary) })
    }

    /// Where `<warpath.h>` is.
    pub(super) fn include(&self) -> PathBuf {
        self.folder.join("include")
    }

    /// The stubs, compiled by this compiler for this machine; kept for the next time.
    pub(super) fn object(&self, driver: &Driver, machine: &[OsString]) -> anyhow::Result<PathBuf> {
        let object = self.folder.join(format!("stubs-{:016x}.o", fingerprint(driver, machine)));
        if object.exists() {
            return Ok(object);
        }
        let made = Builder::new()
            .suffix(".o")
            .tempfile_in(&self.folder)
            .with_context(|| format!("cannot write into {}", self.folder.display()))?
            .into_temp_path();
        let mut compiler = driver.command();
        compiler
            .args(machine)
            .args(["-x", "c", "-std=gnu11", "-O1", "-fPIC", "-c", "-I"])
            .arg(self.include())
            .arg("-o")
            .arg(&made)
            .arg(self.folder.join("warpath_stubs.c"));
        run_compiler(driver, &mut compiler).context("cannot compile the stubs of <warpath.h>")?;
        made.persist(&object).with_context(|| format!("cannot write {}", object.display()))?;
        Ok(object)
    }
}

fn cache_folder() -> Option<PathBuf> {
    let named = |variable| env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|home| home.join(".cache")))
}

fn fill(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder.join("include"))?;
    place(&folder.join("include"), "warpath.h", HEADER)?;
    place(folder, "warpath_stubs.c", SOURCE)
}

/// Writes a file unless it is there already, whole or not at all: a parallel build runs many of us at once.
fn place(folder: &Path, name: &str, contents: &str) -> io::Result<()> {
    let path = folder.join(name);
    if fs::read_to_string(&path).is_ok_and(|present| present == contents) {
        return Ok(());
    }
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(contents.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

/// Changes when the compiler does: another call, another file, an update in place.
fn fingerprint(driver: &Driver, machine: &[OsString]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (driver.words(), machine).hash(&mut hasher);
    if let Some(path) = driver.words().first().and_then(|word| find_program(Path::new(word)).ok()) {
        path.hash(&mut hasher);
        if let Ok(metadata) = fs::metadata(&path) {
            metadata.len().hash(&mut hasher);
            let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            changed.hash(&mut hasher);
        }
    }
    hasher.finish()
}
