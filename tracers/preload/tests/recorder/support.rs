//! Programs compiled, run under the recorder, and read back.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;
use warpath_light::{Ended, Recording, Written, processes};
use warpath_trace::binary::{WriterOptions, read};
use warpath_trace::trace::Trace;

/// The library under test, which cargo has built for this test, beside it. One folder up there may be another, from
/// `cargo build` some time ago.
pub fn library() -> PathBuf {
    let exe = std::env::current_exe().expect("a test has an executable");
    let library = exe.with_file_name("libwarpath_preload.so");
    assert!(library.is_file(), "{} is not there", library.display());
    library
}

/// Whose instrumentation.
#[derive(Clone, Copy, Debug)]
pub enum Compiler {
    Gcc,
    Clang,
}

impl Compiler {
    pub const ALL: [Compiler; 2] = [Compiler::Gcc, Compiler::Clang];

    fn name(self, cxx: bool) -> &'static str {
        match (self, cxx) {
            (Compiler::Gcc, false) => "gcc",
            (Compiler::Gcc, true) => "g++",
            (Compiler::Clang, false) => "clang",
            (Compiler::Clang, true) => "clang++",
        }
    }
}

/// A program of `tests/programs`, and a folder for it.
pub struct Program {
    pub folder: TempDir,
    pub path: PathBuf,
    /// To the library, so that it need not be preloaded.
    is_linked: bool,
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
        Program { folder, path, is_linked: false }
    }

    /// A program that says what it does to memory, from this text, compiled as `warpath cc --instrument` does.
    pub fn instrumented(text: &str, compiler: Compiler, more: &[&str]) -> Program {
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("program");
        let cxx = text.contains("#include <thread>");
        let source = folder.path().join(if cxx { "program.cc" } else { "program.c" });
        std::fs::write(&source, text).expect("a file");
        let mut command = Command::new(compiler.name(cxx));
        match compiler {
            Compiler::Gcc => {
                let specs = folder.path().join("specs");
                let text = "*cc1:\n+ -fsanitize=thread\n\n*cc1plus:\n+ -fsanitize=thread\n\n";
                std::fs::write(&specs, text).expect("a file");
                command.arg(format!("-specs={}", specs.display()));
                command.args(["memcpy", "memmove", "memset"].map(|name| format!("-fno-builtin-{name}")));
            }
            Compiler::Clang => {
                command.args(["-fsanitize=thread", "-fno-sanitize-link-runtime"]);
                command.args(["-mllvm", "-tsan-instrument-read-before-write"]);
            }
        }
        let library = library();
        let beside = library.parent().expect("a folder").display();
        command.args(["-g", "-O1", "-pthread", "-o"]).arg(&path).arg(&source).args(more);
        command.args([
            format!("-L{beside}"),
            format!("-Wl,--disable-new-dtags,-rpath,{beside}"),
            "-lwarpath_preload".into(),
        ]);
        let done = command.output().expect("gcc and clang: run scripts/setup");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        Program { folder, path, is_linked: true }
    }

    /// A program whose source is at hand.
    pub fn compile_text(text: &str) -> Program {
        let folder = TempDir::new().expect("a folder");
        let (path, source) = (folder.path().join("program"), folder.path().join("program.c"));
        std::fs::write(&source, text).expect("a file");
        let mut compiler = Command::new("cc");
        compiler.args(["-g", "-O1", "-pthread", "-o"]).arg(&path).arg(source);
        let done = compiler.output().expect("a C compiler: run scripts/setup");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        Program { folder, path, is_linked: false }
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
        command.env("WARPATH_LIGHT", self.recordings());
        if !self.is_linked {
            command.env("LD_PRELOAD", library());
        }
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
