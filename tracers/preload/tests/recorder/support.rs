//! Programs compiled, run under the recorder, and read back.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;
use warpath_light::{Ended, Recording, Written, processes};
use warpath_trace::binary::{WriterOptions, read};
use warpath_trace::trace::Trace;

/// The library under test, which cargo has built for this test.
pub fn library() -> PathBuf {
    let exe = std::env::current_exe().expect("a test has an executable");
    let folders = exe.ancestors().skip(1).take(2);
    let found = folders.map(|folder| folder.join("libwarpath_preload.so")).find(|path| path.is_file());
    found.expect("libwarpath_preload.so is built beside the tests: cargo build -p warpath-preload")
}

/// A program of `tests/programs`, and a folder for it.
pub struct Program {
    pub folder: TempDir,
    pub path: PathBuf,
}

impl Program {
    pub fn compile(name: &str) -> Program {
        Self::compile_with(name, &[])
    }

    pub fn compile_with(name: &str, more: &[&str]) -> Program {
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("program");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
        let compiler = if name.ends_with(".cc") { "c++" } else { "cc" };
        let done = Command::new(compiler)
            .args(["-g", "-O1", "-pthread", "-o"])
            .arg(&path)
            .arg(source)
            .args(more)
            .output()
            .expect("a C compiler: run scripts/setup");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        Program { folder, path }
    }

    /// The program as it is.
    pub fn plain(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.current_dir(self.folder.path());
        command
    }

    /// The program under the recorder.
    pub fn recorded(&self) -> Command {
        let mut command = self.plain();
        command.env("LD_PRELOAD", library()).env("WARPATH_LIGHT", self.recordings());
        command
    }

    pub fn recordings(&self) -> PathBuf {
        self.folder.path().join("recordings")
    }

    /// The recorded processes.
    pub fn processes(&self) -> Vec<Recording> {
        let folders = processes(&self.recordings()).expect("something was recorded");
        folders.iter().map(|folder| Recording::open(folder).expect("a recording")).collect()
    }

    /// Runs both ways: the recorder changes nothing that can be seen from outside. The trace of the only process.
    pub fn trace(&self) -> (Trace, Written) {
        let plain = self.plain().output().expect("the program runs");
        let recorded = self.recorded().output().expect("the program runs");
        same(&plain, &recorded);
        let mut processes = self.processes();
        assert_eq!(processes.len(), 1, "one process");
        trace_of(&processes.remove(0))
    }
}

pub fn same(plain: &Output, recorded: &Output) {
    assert_eq!(plain.status, recorded.status);
    assert_eq!(String::from_utf8_lossy(&plain.stdout), String::from_utf8_lossy(&recorded.stdout));
    assert_eq!(String::from_utf8_lossy(&plain.stderr), String::from_utf8_lossy(&recorded.stderr));
}

/// The only episode as a trace, written and read back, which checks it.
pub fn trace_of(recording: &Recording) -> (Trace, Written) {
    let episodes = recording.episodes();
    assert_eq!(episodes.len(), 1, "one episode");
    episode_of(recording, episodes[0])
}

pub fn episode_of(recording: &Recording, episode: u64) -> (Trace, Written) {
    assert!(recording.damaged.is_empty(), "{:?}", recording.damaged);
    let mut file = Vec::new();
    let written = recording
        .write(episode, Ended::Unknown, &mut file, WriterOptions::default())
        .expect("the trace is written");
    let trace = read_trace(&file);
    assert_eq!(trace.len(), written.events);
    (trace, written)
}

fn read_trace(file: &[u8]) -> Trace {
    read(file).expect("the trace is whole").0
}
