//! `samples/java/manifest.toml`, and whether it agrees with the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use serde::Deserialize;

use crate::run::repository;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    program: Vec<Program>,
}

/// One program; the fields are explained in the manifest.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) source: PathBuf,
    language: String,
    pub(crate) main: String,
    #[serde(default)]
    pub(crate) jvm: Vec<String>,
    threads: Threads,
    #[serde(default)]
    inputs: Vec<Input>,
    #[serde(default)]
    notes: String,
    pub(crate) expect: Vec<Expectation>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Threads {
    Thread,
    Executor,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    name: String,
    bits: u32,
    smallest: Option<i64>,
    largest: Option<i64>,
    through: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expectation {
    pub(crate) model: Model,
    pub(crate) verdict: Verdict,
    bug: Option<Bug>,
    exception: Option<String>,
    #[serde(default)]
    pub(crate) places: Vec<Place>,
    #[serde(default)]
    with: BTreeMap<String, String>,
    pub(crate) published: Option<Published>,
    #[serde(default, rename = "long")]
    pub(crate) is_long: bool,
    /// Why the bug is not found.
    pub(crate) missed: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Model {
    Sc,
    Tso,
    Pso,
}

impl Model {
    /// As on the command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Model::Sc => "sc",
            Model::Tso => "tso",
            Model::Pso => "pso",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    Bug,
    Safe,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Bug {
    Assertion,
    UncaughtException,
    Deadlock,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Place {
    function: String,
    pub(crate) line: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Published {
    pub(crate) to_bug: Option<u32>,
    whole: Option<u32>,
}

fn folder() -> PathBuf {
    repository().join("samples/java")
}

pub(crate) fn programs() -> Vec<Program> {
    let text = fs::read_to_string(folder().join("manifest.toml")).expect("the manifest is there");
    let manifest: Manifest =
        toml::from_str(&text).unwrap_or_else(|error| panic!("samples/java/manifest.toml: {error}"));
    manifest.program
}

impl Program {
    fn text(&self) -> String {
        let path = folder().join(&self.source);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

#[test]
fn every_source_is_in_the_manifest_and_every_name_is_its_own() {
    let programs = programs();
    let names: BTreeSet<&str> = programs.iter().map(|program| program.name.as_str()).collect();
    assert_eq!(names.len(), programs.len(), "two programs have the same name");
    let known: BTreeSet<PathBuf> = programs.iter().map(|program| program.source.clone()).collect();
    let present: BTreeSet<PathBuf> = fs::read_dir(folder())
        .expect("the folder is there")
        .map(|entry| PathBuf::from(entry.expect("it can be listed").file_name()))
        .filter(|name| name.as_os_str() != "manifest.toml")
        .collect();
    assert_eq!(present, known, "the files and the manifest differ");
}

#[test]
fn a_program_is_a_file_with_a_header_and_its_main_class() {
    for program in programs() {
        let (name, text) = (&program.name, program.text());
        assert_eq!(program.language, "java", "{name}");
        assert_eq!(program.source, PathBuf::from(format!("{}.java", program.main)), "{name}");
        assert!(
            text.contains(&format!("public class {} ", program.main)),
            "{name}: no class {}",
            program.main
        );
        assert!(text.contains("public static void main(String[] args)"), "{name}: nothing to run");
        assert!(text.starts_with("/*"), "{name}: no header comment");
        assert!(!program.notes.contains('\n'), "{name}: a note is one line");
        let is_executor = text.contains("java.util.concurrent.ExecutorService");
        assert_eq!(
            is_executor,
            program.threads == Threads::Executor,
            "{name}: where do its threads come from?"
        );
        for argument in &program.jvm {
            let (property, _) =
                argument.strip_prefix("-D").and_then(|set| set.split_once('=')).unwrap_or_default();
            assert!(!property.is_empty(), "{name}: {argument} sets no property");
            assert!(text.contains(&format!("(\"{property}\"")), "{name}: nobody reads {property}");
        }
    }
}

#[test]
fn places_are_the_marked_lines_and_each_mark_is_somebody_s_place() {
    let mut places: BTreeMap<PathBuf, BTreeSet<usize>> = BTreeMap::new();
    let mut marks: BTreeMap<PathBuf, BTreeSet<usize>> = BTreeMap::new();
    for program in programs() {
        let text = program.text();
        let of_file = places.entry(program.source.clone()).or_default();
        for place in program.expect.iter().flat_map(|expected| &expected.places) {
            of_file.insert(place.line);
            let (class, method) = place.function.rsplit_once('.').unwrap_or_default();
            assert_eq!(class.split('$').next(), Some(program.main.as_str()), "{}", program.name);
            let before = text.lines().take(place.line).any(|line| line.contains(&format!(" {method}(")));
            assert!(before, "{}: no {} before line {}", program.name, place.function, place.line);
        }
        let marked = text.lines().zip(1..).filter(|(line, _)| line.contains("// BUG"));
        marks.insert(program.source, marked.map(|(_, number)| number).collect());
    }
    assert_eq!(marks, places, "marked lines (left) and places of the manifest (right)");
}

#[test]
fn expectations_are_complete_and_consistent() {
    for program in programs() {
        let name = &program.name;
        let mut models = BTreeMap::new();
        for expected in &program.expect {
            assert!(models.insert(expected.model, expected.verdict).is_none(), "{name}: a model twice");
            let is_bug = expected.verdict == Verdict::Bug;
            assert_eq!(expected.bug.is_some(), is_bug, "{name}");
            assert_eq!(expected.places.is_empty(), !is_bug, "{name}");
            let is_thrown = expected.bug == Some(Bug::UncaughtException);
            assert_eq!(expected.exception.is_some(), is_thrown, "{name}");
            assert!(is_bug || expected.missed.is_none(), "{name}: what is missed?");
            for input in expected.with.keys() {
                assert!(
                    program.inputs.iter().any(|known| known.name == *input),
                    "{name}: {input} is no input"
                );
            }
            if let Some(published) = &expected.published {
                assert!(published.to_bug.or(published.whole).is_some(), "{name}: no figure was published");
                assert!(is_bug || published.to_bug.is_none(), "{name}: executions to which bug?");
            }
        }
        assert!(models.contains_key(&Model::Sc), "{name}: what is it under sequential consistency?");
        // A weaker model has all behaviours of a stronger one.
        let in_order: Vec<Verdict> = models.into_values().collect();
        let vanishes = in_order.windows(2).any(|pair| pair == [Verdict::Bug, Verdict::Safe]);
        assert!(!vanishes, "{name}: a bug cannot vanish under a weaker model");
    }
}

#[test]
fn inputs_are_asked_for_in_the_source() {
    for program in programs() {
        let (name, text) = (&program.name, program.text());
        assert_eq!(
            text.contains("Warpath.input("),
            !program.inputs.is_empty(),
            "{name}: are its inputs listed?"
        );
        for input in &program.inputs {
            assert_eq!((input.through.as_str(), input.bits), ("Warpath.input", 32), "{name}: {}", input.name);
            let range = input.smallest.unwrap_or(i64::MIN)..=input.largest.unwrap_or(i64::MAX);
            assert!(!range.is_empty(), "{name}: {} has no value", input.name);
            // A numbered input gets its number at run time.
            let stem = input.name.trim_end_matches(|digit: char| digit.is_ascii_digit());
            assert!(text.contains(&format!("\"{stem}\"")), "{name}: {} is not asked for", input.name);
        }
    }
}
