//! Is what happened what was expected?

use serde::Serialize;
use warpath_native::run::{End, Run, Why};
use warpath_trace::si::Si;

use crate::runs::Ended;

/// What the schedule itself shows, once it was followed: the program need not fail.
const SHOWN_BY_SCHEDULE: [&str; 3] = ["data-race", "atomicity-violation", "order-violation"];

/// Is nothing more expected of a program that has followed the schedule?
pub(super) fn is_shown_by_schedule(outcome: &str) -> bool {
    SHOWN_BY_SCHEDULE.contains(&outcome)
}

/// What a replay came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Verdict {
    /// What was expected happened.
    Reproduced,
    /// The program failed in another way.
    Otherwise,
    /// The schedule was followed and nothing failed.
    NotReproduced,
    /// The schedule could not be followed.
    Diverged,
    /// The run was stopped before its end.
    Cut,
}

/// The verdict, and the words for it.
#[derive(Debug, Serialize)]
pub(super) struct Judgement {
    pub(super) verdict: Verdict,
    /// What the SI file expects; empty if it does not say.
    expected: String,
    /// Steps of the schedule.
    steps: usize,
    /// How many of them were taken, or left out, before the run ended.
    taken: usize,
    divergence: Option<Parting>,
    /// What else is worth knowing.
    remarks: Vec<String>,
}

/// Where program and schedule part.
#[derive(Debug, Serialize)]
struct Parting {
    step: usize,
    expected: String,
    found: String,
}

impl Judgement {
    pub(super) fn of(si: &Si, run: &Run, ended: &Ended) -> Judgement {
        let (expect, steps) = (&si.expect, si.schedule.len());
        let taken = steps.saturating_sub(run.left);
        let mut judgement = Judgement {
            verdict: Verdict::NotReproduced,
            expected: expect.outcome.clone(),
            steps,
            taken,
            divergence: None,
            remarks: Vec::new(),
        };
        let by_schedule = is_shown_by_schedule(&expect.outcome);
        match &run.end {
            End::Stopped(Why::Diverged(found)) => {
                judgement.verdict = Verdict::Diverged;
                let expected = found.expected.clone();
                judgement.divergence =
                    Some(Parting { step: found.step, expected, found: found.found.clone() });
            }
            End::Stopped(Why::Assumption) | End::Exited(_) if run.left > 0 => {
                judgement.verdict = Verdict::Diverged;
                judgement.divergence = Some(Parting {
                    step: taken + 1,
                    expected: si.schedule.get(taken).map(ToString::to_string).unwrap_or_default(),
                    found: format!("the program {} before", ended.message),
                });
            }
            End::Stopped(Why::Assumption | Why::Time(_)) | End::Exited(_) | End::Failed(_)
                if by_schedule && run.left == 0 =>
            {
                judgement.verdict = Verdict::Reproduced;
                if let Some(failure) = &ended.failure {
                    judgement
                        .remarks
                        .push(format!("the program then fails: {}: {}", failure.kind, failure.message));
                }
            }
            End::Failed(_) => judgement.compare(si, ended),
            End::Exited(_) | End::Stopped(Why::Assumption) => {}
            End::Stopped(_) => judgement.verdict = Verdict::Cut,
        }
        judgement
    }

    /// The program failed: as expected?
    fn compare(&mut self, si: &Si, ended: &Ended) {
        let Some(failure) = &ended.failure else { return };
        let expect = &si.expect;
        let same_kind = expect.outcome.is_empty() || expect.outcome == failure.kind;
        self.verdict = if same_kind { Verdict::Reproduced } else { Verdict::Otherwise };
        if !same_kind {
            self.remarks.push(format!("the SI file expects `{}`", expect.outcome));
        }
        let differs = |expected: &str, found: &str| !expected.is_empty() && expected != found;
        if same_kind && differs(&expect.place, &failure.place) {
            self.remarks.push(format!("the SI file expects it at {}", expect.place));
        }
        if same_kind && differs(&expect.thread, &failure.thread) {
            self.remarks.push(format!("the SI file expects it in {}", expect.thread));
        }
    }

    /// What else is worth knowing.
    pub(super) fn remark(&mut self, remarks: Vec<String>) {
        self.remarks.extend(remarks);
    }

    /// The schedule was followed, but what it should show did not come about.
    pub(super) fn miss(&mut self) {
        if self.verdict == Verdict::Reproduced {
            self.verdict = Verdict::NotReproduced;
            self.remarks.push("the two threads did not come to their accesses at the same time".to_owned());
        }
    }

    /// Not all runs were the same.
    pub(super) fn disagree(&mut self, agreed: u64, times: u64) {
        self.verdict = Verdict::Diverged;
        self.remarks.push(format!(
            "{} of {times} runs differ from the first: something that Warpath does not control decides",
            times - agreed
        ));
    }

    /// For people.
    pub(super) fn text(&self, ended: &Ended) -> String {
        let mut text = match (self.verdict, &ended.failure) {
            (Verdict::Reproduced, Some(failure)) if !is_shown_by_schedule(&self.expected) => {
                failure.text("REPRODUCED")
            }
            (Verdict::Reproduced, _) => {
                format!(
                    "REPRODUCED {}: the schedule was followed, which shows it\n",
                    self.expected.replace('-', " ")
                )
            }
            (Verdict::Otherwise, Some(failure)) => failure.text("FAILED OTHERWISE"),
            (Verdict::Otherwise, None) => "FAILED OTHERWISE\n".to_owned(),
            (Verdict::NotReproduced, _) => {
                format!("NOT REPRODUCED: the schedule was followed, and the program {}\n", ended.message)
            }
            (Verdict::Cut, _) => format!("UNKNOWN: the program {}\n", ended.message),
            (Verdict::Diverged, _) => match &self.divergence {
                Some(Parting { step, expected, found }) => format!(
                    "DIVERGED at step {step} of {}\n  schedule: {expected}\n  program:  {found}\n",
                    self.steps
                ),
                None => "DIVERGED\n".to_owned(),
            },
        };
        for remark in &self.remarks {
            text.push_str(&format!("  note: {remark}\n"));
        }
        text.push_str(&format!("  {} of {} steps\n", self.taken, self.steps));
        text
    }
}
