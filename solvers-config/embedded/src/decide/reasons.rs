//! Smaller reasons for `unsat`: one pass that leaves out one assumption after the other.
//!
//! The deletion filter of Chinneck and Dravnieks (Locating Minimal Infeasible Constraint Sets in Linear Programs,
//! 1991), with the engine's own reason after each success in place of the set that was tried. Deviation: the effort is
//! bounded, so the result is small but not always minimal.

use super::Decider;
use warpath_smt_engine::Outcome;
use warpath_solvers::term::{TermId, Terms};

/// Most checks of one pass.
const MOST_CHECKS: usize = 256;
/// How often the engine may ask whether to stop, over the whole pass.
const PATIENCE: u32 = 2_000;

/// Some of `reason` that suffice, as `reason` does.
pub(crate) fn shrink<D: Decider>(engine: &mut D, terms: &mut Terms, reason: Vec<TermId>) -> Vec<TermId> {
    let mut reason = reason;
    let mut patience = PATIENCE;
    // Those before this one are needed, or it is not known that they are not.
    let mut next = 0;
    for _ in 0..MOST_CHECKS {
        if next >= reason.len() || patience == 0 {
            break;
        }
        let mut without = reason.clone();
        without.remove(next);
        let mut stop = || {
            patience = patience.saturating_sub(1);
            patience == 0
        };
        match engine.check(terms, &without, &mut stop) {
            Ok(Outcome::Unsat) => {
                let failed = engine.failed();
                // In the old order, so that what was tried stays in front.
                let kept: Vec<TermId> =
                    without.iter().copied().filter(|term| failed.contains(term)).collect();
                next = reason[..next].iter().filter(|term| kept.contains(term)).count();
                reason = kept;
            }
            Ok(Outcome::Sat | Outcome::Unknown) | Err(_) => next += 1,
        }
    }
    reason
}
