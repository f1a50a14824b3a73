//! Conversations and their answers, word for word: `dialogues/NAME.smt2` and `dialogues/NAME.out`. Every value in them is
//! forced, so the answers do not depend on what decides. `WARPATH_BLESS=1` writes the answers anew; read the difference.

#![allow(clippy::unwrap_used)] // the helpers of tests are tests too

mod common;

use common::Behind;
use std::fs;
use std::path::Path;

fn compare(behind: &Behind, bless: bool) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dialogues");
    let mut names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "smt2"));
    names.sort();
    assert!(names.len() >= 8, "{names:?}");
    for path in names {
        let script = fs::read(&path).unwrap();
        let answers = behind.answers(&script);
        let expected = path.with_extension("out");
        if bless {
            fs::write(expected, answers).unwrap();
        } else {
            let expected = fs::read_to_string(&expected).unwrap();
            assert_eq!(answers, expected, "{}", path.display());
        }
    }
}

#[test]
fn the_answers_are_these_over_a_stand_in() {
    compare(&Behind::stand_in(), std::env::var_os("WARPATH_BLESS").is_some());
}

#[test]
fn the_answers_are_these() {
    compare(&Behind::Engine, false);
}
