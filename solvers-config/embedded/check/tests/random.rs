//! Proofs of random scripts, with levels, assumptions and named assertions, check; and each `unsat` has one.

#![allow(clippy::unwrap_used)]

mod support;

use support::Answered;
use warpath_smt_check::check;

#[test]
fn proofs_of_random_scripts_check() {
    let (mut refuted, mut lemmas, mut learned) = (0, 0, 0);
    for seed in 0..600 {
        let answered = Answered::random(seed);
        let report = check(&answered.script, answered.proof.as_bytes())
            .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", answered.script));
        let wanted = answered.checks("unsat");
        assert_eq!(report.refuted.iter().copied().collect::<Vec<_>>(), wanted, "seed {seed}");
        assert_eq!(report.checks as usize, answered.answers.len());
        refuted += wanted.len();
        lemmas += report.lemmas;
        learned += report.learned;
    }
    assert!(refuted > 300 && lemmas > 1000 && learned > 1000, "{refuted} {lemmas} {learned}");
}
