//! Where configuration and installed solvers are kept.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The folders that matter, taken from the environment once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Places {
    /// Folders with the user's `*.toml` files; a later one overrides an earlier one.
    pub config: Vec<PathBuf>,
    /// Folder of installed solvers: one subfolder each, with `bin/` in it.
    pub data: Option<PathBuf>,
    /// Folders of programs, in the order of `PATH`.
    pub path: Vec<PathBuf>,
}

impl Places {
    /// Environment variable that names one more folder of configuration files.
    pub const EXTRA_DIR: &'static str = "WARPATH_SOLVERS_DIR";

    /// The places by the environment of this process.
    pub fn from_environment() -> Self {
        Self::from_variables(|name| std::env::var_os(name).filter(|value| !value.is_empty()))
    }

    fn from_variables(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let home = variable("HOME").map(PathBuf::from);
        // The standard asks to ignore relative paths in these variables.
        let base = |name: &str, below_home: &str| {
            variable(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
                .or_else(|| home.as_deref().map(|home| home.join(below_home)))
                .map(|base| base.join("warpath/solvers"))
        };
        let extra = variable(Self::EXTRA_DIR).map(PathBuf::from);
        Self {
            config: base("XDG_CONFIG_HOME", ".config").into_iter().chain(extra).collect(),
            data: base("XDG_DATA_HOME", ".local/share"),
            path: variable("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default(),
        }
    }

    /// The folder of an installed solver.
    pub fn installed(&self, solver: &str) -> Option<PathBuf> {
        self.data.as_deref().map(|data: &Path| data.join(solver))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_decides() {
        let places = Places::from_variables(|name| match name {
            "HOME" => Some("/home/me".into()),
            "XDG_DATA_HOME" => Some("/data".into()),
            "XDG_CONFIG_HOME" => Some("relative/ignored".into()),
            "WARPATH_SOLVERS_DIR" => Some("/extra".into()),
            "PATH" => Some("/a:/b".into()),
            _ => None,
        });
        assert_eq!(
            places.config,
            [PathBuf::from("/home/me/.config/warpath/solvers"), PathBuf::from("/extra")]
        );
        assert_eq!(places.installed("z3"), Some(PathBuf::from("/data/warpath/solvers/z3")));
        assert_eq!(places.path, [PathBuf::from("/a"), PathBuf::from("/b")]);
        assert_eq!(Places::from_variables(|_| None), Places::default());
    }
}
