//! The sample programs of `samples/manifest.toml`, built with `warpath cc` (or rustc) on first use.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use serde::Deserialize;

use crate::run::{repository, run, warpath};

#[derive(Deserialize)]
struct Manifest {
    program: Vec<Sample>,
}

/// What a test needs to know of a sample; the manifest has more.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Sample {
    pub(crate) name: String,
    source: PathBuf,
    language: String,
    #[serde(default)]
    flags: Vec<String>,
    #[serde(default)]
    pub(crate) args: Vec<String>,
    #[serde(default)]
    pub(crate) stdin: String,
    #[serde(default)]
    pub(crate) inputs: Vec<Input>,
    pub(crate) expect: Vec<Expectation>,
    #[serde(default)]
    pub(crate) notes: String,
}

/// An input that can be chosen.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Input {
    pub(crate) bits: u32,
    pub(crate) through: String,
}

/// What exploring must say under one memory model.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Expectation {
    pub(crate) model: String,
    pub(crate) verdict: String,
    #[serde(default)]
    pub(crate) places: Vec<Place>,
    #[serde(default)]
    pub(crate) long: bool,
    pub(crate) bound: Option<String>,
}

/// Where a bug shows.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Place {
    pub(crate) line: u32,
}

static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| {
    let text = fs::read_to_string(repository().join("samples/manifest.toml")).expect("the manifest is there");
    let manifest: Manifest = toml::from_str(&text).expect("the manifest is good");
    manifest.program
});

/// Every sample.
pub(crate) fn all() -> &'static [Sample] {
    &SAMPLES
}

/// The sample of this name.
pub(crate) fn named(name: &str) -> &'static Sample {
    all().iter().find(|sample| sample.name == name).unwrap_or_else(|| panic!("no sample is called {name}"))
}

/// A folder of this crate's tests, which the next run of the tests uses again.
pub(crate) fn workshop() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs");
    fs::create_dir_all(&folder).expect("a folder for programs");
    folder
}

type Built = Mutex<BTreeMap<String, Arc<OnceLock<()>>>>;
static BUILT: Built = Mutex::new(BTreeMap::new());

/// Builds a file once in this process, whichever test comes first.
pub(crate) fn once(name: &str, build: impl FnOnce(&Path)) -> PathBuf {
    let path = workshop().join(name);
    let cell = Arc::clone(BUILT.lock().expect("no test panics here").entry(name.to_owned()).or_default());
    cell.get_or_init(|| build(&path));
    path
}

/// Looks at samples until none is left, and fails with what is wrong. Tests that have `next` in common share the samples
/// out among the test runner's threads.
#[track_caller]
pub(crate) fn expect_of_each(next: &AtomicUsize, rule: &str, check: impl Fn(&Sample) -> Vec<String>) {
    let mut wrong = Vec::new();
    while let Some(sample) = all().get(next.fetch_add(1, Ordering::Relaxed)) {
        wrong.extend(check(sample));
    }
    assert!(wrong.is_empty(), "{} times not so: {rule}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Is everything to be tried, however long it takes?
pub(crate) fn is_nightly() -> bool {
    std::env::var_os("WARPATH_NIGHTLY").is_some()
}

impl Sample {
    /// Options that let the solver choose its inputs, and what standard input has.
    pub(crate) fn symbolic(&self) -> (Vec<String>, Vec<u8>) {
        let (mut options, mut stdin) = (Vec::new(), self.stdin.clone().into_bytes());
        for given in &self.inputs {
            let bytes = given.bits as usize / 8;
            match given.through.as_str() {
                "stdin" => {
                    options.extend(["--symbolic".into(), format!("stdin:{bytes}")]);
                    stdin.resize(bytes, b'0');
                }
                "argv" => options.extend(["--symbolic".into(), "arg:1".into()]),
                _ => {}
            }
        }
        (options, stdin)
    }

    /// The program, built as the manifest says.
    pub(crate) fn program(&self) -> PathBuf {
        once(&self.name, |path| {
            let source = repository().join("samples").join(&self.source);
            let mut compile = match self.language.as_str() {
                "rust" => {
                    let mut rustc = Command::new("rustc");
                    rustc.args(["--edition", "2024", "-g", "-C", "opt-level=1"]);
                    rustc
                }
                language => {
                    let mut cc = warpath();
                    cc.args([
                        "cc",
                        if language == "c" { "-std=gnu11" } else { "-std=gnu++17" },
                        "-g",
                        "-O1",
                        "-pthread",
                    ]);
                    cc
                }
            };
            compile.args(&self.flags).arg(source).arg("-o").arg(path);
            run(&mut compile).expect_code(0);
        })
    }
}
