//! Other solvers, each one process for many questions.

use std::io::{BufWriter, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use warpath_solvers::config::Places;
use warpath_solvers::smtlib::sexpr::{Progress, SexprLimits, SexprScanner};

pub struct Process {
    pub name: &'static str,
    child: Child,
    input: BufWriter<ChildStdin>,
    output: ChildStdout,
    scanner: SexprScanner,
    unread: Vec<u8>,
}

/// Where a solver's program is: on `PATH`, or where `warpath solvers install` puts it.
fn find(folder: &str, program: &str) -> PathBuf {
    let places = Places::from_environment();
    let installed = places.data.map(|data| data.join(folder).join("bin"));
    let mut folders = places.path.into_iter().chain(installed);
    folders
        .find_map(|folder| Some(folder.join(program)).filter(|path| path.is_file()))
        .unwrap_or_else(|| panic!("{program} is needed for this test: run scripts/setup"))
}

impl Process {
    pub fn z3() -> Self {
        Self::start("z3", find("z3", "z3"), &["-in", "-smt2"])
    }

    /// With a limit, and the bit-vector solver of our configuration: without both, a long run stood still at cvc5.
    pub fn cvc5() -> Self {
        Self::start(
            "cvc5",
            find("cvc5", "cvc5"),
            &[
                "--lang=smt2",
                "--incremental",
                "--quiet",
                "--bv-solver=bitblast-internal",
                "--tlimit-per=5000",
            ],
        )
    }

    pub fn yices() -> Self {
        Self::start("yices", find("yices", "yices-smt2"), &["--incremental"])
    }

    fn start(name: &'static str, program: PathBuf, arguments: &[&str]) -> Self {
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = BufWriter::new(child.stdin.take().unwrap());
        let output = child.stdout.take().unwrap();
        let scanner = SexprScanner::new(SexprLimits::default());
        Process { name, child, input, output, scanner, unread: Vec::new() }
    }

    /// Says something that has no answer.
    pub fn tell(&mut self, text: &str) {
        self.input.write_all(text.as_bytes()).unwrap();
        self.input.write_all(b"\n").unwrap();
    }

    /// The next answer.
    pub fn answer(&mut self) -> String {
        self.input.flush().unwrap();
        loop {
            let progress = self.scanner.feed(&self.unread).unwrap();
            match progress {
                Progress::Complete { consumed } => {
                    self.unread.drain(..consumed);
                    return String::from_utf8(self.scanner.expression().to_vec()).unwrap();
                }
                Progress::NeedMore => self.unread.clear(),
            }
            let mut chunk = [0; 4096];
            let read = self.output.read(&mut chunk).unwrap();
            assert!(read > 0, "{} has ended", self.name);
            self.unread.extend_from_slice(&chunk[..read]);
        }
    }

    pub fn ask(&mut self, text: &str) -> String {
        self.tell(text);
        self.answer()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
