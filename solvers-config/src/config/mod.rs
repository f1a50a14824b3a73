//! One TOML file per solver: the shipped ones, and the user's that override or extend them.

mod error;
mod file;
mod places;
mod solver;
mod version;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use error::ConfigError;
use file::SolverFile;
pub use places::Places;
pub use solver::{
    Abilities, Cores, Encoding, Find, Greeting, Install, Limits, Logics, OrderEncoding, Run, Soft,
    SolverConfig, ValueEncoding,
};
pub use version::Version;

/// The files that come with the program.
const SHIPPED: [(&str, &str); 7] = [
    ("warpath.toml", include_str!("../../warpath.toml")),
    ("z3.toml", include_str!("../../z3.toml")),
    ("cvc5.toml", include_str!("../../cvc5.toml")),
    ("yices.toml", include_str!("../../yices.toml")),
    ("bitwuzla.toml", include_str!("../../bitwuzla.toml")),
    ("boolector.toml", include_str!("../../boolector.toml")),
    ("portfolio.toml", include_str!("../../portfolio.toml")),
];

/// Largest configuration file that is read.
const LARGEST_FILE: u64 = 1 << 20;

/// Several solvers under one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortfolioConfig {
    /// The name users call it by.
    pub name: String,
    /// One line about it.
    pub summary: String,
    /// Names of solvers, the preferred one first.
    pub members: Vec<String>,
    /// How many race at most.
    pub most: usize,
    /// The preferred one has so long before the others are even looked for; `None`: all start at once.
    pub head_start: Option<Duration>,
}

/// All solvers and portfolios there are descriptions of.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    solvers: BTreeMap<String, Arc<SolverConfig>>,
    portfolios: BTreeMap<String, PortfolioConfig>,
}

impl Catalog {
    /// The shipped descriptions, overridden and extended by the files in the user's folders.
    pub fn load(places: &Places) -> Result<Self, ConfigError> {
        let mut files = BTreeMap::new();
        for (name, text) in SHIPPED {
            add(&mut files, Path::new(name), text)?;
        }
        for folder in &places.config {
            for path in toml_files(folder)? {
                add(&mut files, &path, &read(&path)?)?;
            }
        }
        Self::complete(files)
    }

    /// The shipped descriptions alone.
    pub fn shipped() -> Result<Self, ConfigError> {
        Self::load(&Places::default())
    }

    fn complete(files: BTreeMap<String, SolverFile>) -> Result<Self, ConfigError> {
        let mut catalog = Self::default();
        for (name, file) in files {
            match file.members {
                None => {
                    catalog.solvers.insert(name, Arc::new(SolverConfig::from_file(file)?));
                }
                Some(members) => {
                    let summary = file.summary.unwrap_or_else(|| name.clone());
                    let most = file.most.unwrap_or(members.len()).max(1);
                    let head_start = file.head_start_ms.map(Duration::from_millis);
                    let portfolio =
                        PortfolioConfig { name: name.clone(), summary, members, most, head_start };
                    catalog.portfolios.insert(name, portfolio);
                }
            }
        }
        for portfolio in catalog.portfolios.values() {
            for member in &portfolio.members {
                if !catalog.solvers.contains_key(member) {
                    return Err(ConfigError::UnknownMember {
                        portfolio: portfolio.name.clone(),
                        member: member.clone(),
                        known: catalog.solvers.keys().cloned().collect(),
                    });
                }
            }
        }
        Ok(catalog)
    }

    /// The description of one solver.
    pub fn solver(&self, name: &str) -> Option<&Arc<SolverConfig>> {
        self.solvers.get(name)
    }

    /// The description of one portfolio.
    pub fn portfolio(&self, name: &str) -> Option<&PortfolioConfig> {
        self.portfolios.get(name)
    }

    /// All solvers, by name.
    pub fn solvers(&self) -> impl Iterator<Item = &Arc<SolverConfig>> {
        self.solvers.values()
    }

    /// All portfolios, by name.
    pub fn portfolios(&self) -> impl Iterator<Item = &PortfolioConfig> {
        self.portfolios.values()
    }

    /// Every name that can be given for a solver.
    pub fn names(&self) -> Vec<String> {
        self.solvers.keys().chain(self.portfolios.keys()).cloned().collect()
    }
}

fn add(files: &mut BTreeMap<String, SolverFile>, path: &Path, text: &str) -> Result<(), ConfigError> {
    let file: SolverFile = toml::from_str(text).map_err(|error| {
        let before = error.span().map_or(0, |span| span.start.min(text.len()));
        let line = text.as_bytes()[..before].iter().filter(|byte| **byte == b'\n').count() + 1;
        ConfigError::Syntax { path: path.to_owned(), line, reason: error.message().to_owned() }
    })?;
    let file = match files.remove(&file.name) {
        Some(base) => file.over(base),
        None => file,
    };
    files.insert(file.name.clone(), file);
    Ok(())
}

/// The TOML files of a folder in the order of their names; none if the folder is not there.
fn toml_files(folder: &Path) -> Result<Vec<PathBuf>, ConfigError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(folder, &error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| unreadable(folder, &error))?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn read(path: &Path) -> Result<String, ConfigError> {
    let size = fs::metadata(path).map_err(|error| unreadable(path, &error))?.len();
    if size > LARGEST_FILE {
        let reason = format!("it has {size} bytes, more than the {LARGEST_FILE} a configuration may have");
        return Err(ConfigError::Unreadable { path: path.to_owned(), reason });
    }
    fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &std::io::Error) -> ConfigError {
    ConfigError::Unreadable { path: path.to_owned(), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(name: &str, text: &str) -> Result<Catalog, ConfigError> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), text).unwrap();
        Catalog::load(&Places { config: vec![folder.path().to_owned()], ..Places::default() })
    }

    #[test]
    fn the_shipped_files_are_complete() {
        let catalog = Catalog::shipped().unwrap();
        assert_eq!(catalog.names(), ["bitwuzla", "boolector", "cvc5", "warpath", "yices", "z3", "portfolio"]);
        assert!(catalog.portfolio("portfolio").unwrap().members.len() >= 2);
    }

    #[test]
    fn a_user_file_overrides_only_what_it_names() {
        let catalog = user("mine.toml", "name = \"z3\"\n[limits]\ntimeout_ms = 5\n").unwrap();
        let (ours, shipped) = (catalog.solver("z3").unwrap(), Catalog::shipped().unwrap());
        let shipped = shipped.solver("z3").unwrap();
        assert_eq!(ours.limits.timeout.as_millis(), 5);
        assert_eq!(ours.limits.memory_mb, shipped.limits.memory_mb);
        assert_eq!(ours.find, shipped.find);
    }

    #[test]
    fn errors_name_the_file_and_the_line() {
        let error = user("mine.toml", "name = \"z3\"\n[limits]\ntimeout_msec = 5\n").unwrap_err();
        let ConfigError::Syntax { path, line, reason } = &error else { panic!("{error:?}") };
        assert!(path.ends_with("mine.toml"));
        assert_eq!(*line, 3);
        assert!(reason.contains("timeout_msec"), "{reason}");
        let error = user("mine.toml", "name = \"new\"\n[find]\nnames = [\"new\"]\n").unwrap_err();
        assert_eq!(error, ConfigError::Missing { solver: "new".into(), key: "find.version_args" });
        let error = user("p.toml", "name = \"duo\"\nmembers = [\"z3\", \"nope\"]\n").unwrap_err();
        assert!(matches!(error, ConfigError::UnknownMember { member, .. } if member == "nope"));
        let error = user("z.toml", "name = \"z3\"\n[find]\nnames = [\"../z3\"]\n").unwrap_err();
        assert!(matches!(error, ConfigError::Contradiction { .. }));
    }

    #[test]
    fn a_missing_folder_is_no_error() {
        let places = Places { config: vec!["/nonexistent/warpath".into()], ..Places::default() };
        assert!(Catalog::load(&places).is_ok());
    }
}
