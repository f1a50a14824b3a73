//! The text traces kept in `samples/traces`.

use std::path::{Path, PathBuf};

use warpath_trace::text;

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/traces")
}

#[test]
fn every_sample_reads_and_prints_as_a_fixed_point() {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(samples()).unwrap() {
        let path = entry.unwrap().path();
        if !path.to_string_lossy().ends_with(".wpt.txt") {
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        let trace = text::parse(&source).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(trace.footer.is_some(), "{}: a sample is a complete trace", path.display());
        let mut printed = Vec::new();
        text::print(&trace, &mut printed).unwrap();
        let printed = String::from_utf8(printed).unwrap();
        let again = text::parse(&printed).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(again, trace, "{}", path.display());
        names.push(path.file_name().unwrap().to_owned());
    }
    assert!(names.iter().any(|name| name == "fig2.wpt.txt"), "{names:?}");
}
