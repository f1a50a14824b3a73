//! Files that appear whole or not at all: a result that was cut by a full disk or a Ctrl-C must not look like one.

use std::fs::{self, File, Permissions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use tempfile::Builder;

/// Makes a folder, and those it is in, unless it is there.
pub(crate) fn make_folder(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))
}

/// Writes a file by writing a new one beside it and renaming that.
pub(crate) fn replace_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    replace(path, write).with_context(|| format!("cannot write {}", path.display()))
}

fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    // Behind a symbolic link, the file it points to is meant.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        // A device or a pipe: renaming would put a plain file in its place.
        return filled(File::options().write(true).open(path)?, write).map(drop);
    }
    let temporary = Builder::new()
        .prefix(".warpath-")
        // As for any new file; the user's mask takes away what it takes away.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder_of(path))?;
    let temporary = temporary.into_temp_path();
    filled(File::options().write(true).open(&temporary)?, write)?;
    temporary.persist(path)?;
    Ok(())
}

fn filled(file: File, write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<File> {
    let mut out = BufWriter::with_capacity(1 << 18, file);
    write(&mut out)?;
    Ok(out.into_inner().map_err(|error| error.into_error())?)
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("result");
        replace_file(&path, |out| Ok(out.write_all(b"old")?)).expect("the first write");
        let failed = replace_file(&path, |out| {
            out.write_all(b"new")?;
            anyhow::bail!("no more space")
        });
        assert_eq!(
            format!("{:#}", failed.expect_err("it failed")),
            format!("cannot write {}: no more space", path.display())
        );
        assert_eq!(fs::read(&path).expect("it is there"), b"old");
        assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1);
    }

    #[test]
    fn devices_and_links_stay_what_they_are() {
        let folder = tempfile::tempdir().expect("a folder");
        replace_file(Path::new("/dev/null"), |out| Ok(out.write_all(b"x")?)).expect("a device");
        assert!(!fs::metadata("/dev/null").expect("it is there").is_file());
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "").expect("a file");
        std::os::unix::fs::symlink(&file, &link).expect("a link");
        replace_file(&link, |out| Ok(out.write_all(b"x")?)).expect("through the link");
        assert_eq!(fs::read(&file).expect("the file"), b"x");
    }

    #[test]
    fn a_folder_is_refused() {
        assert!(replace_file(Path::new("/tmp"), |_| Ok(())).is_err());
    }
}
