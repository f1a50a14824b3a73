//! Files written by released versions must stay readable, and today's writer must still write them.
//!
//! `WARPATH_UPDATE_GOLDEN=1 cargo test -p warpath-trace --test golden` writes missing files. A file that is there is never
//! overwritten: a change of the format needs a new version and a new file.
#![allow(clippy::unwrap_used, reason = "a test that meets an error should fail there")]

mod samples;

use std::path::{Path, PathBuf};

use samples::{everything, two_threads};
use warpath_trace::binary::{Ending, WriterOptions, read};
use warpath_trace::recorded::RecordedInput;
use warpath_trace::trace::Trace;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

fn stored(name: &str, now: &[u8]) -> Vec<u8> {
    let path = file(name);
    if !path.exists() && std::env::var_os("WARPATH_UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, now).unwrap();
    }
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Where the minor version stands: what the versions since 1.0 have in addition, these traces do not have.
const MINOR: usize = 8;

fn check(name: &str, minor: u8, trace: &Trace) {
    let mut plain = trace.write(Vec::new(), WriterOptions::default()).unwrap();
    plain[MINOR] = minor;
    let old = stored(&format!("{name}.wpt"), &plain);
    assert_eq!(old, plain, "the writer's bytes for {name} have changed");
    let packed = WriterOptions { compression: Some(3), ..WriterOptions::default() };
    let old_packed = stored(&format!("{name}.zstd.wpt"), &trace.write(Vec::new(), packed).unwrap());
    for bytes in [old, old_packed] {
        let (back, ending) = read(&bytes[..]).unwrap();
        assert_eq!(&back, trace);
        assert!(matches!(ending, Ending::Complete));
    }
}

#[test]
fn two_threads_of_version_1_0() {
    check("v1.0-two-threads", 0, &two_threads());
}

#[test]
fn everything_of_version_1_0() {
    check("v1.0-everything", 0, &everything());
}

#[test]
fn everything_of_version_1_1() {
    let mut trace = everything();
    trace.recorded.push(RecordedInput { name: b"arg:1".to_vec(), bytes: Vec::new(), whole: true });
    trace.recorded.push(RecordedInput { name: b"stdin".to_vec(), bytes: b"12\n\xff".to_vec(), whole: false });
    check("v1.1-everything", 1, &trace);
}
