//! `show`, `pack`, `convert`: traces in all their forms, and files that are none.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::json_doc;
use crate::run::{Folder, ran, repository, run, warpath};

const SMALL: &str = "warpath-trace 1\nglobal x 4 = 0\nT0 w x 5 @m.c:3\nT0 r x 5 @m.c:4\noutcome exited 0\n";

/// A small trace, packed.
fn packed(folder: &Folder, text: &str) -> PathBuf {
    let path = folder.file("trace.txt", text);
    let trace = folder.path().join("trace.wpt");
    run(warpath().arg("pack").arg(path).arg("-o").arg(&trace)).expect_code(0);
    trace
}

/// A trace with many events, as text.
fn long_text(events: usize) -> String {
    let mut text = String::from("warpath-trace 1\nglobal x 4 = 0\n");
    for event in 0..events {
        text.push_str(&format!("T0 w x {} @m.c:3\n", event % 1000));
    }
    text + "outcome exited 0\n"
}

fn show(path: &Path) -> String {
    run(warpath().arg("show").arg(path)).expect_code(0).stdout.clone()
}

fn samples() -> Vec<PathBuf> {
    let folder = repository().join("samples/traces");
    let mut texts: Vec<PathBuf> = fs::read_dir(folder)
        .expect("samples/traces")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().ends_with(".wpt.txt"))
        .collect();
    texts.sort();
    assert!(!texts.is_empty(), "there are samples");
    texts
}

#[test]
fn every_sample_packs_and_what_is_shown_packs_to_the_same_bytes() {
    let folder = Folder::new();
    let (first, second) = (folder.path().join("1.wpt"), folder.path().join("2.wpt"));
    for sample in samples() {
        run(warpath().arg("pack").arg(&sample).arg("-o").arg(&first)).expect_code(0);
        let shown = folder.file("shown.txt", show(&first));
        run(warpath().arg("pack").arg(shown).arg("-o").arg(&second)).expect_code(0);
        // A text by hand may number its tables in its own order; from the first `show` on nothing changes any more.
        assert_eq!(show(&first), show(&second), "{}", sample.display());
    }
}

#[test]
fn without_o_pack_writes_beside_the_text() {
    let folder = Folder::new();
    let text = folder.file("run.wpt.txt", SMALL);
    run(warpath().arg("pack").arg(text)).expect_code(0);
    assert!(show(&folder.path().join("run.wpt")).contains("w x 5"));
}

#[test]
fn converting_there_and_back_loses_nothing() {
    let folder = Folder::new();
    let trace = packed(&folder, &long_text(5000));
    let (text, small) = (folder.path().join("copy.txt"), folder.path().join("small.wpt"));
    run(warpath().arg("convert").arg(&trace).arg(&text)).expect_code(0);
    run(warpath().arg("convert").arg(&text).arg(&small).arg("--compress=19")).expect_code(0);
    assert_eq!(show(&small), show(&trace));
    let size = |path: &Path| fs::metadata(path).expect("a file").len();
    assert!(size(&small) < size(&trace) / 2, "{} and {}", size(&small), size(&trace));
}

#[test]
fn std_traces_come_in_and_go_out() {
    let folder = Folder::new();
    let std = "T0|fork(T1)|0\nT0|acq(L1)|1\nT0|w(V1)|2\nT0|rel(L1)|3\nT1|acq(L1)|4\nT1|r(V1)|5\nT1|rel(L1)|6\nT0|join(T1)|7\n";
    let input = folder.file("in.std", std);
    let trace = folder.path().join("t.wpt");
    run(warpath().arg("convert").arg(input).arg(&trace)).expect_code(0);
    let out = run(warpath().arg("convert").arg(&trace).args(["-", "--to", "std"]));
    let operations = |text: &str| -> Vec<String> {
        text.lines()
            .filter_map(|line| line.rsplit_once('|'))
            .map(|(operation, _)| operation.to_owned())
            .collect()
    };
    assert_eq!(operations(&out.expect_code(0).stdout), operations(std));
}

#[test]
fn standard_input_and_output_are_files_too() {
    let mut child = warpath()
        .args(["convert", "-", "-", "--to", "text"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    child.stdin.take().expect("a pipe").write_all(SMALL.as_bytes()).expect("it reads");
    let ran = ran(child.wait_with_output().expect("it ends"));
    assert!(ran.expect_code(0).stdout.contains("T0 w x 5 @m.c:3"), "{}", ran.stdout);
}

#[test]
fn contents_are_counted_for_people_and_machines() {
    let folder = Folder::new();
    let trace = folder.path().join("fig2.wpt");
    let sample = repository().join("samples/traces/fig2.wpt.txt");
    run(warpath().arg("pack").arg(sample).arg("-o").arg(&trace)).expect_code(0);
    let json = run(warpath().arg("show").arg(&trace).args(["--json", "-"])).expect_code(0).json();
    let shown = show(&trace);
    let events = shown.lines().filter(|line| line.starts_with("T0")).count();
    assert_eq!(json["events"], events);
    let kinds = json["kinds"].as_object().expect("a map");
    assert_eq!(kinds.values().filter_map(|count| count.as_u64()).sum::<u64>(), events as u64);
    assert_eq!(json["kinds"]["write"], shown.lines().filter(|line| line.contains(" w ")).count());
    json_doc::check("warpath.show/1", &[json]);

    let stats = run(warpath().arg("show").arg(&trace).arg("--stats"));
    assert!(stats.expect_code(0).stdout.contains("outcome        exited 0"), "{}", stats.stdout);
    let file = folder.path().join("contents.json");
    let both = run(warpath().arg("show").arg(&trace).arg("--json").arg(&file));
    assert_eq!(both.expect_code(0).stdout, shown, "with a file for JSON the text is still printed");
    assert!(fs::read_to_string(file).expect("the file").contains("warpath.show/1"));
}

#[test]
fn a_named_pipe_is_read_like_a_file() {
    let folder = Folder::new();
    let trace = packed(&folder, &long_text(50_000));
    let pipe = folder.path().join("pipe");
    run(Command::new("mkfifo").arg(&pipe)).expect_code(0);
    let mut writer = Command::new("sh")
        .args(["-c", "cat \"$1\" > \"$2\"", "sh"])
        .args([&trace, &pipe])
        .spawn()
        .expect("it starts");
    assert_eq!(show(&pipe), show(&trace));
    assert!(writer.wait().expect("it ends").success());
}

#[test]
fn what_is_not_a_trace_is_called_so() {
    let folder = Folder::new();
    let complaint = |path: &Path| {
        let ran = run(warpath().arg("show").arg(path));
        ran.expect_code(2);
        assert!(ran.stdout.is_empty(), "{}", ran.stdout);
        ran.stderr
    };
    assert!(complaint(Path::new("no-such.wpt")).contains("no-such.wpt does not exist"));
    assert!(complaint(folder.path()).contains("is a folder"));
    assert!(complaint(&folder.file("empty.wpt", "")).contains("ends after 0 bytes"));
    assert!(
        complaint(&folder.file("elf.wpt", b"\x7fELF\x02\x01\x01\0\0\0\0\0")).contains("not a Warpath trace")
    );
    assert!(complaint(&folder.file("future.wpt", b"WPTRACE\x63\0")).contains("format version 99.0"));
    assert!(complaint(&folder.file("words.txt", "hello\n")).contains("line 1, column 1"));
    assert!(complaint(&folder.file("bytes.txt", b"warpath-trace 1\n\xff\n")).contains("line 2: byte 16"));
    assert!(complaint(&folder.file("x.std", "T0|fly(V1)|1\n")).contains("line 1"));
}

#[test]
fn a_mistake_in_a_text_is_named_with_its_line() {
    let folder = Folder::new();
    let text = folder.file("bad.txt", SMALL.replace("T0 r x 5 @m.c:4", "T0 r y 5 @m.c:4"));
    let out = folder.path().join("bad.wpt");
    run(warpath().arg("pack").arg(text).arg("-o").arg(&out))
        .expect_code(2)
        .expect_complaint("line 4, column ");
    assert!(!out.exists(), "nothing is written");
}

#[test]
fn a_file_cut_anywhere_is_shown_as_far_as_it_goes_or_refused_with_a_sentence() {
    let folder = Folder::new();
    let trace = packed(&folder, &long_text(30_000));
    let bytes = fs::read(&trace).expect("the trace");
    let whole = show(&trace);
    let mut shown = 0;
    for at in (0..bytes.len()).step_by(bytes.len() / 40 + 1).chain([1, 7, 8, 9, bytes.len() - 1]) {
        let ran = run(warpath().arg("show").arg(folder.file("cut.wpt", &bytes[..at])));
        match ran.code {
            Some(0) => {
                ran.expect_complaint("note: the trace was cut");
                assert!(
                    whole.starts_with(&ran.stdout),
                    "cut at {at}: what is shown is a beginning of the whole"
                );
                shown += 1;
            }
            _ => {
                ran.expect_code(2).expect_complaint("error: ");
            }
        }
    }
    assert!(shown > 20, "most cuts leave something to show: {shown}");
}

#[test]
fn a_flipped_bit_is_an_error_that_names_the_chunk_and_salvage_keeps_the_rest() {
    let folder = Folder::new();
    let mut bytes = fs::read(packed(&folder, &long_text(100_000))).expect("the trace");
    let at = bytes.len() / 2;
    bytes[at] ^= 0x10;
    let damaged = folder.file("damaged.wpt", &bytes);
    run(warpath().arg("show").arg(&damaged))
        .expect_code(2)
        .expect_complaint("is damaged")
        .expect_complaint("chunk ")
        .expect_complaint("help: with --salvage");
    let saved = folder.path().join("saved.wpt");
    run(warpath().args(["convert", "--salvage"]).arg(&damaged).arg(&saved))
        .expect_code(0)
        .expect_complaint("note: ");
    assert!(show(&saved).lines().count() > 1000);
}

#[test]
fn a_reader_that_leaves_ends_show_quietly() {
    let folder = Folder::new();
    let trace = packed(&folder, &long_text(200_000));
    let mut child = warpath()
        .arg("show")
        .arg(trace)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut start = [0; 100];
    child.stdout.take().expect("a pipe").read_exact(&mut start).expect("it writes");
    let ended = ran(child.wait_with_output().expect("it ends"));
    ended.expect_code(0);
    assert_eq!(ended.stderr, "");
}

#[test]
fn a_full_disk_is_an_error() {
    let folder = Folder::new();
    let trace = packed(&folder, SMALL);
    let full = File::options().write(true).open("/dev/full").expect("/dev/full");
    let ran = run(warpath().arg("show").arg(&trace).stdout(full));
    ran.expect_code(2).expect_complaint("No space left");
    run(warpath().arg("convert").arg(&trace).args(["/dev/full", "--to", "text"]))
        .expect_code(2)
        .expect_complaint("cannot write /dev/full");
}

#[test]
fn names_that_say_nothing_need_an_option() {
    let folder = Folder::new();
    let trace = packed(&folder, SMALL);
    let out = folder.path().join("out");
    run(warpath().arg("convert").arg(&trace).arg(&out)).expect_code(2).expect_complaint("--to wpt|text|std");
    run(warpath().arg("convert").arg(&trace).arg(&out).args(["--to", "text"])).expect_code(0);
    assert_eq!(show(&out), show(&trace), "the first bytes say that it is text");
    run(warpath().arg("convert").arg(&trace).arg("x.txt").arg("--compress"))
        .expect_code(2)
        .expect_complaint("--compress is for binary traces");
}
