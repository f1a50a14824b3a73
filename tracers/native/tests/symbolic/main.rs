//! Random instruction sequences on symbolic data, held against the interpreter.
//!
//! After each instruction, every expression must have the value that is there. That is the weak oracle. The strong one:
//! other machines with *other* inputs execute the same instructions, and as long as the conditions of the path hold for
//! their inputs, the expressions must tell their values, too, and everything that is said to be concrete must be the
//! same for all.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod generate;
mod machine;
mod oracle;
mod programs;
mod random;
mod readable;
mod runner;

use std::collections::HashMap;

use generate::{CONCRETE, EXACT, Generator};
use iced_x86::Mnemonic;
use oracle::Trial;
use random::Random;

fn seed() -> u64 {
    std::env::var("WARPATH_TEST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

fn trials() -> u64 {
    std::env::var("WARPATH_TEST_TRIALS").ok().and_then(|count| count.parse().ok()).unwrap_or(6_000)
}

#[test]
fn expressions_say_what_other_inputs_give() {
    let generator = Generator::new();
    let mut followed: HashMap<Mnemonic, u64> = HashMap::new();
    let (mut instructions, mut compared) = (0, 0);
    for trial in 0..trials() {
        let mut random = Random::new(seed().wrapping_mul(1_000_003).wrapping_add(trial));
        let mut trial = Trial::new(&mut random);
        for _ in 0..24 {
            let all: &[Mnemonic] = if random.one_in(16) { CONCRETE } else { EXACT };
            let mnemonic = random.pick(all);
            if let Some(symbolic) = trial.turn(&mut random, &generator, mnemonic) {
                *followed.entry(mnemonic).or_default() += u64::from(symbolic);
                instructions += 1;
            }
        }
        compared += trial.compared;
    }
    println!("{instructions} instructions, {compared} comparisons with machines of other inputs");
    let unseen: Vec<_> =
        EXACT.iter().chain(CONCRETE).filter(|&mnemonic| !followed.contains_key(mnemonic)).collect();
    assert!(unseen.is_empty(), "never executed on symbolic data: {unseen:?}");
    assert!(
        compared > instructions / 2,
        "the other machines nearly always leave the path: {compared} of {instructions}"
    );
}
