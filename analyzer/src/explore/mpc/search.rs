//! Which path prefixes are still to be asked for.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use super::ask::{Answers, Question};
use super::facts::Facts;
use super::known::{Known, RunNr};
use super::path::{RunPath, ThreadPath};
use super::prefix::Prefix;
use super::region::Region;
use super::split::Split;
use crate::model::{Forest, TreeIx};
use crate::queries::{Beyond, PathPrefix};

/// So many impossible prefixes are looked at again before others are asked for.
const MOST_PENDING: usize = 1 << 12;

/// How prefixes that look impossible are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::explore) enum Paths {
    /// They are dropped, and what counts are the events of the run that showed them (strategy 1).
    Dropped,
    /// They are extended thread by thread until no unseen event could make them possible (strategy 2).
    Extended,
}

/// A prefix to be asked for, or to be asked for again.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) prefix: Prefix,
    /// What a run has followed, and the prefix goes beyond.
    pub(super) pre: Prefix,
    seed: Option<Arc<[bool]>>,
    /// Decisions of it that can, or cannot, be made while the other threads do at most what the prefix says, with so
    /// many events.
    pub(super) tried: HashMap<Prefix, (usize, bool)>,
    /// Is it asked for only to see what comes behind it?
    pub(super) extension: bool,
}

/// What a question was asked for.
#[derive(Debug)]
pub(super) enum Purpose {
    /// To follow the prefix.
    Follow(Item, Region),
    /// To see whether some of its decisions are possible.
    Try(Item, Region, Prefix),
}

/// The prefixes still to be asked for.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) paths: Paths,
    /// Of the explorer's forest.
    pub(super) generation: u64,
    pub(super) known: Known,
    splits: VecDeque<Split>,
    /// Prefixes that were impossible.
    pub(super) pending: Vec<Item>,
    /// Prefixes that were asked for.
    pub(super) visited: HashSet<Prefix>,
    pub(super) facts: Facts,
}

impl Search {
    pub(super) fn new(paths: Paths, generation: u64) -> Search {
        Search {
            paths,
            generation,
            known: Known::default(),
            splits: VecDeque::new(),
            pending: Vec::new(),
            visited: HashSet::new(),
            facts: Facts::default(),
        }
    }

    /// About how much is left.
    pub(super) fn left(&self) -> usize {
        self.splits.len() + self.pending.len()
    }

    /// Adds a run that no prefix was followed by: what is new in it is where it goes on from.
    pub(super) fn seed(&mut self, forest: &Forest, run: &RunPath) {
        let familiar = self.known.familiar(run);
        let number = self.add(forest, run);
        self.split(forest, &familiar, number);
    }

    /// Adds a run to those that are known.
    pub(super) fn add(&mut self, forest: &Forest, run: &RunPath) -> RunNr {
        let events = (self.paths == Paths::Dropped).then(|| run.events(forest));
        self.known.add(run, events)
    }

    /// What is left of a prefix after a run that followed it.
    pub(super) fn split(&mut self, forest: &Forest, prefix: &Prefix, run: RunNr) {
        let split = Split::of(forest, prefix, &self.known.paths(run));
        self.push(split.seeded(self.known.events(run)));
    }

    pub(super) fn push(&mut self, split: Split) {
        if !split.is_over() {
            self.splits.push_back(split);
        }
    }

    /// The next questions, at most so many, and as many as can be found until it is to stop.
    pub(super) fn questions(
        &mut self,
        forest: &Forest,
        most: usize,
        stop: &dyn Fn() -> bool,
    ) -> Vec<(Question, Purpose)> {
        let mut questions = Vec::new();
        while questions.len() < most && self.pending.len() < MOST_PENDING && !stop() {
            let Some(split) = self.splits.front_mut() else { break };
            let Some(prefix) = split.next() else {
                self.splits.pop_front();
                continue;
            };
            let (pre, seed) = (split.pre.clone(), split.seed.clone());
            if self.facts.is_hopeless(&prefix) || !self.visited.insert(prefix.clone()) {
                continue;
            }
            if let Some(run) = self.known.find(forest, &prefix, |_| true) {
                self.split(forest, &prefix, run);
                continue;
            }
            let suspected = self.facts.suspects(forest, &prefix).next().is_some();
            let item = Item { prefix, pre, seed, tried: HashMap::new(), extension: false };
            match suspected {
                // When more has been seen, it may turn out otherwise, or many may be settled at once.
                true => self.pending.push(item),
                false => questions.push(item.follow(forest, self.paths)),
            }
        }
        if questions.is_empty() && self.paths == Paths::Extended {
            questions = self.extend(forest, most, stop);
        }
        questions
    }

    /// Is there nothing to be asked for, as far as anybody knows?
    pub(super) fn is_over(&self) -> bool {
        self.splits.is_empty() && self.pending.is_empty()
    }
}

impl Item {
    /// The events of its prefix.
    pub(super) fn region(&self, forest: &Forest) -> Region {
        Region::of(forest, &self.prefix, self.seed.as_deref())
    }

    /// The question whether the prefix is possible.
    pub(super) fn follow(self, forest: &Forest, paths: Paths) -> (Question, Purpose) {
        let region = self.region(forest);
        let want = match paths {
            Paths::Dropped => Answers::Run,
            Paths::Extended => Answers::RunOrCore,
        };
        (question(forest, &self.prefix, &region, want), Purpose::Follow(self, region))
    }

    /// The question whether some decisions of the prefix are possible, while the other threads do at most what it says.
    pub(super) fn attempt(
        self,
        forest: &Forest,
        region: Region,
        decisions: Prefix,
        want: Answers,
    ) -> (Question, Purpose) {
        (question(forest, &decisions, &region, want), Purpose::Try(self, region, decisions))
    }

    /// The same prefix with these threads held back.
    pub(super) fn holding_back(&self, threads: &BTreeSet<TreeIx>) -> Item {
        Item {
            prefix: self.prefix.with(threads.iter().copied(), &self.pre),
            tried: HashMap::new(),
            extension: true,
            ..self.clone()
        }
    }
}

fn question(forest: &Forest, decisions: &Prefix, region: &Region, want: Answers) -> Question {
    let (decisions, beyond) = (decisions.ends(forest), Beyond::Only(region.nodes.clone()));
    debug_assert!(
        decisions.iter().all(|end| region.nodes[end.node.index()]),
        "the events of a prefix lead to its decisions"
    );
    Question { prefix: PathPrefix { decisions, beyond }, want }
}

/// Some threads of a run.
pub(super) fn of_threads(
    paths: BTreeMap<TreeIx, &ThreadPath>,
    wanted: impl Fn(TreeIx) -> bool,
) -> BTreeMap<TreeIx, &ThreadPath> {
    paths.into_iter().filter(|&(tree, _)| wanted(tree)).collect()
}
