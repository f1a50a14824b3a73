//! Damaged proofs: whatever is changed, no check that has a model is ever concluded to have none.
//!
//! The oracle: our solver says `sat` only with a model that the evaluator has found to be one.

#![allow(clippy::unwrap_used)]

mod support;

use support::Answered;
use support::random::Random;
use warpath_smt_check::{CheckError, check};

/// What may be done to a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Damage {
    Drop,
    Repeat,
    Swap,
    Flip,
    Number,
    Remove,
    Word,
    Forge,
}

const ALL: [Damage; 8] = [
    Damage::Drop,
    Damage::Repeat,
    Damage::Swap,
    Damage::Flip,
    Damage::Number,
    Damage::Remove,
    Damage::Word,
    Damage::Forge,
];

fn damage(lines: &mut Vec<String>, kind: Damage, random: &mut Random, checks: usize) {
    // The header stays: without it nothing is a proof.
    let at = 1 + random.below(lines.len() - 1);
    let mut words: Vec<String> = lines[at].split(' ').map(str::to_owned).collect();
    let place = 1 + random.below(words.len().max(2) - 1);
    match kind {
        Damage::Drop => {
            lines.remove(at);
            return;
        }
        Damage::Repeat => {
            let line = lines[at].clone();
            lines.insert(1 + random.below(lines.len() - 1), line);
            return;
        }
        Damage::Swap => {
            let other = 1 + random.below(lines.len() - 1);
            lines.swap(at, other);
            return;
        }
        Damage::Forge => {
            // What refuted something, or nothing, as the reason of any check, anywhere.
            let reasons: Vec<&String> =
                lines.iter().filter(|line| line.starts_with("u ") || line.starts_with("l ")).collect();
            let rest = match reasons.is_empty() || random.once_in(3) {
                true => String::new(),
                false => {
                    let reason = *random.pick(&reasons);
                    let skip = if reason.starts_with('u') { 2 } else { 1 };
                    reason.split(' ').skip(skip).map(|word| format!(" {word}")).collect()
                }
            };
            let line = format!("u {}{rest}", 1 + random.below(checks));
            let end = if random.once_in(2) { lines.len() } else { at };
            lines.insert(end, line);
            return;
        }
        _ if words.len() < 2 => return,
        Damage::Flip => {
            let number: i64 = words[place].parse().unwrap();
            words[place] = (-number).to_string();
        }
        Damage::Number => {
            let number: i64 = words[place].parse().unwrap();
            let other = match random.below(3) {
                0 => number + 1,
                1 => number - 1,
                _ => 1 + random.below(lines.len()) as i64,
            };
            words[place] = other.to_string();
        }
        Damage::Remove => {
            words.remove(place);
        }
        Damage::Word => {
            words[0] = (*random
                .pick(&["i", "a", "x", "n", "o", "&", "^", "?", "%", "s", "t", "l", "d", "u", "r"]))
            .to_owned();
        }
    }
    lines[at] = words.join(" ");
}

#[test]
fn no_damage_makes_a_wrong_conclusion() {
    let mut random = Random::new(7);
    // By kind of damage: how many proofs were refused.
    let mut refused = [0; ALL.len()];
    let mut accepted = 0;
    for seed in 0..250 {
        let answered = Answered::random(seed);
        let satisfiable = answered.checks("sat");
        let original: Vec<String> = answered.proof.lines().map(str::to_owned).collect();
        for round in 0..40 {
            let kind = ALL[round % ALL.len()];
            let mut lines = original.clone();
            for _ in 0..=random.below(2) {
                damage(&mut lines, kind, &mut random, answered.answers.len());
            }
            // Whether or not what follows still fits: a conclusion of any check, at the end.
            if let Some(&check) = satisfiable.first().filter(|_| random.once_in(2)) {
                lines.push(format!("u {check}"));
            }
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            match check(&answered.script, text.as_bytes()) {
                Ok(report) => {
                    accepted += 1;
                    let wrong = satisfiable.iter().find(|check| report.refuted.contains(check));
                    assert_eq!(wrong, None, "seed {seed}, {kind:?}:\n{}\n{text}", answered.script);
                }
                Err(CheckError::Wrong { .. } | CheckError::Syntax { .. }) => refused[round % ALL.len()] += 1,
                Err(other) => panic!("seed {seed}, {kind:?}: {other}"),
            }
        }
    }
    assert!(refused.iter().all(|&count| count > 50), "{refused:?}");
    assert!(accepted > 100, "{accepted}");
}

/// Each kind of step, by itself, with the reason for which it is refused.
#[test]
fn each_rule_is_needed() {
    let script = "(declare-const p Bool)(declare-const q Bool)(declare-const x Int)(declare-const y Int)
        (assert (or p q))(check-sat)(push 1)(assert (not p))(check-sat)(pop 1)(check-sat-assuming (p))
        (assert (= (< x y) q))(check-sat)";
    let start = "warpath-smt-proof 1\ni 2 1 0\ni 3 2 0\nn 1 3\nn 2 4\no 4 1 2 1\na 5\n";
    let refused = [
        ("i 2 2 0\n", "number 2 is not new"),
        ("i 9 1 0\n", "has been given a variable"),
        ("i 9 1 1\n", "no such bit"),
        ("i 9 3 0\n", "no such bit"),
        ("i 9 7 0\n", "no declaration 7"),
        ("n 1 4\n", "has been given a variable or node"),
        ("n 7 1\n", "is no integer"),
        ("o 9 1 8 0\n", "nothing introduced node 8"),
        ("& 2 3 4\n", "number 2 is not new"),
        ("& 9 2 8\n", "nothing introduced the variable of 8"),
        ("^ 9 2 9\n", "nothing introduced the variable of 9"),
        ("& 9 2 5\n", "over the activation variable of 5"),
        ("c 7 -5 1 0 2 0\n", "over the activation variable of -5"),
        ("s 1 2\n", "not implied by assertion 1"),
        ("s 1 2 -3\n", "not implied by assertion 1"),
        ("s 1 -5\n", "not implied by assertion 1"),
        ("s 1 2 3 5\n", "not negated"),
        ("s 9 2\n", "no assertion 9"),
        ("t 4\n", "do not add up"),
        ("t 2\n", "do not add up"),
        ("t\n", "do not add up"),
        ("l 2\n", "does not follow"),
        ("l\n", "does not follow"),
        ("x 2\n", "no activation variable"),
        ("x -5\n", "no activation variable"),
        ("u 1\n", "does not follow"),
        ("u 9 1\n", "no check 9"),
        // True, but no reason: the literal is not assumed.
        ("u 1 1\n", "no negated assumption of check 1"),
        ("s 1 2 3\nu 1 2 3\n", "no negated assumption of check 1"),
        // Not behind its level, it stands at checks where it does not.
        ("s 2 -2\nu 3 -2\n", "relies on assertion 2"),
        ("s 2 -2 -5\nu 3 -2 -5\n", "relies on assertion 2"),
        // A level that was given up is no reason.
        ("x 5\nu 1 -5\n", "no negated assumption of check 1"),
        ("s 2 -2\nr\nu 3 -2\n", "nothing introduced"),
    ];
    for (rest, reason) in refused {
        let error = check(script, format!("{start}{rest}").as_bytes()).unwrap_err().to_string();
        assert!(error.contains(reason), "{rest}: {error}");
    }
    let right = ["s 1 2 3\n", "s 2 -2\nu 2\n", "s 3 -4 3\ns 3 4 -3\n", "d 2 3\n", "& 9 2\n? 10 2 3 4\n"];
    // The second one alone contradicts nothing.
    for (rest, fits) in right.into_iter().zip([true, false, true, true, true]) {
        assert_eq!(check(script, format!("{start}{rest}").as_bytes()).is_ok(), fits, "{rest}");
    }
}
