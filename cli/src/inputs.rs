//! Checks of files and programs named on the command line, before any work starts.

use std::env;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::anyhow;

use crate::failure::{advise, advised};

/// The path, if it names a file that can be opened.
pub(crate) fn readable_file(path: PathBuf) -> anyhow::Result<PathBuf> {
    let shown = path.display();
    let metadata = fs::metadata(&path).map_err(|error| cannot_read(&path, error))?;
    if metadata.is_dir() {
        return Err(advised(format!("{shown} is a folder"), "name a file"));
    }
    // A pipe is opened once, by its reader: opening it here and closing it again would end its writer.
    if metadata.is_file() {
        fs::File::open(&path).map_err(|error| cannot_read(&path, error))?;
    }
    Ok(path)
}

/// The path, if it names a folder or a file that can be opened.
pub(crate) fn readable(path: PathBuf) -> anyhow::Result<PathBuf> {
    if path.is_dir() { Ok(path) } else { readable_file(path) }
}

/// The path, if it names a folder.
pub(crate) fn folder(path: PathBuf) -> anyhow::Result<PathBuf> {
    match fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => Ok(path),
        Ok(_) => Err(advised(format!("{} is not a folder", path.display()), "name a folder")),
        Err(error) => Err(cannot_read(&path, error)),
    }
}

/// The sentence for a file that cannot be read.
pub(crate) fn cannot_read(path: &Path, error: io::Error) -> anyhow::Error {
    let shown = path.display();
    match error.kind() {
        io::ErrorKind::NotFound => advised(format!("{shown} does not exist"), "check the path"),
        io::ErrorKind::PermissionDenied => {
            advised(format!("{shown} may not be read"), "check its permissions")
        }
        _ => anyhow!(error).context(format!("cannot read {shown}")),
    }
}

/// Where the shell would find `program`: as it is if it has a slash, else along `PATH`.
pub(crate) fn find_program(program: &Path) -> anyhow::Result<PathBuf> {
    if program.components().count() > 1 || program.is_absolute() {
        return match is_executable(program) {
            Ok(true) => Ok(program.to_path_buf()),
            Ok(false) => Err(advised(
                format!("{} is not an executable file", program.display()),
                "build the program first, or check its permissions",
            )),
            Err(error) => Err(cannot_read(program, error)),
        };
    }
    env::var_os("PATH")
        .iter()
        .flat_map(env::split_paths)
        .map(|folder| folder.join(program))
        .find(|candidate| is_executable(candidate).unwrap_or(false))
        .ok_or_else(|| {
            advise(
                anyhow!("no folder of PATH has it"),
                format!("there is no program {}", program.display()),
                format!("for a program in this folder write ./{}", program.display()),
            )
        })
}

fn is_executable(path: &Path) -> io::Result<bool> {
    let metadata = fs::metadata(path)?;
    Ok(metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_as_a_shell_would() {
        assert!(find_program(Path::new("sh")).is_ok());
        assert!(find_program(Path::new("/bin/sh")).is_ok());
        let error = find_program(Path::new("no-such-program-here")).expect_err("it is not there");
        assert_eq!(
            format!("{error:#}"),
            "there is no program no-such-program-here: no folder of PATH has it"
        );
        let error = find_program(Path::new("./no-such")).expect_err("it is not there");
        assert_eq!(error.to_string(), "./no-such does not exist");
        let error = find_program(Path::new("/etc/passwd")).expect_err("it is not executable");
        assert_eq!(error.to_string(), "/etc/passwd is not an executable file");
    }

    #[test]
    fn a_folder_is_not_a_file_and_the_other_way_round() {
        assert!(readable_file("/".into()).is_err());
        assert!(folder("/etc/passwd".into()).is_err());
        assert!(readable_file("/etc/passwd".into()).is_ok());
        assert!(folder("/".into()).is_ok());
    }
}
