//! `warpath export-test`: a bug as a test of the program's own test suite.

mod script;
mod stubs;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{self, Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use serde::Serialize;
use warpath_trace::si::Si;

use super::replay::{program_of, read};
use crate::app::Invocation;
use crate::console::{self, Console};
use crate::exit::Exit;
use crate::failure::advised;
use crate::inputs::readable_file;
use crate::json::JsonTarget;
use crate::options::{Loudness, LoudnessOptions, Program, ProgramArgs};
use crate::outputs::{make_folder, replace_file};
use script::Test;

/// Make a regression test of a bug: a folder with a script that replays it
///
/// The script fails while the bug is there. When the program has changed so much that the schedule cannot be followed
/// any more, the script explores the program with the same inputs for a while, so that a bug which has only moved is
/// still caught. The stubs run the script from a test suite.
#[derive(Args, Debug)]
#[command(
    override_usage = "warpath export-test [OPTIONS] BUG.si.toml [-- PROG [ARGS]...]",
    after_long_help = "\
Examples:
  warpath export-test warpath-out/bug-1.si.toml --out tests/bug-1
  tests/bug-1/bug-1.sh                      fails while the bug is there
  tests/bug-1/bug-1.sh build/prog           the same for another build of the program
  warpath export-test bug-1.si.toml --kind junit --out src/test/resources/bug-1

Files written into --out, with the name of the SI file:
  bug-1.si.toml   a copy of it
  bug-1.sh        the test, for any POSIX shell; it says at its top what it does
  bug-1.stdin     what the program gets on its standard input, if that was an input
  bug-1-test.c    runs the script: for CTest, `make check` and the like (--kind c)
  Bug1Test.java   runs the script: for JUnit 5 (--kind junit)

The script needs `warpath` on PATH, or in the variable WARPATH. It ends with 0 if the failure does
not show any more, 1 if it does, 2 if something is missing.

Exit codes:
  0  the test is written
  2  wrong usage, a broken SI file, or a folder that cannot be written"
)]
pub(crate) struct ExportTestArgs {
    /// The schedule and inputs
    #[arg(value_name = "BUG.si.toml")]
    schedule: PathBuf,
    /// Besides the script, a stub for: a comma-separated list [default: c; junit for what `java` runs]
    #[arg(long, value_enum, value_name = "KIND,…", value_delimiter = ',')]
    kind: Vec<Kind>,
    /// Folder of the test
    #[arg(long, value_name = "DIR", default_value = "warpath-test")]
    out: PathBuf,
    #[command(flatten)]
    loudness: LoudnessOptions,
    #[command(flatten)]
    program: ProgramArgs,
}

/// What runs the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// Nothing: only the script
    Sh,
    /// A C program
    C,
    /// A test class for JUnit 5
    Junit,
}

#[derive(Debug, Serialize)]
pub(crate) struct ExportTestConfig {
    schedule: PathBuf,
    kinds: Vec<Kind>,
    out: PathBuf,
    program: Option<Program>,
}

impl Invocation for ExportTestArgs {
    const NAME: &'static str = "export-test";
    type Config = ExportTestConfig;

    fn loudness(&self) -> Loudness {
        self.loudness.loudness()
    }

    fn json(&self) -> Option<&JsonTarget> {
        None
    }

    fn lower(self) -> anyhow::Result<ExportTestConfig> {
        Ok(ExportTestConfig {
            schedule: readable_file(self.schedule)?,
            kinds: self.kind,
            out: self.out,
            program: self.program.lower()?,
        })
    }

    fn run(mut config: ExportTestConfig, console: &Console) -> anyhow::Result<Exit> {
        let si = read(&config.schedule)?;
        if si.expect.outcome.is_empty() {
            return Err(advised(
                format!("{} does not say what fails", config.schedule.display()),
                "a run that ends well is no bug; give the SI file of a bug, or name its `outcome` under [expect]",
            ));
        }
        let program = match config.program.take() {
            Some(program) => program,
            None => program_of(&si)?,
        };
        make_folder(&config.out)?;
        let test = test(&config, &si, &program)?;
        for (name, contents, mode) in files(&config, &si, &program, &test)? {
            let path = config.out.join(name);
            replace_file(&path, |out| Ok(out.write_all(&contents)?))?;
            if let Some(mode) = mode {
                fs::set_permissions(&path, Permissions::from_mode(mode))
                    .with_context(|| format!("{} cannot be made executable", path.display()))?;
            }
            console.detail(format_args!("wrote {}", path.display()));
        }
        let script = config.out.join(test.script());
        console::print(format!("the test is {}: it fails while the bug is there\n", script.display()))?;
        Ok(Exit::Clean)
    }
}

/// What the script has to know.
fn test(config: &ExportTestConfig, si: &Si, program: &Program) -> anyhow::Result<Test> {
    let file = config.schedule.file_name().map(|name| name.to_string_lossy().into_owned());
    let file = file.unwrap_or_default();
    let stem = file.strip_suffix(".toml").unwrap_or(&file);
    let stem = stem.strip_suffix(".si").unwrap_or(stem);
    let name: String =
        stem.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' }).collect();
    Ok(Test {
        name: if name.trim_matches(['.', '-']).is_empty() { "bug".to_owned() } else { name },
        program: seen_from(&config.out, program.path())?,
        arguments: program.arguments().to_vec(),
        expect: si.expect.clone(),
        model: si.model,
        stdin: stdin(si),
    })
}

/// The bytes of standard input that were inputs. A replay gives them their values, but only a program that finds that
/// many bytes asks for them.
fn stdin(si: &Si) -> Vec<u8> {
    let mut bytes: Vec<(u32, u8)> = si
        .inputs
        .iter()
        .filter(|input| input.name == "stdin")
        .filter_map(|input| Some((input.nth, u8::try_from(input.value).ok()?)))
        .collect();
    bytes.sort_unstable();
    bytes.into_iter().map(|(_, byte)| byte).collect()
}

/// File name, contents, and permissions where the usual ones are not right.
type Contents = (String, Vec<u8>, Option<u32>);

fn files(
    config: &ExportTestConfig,
    si: &Si,
    program: &Program,
    test: &Test,
) -> anyhow::Result<Vec<Contents>> {
    let usual = match program.name().file_name() {
        Some(name) if name == "java" => Kind::Junit,
        _ => Kind::C,
    };
    let kinds = if config.kinds.is_empty() { vec![usual] } else { config.kinds.clone() };
    let mut files =
        vec![(test.schedule(), si.print()?.into_bytes(), None), (test.script(), test.text(), Some(0o755))];
    if !test.stdin.is_empty() {
        files.push((test.stdin_file(), test.stdin.clone(), None));
    }
    if kinds.contains(&Kind::C) {
        files.push((format!("{}-test.c", test.name), stubs::c(test).into_bytes(), None));
    }
    if kinds.contains(&Kind::Junit) {
        let class = stubs::class_name(&test.name);
        files.push((format!("{class}.java"), stubs::junit(test, &class).into_bytes(), None));
    }
    Ok(files)
}

/// A program as the folder of the test sees it: relative to it if both lie below a common folder that is not the
/// root, so that a checkout elsewhere works as well.
fn seen_from(folder: &Path, program: &Path) -> anyhow::Result<PathBuf> {
    let resolved = |path: &Path| fs::canonicalize(path).or_else(|_| path::absolute(path));
    let shown = |path: &Path| format!("{} cannot be found", path.display());
    let folder = resolved(folder).with_context(|| shown(folder))?;
    let parent = program.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = resolved(parent.unwrap_or(Path::new("."))).with_context(|| shown(program))?;
    // A link is kept: what it points to may change its name with each build.
    let program = parent.join(program.file_name().context("the program has no name")?);
    let common = folder.components().zip(program.components()).take_while(|(a, b)| a == b).count();
    if common < 2 {
        return Ok(program);
    }
    let up = folder.components().skip(common).map(|_| Path::new(".."));
    Ok(up.chain(program.components().skip(common).map(|part| Path::new(part.as_os_str()))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_seen_from_the_folder_of_the_test() {
        let folder = tempfile::tempdir().expect("a folder");
        let (out, build) = (folder.path().join("tests/bug-1"), folder.path().join("build"));
        fs::create_dir_all(&out).expect("a folder");
        fs::create_dir_all(&build).expect("a folder");
        let seen = |program: &Path| seen_from(&out, program).expect("it is found");
        assert_eq!(seen(&build.join("prog")), Path::new("../../build/prog"));
        assert_eq!(seen(&out.join("prog")), Path::new("prog"));
        assert_eq!(seen(Path::new("/bin/true")).file_name(), Some("true".as_ref()));
        assert!(seen(Path::new("/bin/true")).is_absolute());
    }
}
