//! The runs made so far, by their paths.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::path::{RunPath, ThreadPath};
use super::prefix::{Part, Prefix};
use crate::explore::runner::Ended;
use crate::model::{Forest, TreeIx};

/// A run, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RunNr(usize);

/// The paths of the runs made so far. Few paths of threads make many of the program, so each is kept once.
#[derive(Debug, Default)]
pub(super) struct Known {
    threads: BTreeMap<TreeIx, Vec<ThreadPath>>,
    numbers: HashMap<(TreeIx, ThreadPath), u32>,
    runs: Vec<Run>,
}

#[derive(Debug)]
struct Run {
    paths: BTreeMap<TreeIx, u32>,
    counts: bool,
    /// Did every thread come to its end?
    whole: bool,
    /// Its events, where only those of one run count.
    events: Option<Arc<[bool]>>,
}

impl Known {
    /// Has no run been made?
    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Adds a run; its path may be known already.
    pub(super) fn add(&mut self, run: &RunPath, events: Option<Arc<[bool]>>) -> RunNr {
        let mut paths = BTreeMap::new();
        for (&tree, path) in &run.threads {
            let of_tree = self.threads.entry(tree).or_default();
            let number = *self.numbers.entry((tree, path.clone())).or_insert_with(|| {
                of_tree.push(path.clone());
                of_tree.len() as u32 - 1
            });
            paths.insert(tree, number);
        }
        let (counts, whole) = (run.counts(), run.ended == Ended::Normally);
        self.runs.push(Run { paths, counts, whole, events });
        RunNr(self.runs.len() - 1)
    }

    /// What the threads of a run decided.
    pub(super) fn paths(&self, run: RunNr) -> BTreeMap<TreeIx, &ThreadPath> {
        let paths = self.runs[run.0].paths.iter();
        paths.map(|(&tree, &number)| (tree, &self.threads[&tree][number as usize])).collect()
    }

    /// The events of a run, where only those count.
    pub(super) fn events(&self, run: RunNr) -> Option<Arc<[bool]>> {
        self.runs[run.0].events.clone()
    }

    /// A run that follows a prefix and of which something else is true.
    pub(super) fn find(
        &self,
        forest: &Forest,
        prefix: &Prefix,
        mut is_so: impl FnMut(RunNr) -> bool,
    ) -> Option<RunNr> {
        let follows: Vec<(TreeIx, Vec<bool>)> = prefix
            .parts
            .iter()
            .map(|(&tree, part)| {
                let paths = self.threads.get(&tree).map_or(&[][..], |paths| &paths[..]);
                (tree, paths.iter().map(|path| part.is_followed(forest, path)).collect())
            })
            .collect();
        let is_followed = |run: &Run| {
            follows
                .iter()
                .all(|(tree, follows)| run.paths.get(tree).is_some_and(|&number| follows[number as usize]))
        };
        let runs = self.runs.iter().enumerate().filter(|(_, run)| is_followed(run));
        runs.map(|(number, _)| RunNr(number)).find(|&run| is_so(run))
    }

    /// The prefix of a path that runs have shown so far, thread by thread.
    pub(super) fn familiar(&self, run: &RunPath) -> Prefix {
        let mut prefix = Prefix::default();
        for (&tree, path) in &run.threads {
            let paths = self.threads.get(&tree).map_or(&[][..], |paths| &paths[..]);
            let common = |known: &ThreadPath| {
                known.choices.iter().zip(path.choices.iter()).take_while(|(a, b)| a == b).count()
            };
            let len = paths.iter().map(common).max().unwrap_or(0);
            prefix.set(tree, Part::new(&path.choices, len, None));
        }
        prefix
    }

    /// How many paths of the program there are. A path that was cut short, by a failure say, is none of its own if
    /// another run went further in the same way.
    pub(super) fn count(&self) -> usize {
        let counted = self.runs.iter().filter(|run| run.counts);
        let whole: BTreeSet<&BTreeMap<TreeIx, u32>> = counted.clone().map(|run| &run.paths).collect();
        let cut: BTreeSet<&BTreeMap<TreeIx, u32>> =
            counted.filter(|run| !run.whole).map(|run| &run.paths).collect();
        let is_less = |short: &BTreeMap<TreeIx, u32>, long: &BTreeMap<TreeIx, u32>| {
            short != long
                && short.iter().all(|(tree, &number)| {
                    let paths = &self.threads[tree];
                    let choices = &paths[number as usize].choices;
                    let further = long.get(tree).map(|&number| &paths[number as usize].choices);
                    choices.is_empty() || further.is_some_and(|further| further.starts_with(choices))
                })
        };
        let none_of_its_own = cut.iter().filter(|short| whole.iter().any(|long| is_less(short, long)));
        whole.len() - none_of_its_own.count()
    }
}
