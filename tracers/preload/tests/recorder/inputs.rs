//! What came from outside, on request.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::support::{Program, same, trace_of};
use warpath_trace::trace::{MEMORY_UNSEEN, Trace};

/// Runs a command with this on a pipe as standard input.
fn with_stdin(command: &mut Command, stdin: &[u8]) -> std::process::Output {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    child.stdin.take().expect("a pipe").write_all(stdin).expect("it reads");
    child.wait_with_output().expect("it ends")
}

fn prepared() -> Program {
    let program = Program::compile("inputs.c");
    std::fs::write(program.folder.path().join("read.txt"), "from a file\nand more\n").expect("a file");
    program
}

fn recorded(trace: &Trace, name: &str) -> Option<(String, bool)> {
    let input = trace.recorded.iter().find(|input| input.name == name.as_bytes())?;
    Some((String::from_utf8_lossy(&input.bytes).into_owned(), input.whole))
}

fn whole(text: &str) -> Option<(String, bool)> {
    Some((text.to_owned(), true))
}

fn missed(trace: &Trace) -> Vec<String> {
    let footer = trace.footer.as_ref().expect("a footer");
    footer.approximations.iter().map(|(name, _)| trace.tables.text(*name).into_owned()).collect()
}

fn only_trace(program: &Program) -> Trace {
    trace_of(&program.processes().remove(0)).0
}

#[test]
fn everything_that_comes_from_outside_is_recorded_on_request() {
    let program = prepared();
    let plain = with_stdin(program.plain().args(["", "x y"]).env("INPUT_TEST", "a=b"), b"piped in\n");
    let mut command = program.recorded();
    command.args(["", "x y"]).env("INPUT_TEST", "a=b").env("WARPATH_LIGHT_INPUTS", "all");
    let run = with_stdin(&mut command, b"piped in\n");
    same(&plain, &run);
    let trace = only_trace(&program);
    assert_eq!(recorded(&trace, "arg:1"), whole(""));
    assert_eq!(recorded(&trace, "arg:2"), whole("x y"));
    assert_eq!(recorded(&trace, "arg:3"), None);
    assert_eq!(recorded(&trace, "env:INPUT_TEST"), whole("a=b"));
    assert_eq!(recorded(&trace, "env:LD_PRELOAD"), None, "that is the recorder's");
    assert_eq!(recorded(&trace, "env:WARPATH_LIGHT_INPUTS"), None, "that is the recorder's");
    assert_eq!(recorded(&trace, "stdin"), whole("piped in\n"));
    assert_eq!(recorded(&trace, "file:read.txt"), whole("from a file\nand more\n"));
    assert_eq!(recorded(&trace, "file:./read.txt"), whole("from a file\nand more\n"), "its other name");
    assert_eq!(recorded(&trace, "file:written.txt"), None, "that came from the program itself");
    assert_eq!(recorded(&trace, "socket:0"), whole("hello"), "what was only looked at is there once");
    assert_eq!(missed(&trace), [MEMORY_UNSEEN]);
}

#[test]
fn nothing_is_recorded_that_was_not_asked_for() {
    let program = prepared();
    let mut command = program.recorded();
    command.args(["1", "2"]).env("INPUT_TEST", "x");
    with_stdin(&mut command, b"secret");
    assert_eq!(only_trace(&program).recorded, []);

    let program = prepared();
    let mut command = program.recorded();
    command.args(["1", "2"]).env("INPUT_TEST", "x").env("WARPATH_LIGHT_INPUTS", "args,files");
    with_stdin(&mut command, b"secret");
    let trace = only_trace(&program);
    let names: Vec<_> = trace.recorded.iter().map(|input| String::from_utf8_lossy(&input.name)).collect();
    assert_eq!(names, ["arg:1", "arg:2", "file:read.txt", "file:./read.txt"]);
}

#[test]
fn a_file_as_standard_input_is_kept_from_where_it_stands() {
    let program = prepared();
    let path = program.folder.path().join("stdin.txt");
    std::fs::write(&path, "read by a line\nand another\n").expect("a file");
    let mut file = std::fs::File::open(&path).expect("a file");
    std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(5)).expect("a file can be rewound");
    // Four arguments: read through stdio.
    let mut command = program.recorded();
    command.args(["1", "2", "3"]).env("INPUT_TEST", "x").env("WARPATH_LIGHT_INPUTS", "stdin").stdin(file);
    let output = command.output().expect("it runs");
    assert!(String::from_utf8_lossy(&output.stdout).contains("by a line"), "{output:?}");
    assert_eq!(recorded(&only_trace(&program), "stdin"), whole("by a line\nand another\n"));
}

#[test]
fn what_stdio_reads_from_a_pipe_is_said_to_be_missed() {
    let program = prepared();
    let mut command = program.recorded();
    command.args(["1", "2", "3"]).env("INPUT_TEST", "x").env("WARPATH_LIGHT_INPUTS", "stdin");
    with_stdin(&mut command, b"a line\n");
    let trace = only_trace(&program);
    assert_eq!(recorded(&trace, "stdin"), None);
    assert_eq!(missed(&trace), [MEMORY_UNSEEN, "stdin-through-stdio"]);
}

#[test]
fn what_is_over_the_limit_is_cut_and_said_to_be() {
    let program = prepared();
    let mut command = program.recorded();
    command.args(["1", "2"]).env("INPUT_TEST", "x").env("WARPATH_LIGHT_INPUTS", "stdin,files,sockets");
    with_stdin(command.env("WARPATH_LIGHT_INPUT_LIMIT", "4"), b"piped in\n");
    let trace = only_trace(&program);
    let cut = |text: &str| Some((text.to_owned(), false));
    assert_eq!(recorded(&trace, "file:read.txt"), cut("from"));
    assert_eq!(recorded(&trace, "stdin"), cut("pipe"));
    assert_eq!(recorded(&trace, "socket:0"), cut("hell"));
    assert_eq!(missed(&trace), [MEMORY_UNSEEN, "inputs-cut"]);
}
