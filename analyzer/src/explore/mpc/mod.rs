//! Maximal Path Causality (Yi, Huang; ESEC/FSE 2018): one execution for each path of the whole program.
//!
//! A run shows decisions that could have gone otherwise; all combinations of them over the threads are path prefixes to
//! be asked for, and a prefix that is possible is run, which shows further decisions (`split`). The strategies differ
//! in what becomes of a prefix that is impossible on what is known (Section 3.4 of the paper).
//!
//! - **Strategy 1** asks with the events of one run, the one that the prefix was split from, and drops it. So it misses
//!   what needs events that this run did not have. It is kept to show the difference, and never says that a program is
//!   safe.
//! - **Strategy 2** extends it (`extend`).
//!
//! The number of runs is the number of whole-program paths, a *product* over the threads. `forest` needs the sum.
//!
//! What the paper does not speak of: threads that never come to a decision, because they wait for ever, were not
//! started, or because another thread failed before. Whole-program prefixes ask for all decisions at once, and
//! miss these. So when strategy 2 has nothing left to ask, every single decision that no run has shown is asked for as
//! `forest` does it; what that finds is gone on from. A failure ends the run, and with it the paths of the other
//! threads: it counts as one path, unless another run went further in the same way.

mod ask;
mod extend;
mod facts;
mod known;
mod path;
mod prefix;
mod region;
mod search;
mod split;

pub(super) use path::RunPath;
pub(super) use search::Paths;

use std::sync::Arc;
use std::time::Instant;

use super::ExploreError;
use super::explorer::{Came, Explorer};
use super::lane::Aim;
use super::runner::{Ended, Free, Request, Runner};
use crate::model::Forest;
use ask::{Answer, Core, Done, Question, Task, Trouble, work};
use search::{Purpose, Search};

/// Lanes, and questions for each in a round.
const LANES: usize = 4;
const PER_LANE: usize = 16;

impl Explorer<'_, '_, '_> {
    /// Until no path is left; whether that came to be, and how many there are.
    pub(super) fn explore_paths(&mut self, paths: Paths) -> Result<(bool, Option<usize>), ExploreError> {
        if paths == Paths::Dropped {
            self.doubts.insert(
                "strategy 1 takes a path for unreachable if the run that it branches off from does not show all \
                 it needs, and so misses paths"
                    .to_owned(),
            );
        }
        self.paths = Some(Vec::new());
        self.first()?;
        let mut search = Search::new(paths, self.generation);
        let mut exhausted = false;
        while !self.is_over() {
            self.absorb(&mut search);
            self.progress(search.left());
            let (cancel, until) = (self.options.cancel.clone(), self.until());
            let stop = || cancel.is_cancelled() || until.is_some_and(|until| Instant::now() >= until);
            let questions = search.questions(&self.forest, self.questions_at_once(), &stop);
            if !questions.is_empty() {
                self.ask(&mut search, questions)?;
            } else if search.is_over() && !self.close(paths)? && !self.check_properties()? {
                exhausted = !self.is_over();
                break;
            }
        }
        if !exhausted {
            self.check_what_is_known()?;
        }
        self.absorb(&mut search);
        Ok((exhausted, Some(search.known.count())))
    }

    /// How many questions may be asked before the next look at the bounds.
    fn questions_at_once(&self) -> usize {
        let left = self.options.bounds.executions.map(|most| most.saturating_sub(self.statistics.executions));
        let left = left.map_or(usize::MAX, |left| usize::try_from(left).unwrap_or(usize::MAX));
        left.clamp(1, LANES * PER_LANE)
    }

    /// Asks for single decisions that no run has shown, if that is wanted; whether there were any.
    fn close(&mut self, paths: Paths) -> Result<bool, ExploreError> {
        if paths == Paths::Dropped {
            return Ok(false);
        }
        let candidates = self.frontier.candidates(&self.forest);
        if candidates.is_empty() {
            return Ok(false);
        }
        self.reach(&candidates, Aim::Reach)?;
        Ok(true)
    }

    /// Takes in runs that no prefix has asked for.
    fn absorb(&mut self, search: &mut Search) {
        let runs = self.paths.replace(Vec::new()).unwrap_or_default();
        if search.generation != self.generation {
            // The forest was made anew, and no node is what it was.
            *search = Search::new(search.paths, self.generation);
        }
        let begun = !search.known.is_empty();
        for (n, run) in runs.iter().enumerate() {
            // Of runs that were made again, the first is what everything began with. The others are come upon.
            if begun || n == 0 {
                search.seed(&self.forest, run);
            } else {
                search.add(&self.forest, run);
            }
        }
    }

    /// One round: lanes ask and run what is possible; then all runs are added, in the order of the questions.
    fn ask(&mut self, search: &mut Search, questions: Vec<(Question, Purpose)>) -> Result<(), ExploreError> {
        let per_lane = questions.len().div_ceil(LANES);
        let (mut purposes, mut jobs) = (Vec::new(), Vec::new());
        let mut questions = questions.into_iter().peekable();
        while questions.peek().is_some() {
            let (asked, of_lane): (Vec<_>, Vec<_>) = questions.by_ref().take(per_lane).unzip();
            purposes.push(of_lane);
            let task = Task {
                forest: Arc::clone(&self.forest),
                questions: asked,
                formula: self.options.formula,
                query: self.query(),
                until: self.until(),
                scripts: self.options.scripts,
                base: Request::free(Free::RunToBlock, self.values),
            };
            let lane = self.lane()?;
            jobs.push(move |runner: &mut dyn Runner| work(lane, task, runner));
        }
        let mut lanes = Vec::new();
        let mut answered = Vec::new();
        for (done, purposes) in self.team.all(jobs)?.into_iter().zip(purposes) {
            let Done { lane, answers, lesson, scripts, asked: (before, after), running, thinking } = done;
            lanes.push(lane);
            if let Some(lesson) = lesson {
                self.team.teach(lesson);
            }
            self.statistics.asked(&before, &after);
            self.statistics.running += running;
            self.statistics.encoding += thinking.saturating_sub(after.time.saturating_sub(before.time));
            for (script, manifest) in &scripts {
                self.observer.asked(script, manifest);
            }
            answered.extend(purposes.into_iter().zip(answers.map_err(ExploreError::from)?));
        }
        self.put_back(lanes);
        self.learn(search, answered)
    }

    /// Takes in what came of questions.
    fn learn(&mut self, search: &mut Search, answered: Vec<(Purpose, Answer)>) -> Result<(), ExploreError> {
        let (mut ran, mut runs) = (Vec::new(), Vec::new());
        for (purpose, answer) in answered {
            match answer {
                Answer::Ran(run) => {
                    ran.push(purpose);
                    runs.push(*run);
                }
                Answer::Impossible(core) => search.impossible(&self.forest, purpose, core),
                Answer::Possible => search.possible(purpose),
                Answer::Unknown(reason) => {
                    self.doubts
                        .insert(format!("whether a path prefix is possible was not answered ({reason})"));
                }
                Answer::NotAsked => {}
            }
        }
        let ended: Vec<Ended> = runs.iter().map(|run| run.ended.clone()).collect();
        let Came::Merged(_) = self.take(runs)? else { return Ok(()) };
        let paths = self.paths.replace(Vec::new()).unwrap_or_default();
        for ((purpose, path), ended) in ran.into_iter().zip(paths).zip(ended) {
            if search.ran(&self.forest, purpose, &path) {
                continue;
            }
            let how = match ended {
                // It was cut short; what it did not come to is asked for by itself in the end.
                Ended::Failed(_) | Ended::Interrupted => continue,
                Ended::Diverged(how) | Ended::Cut(how) | Ended::Lost(how) => how,
                Ended::Assumption => "an assumption did not hold".to_owned(),
                Ended::Normally => "it went another way".to_owned(),
            };
            self.doubts.insert(format!("a run did not follow the path prefix that it was made for: {how}"));
        }
        Ok(())
    }
}

impl Search {
    /// A prefix, or some of its decisions, are impossible.
    fn impossible(&mut self, forest: &Forest, purpose: Purpose, core: Option<Core>) {
        if self.paths == Paths::Dropped {
            return;
        }
        let (item, decisions, region) = match purpose {
            Purpose::Try(mut item, region, decisions) => {
                item.tried.insert(decisions.clone(), (region.size, false));
                (item, decisions, region)
            }
            Purpose::Follow(item, region) => {
                let decisions = match core.filter(|core| !core.asked.is_empty()) {
                    Some(core) => {
                        self.facts.note_hopeless(forest, &item.prefix, &core);
                        item.prefix.only(&core.asked)
                    }
                    None => item.prefix.clone(),
                };
                (item, decisions, region)
            }
        };
        self.facts.note(decisions, region.nodes);
        self.pending.push(item);
    }

    /// Some decisions of a prefix are possible.
    fn possible(&mut self, purpose: Purpose) {
        if let Purpose::Try(mut item, region, decisions) = purpose {
            item.tried.insert(decisions, (region.size, true));
            self.pending.push(item);
        }
    }

    /// A run was made; whether it did what it was made for.
    fn ran(&mut self, forest: &Forest, purpose: Purpose, run: &RunPath) -> bool {
        let wanted = match &purpose {
            Purpose::Follow(item, _) => &item.prefix,
            Purpose::Try(_, _, decisions) => decisions,
        };
        let followed = wanted
            .parts
            .iter()
            .all(|(tree, part)| run.threads.get(tree).is_some_and(|path| part.is_followed(forest, path)));
        match purpose {
            Purpose::Follow(item, _) if followed && !item.extension => {
                let number = self.add(forest, run);
                self.split(forest, &item.prefix, number);
            }
            Purpose::Follow(..) => self.seed(forest, run),
            Purpose::Try(..) => {
                self.seed(forest, run);
                self.possible(purpose);
            }
        }
        followed
    }
}

impl From<Trouble> for ExploreError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Formula(error) => error.into(),
            Trouble::Runner(error) => error.into(),
            Trouble::Bug(mismatch) => ExploreError::Bug { mismatch },
        }
    }
}
