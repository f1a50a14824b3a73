//! Recording and replaying in tests.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::run::{Folder, Ran, ran, run, warpath};
use crate::samples::{Sample, once};

/// A recorded run of a sample: its files lie in the folder.
pub(crate) struct Recorded {
    pub(crate) ran: Ran,
    pub(crate) trace: PathBuf,
    pub(crate) si: PathBuf,
}

/// Runs a command with this on its standard input.
pub(crate) fn run_with_input(command: &mut Command, input: &[u8]) -> Ran {
    let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = streams.spawn().expect("the command starts");
    let mut stdin = child.stdin.take().expect("it has a standard input");
    // A program need not read all of it.
    let _ = stdin.write_all(input);
    drop(stdin);
    ran(child.wait_with_output().expect("the command ends"))
}

/// Records a sample as the manifest says it is run.
pub(crate) fn record(sample: &Sample, folder: &Folder, name: &str, options: &[&str]) -> Recorded {
    let (trace, si) =
        (folder.path().join(format!("{name}.wpt")), folder.path().join(format!("{name}.si.toml")));
    let mut command = warpath();
    command.args(["record", "-o"]).arg(&trace).arg("--si").arg(&si).args(options);
    command.arg("--").arg(sample.program()).args(&sample.args);
    let ran = run_with_input(&mut command, sample.stdin.as_bytes());
    Recorded { ran, trace, si }
}

/// Replays a schedule, writing its trace.
pub(crate) fn replay(si: &Path, trace: &Path, sample: &Sample) -> Ran {
    let mut command = warpath();
    command.arg("replay").arg(si).arg("--trace").arg(trace);
    run_with_input(&mut command, sample.stdin.as_bytes())
}

/// The text form of a trace.
pub(crate) fn show(trace: &Path) -> String {
    run(warpath().arg("show").arg(trace)).expect_code(0).stdout.clone()
}

/// A C program of a test's own, built once.
pub(crate) fn c_program(name: &str, text: &str) -> PathBuf {
    once(name, |path| {
        let source = path.with_extension("c");
        fs::write(&source, text).expect("the source can be written");
        run(Command::new("gcc").args(["-g", "-O1", "-pthread", "-w"]).arg(&source).arg("-o").arg(path))
            .expect_code(0);
    })
}

/// Processes that run this program, by their ids.
pub(crate) fn processes_of(program: &Path) -> Vec<i32> {
    let program = program.canonicalize().expect("the program is there");
    let entries = fs::read_dir("/proc").expect("/proc is there");
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == program)).collect()
}

/// Asserts that nothing runs this program any more.
#[track_caller]
pub(crate) fn expect_no_process(program: &Path) {
    let left = processes_of(program);
    assert!(left.is_empty(), "processes {left:?} of {} are left", program.display());
}

/// Waits until something is there.
#[track_caller]
pub(crate) fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..600 {
        if let Some(found) = look() {
            return found;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("there was no {what} within half a minute")
}
