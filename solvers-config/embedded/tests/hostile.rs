//! Input that is damaged, endless or absurdly deep: every time there is an answer or an error, and an end.

#![allow(clippy::unwrap_used)] // the helpers of tests are tests too

mod common;

use common::random::Random;
use common::{expressions, nightly, shapes};
use proptest::prelude::*;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use warpath_smt::{Decider, Settings, serve_with};
use warpath_smt_engine::{Outcome, Unsupported};
use warpath_solvers::term::{TermId, Terms, Value};

/// Knows nothing, at once: what is tested is the reading.
struct Ignorant;

impl Decider for Ignorant {
    fn push(&mut self) {}
    fn pop(&mut self) {}
    fn assert(&mut self, _: &mut Terms, _: TermId) -> Result<(), Unsupported> {
        Ok(())
    }
    fn check(
        &mut self,
        _: &mut Terms,
        _: &[TermId],
        _: &mut dyn FnMut() -> bool,
    ) -> Result<Outcome, Unsupported> {
        Ok(Outcome::Unknown)
    }
    fn value(&self, _: &Terms, _: TermId) -> Option<Value> {
        None
    }
    fn failed(&self) -> &[TermId] {
        &[]
    }
}

fn answers(script: impl Read) -> String {
    let mut out = Vec::new();
    serve_with(script, &mut out, &Settings::default(), &mut |_| Ignorant).unwrap();
    String::from_utf8(out).unwrap()
}

/// Whatever comes out is a sequence of expressions.
fn survives(script: &[u8]) {
    expressions(&answers(script));
}

fn seeds() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dialogues");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut scripts: Vec<Vec<u8>> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "smt2"))
        .map(|path| fs::read(path).unwrap())
        .collect();
    scripts.sort();
    scripts.extend((0..20).map(|seed| shapes::any(seed).script().into_bytes()));
    scripts
}

#[test]
fn damaged_scripts_are_survived() {
    let seeds = seeds();
    let mut random = Random::new(1);
    for _ in 0..if nightly() { 200_000 } else { 3_000 } {
        let mut script = random.pick(&seeds).clone();
        for _ in 0..=random.below(4) {
            let at = random.below(script.len());
            match random.below(5) {
                0 => script[at] ^= 1 << random.below(8),
                1 => script.truncate(at + 1),
                2 => {
                    script.remove(at);
                    script.push(b')');
                }
                3 => {
                    // Words change places.
                    let mut words: Vec<&[u8]> = script.split_inclusive(|&byte| byte == b' ').collect();
                    let (a, b) = (random.below(words.len()), random.below(words.len()));
                    words.swap(a, b);
                    script = words.concat();
                }
                _ => {
                    let other = random.pick(&seeds);
                    script.splice(at..at, other[random.below(other.len())..].iter().copied().take(40));
                }
            }
        }
        survives(&script);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        survives(&bytes);
    }

    #[test]
    fn any_words_are_survived(words in proptest::collection::vec(
        proptest::sample::select(vec![
            "(", ")", "(assert ", "(let ((", "x", "|y", "|", "\"", ";", "\n", "(! ", ":named ", "(_ ", "bv1 ", "#b1 ",
            "12 ", "(check-sat)", "(push 1)", "(pop 1)", "(define-fun f ((x Int)) Int ", "(get-value (", "and ",
            "(declare-const x Bool)", "(assert-soft ", ":weight 3", "(set-option ", ":print-success ", "true ", "-",
        ]), 0..60)) {
        survives(words.concat().as_bytes());
    }
}

#[test]
fn a_million_levels_deep_is_not_too_deep() {
    const DEPTH: usize = 1_000_000;
    let mut script =
        String::from("(declare-const p Bool)(declare-const q Bool)(declare-const v (_ BitVec 8))\n(assert ");
    for _ in 0..DEPTH {
        script.push_str("(xor q ");
    }
    script.push('p');
    script.push_str(&")".repeat(DEPTH));
    script.push_str(")\n(assert ");
    for _ in 0..DEPTH {
        script.push_str("(let ((p (not p))) ");
    }
    script.push('p');
    script.push_str(&")".repeat(DEPTH));
    script.push_str(")\n(assert ");
    for _ in 0..DEPTH {
        script.push_str("(! ");
    }
    script.push('p');
    script.push_str(&")".repeat(DEPTH));
    script.push_str(")\n(set-info :deep ");
    script.push_str(&"(".repeat(DEPTH));
    script.push_str(&")".repeat(DEPTH));
    script.push_str(")(assert (not");
    script.push_str(&" (".repeat(DEPTH));
    script.push_str(&")".repeat(DEPTH));
    script.push_str("))(get-info :assertion-stack-levels)(check-sat)(get-assertions)");
    let answers = answers(script.as_bytes());
    let lines: Vec<&str> = answers.lines().map(|line| &line[..line.len().min(60)]).collect();
    assert!(lines[0].starts_with("(error \"line 5 column"), "{lines:?}");
    assert_eq!(&lines[1..3], ["(:assertion-stack-levels 0)", "unknown"]);
    assert!(lines[3].starts_with("((xor q (xor q "), "{lines:?}");
}

/// Some text, then one byte so often.
struct Flood {
    start: &'static [u8],
    byte: u8,
    left: usize,
    end: &'static [u8],
}

impl Read for Flood {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.start.is_empty() {
            return self.start.read(buffer);
        }
        if self.left == 0 {
            return self.end.read(buffer);
        }
        let count = buffer.len().min(self.left);
        buffer[..count].fill(self.byte);
        self.left -= count;
        Ok(count)
    }
}

#[test]
fn what_is_too_long_is_read_past() {
    let left = 200 << 20;
    for (start, byte, end) in [
        (&b"(echo \""[..], b'x', &b"\")(echo \"after\")"[..]),
        (b"(set-logic |", b'x', b"|)(echo \"after\")"),
        (b"(set-logic ", b'x', b")(echo \"after\")"),
        (b"(set-info :a (", b' ', b"))(echo \"after\")"),
    ] {
        let answers = answers(Flood { start, byte, left, end });
        let lines: Vec<&str> = answers.lines().collect();
        assert!(lines[0].contains("longer than"), "{lines:?}");
        assert_eq!(lines[1..], ["\"after\""]);
    }
    // A comment is not held, so it may have any length.
    let comment = Flood { start: b"(echo ;", byte: b'x', left, end: b"\n\"after\")" };
    assert_eq!(answers(comment), "\"after\"\n");
}

#[test]
fn doubling_definitions_are_cut_off() {
    let mut script = String::from("(declare-const x Int)(define-fun f0 ((n Int)) Int (- n x 1))\n");
    for level in 1..40 {
        let before = level - 1;
        script.push_str(&format!("(define-fun f{level} ((n Int)) Int (f{before} (f{before} n)))\n"));
    }
    script.push_str("(echo \"after\")");
    let answers = answers(script.as_bytes());
    assert!(answers.contains("definitions expand to more than"), "{answers}");
    assert!(answers.ends_with("\"after\"\n"), "{answers}");
}

#[test]
fn a_text_without_end_is_not_written() {
    let mut script =
        String::from("(declare-const x Int)(declare-const y Int)\n(define-fun d0 () Int (- x y))\n");
    for level in 1..60 {
        let before = level - 1;
        script.push_str(&format!("(define-fun d{level} () Int (- d{before} (- y d{before})))\n"));
    }
    script.push_str("(assert (= d59 0))(get-assertions)(echo \"after\")");
    let answers = answers(script.as_bytes());
    assert!(answers.starts_with("(error \"") && answers.ends_with("\"after\"\n"), "{answers}");
}
