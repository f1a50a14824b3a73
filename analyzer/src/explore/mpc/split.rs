//! Splitting: the path prefixes that a run leaves unexplored.
//!
//! A run that followed a prefix shows further decisions in each thread. Any thread may go on as it did, or otherwise at
//! any one of them; all combinations, except the run itself, are what is left of the prefix. They exclude each other,
//! so every path of the program is behind one of them. Of `n` threads with `s` further decisions each there are
//! `(s + 1)^n`, so they are made one at a time.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::path::ThreadPath;
use super::prefix::{Part, Prefix};
use crate::model::{Forest, TreeIx};
use crate::queries::{OpenEnd, Want};

/// The unexplored rest of a prefix, after a run.
#[derive(Clone, Debug)]
pub(super) struct Split {
    /// What a run is known to follow, and all of them go beyond.
    pub(super) pre: Prefix,
    base: Prefix,
    /// Per thread, the ways it may go on; the first is that of the run.
    ways: Vec<(TreeIx, Vec<Part>)>,
    /// The next combination; none if there are no more.
    next: Option<Vec<usize>>,
    /// The events of the run, if nothing else counts.
    pub(super) seed: Option<Arc<[bool]>>,
}

impl Split {
    /// What is left of a prefix after a run that followed it.
    pub(super) fn of(forest: &Forest, base: &Prefix, run: &BTreeMap<TreeIx, &ThreadPath>) -> Split {
        let mut split = Split::ways(forest, base, run);
        split.pre = base.clone();
        // The first combination is the run itself.
        split.advance();
        split
    }

    /// A prefix that no run has followed, cut along what some threads of a run have done beyond it.
    pub(super) fn along(
        forest: &Forest,
        base: &Prefix,
        pre: &Prefix,
        run: &BTreeMap<TreeIx, &ThreadPath>,
    ) -> Option<Split> {
        let mut split = Split::ways(forest, base, run);
        split.pre = pre.clone();
        (!split.ways.is_empty()).then_some(split)
    }

    fn ways(forest: &Forest, base: &Prefix, run: &BTreeMap<TreeIx, &ThreadPath>) -> Split {
        let mut all = Vec::new();
        for (&tree, path) in run {
            let known = base.parts.get(&tree);
            let len = known.map_or(0, |part| part.len);
            let after = known.and_then(|part| part.then.as_ref());
            let whole = Part::new(&path.choices, path.choices.len(), None);
            let mut ways = vec![whole];
            for (n, choice) in path.choices.iter().enumerate().skip(len) {
                let others = choice.others(forest, after.filter(|_| n == len));
                ways.extend(others.into_iter().map(|end| Part::new(&path.choices, n, Some(end))));
            }
            if let Some(node) = path.refused {
                let kept = OpenEnd { node, want: Want::Held(true) };
                ways.push(Part::new(&path.choices, path.choices.len(), Some(kept)));
            }
            let longer = path.choices.len() > len + usize::from(after.is_some());
            if ways.len() > 1 || longer {
                all.push((tree, ways));
            }
        }
        // Threads that go no further keep their decisions, those that were to go otherwise the way they went.
        let mut base = base.clone();
        for (&tree, path) in run {
            base.set(tree, Part::new(&path.choices, path.choices.len(), None));
        }
        let next = Some(vec![0; all.len()]);
        Split { pre: Prefix::default(), base, ways: all, next, seed: None }
    }

    /// Lets only the events of a run count.
    pub(super) fn seeded(self, events: Option<Arc<[bool]>>) -> Split {
        Split { seed: events, ..self }
    }

    /// Is nothing left?
    pub(super) fn is_over(&self) -> bool {
        self.next.is_none()
    }

    fn advance(&mut self) {
        let Some(next) = &mut self.next else { return };
        for ((_, ways), at) in self.ways.iter().zip(next.iter_mut()) {
            *at += 1;
            if *at < ways.len() {
                return;
            }
            *at = 0;
        }
        self.next = None;
    }
}

impl Iterator for Split {
    type Item = Prefix;

    fn next(&mut self) -> Option<Prefix> {
        let at = self.next.clone()?;
        let mut prefix = self.base.clone();
        for ((tree, ways), at) in self.ways.iter().zip(at) {
            prefix.set(*tree, ways[at].clone());
        }
        self.advance();
        Some(prefix)
    }
}
