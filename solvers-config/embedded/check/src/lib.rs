//! Checks proofs of unsatisfiability that `warpath smt --proof` writes.
//!
//! Neither the search nor the theory nor the translation of the solver is trusted, and no code of it is used: the script
//! is read by `warpath_solvers::script`, its formulas are translated here, and the proof is followed step by step. What
//! is trusted is in `README.md`. The layers, from the outside in: `checker` (what each step needs), `translate`
//! (formulas to literals; `vectors`, `gates`, `differences`, `orders`), `equalities` (their lemmas; those of orders are in
//! `orders`), `clauses` (unit propagation), `script`, `cut` and `steps` (reading).

mod checker;
mod clauses;
mod cut;
mod differences;
mod equalities;
mod error;
mod gates;
mod literal;
mod orders;
mod script;
mod steps;
mod translate;
mod vectors;

pub use error::{CheckError, Reason};

use checker::Checker;
use cut::whole_commands;
use script::Questions;
use std::collections::BTreeSet;
use std::io::BufRead;
use steps::{HEADER, Lines, parse};

/// What was checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The checks of the script that are unsatisfiable, counted from 1, in order.
    pub refuted: BTreeSet<usize>,
    /// Checks that the script has.
    pub checks: u64,
    /// Lemmas about integers and about equalities.
    pub lemmas: u64,
    /// Clauses that follow from others.
    pub learned: u64,
    /// Lines but for the first.
    pub steps: u64,
    /// The last line of the proof or the last command of the script has no end, and was left out: the solver was stopped
    /// while it worked on the next answer.
    pub cut_off: bool,
}

/// Follows a proof. If this succeeds, as many checks of the script as the report says are unsatisfiable.
///
/// ```
/// let script = "(declare-const p Bool) (assert p) (assert (not p)) (check-sat)";
/// let proof = "warpath-smt-proof 1\ni 2 1 0\ns 1 2\ns 2 -2\nu 1\n";
/// let report = warpath_smt_check::check(script, proof.as_bytes())?;
/// assert!(report.refuted.contains(&1));
/// let wrong = "warpath-smt-proof 1\ni 2 1 0\ns 1 2\nu 1\n";
/// assert!(warpath_smt_check::check(script, wrong.as_bytes()).is_err());
/// # Ok::<(), warpath_smt_check::CheckError>(())
/// ```
pub fn check(script: &str, proof: impl BufRead) -> Result<Report, CheckError> {
    let whole = whole_commands(script);
    let questions = Questions::read(whole)?;
    let mut checker = Checker::new(&questions);
    let mut lines = Lines::new(proof);
    if lines.next()? != Some(HEADER) {
        return Err(CheckError::Header { expected: HEADER });
    }
    let mut numbers = Vec::new();
    loop {
        let line = lines.number + 1;
        let Some(text) = lines.next()? else {
            let cut_off = lines.cut_off || whole.len() < script.len();
            return Ok(Report { cut_off, ..checker.report() });
        };
        let Some(step) = parse(text, &mut numbers) else {
            return Err(CheckError::Syntax { line, text: text.chars().take(60).collect() });
        };
        checker.step(&step).map_err(|reason| CheckError::Wrong { line, reason })?;
    }
}
