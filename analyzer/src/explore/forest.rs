//! The strategy of our own: any outcome of any thread's decisions that no run has shown.
//!
//! The number of runs is at most the number of nodes of the thread trees, a sum over the threads; enumerating paths of
//! the whole program takes the product.

use std::sync::Arc;

use super::ExploreError;
use super::explorer::{Came, Explorer};
use super::frontier::{AGAIN, Known};
use super::lane::{Aim, Done, Task, mismatch};
use super::runner::{Ended, Free, Observed, Request, Runner};
use crate::queries::{OpenEnd, Verdict, Wish, open_ends};

/// Lanes at most.
const MOST_LANES: usize = 4;

/// What a round of questions has told, besides what it ran and what it has ruled out for good.
#[derive(Debug, Default)]
pub(super) struct Answered {
    /// Ends that cannot be reached within the limit that was asked for.
    pub(super) impossible: Vec<OpenEnd>,
    /// Ends that can be reached, and were not tried.
    pub(super) possible: Vec<OpenEnd>,
}

impl Explorer<'_, '_, '_> {
    /// Until nothing unseen can be reached; whether that came to be.
    pub(super) fn explore_forest(&mut self) -> Result<bool, ExploreError> {
        self.first()?;
        self.exhaust()
    }

    /// The same from where the search stands.
    pub(super) fn exhaust(&mut self) -> Result<bool, ExploreError> {
        while !self.is_over() {
            let candidates = self.frontier.candidates(&self.forest);
            self.progress(candidates.len());
            if !candidates.is_empty() {
                self.reach(&candidates, Aim::Reach)?;
            } else if !self.check_properties()? {
                return Ok(!self.is_over());
            }
        }
        self.check_what_is_known()?;
        Ok(false)
    }

    /// A search that ends early: what is known by now is checked all the same.
    pub(super) fn check_what_is_known(&mut self) -> Result<(), ExploreError> {
        if self.is_late() {
            self.doubts.insert("there was no time to look for deadlocks and uses after free".to_owned());
            return Ok(());
        }
        let enough = self.options.stop_at_first && !self.bugs.is_empty();
        if !self.options.cancel.is_cancelled() && !enough {
            self.check_properties()?;
        }
        Ok(())
    }

    /// One round: lanes ask for ends and run what they find; then all runs are added, in the order of the lanes.
    pub(super) fn reach(&mut self, candidates: &[Wish], aim: Aim) -> Result<Answered, ExploreError> {
        let mut jobs = Vec::new();
        let room = if aim.runs() { self.runs_left() } else { usize::MAX };
        for wishes in self.deal(candidates).into_iter().take(room) {
            let task = Task {
                forest: Arc::clone(&self.forest),
                wishes,
                aim,
                preemptions: self.options.bounds.preemptions,
                formula: self.options.formula,
                query: self.query(),
                scripts: self.options.scripts,
                base: Request::free(Free::RunToBlock, self.values),
            };
            let lane = self.lane()?;
            jobs.push(move |runner: &mut dyn Runner| {
                let done = lane.work(task, runner);
                let lesson = matches!(&done.run, Some(Ok(run)) if run.renewed).then(|| runner.learnt());
                (done, lesson)
            });
        }
        let mut lanes = Vec::new();
        let mut runs = Vec::new();
        let mut aimed: Vec<(Vec<OpenEnd>, usize)> = Vec::new();
        let mut answered = Answered::default();
        let asked = Arc::clone(&self.forest);
        for (done, lesson) in self.team.all(jobs)? {
            if let Some(lesson) = lesson {
                self.team.teach(lesson);
            }
            let Done {
                lane,
                wishes,
                answer,
                run,
                too_many,
                scripts,
                asked: (before, after),
                running,
                thinking,
            } = done;
            lanes.push(lane);
            self.statistics.asked(&before, &after);
            self.statistics.running += running;
            self.statistics.encoding += thinking.saturating_sub(after.time.saturating_sub(before.time));
            for (script, manifest) in &scripts {
                self.observer.asked(script, manifest);
            }
            let several = answer?;
            if wishes.len() > 1 {
                self.frontier.asked(match several.verdict {
                    Verdict::Possible(_) | Verdict::Bug(_) => Some(true),
                    Verdict::Impossible => Some(false),
                    Verdict::Unknown(_) => None,
                });
            }
            if let Some(mismatch) = mismatch(&several) {
                return Err(ExploreError::Bug { mismatch: Box::new(mismatch.clone()) });
            }
            for &n in &several.impossible {
                match aim.most() {
                    Some(_) => answered.impossible.push(wishes[n].end.clone()),
                    None => self.frontier.note(&asked, wishes[n].end.clone(), Known::Impossible),
                }
            }
            let reached: Vec<OpenEnd> = several.reached.iter().map(|&n| wishes[n].end.clone()).collect();
            if let Some(most) = self.options.bounds.preemptions.filter(|_| too_many) {
                for end in &reached {
                    let bound = format!("{most} preemptions (--max-preemptions)");
                    self.frontier.failed(&asked, end.clone(), Known::Bounded(bound));
                }
            }
            for (n, reason) in &several.unknown {
                let end = wishes[*n].end.clone();
                match wishes.len() {
                    1 => self.frontier.note(&asked, end, Known::Unknown(reason.to_string())),
                    // Together they are too hard; alone each of them may not be.
                    _ => self.frontier.failed(&asked, end, Known::Missed(reason.to_string())),
                }
            }
            if let (Some(run), Verdict::Possible(_)) = (run, &several.verdict) {
                aimed.push((reached, runs.len()));
                runs.push(run?);
            } else {
                answered.possible.extend(reached);
            }
        }
        self.put_back(lanes);
        self.take_aimed(runs, &aimed)?;
        Ok(answered)
    }

    /// Adds runs, and notes what they did not reach although they should have.
    fn take_aimed(
        &mut self,
        runs: Vec<Observed>,
        aimed: &[(Vec<OpenEnd>, usize)],
    ) -> Result<(), ExploreError> {
        let Came::Merged(merged) = self.take(runs)? else { return Ok(()) };
        let open: std::collections::HashSet<OpenEnd> = open_ends(&self.forest).into_iter().collect();
        for (ends, run) in aimed {
            let ended = &merged[*run].observed.ended;
            if *ended == Ended::Interrupted {
                continue;
            }
            for end in ends.iter().filter(|end| open.contains(end)) {
                let how = match ended {
                    Ended::Diverged(how) | Ended::Cut(how) | Ended::Lost(how) => how.clone(),
                    _ => "the run went another way".to_owned(),
                };
                self.frontier.failed(&self.forest, end.clone(), Known::Missed(how));
            }
        }
        Ok(())
    }

    /// Deals wishes out to lanes: by the search alone, not by the number of workers.
    fn deal(&self, wishes: &[Wish]) -> Vec<Vec<Wish>> {
        let alone = |wish: &&Wish| !wish.end.is_in_forest() || self.frontier.is_delicate(&wish.end);
        let mut together: Vec<&Wish> = wishes.iter().filter(|wish| !alone(wish)).collect();
        if together.first().is_some_and(|wish| wish.rank < AGAIN) {
            together.retain(|wish| wish.rank < AGAIN);
        }
        let chunks = together.chunks(self.frontier.appetite()).take(MOST_LANES);
        let mut groups: Vec<Vec<Wish>> =
            chunks.map(|chunk| chunk.iter().map(|&wish| wish.clone()).collect()).collect();
        let room = MOST_LANES.saturating_sub(groups.len()).max(1);
        groups.extend(wishes.iter().filter(alone).take(room).map(|wish| vec![wish.clone()]));
        groups
    }
}
