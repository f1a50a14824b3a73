//! The strategy of our own: any outcome of any thread's decisions that no run has shown.
//!
//! The number of runs is at most the number of nodes of the thread trees, a sum over the threads; enumerating paths of
//! the whole program takes the product.

use std::sync::Arc;

use super::ExploreError;
use super::explorer::{Came, Explorer};
use super::frontier::Known;
use super::lane::{Done, Task, mismatch};
use super::runner::{Ended, Free, Observed, Request, Runner};
use crate::queries::{OpenEnd, Verdict, open_ends};

/// Ends that one run may be asked to reach.
const MOST_ENDS: usize = 32;
/// With so many ends for each, another lane is opened.
const ENDS_PER_LANE: usize = 12;
/// Lanes at most.
const MOST_LANES: usize = 4;

impl Explorer<'_, '_, '_> {
    /// Until nothing unseen can be reached; whether that came to be.
    pub(super) fn explore_forest(&mut self) -> Result<bool, ExploreError> {
        self.first()?;
        while !self.is_over() {
            let candidates = self.frontier.candidates(&self.forest);
            self.progress(candidates.len());
            if !candidates.is_empty() {
                self.reach(&candidates)?;
            } else if !self.check_properties()? {
                return Ok(!self.is_over());
            }
        }
        // What is known by now is checked all the same.
        if !self.options.cancel.is_cancelled() && !(self.options.stop_at_first && !self.bugs.is_empty()) {
            self.check_properties()?;
        }
        Ok(false)
    }

    /// One round: lanes ask for ends and run what they find; then all runs are added, in the order of the lanes.
    fn reach(&mut self, candidates: &[OpenEnd]) -> Result<(), ExploreError> {
        let mut jobs = Vec::new();
        for ends in self.deal(candidates) {
            let task = Task {
                forest: Arc::clone(&self.forest),
                ends,
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
        let asked = Arc::clone(&self.forest);
        for (done, lesson) in self.team.all(jobs)? {
            if let Some(lesson) = lesson {
                self.team.teach(lesson);
            }
            let Done { lane, ends, answer, run, scripts, asked: (before, after), running, thinking } = done;
            lanes.push(lane);
            self.statistics.asked(&before, &after);
            self.statistics.running += running;
            self.statistics.encoding += thinking.saturating_sub(after.time.saturating_sub(before.time));
            for (script, manifest) in &scripts {
                self.observer.asked(script, manifest);
            }
            let several = answer?;
            if let Some(mismatch) = mismatch(&several) {
                return Err(ExploreError::Bug { mismatch: Box::new(mismatch.clone()) });
            }
            for &n in &several.impossible {
                self.frontier.note(&asked, ends[n].clone(), Known::Impossible);
            }
            for (n, reason) in &several.unknown {
                self.frontier.note(&asked, ends[*n].clone(), Known::Unknown(reason.to_string()));
            }
            if let (Some(run), Verdict::Possible(_)) = (run, &several.verdict) {
                let reached = several.reached.iter().map(|&n| ends[n].clone()).collect();
                aimed.push((reached, runs.len()));
                runs.push(run?);
            }
        }
        self.put_back(lanes);
        self.take_aimed(runs, &aimed)
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
                self.frontier.missed(&self.forest, end.clone(), how);
            }
        }
        Ok(())
    }

    /// Deals ends out to lanes: by the search alone, not by the number of workers.
    fn deal(&self, candidates: &[OpenEnd]) -> Vec<Vec<OpenEnd>> {
        let alone = |end: &&OpenEnd| !end.is_in_forest() || self.frontier.is_delicate(end);
        let together: Vec<&OpenEnd> = candidates.iter().filter(|end| !alone(end)).collect();
        let mut groups: Vec<Vec<OpenEnd>> = Vec::new();
        if !together.is_empty() {
            let lanes = (together.len() / ENDS_PER_LANE).clamp(1, MOST_LANES);
            groups = vec![Vec::new(); lanes];
            for (n, end) in together.into_iter().take(lanes * MOST_ENDS).enumerate() {
                groups[n % lanes].push(end.clone());
            }
        }
        let room = MOST_LANES.saturating_sub(groups.len()).max(1);
        groups.extend(candidates.iter().filter(alone).take(room).map(|end| vec![end.clone()]));
        groups
    }
}
