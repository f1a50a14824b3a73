//! Building samples as the manifest says.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::manifest::{Language, Program, folder};

/// Which compilers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toolchain {
    Gcc,
    Clang,
}

/// A folder with the compiled stubs, and where programs are put.
pub struct Workshop {
    folder: tempfile::TempDir,
    toolchain: Toolchain,
}

impl Workshop {
    pub fn open(toolchain: Toolchain) -> Workshop {
        let workshop = Workshop { folder: tempfile::tempdir().expect("a temporary folder"), toolchain };
        let mut compile = Command::new(workshop.compiler(Language::C));
        let tracer = Path::new(env!("CARGO_MANIFEST_DIR"));
        compile.args(["-c", "-O1", "-pthread", "-I"]).arg(tracer.join("include"));
        compile.arg(tracer.join("stubs/warpath_stubs.c")).arg("-o").arg(workshop.stubs());
        succeed(compile);
        workshop
    }

    fn stubs(&self) -> PathBuf {
        self.folder.path().join("stubs.o")
    }

    fn compiler(&self, language: Language) -> &'static str {
        match (language, self.toolchain) {
            (Language::C, Toolchain::Gcc) => "gcc",
            (Language::C, Toolchain::Clang) => "clang",
            (Language::Cpp, Toolchain::Gcc) => "g++",
            (Language::Cpp, Toolchain::Clang) => "clang++",
            (Language::Rust, _) => "rustc",
        }
    }

    /// Builds a program with its usual options and those given, every warning an error.
    pub fn build(&self, program: &Program, options: &[&str]) -> PathBuf {
        let path = self.folder.path().join(&program.name);
        let mut compile = Command::new(self.compiler(program.language));
        match program.language {
            Language::Rust => {
                compile.args(["--edition", "2024", "-g", "-C", "opt-level=1", "-D", "warnings"]);
            }
            Language::C | Language::Cpp => {
                let standard = if program.language == Language::C { "-std=gnu11" } else { "-std=gnu++17" };
                compile.args([standard, "-g", "-O1", "-pthread", "-Wall", "-Wextra", "-Werror"]);
                compile.arg("-I").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("include"));
            }
        }
        compile.args(&program.flags).args(options).arg(folder().join(&program.source));
        if program.language != Language::Rust {
            compile.arg(self.stubs());
        }
        compile.arg("-o").arg(&path);
        succeed(compile);
        path
    }
}

fn succeed(mut command: Command) {
    let output = command.output().unwrap_or_else(|error| {
        panic!("{} cannot be started ({error}): run scripts/setup", command.get_program().display())
    });
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} failed:\n{text}");
    assert!(text.is_empty(), "{command:?} warned:\n{text}");
}
