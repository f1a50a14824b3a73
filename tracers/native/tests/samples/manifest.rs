//! `samples/manifest.toml`, and whether it agrees with the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// All programs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub program: Vec<Program>,
}

/// One program; the fields are explained in the manifest.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    pub name: String,
    pub source: PathBuf,
    pub language: Language,
    #[serde(default)]
    pub flags: Vec<String>,
    pub threads: Threads,
    #[serde(default)]
    pub args: Vec<String>,
    #[serde(default)]
    pub stdin: String,
    #[serde(default)]
    pub inputs: Vec<Input>,
    #[serde(default)]
    pub notes: String,
    pub expect: Vec<Expectation>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Language {
    #[serde(rename = "c")]
    C,
    #[serde(rename = "c++")]
    Cpp,
    #[serde(rename = "rust")]
    Rust,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Threads {
    Pthread,
    C11,
    Std,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    pub name: String,
    pub bits: u32,
    pub smallest: Option<i64>,
    pub largest: Option<i64>,
    pub through: Through,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Through {
    #[serde(rename = "warpath_input")]
    Warpath,
    #[serde(rename = "__VERIFIER_nondet_int")]
    Verifier,
    #[serde(rename = "klee_make_symbolic")]
    Klee,
    #[serde(rename = "stdin")]
    Stdin,
    #[serde(rename = "argv")]
    Argv,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    pub model: Model,
    pub verdict: Verdict,
    pub bug: Option<Bug>,
    #[serde(default)]
    pub places: Vec<Place>,
    #[serde(default)]
    pub with: BTreeMap<String, toml::Value>,
    /// For those who explore the program.
    #[serde(default, rename = "long")]
    pub _long: bool,
    #[serde(rename = "bound")]
    pub _bound: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    Sc,
    Tso,
    Pso,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Bug,
    Safe,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Bug {
    #[serde(rename = "assertion")]
    Assertion,
    #[serde(rename = "reach_error")]
    ReachError,
    #[serde(rename = "deadlock")]
    Deadlock,
    #[serde(rename = "use-after-free")]
    UseAfterFree,
    #[serde(rename = "double-free")]
    DoubleFree,
    #[serde(rename = "null-dereference")]
    NullDereference,
    #[serde(rename = "uncaught-exception")]
    UncaughtException,
    #[serde(rename = "panic")]
    Panic,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    pub function: String,
    pub line: u32,
}

/// The folder of the samples.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples")
}

/// The manifest as it is.
pub fn manifest() -> Manifest {
    let text = std::fs::read_to_string(folder().join("manifest.toml")).expect("the manifest is there");
    toml::from_str(&text).unwrap_or_else(|error| panic!("samples/manifest.toml: {error}"))
}

fn source(program: &Program) -> String {
    std::fs::read_to_string(folder().join(&program.source))
        .unwrap_or_else(|error| panic!("{}: {error}", program.source.display()))
}

/// Lines marked as the place of a bug.
fn marked(source: &str) -> BTreeSet<u32> {
    let marks = |line: &str| line.contains("/* BUG") || line.contains("// BUG");
    source.lines().zip(1..).filter(|(line, _)| marks(line)).map(|(_, number)| number).collect()
}

#[test]
fn every_source_is_in_the_manifest_and_every_name_is_its_own() {
    let manifest = manifest();
    let names: BTreeSet<&str> = manifest.program.iter().map(|program| program.name.as_str()).collect();
    assert_eq!(names.len(), manifest.program.len(), "two programs have the same name");
    let known: BTreeSet<PathBuf> = manifest.program.iter().map(|program| program.source.clone()).collect();
    let mut present = BTreeSet::new();
    for language in ["c", "cpp", "rust"] {
        for entry in std::fs::read_dir(folder().join(language)).unwrap() {
            present.insert(Path::new(language).join(entry.unwrap().file_name()));
        }
    }
    assert_eq!(present, known, "the files and the manifest differ");
}

#[test]
fn places_are_the_marked_lines_and_each_mark_is_somebody_s_place() {
    let mut places: BTreeMap<PathBuf, BTreeSet<u32>> = BTreeMap::new();
    for program in &manifest().program {
        let marked = marked(&source(program));
        for place in program.expect.iter().flat_map(|expectation| &expectation.places) {
            assert!(marked.contains(&place.line), "{}: line {} has no mark", program.name, place.line);
            places.entry(program.source.clone()).or_default().insert(place.line);
        }
    }
    for program in &manifest().program {
        let named = places.get(&program.source).cloned().unwrap_or_default();
        assert_eq!(marked(&source(program)), named, "{}", program.source.display());
    }
}

#[test]
fn expectations_are_complete_and_consistent() {
    for program in &manifest().program {
        let name = &program.name;
        let mut models = BTreeMap::new();
        for expectation in &program.expect {
            assert!(models.insert(expectation.model, expectation.verdict).is_none(), "{name}: a model twice");
            let is_bug = expectation.verdict == Verdict::Bug;
            assert_eq!(expectation.bug.is_some(), is_bug, "{name}");
            assert_eq!(expectation.places.is_empty(), !is_bug, "{name}");
            for (input, value) in &expectation.with {
                let is_list = matches!(value, toml::Value::Array(_));
                let known = match input.as_str() {
                    "args" => program.inputs.iter().any(|input| input.through == Through::Argv) && is_list,
                    _ => program.inputs.iter().any(|known| known.name == *input) && value.is_str(),
                };
                assert!(known, "{name}: {input} is no input");
            }
        }
        assert!(models.contains_key(&Model::Sc), "{name}: what is it under sequential consistency?");
        // A weaker model has all behaviours of a stronger one.
        let mut broken = false;
        for verdict in models.into_values() {
            assert!(!broken || verdict == Verdict::Bug, "{name}: a bug cannot vanish under a weaker model");
            broken |= verdict == Verdict::Bug;
        }
        assert!(!program.notes.contains('\n'), "{name}: a note is one line");
        let is_std = program.language != Language::C;
        assert_eq!(program.threads == Threads::Std, is_std, "{name}");
        assert_eq!(source(program).contains("<threads.h>"), program.threads == Threads::C11, "{name}");
    }
}

#[test]
fn inputs_are_asked_for_in_the_source() {
    for program in &manifest().program {
        let text = source(program);
        for input in &program.inputs {
            let (name, of) = (&input.name, &program.name);
            assert!(matches!(input.bits, 8 | 16 | 32 | 64), "{of}: {name} has {} bits", input.bits);
            let range = input.smallest.unwrap_or(i64::MIN)..=input.largest.unwrap_or(i64::MAX);
            assert!(!range.is_empty(), "{of}: {name} has no value");
            let (call, is_named) = match input.through {
                Through::Warpath => ("warpath_input(", text.contains(&format!("\"{name}\""))),
                Through::Klee => ("klee_make_symbolic(", text.contains(&format!("\"{name}\""))),
                Through::Verifier => ("__VERIFIER_nondet_int()", name == "nondet_int"),
                Through::Stdin => ("STDIN_FILENO", name == "stdin"),
                Through::Argv if program.language == Language::Rust => {
                    ("std::env::args", text.contains(name))
                }
                Through::Argv => ("argv[1]", text.contains(name)),
            };
            assert!(
                text.contains(call) && is_named,
                "{of}: {name} does not come through {:?}",
                input.through
            );
        }
        let calls =
            ["warpath_input(", "klee_make_symbolic(", "__VERIFIER_nondet_int()", "STDIN_FILENO", "argv[1]"];
        if calls.iter().any(|call| text.contains(call)) {
            assert!(!program.inputs.is_empty(), "{}: its inputs are not listed", program.name);
        }
        assert!(text.starts_with("/*") || text.starts_with("//"), "{}: no header comment", program.name);
    }
}

#[test]
fn every_kind_of_input_bug_and_thread_has_a_sample() {
    let manifest = manifest();
    let inputs = || manifest.program.iter().flat_map(|program| &program.inputs);
    for through in [Through::Warpath, Through::Verifier, Through::Klee, Through::Stdin, Through::Argv] {
        assert!(inputs().any(|input| input.through == through), "{through:?}");
    }
    let bugs =
        || manifest.program.iter().flat_map(|program| &program.expect).filter_map(|expected| expected.bug);
    for bug in [
        Bug::Assertion,
        Bug::ReachError,
        Bug::Deadlock,
        Bug::UseAfterFree,
        Bug::DoubleFree,
        Bug::NullDereference,
        Bug::UncaughtException,
        Bug::Panic,
    ] {
        assert!(bugs().any(|found| found == bug), "{bug:?}");
    }
    for language in [Language::C, Language::Cpp, Language::Rust] {
        for verdict in [Verdict::Bug, Verdict::Safe] {
            let is_one = |program: &Program| {
                program.language == language
                    && program.expect.iter().any(|expected| expected.verdict == verdict)
            };
            assert!(manifest.program.iter().any(is_one), "no {language:?} program is {verdict:?}");
        }
    }
}
