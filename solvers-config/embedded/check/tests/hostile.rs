//! Nothing that is read makes the checker panic, hang or ask for much memory.

#![allow(clippy::unwrap_used)]

mod support;

use proptest::prelude::*;
use support::Answered;
use support::random::Random;
use warpath_smt_check::check;

const SCRIPT: &str = "(declare-const p Bool)(declare-const x Int)(declare-const v (_ BitVec 4))
    (assert (=> p (bvult v #x3)))(push 1)(assert (< x (ite p 1 2)))(check-sat)(pop 1)(check-sat-assuming (p))";

proptest! {
    #[test]
    fn any_bytes_are_answered(script in ".{0,200}", proof in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = check(&script, proof.as_slice());
    }

    #[test]
    fn any_steps_are_answered(steps in proptest::collection::vec(
        ("[iaxncor&^?%stldu]", proptest::collection::vec(-12_i64..13, 0..7)), 0..40)) {
        let mut proof = String::from("warpath-smt-proof 1\ni 2 1 0\nn 1 2\na 3\n");
        for (word, numbers) in steps {
            proof.push_str(&word);
            for number in numbers {
                proof.push_str(&format!(" {number}"));
            }
            proof.push('\n');
        }
        // Everything here has a model.
        if let Ok(report) = check(SCRIPT, proof.as_bytes()) {
            prop_assert!(report.refuted.is_empty());
        }
    }
}

#[test]
fn damaged_bytes_are_answered() {
    let mut random = Random::new(11);
    for seed in 0..60 {
        let answered = Answered::random(seed);
        for _ in 0..20 {
            let mut script = answered.script.clone().into_bytes();
            let mut proof = answered.proof.clone().into_bytes();
            for bytes in [&mut script, &mut proof] {
                let at = random.below(bytes.len());
                match random.below(3) {
                    0 => bytes[at] = random.next() as u8,
                    1 => bytes.truncate(at),
                    _ => {
                        bytes.remove(at);
                    }
                }
            }
            let _ = check(&String::from_utf8_lossy(&script), proof.as_slice());
        }
    }
}

#[test]
fn large_numbers_and_terms_cost_nothing() {
    let header = "warpath-smt-proof 1\n";
    for line in [
        "i 1099511627776 1 0",
        "a 1099511627775",
        "n 1099511627776 2",
        "l 99999999999999999999",
        "i 2 1 4294967295",
    ] {
        let _ = check(SCRIPT, format!("{header}{line}\n").as_bytes());
    }
    // A product with 16 million gates, of which the proof knows none.
    let script = "(declare-const v (_ BitVec 4096))(declare-const w (_ BitVec 4096))
        (assert (= (bvmul v w) (bvmul w (bvnot v))))(check-sat)";
    let error = check(script, format!("{header}s 1\n").as_bytes()).unwrap_err().to_string();
    assert!(error.contains("much larger than the proof"), "{error}");
    // Shared parts that can be reached in 2^60 ways.
    let mut script =
        String::from("(declare-const p Bool)(declare-const q Bool)(define-fun t0 () Bool (or p q))\n");
    for level in 0..60 {
        let next = level + 1;
        script.push_str(&format!(
            "(define-fun t{next} () Bool (not (or (not (and t{level} p)) (not (and t{level} q)))))\n"
        ));
    }
    script.push_str("(assert t60)(check-sat)");
    let report = check(&script, format!("{header}i 2 1 0\ni 3 2 0\ns 1 2\n").as_bytes()).unwrap();
    assert!(report.refuted.is_empty());
}

#[test]
fn a_line_that_is_cut_off_is_left_out() {
    let script = "(declare-const p Bool)(assert p)(assert (not p))(check-sat)";
    let proof = "warpath-smt-proof 1\ni 2 1 0\ns 1 2\ns 2 -2\nu 1\n";
    for end in 1..proof.len() {
        match check(script, &proof.as_bytes()[..end]) {
            Ok(report) => {
                assert!(report.refuted.is_empty());
                assert_eq!(report.cut_off, !proof[..end].ends_with('\n'));
            }
            Err(_) => assert!(end < "warpath-smt-proof 1\n".len()),
        }
    }
    assert_eq!(check(script, proof.as_bytes()).unwrap().refuted.len(), 1);
}
