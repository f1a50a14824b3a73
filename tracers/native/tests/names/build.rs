//! Small programs, compiled on the spot, and what they print about themselves.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use warpath_native::names::Images;

/// Where the programs' sources are.
pub fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/names/programs").join(name)
}

/// An executable in a folder of its own.
pub struct Built {
    _folder: TempDir,
    pub path: PathBuf,
}

/// Compiles a program: `command` is the compiler with its options, e.g. `gcc -O2 -g`.
pub fn build(command: &str, name: &str) -> Built {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(Path::new(name).file_stem().expect("a name"));
    let mut words = command.split_whitespace();
    let compiler = words.next().expect("a compiler");
    let mut compile = Command::new(compiler);
    compile.args(words).arg(source(name)).arg("-o").arg(&path).current_dir(folder.path());
    run(compile, compiler);
    Built { _folder: folder, path }
}

/// Runs a tool to its successful end; what it printed.
pub fn run(mut command: Command, tool: &str) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{tool} cannot be started ({error}): run scripts/setup"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{command:?} failed with {}:\n{text}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    text
}

/// What a program printed, line by line, with the images that it had mapped by then.
pub struct Said {
    pub lines: Vec<String>,
    pub images: Images,
}

/// Runs a program that ends by printing its own memory map behind a line `maps`.
pub fn ask(built: &Built) -> Said {
    let text = run(Command::new(&built.path), "the program");
    let (facts, maps) = text.split_once("maps\n").expect("the program prints its memory map");
    Said { lines: facts.lines().map(str::to_owned).collect(), images: mapped(maps) }
}

/// The images in a `/proc/PID/maps`.
pub fn mapped(maps: &str) -> Images {
    let mut images = Images::new();
    for line in maps.lines() {
        let mut words = line.split_whitespace();
        let (range, path) = (words.next().expect("a range"), words.nth(4));
        let offset = line.split_whitespace().nth(2).expect("an offset");
        let Some(path) = path.filter(|path| path.starts_with('/')) else { continue };
        if offset.bytes().all(|digit| digit == b'0') {
            let base = range.split('-').next().expect("a start");
            let base = u64::from_str_radix(base, 16).expect("hexadecimal");
            images.add(Path::new(path), base).expect("a mapped file can be read");
        }
    }
    images
}

/// A number as `%p` prints it.
pub fn pointer(text: &str) -> u64 {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap_or_else(|_| panic!("{text} is no address"))
}
