//! Lemmas about equal vectors: written where they are needed, checked, and of no use when damaged.

#![allow(clippy::unwrap_used)]

mod support;

use std::fmt::Write;
use support::Answered;
use support::random::Random;
use warpath_smt_check::{CheckError, check};

/// Vectors of which some are equal, by chains that the search has to choose. There are no integers, so every lemma is
/// about equality.
fn chains(seed: u64) -> Answered {
    let mut random = Random::new(seed);
    let (vectors, width) = (4 + random.below(4), 1 + random.below(40));
    let mut script = String::new();
    for vector in 0..vectors {
        writeln!(script, "(declare-const v{vector} (_ BitVec {width}))").unwrap();
    }
    let term = |random: &mut Random| match random.once_in(8) {
        true => format!("(_ bv{} {width})", random.below(2)),
        false => format!("v{}", random.below(vectors)),
    };
    for _ in 0..2 * vectors {
        let mut equality = |sign: bool| {
            let equal = format!("(= {} {})", term(&mut random), term(&mut random));
            if sign { equal } else { format!("(not {equal})") }
        };
        let (first, second, third) = (equality(true), equality(true), equality(false));
        writeln!(script, "(assert (or {first} {second} {third}))\n(assert (or {third} {second}))").unwrap();
    }
    for _ in 0..3 {
        let (a, b) = (term(&mut random), term(&mut random));
        writeln!(
            script,
            "(push 1)(assert (not (= {a} {b})))(check-sat)(pop 1)(assert (or (= {a} {b}) (= v0 v1)))"
        )
        .unwrap();
    }
    Answered::new(script)
}

#[test]
fn proofs_with_them_check() {
    let (mut refuted, mut lemmas) = (0, 0);
    for seed in 0..300 {
        let answered = chains(seed);
        let report = check(&answered.script, answered.proof.as_bytes())
            .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", answered.script));
        let wanted = answered.checks("unsat");
        assert_eq!(report.refuted.iter().copied().collect::<Vec<_>>(), wanted, "seed {seed}");
        refuted += wanted.len();
        lemmas += report.lemmas;
    }
    assert!(refuted > 100 && lemmas > 100, "{refuted} {lemmas}");
}

/// A lemma that lacks a link, or has one the wrong way round, says what is not so.
#[test]
fn damaged_ones_are_refused() {
    let mut damaged = 0;
    for seed in 0..200 {
        let answered = chains(seed);
        let lines: Vec<&str> = answered.proof.lines().collect();
        let lemmas = lines.iter().enumerate().filter(|(_, line)| line.starts_with("t "));
        // Each is a proof to follow, and some scripts have hundreds.
        for (at, line) in lemmas.take(8) {
            let words: Vec<&str> = line.split(' ').collect();
            for place in 1..words.len() {
                let (mut shorter, mut flipped) = (words.clone(), words.clone());
                shorter.remove(place);
                let negated = words[place].parse::<i64>().map(|number| (-number).to_string()).unwrap();
                flipped[place] = &negated;
                for wrong in [shorter.join(" "), flipped.join(" ")] {
                    // What stands before it is as it was.
                    let text: String = lines[..at].iter().map(|line| format!("{line}\n")).collect();
                    let error = check(&answered.script, format!("{text}{wrong}\n").as_bytes());
                    let Err(CheckError::Wrong { line, .. }) = error else {
                        panic!("seed {seed}: `{line}` became `{wrong}`\n{}", answered.script)
                    };
                    assert_eq!(line as usize, at + 1, "seed {seed}");
                    damaged += 1;
                }
            }
        }
    }
    assert!(damaged > 300, "{damaged}");
}
