//! Compiling and running.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use warpath_native::run::{Output, Plan, Policy, Program, Run, RunOptions};
use warpath_trace::event::{Event, Op};
use warpath_trace::trace::Trace;

/// A program in a folder of its own.
pub struct Built {
    folder: tempfile::TempDir,
}

/// Compiles C with the header and the stubs.
pub fn c(source: &str) -> Built {
    c_with(source, &["-O1"])
}

/// Compiles C with these options, too.
pub fn c_with(source: &str, options: &[&str]) -> Built {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("program.c");
    std::fs::write(&file, source).unwrap();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let done = Command::new("cc")
        .args(["-g", "-pthread"])
        .args(options)
        .arg("-I")
        .arg(here.join("include"))
        .arg("-o")
        .arg(folder.path().join("program"))
        .arg(&file)
        .arg(here.join("stubs/warpath_stubs.c"))
        .output()
        .expect("there is a C compiler; run scripts/setup");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Built { folder }
}

/// Compiles Rust.
pub fn rust(source: &str, options: &[&str]) -> Built {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("program.rs");
    std::fs::write(&file, source).unwrap();
    let done = Command::new("rustc")
        .args(["--edition", "2024", "-g"])
        .args(options)
        .arg("-o")
        .arg(folder.path().join("program"))
        .arg(&file)
        .output()
        .expect("there is a Rust compiler; run scripts/setup");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Built { folder }
}

impl Built {
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("program")
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn program(&self, arguments: &[&str]) -> Program {
        Program::new(&self.path(), arguments.iter().map(OsString::from).collect()).unwrap()
    }

    pub fn record(&self, options: RunOptions, policy: Policy) -> Run {
        let run = self.program(&[]).record(&Plan::by_policy(options, policy)).unwrap();
        run.trace.check().unwrap();
        run
    }

    pub fn run(&self) -> Run {
        self.record(quiet(), Policy::RunToBlock)
    }
}

/// Options for tests: no output, every expression checked.
pub fn quiet() -> RunOptions {
    RunOptions { output: Output::Keep, check_expressions: true, ..RunOptions::default() }
}

/// The bytes of the trace's file, numbered by content: a replay asks for names in another order than a recording.
pub fn bytes(trace: &Trace) -> Vec<u8> {
    trace.canonical().unwrap().write(Vec::new(), Default::default()).unwrap()
}

/// All operations of all threads in the observed order.
pub fn operations(trace: &Trace) -> Vec<(String, Op)> {
    let step = |(thread, _, event): (_, _, &Event)| (trace.tables.key(thread).to_string(), event.op);
    trace.in_order().unwrap().map(step).collect()
}

/// What the program wrote to standard output.
pub fn output(run: &Run) -> String {
    let out = run.output.iter().filter(|(stream, _)| *stream == 1).flat_map(|(_, bytes)| bytes.clone());
    String::from_utf8(out.collect()).unwrap()
}
