//! What recording at full speed costs: programs as they are, under the recorder, under gcc's race detector and under
//! helgrind, in turns on the same machine; bytes per event; and ten million events without loss, with and without memory.
//!
//! Two times are given: the clock's, and the processors' (of the program and of the system on its behalf). On a machine
//! that does other things at the same time the second one says more; of both the median is given, of the second one the
//! least, too. Each with its ratio to the program as it is.
//!
//! `cargo bench -p warpath-preload --bench light` runs all parts, with names behind `--` some: `locks`, `memory`, `volume`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use warpath_light::{Ended, Recording, processes};
use warpath_trace::binary::WriterOptions;

/// Runs of each kind, of which the median counts.
const RUNS: usize = 9;

/// Records that are many.
const MANY: u64 = 10_000_000;

/// The library, which cargo has built for this bench, beside it. One folder up there may be another, from `cargo build` some
/// time ago.
fn library() -> PathBuf {
    let exe = std::env::current_exe().expect("a bench has an executable");
    let library = exe.with_file_name("libwarpath_preload.so");
    assert!(library.is_file(), "{} is not there", library.display());
    library
}

/// How a program is compiled.
#[derive(Clone, Copy)]
enum Build {
    Plain,
    /// For our recorder.
    Instrumented,
    /// For gcc's race detector.
    Detector,
}

fn compile(folder: &Path, name: &str, build: Build) -> PathBuf {
    let (path, options) = match build {
        Build::Plain => (folder.join(name), vec![]),
        Build::Detector => (folder.join(format!("{name}-detector")), vec!["-fsanitize=thread".to_owned()]),
        Build::Instrumented => {
            let specs = folder.join("specs");
            std::fs::write(&specs, "*cc1:\n+ -fsanitize=thread\n\n").expect("a file");
            let library = library();
            let beside = library.parent().expect("a folder").display().to_string();
            let mut options = vec![format!("-specs={}", specs.display()), "-fno-plt".into()];
            options.extend(["memcpy", "memmove", "memset"].map(|name| format!("-fno-builtin-{name}")));
            options.extend([format!("-L{beside}"), format!("-Wl,--disable-new-dtags,-rpath,{beside}")]);
            options.push("-lwarpath_preload".into());
            (folder.join(format!("{name}-instrumented")), options)
        }
    };
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("benches/programs/{name}.c"));
    let mut command = Command::new("gcc");
    command.args(["-g", "-O2", "-pthread", "-o"]).arg(&path).arg(source).args(options);
    assert!(command.status().expect("gcc: run scripts/setup").success());
    path
}

/// How a program is run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Native,
    Off,
    Preloaded,
    Linked,
    Recorded,
    Detector,
    Helgrind,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Way::Native => "native",
            Way::Off => "preloaded, switched off",
            Way::Preloaded => "recorded: locks",
            Way::Linked => "instrumented, not recorded",
            Way::Recorded => "recorded: locks and memory",
            Way::Detector => "gcc -fsanitize=thread",
            Way::Helgrind => "valgrind --tool=helgrind",
        }
    }

    fn build(self) -> Build {
        match self {
            Way::Native | Way::Off | Way::Preloaded | Way::Helgrind => Build::Plain,
            Way::Linked | Way::Recorded => Build::Instrumented,
            Way::Detector => Build::Detector,
        }
    }
}

/// What a run took.
#[derive(Clone, Copy)]
struct Took {
    clock: Duration,
    processors: Duration,
}

/// What children that have ended took of the processors.
fn processors() -> Duration {
    // SAFETY: all zeroes are valid, and the pointer is to a variable of ours.
    let used = unsafe {
        let mut used: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut used);
        used
    };
    let of = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    of(used.ru_utime) + of(used.ru_stime)
}

fn run(folder: &Path, name: &str, way: Way, arguments: &[&str]) -> Took {
    let program = compile_once(folder, name, way.build());
    let recordings = folder.join("recordings");
    let _ = std::fs::remove_dir_all(&recordings);
    let mut command = match way {
        Way::Helgrind => {
            let mut command = Command::new("valgrind");
            command.args(["-q", "--tool=helgrind"]).arg(&program);
            command
        }
        _ => Command::new(&program),
    };
    match way {
        Way::Off => {
            command.env("WARPATH_LIGHT", &recordings).env("LD_PRELOAD", library());
            command.env("WARPATH_LIGHT_START", "off").env("WARPATH_LIGHT_SIGNAL", "USR1");
        }
        Way::Preloaded => {
            command.env("WARPATH_LIGHT", &recordings).env("LD_PRELOAD", library());
        }
        Way::Recorded => {
            command.env("WARPATH_LIGHT", &recordings);
        }
        _ => {}
    }
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    let before = processors();
    let began = Instant::now();
    let status = command.status().expect("the program, or valgrind: run scripts/setup");
    let took = Took { clock: began.elapsed(), processors: processors() - before };
    assert!(status.success() || way == Way::Detector, "{name} {}: {status}", way.name());
    took
}

fn compile_once(folder: &Path, name: &str, build: Build) -> PathBuf {
    let suffix = match build {
        Build::Plain => "",
        Build::Instrumented => "-instrumented",
        Build::Detector => "-detector",
    };
    let path = folder.join(format!("{name}{suffix}"));
    if path.is_file() { path } else { compile(folder, name, build) }
}

/// Runs the program each way in turns.
fn compare(folder: &Path, name: &str, ways: &[Way], arguments: &[&str]) {
    let mut times: Vec<Vec<Took>> = vec![Vec::new(); ways.len()];
    for nth in 0..RUNS {
        for (way, times) in ways.iter().zip(&mut times) {
            // It takes as long as all others together.
            if *way != Way::Helgrind || nth == 0 {
                times.push(run(folder, name, *way, arguments));
            }
        }
    }
    let median = |times: &[Took], of: fn(&Took) -> Duration| {
        let mut times: Vec<Duration> = times.iter().map(of).collect();
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64()
    };
    let medians: Vec<[f64; 2]> = times
        .iter()
        .map(|times| [median(times, |took| took.clock), median(times, |took| took.processors)])
        .collect();
    let least: Vec<f64> = times
        .iter()
        .map(|times| times.iter().map(|took| took.processors.as_secs_f64()).fold(f64::INFINITY, f64::min))
        .collect();
    for ((way, [clock, used]), least_used) in ways.iter().zip(&medians).zip(&least) {
        println!(
            "| {name} {} | {} | {clock:.3} s | {:.2} | {used:.3} s | {:.2} | {least_used:.3} s | {:.2} |",
            arguments.join(" "),
            way.name(),
            clock / medians[0][0],
            used / medians[0][1],
            least_used / least[0],
        );
    }
    let of = |way: Way| ways.iter().position(|other| *other == way).map(|place| medians[place]);
    if let (Some(ours), Some(detector), Some(helgrind)) =
        (of(Way::Recorded), of(Way::Detector), of(Way::Helgrind))
    {
        println!(
            "  {:.1} times as fast as the detector ({:.1} by the processors), {:.0} times as helgrind ({:.0})",
            detector[0] / ours[0],
            detector[1] / ours[1],
            helgrind[0] / ours[0],
            helgrind[1] / ours[1],
        );
    }
}

/// Records once more and reads back: bytes per record, records in a second of recording and of reading.
fn volume(folder: &Path, name: &str, way: Way, arguments: &[&str]) {
    let took = run(folder, name, way, arguments).clock;
    let process = &processes(&folder.join("recordings")).expect("a recording")[0];
    let began = Instant::now();
    let recording = Recording::open(process).expect("a recording");
    let (records, bytes) = recording.volume();
    let episode = recording.episodes()[0];
    let written = recording
        .write(episode, Ended::Unknown, std::io::sink(), WriterOptions::default())
        .expect("the trace is written");
    let read = began.elapsed().as_secs_f64();
    println!(
        "| {name} {} | {records} records, {} lost | {:.1} bytes each | {:.1} M recorded in a second | {} events, of which {} \
         guessed, after {read:.1} s, {:.1} M records in a second |",
        arguments.join(" "),
        written.lost,
        bytes as f64 / records as f64,
        records as f64 / took.as_secs_f64() / 1e6,
        written.events,
        written.guessed,
        records as f64 / read / 1e6,
    );
    assert_eq!(written.lost, 0, "nothing may be lost");
    assert!(records >= MANY, "{records} records are not what this is about");
}

fn main() {
    // Cargo adds options of its own.
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted = |part: &str| wanted.is_empty() || wanted.iter().any(|name| name == part);
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    let header = "| program | way | clock | ratio | processors | ratio | least | ratio |\n|---|---|---|---|---|---|---|---|";
    if is_wanted("locks") {
        println!("Locks\n\n{header}");
        let ways = [Way::Native, Way::Off, Way::Preloaded];
        compare(folder, "counters", &ways, &["24000000", "1"]);
        compare(folder, "counters", &ways, &["12000000", "2"]);
        compare(folder, "table", &ways, &["8000000", "2", "200000"]);
        compare(folder, "queue", &ways, &["1000000"]);
    }
    if is_wanted("memory") {
        println!("\nMemory\n\n{header}");
        let ways = [Way::Native, Way::Linked, Way::Recorded, Way::Detector, Way::Helgrind];
        compare(folder, "table", &ways, &["100000", "2", "20000"]);
        compare(folder, "queue", &ways, &["50000"]);
        compare(folder, "sort", &ways, &["40", "2"]);
    }
    if is_wanted("volume") {
        println!("\nVolume\n");
        volume(folder, "counters", Way::Preloaded, &["6000000", "1"]);
        volume(folder, "table", Way::Recorded, &["620000", "2", "200000"]);
        volume(folder, "sort", Way::Recorded, &["25", "2"]);
    }
}
