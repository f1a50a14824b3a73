//! The sample programs, as benchmarks build them.

#![allow(dead_code, reason = "each benchmark uses what it needs")]

pub mod server;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

#[derive(Deserialize)]
struct Manifest {
    program: Vec<Sample>,
}

/// What a benchmark needs to know of a sample; the manifest has more.
#[derive(Deserialize)]
pub struct Sample {
    pub name: String,
    source: PathBuf,
    language: String,
    #[serde(default)]
    flags: Vec<String>,
    #[serde(default)]
    pub args: Vec<String>,
    #[serde(default)]
    pub inputs: Vec<Input>,
    pub expect: Vec<Expectation>,
}

/// An input that can be chosen.
#[derive(Deserialize)]
pub struct Input {
    pub bits: usize,
    pub through: String,
}

/// What exploring says under one memory model.
#[derive(Deserialize)]
pub struct Expectation {
    pub model: String,
}

/// The command.
pub fn warpath() -> Command {
    Command::new(env!("CARGO_BIN_EXE_warpath"))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples")
}

/// Every sample.
pub fn samples() -> Vec<Sample> {
    let text = fs::read_to_string(folder().join("manifest.toml")).unwrap();
    toml::from_str::<Manifest>(&text).unwrap().program
}

impl Sample {
    /// Lets a command choose the sample's inputs, and writes the file that it starts with as its standard input.
    pub fn give_inputs(&self, command: &mut Command, given: &Path) {
        fs::write(given, "").unwrap();
        for input in &self.inputs {
            match input.through.as_str() {
                "stdin" => {
                    command.args(["--symbolic", &format!("stdin:{}", input.bits / 8)]);
                    fs::write(given, "0".repeat(input.bits / 8)).unwrap();
                }
                "argv" => {
                    command.args(["--symbolic", "arg:1"]);
                }
                _ => {}
            }
        }
    }

    /// Builds the program into a folder.
    pub fn build(&self, into: &Path) -> PathBuf {
        let program = into.join(&self.name);
        let mut compile = if self.language == "rust" {
            let mut rustc = Command::new("rustc");
            rustc.args(["--edition", "2024", "-g", "-C", "opt-level=1"]);
            rustc
        } else {
            let standard = if self.language == "c" { "-std=gnu11" } else { "-std=gnu++17" };
            let mut cc = warpath();
            cc.args(["cc", standard, "-g", "-O1", "-pthread"]);
            cc
        };
        compile.args(&self.flags).arg(folder().join(&self.source)).arg("-o").arg(&program);
        assert!(compile.status().unwrap().success(), "{} does not compile", self.name);
        program
    }
}
