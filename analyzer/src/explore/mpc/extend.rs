//! Strategy 2: what to do with a prefix that is impossible as far as is known.
//!
//! It may only *look* impossible, because events are missing that no run has shown: a write behind a decision that has
//! not gone that way yet. The unsatisfiable core names the threads whose decisions are in each other's way. The others
//! are extended: they are let run along the prefix, while the threads of the core are held back where a run is known
//! to have been. What they do beyond the prefix splits it, and the pieces are asked for again. If they do nothing
//! beyond, a thread of the core may be what helps the rest of it, provided that it can get there first.
//!
//! Why nothing is lost: take an execution that follows the prefix, and the first moment in it at which some thread
//! goes beyond the events of the prefix, before the threads of the core have all made their decisions. There is such
//! a moment, else these events would have been enough. That thread is outside of the core, and extended; or it is one
//! of the core, and has made its decisions while the others had done at most what the prefix says.
//!
//! Deviations from the paper. It asks on one trace; here what any run has shown of the prefix counts, so fewer prefixes
//! look impossible. It holds back every thread that contributes a clause to the core, here only those whose decisions
//! do: by the argument above that is enough. And what one core rules out is not asked for again (`facts`).

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::ask::{Answers, Question};
use super::facts::{is_within, needed};
use super::prefix::Prefix;
use super::region::Region;
use super::search::{Item, Purpose, Search, of_threads};
use super::split::Split;
use crate::model::{Forest, TreeIx};

/// What becomes of a prefix that was impossible, or looks as if it were.
enum Next {
    /// It was split, or followed after all.
    Over,
    /// It is really impossible.
    Impossible,
    /// It has to be asked for.
    Follow,
    /// Some of its decisions have to be asked for.
    Try(Prefix, Answers),
    /// It has to be asked for with some threads held back.
    HoldBack(Item),
    /// Something else has to be known first.
    Wait,
}

impl Search {
    /// Questions about prefixes that were impossible. If there are none and nothing was split, they stay impossible.
    pub(super) fn extend(
        &mut self,
        forest: &Forest,
        most: usize,
        stop: &dyn Fn() -> bool,
    ) -> Vec<(Question, Purpose)> {
        let mut items: Vec<(Item, Region)> = std::mem::take(&mut self.pending)
            .into_iter()
            .map(|item| {
                let region = item.region(forest);
                (item, region)
            })
            .collect();
        // What is impossible with many events is impossible with few.
        items.sort_by_key(|(_, region)| Reverse(region.size));
        let mut round = Round::default();
        let mut kept = Vec::new();
        let mut over = false;
        let mut items = items.into_iter();
        while round.questions.len() < most && !stop() {
            let Some((item, region)) = items.next() else { break };
            match self.next(forest, &item, &region, &round) {
                Next::Over => over = true,
                Next::Impossible => {}
                Next::Wait => kept.push(item),
                Next::Follow => round.questions.push(item.follow(forest, self.paths)),
                Next::Try(decisions, want) => {
                    let events = needed(forest, &decisions, &region.nodes);
                    round.asked.push((decisions.clone(), events));
                    round.questions.push(item.attempt(forest, region, decisions, want));
                }
                Next::HoldBack(extended) => {
                    round.questions.push(extended.follow(forest, self.paths));
                    kept.push(item);
                }
            }
        }
        let more = items.len() > 0;
        kept.extend(items.map(|(item, _)| item));
        if !round.questions.is_empty() || over || more {
            self.pending = kept;
        }
        round.questions
    }

    fn next(&mut self, forest: &Forest, item: &Item, region: &Region, round: &Round) -> Next {
        if self.facts.is_hopeless(&item.prefix) {
            return Next::Impossible;
        }
        if let Some(run) = self.known.find(forest, &item.prefix, |_| true) {
            self.split(forest, &item.prefix, run);
            return Next::Over;
        }
        let Some(core) = self.facts.refute(forest, &item.prefix, &region.nodes).map(Prefix::threads) else {
            return match self.facts.suspects(forest, &item.prefix).next() {
                Some(decisions) if item.is_possible(decisions, region) => Next::Follow,
                Some(decisions) if round.may_settle(forest, decisions, region) => Next::Wait,
                Some(decisions) => Next::Try(decisions.clone(), Answers::Verdict),
                None => Next::Follow,
            };
        };
        let extended = item.holding_back(&core);
        let mut split = None;
        let mut is_followed = false;
        self.known.find(forest, &extended.prefix, |run| {
            is_followed = true;
            let paths = of_threads(self.known.paths(run), |tree| !core.contains(&tree));
            split = Split::along(forest, &item.prefix, &item.pre, &paths);
            split.is_some()
        });
        if let Some(split) = split {
            self.push(split);
            return Next::Over;
        }
        if !is_followed {
            return match self.visited.insert(extended.prefix.clone()) {
                true => Next::HoldBack(extended),
                false => Next::Wait,
            };
        }
        self.within_core(forest, item, region, &core)
    }

    /// The threads outside of the core do nothing that helps. One of the core can help the others only if it gets to
    /// where the prefix wants it before they do.
    fn within_core(
        &mut self,
        forest: &Forest,
        item: &Item,
        region: &Region,
        core: &BTreeSet<TreeIx>,
    ) -> Next {
        for tree in core.iter().filter(|&&tree| core.len() > 1 && region.goes_on(tree)) {
            let alone = item.prefix.only([tree]);
            match item.tried.get(&alone) {
                Some(&(size, possible)) if size == region.size => {
                    if let Some(split) = possible.then(|| self.split_one(forest, item, *tree)).flatten() {
                        self.push(split);
                        return Next::Over;
                    }
                }
                _ => {
                    // If no run has shown what comes behind, this one does.
                    let shown = self.known.find(forest, &alone, |_| true).is_some();
                    return Next::Try(alone, if shown { Answers::Verdict } else { Answers::Run });
                }
            }
        }
        Next::Impossible
    }

    /// The prefix, cut along what one thread of a run has done beyond it.
    fn split_one(&self, forest: &Forest, item: &Item, tree: TreeIx) -> Option<Split> {
        let mut split = None;
        self.known.find(forest, &item.prefix.only([&tree]), |run| {
            let paths = of_threads(self.known.paths(run), |other| other == tree);
            split = Split::along(forest, &item.prefix, &item.pre, &paths);
            split.is_some()
        });
        split
    }
}

impl Item {
    /// Are these decisions known to be possible with the events of the prefix?
    fn is_possible(&self, decisions: &Prefix, region: &Region) -> bool {
        self.tried.get(decisions) == Some(&(region.size, true))
    }
}

/// A round of questions in the making.
#[derive(Default)]
struct Round {
    questions: Vec<(Question, Purpose)>,
    /// Decisions that are tried in it, with these events.
    asked: Vec<(Prefix, Vec<bool>)>,
}

impl Round {
    /// May what is asked for in this round say that these decisions are impossible?
    fn may_settle(&self, forest: &Forest, decisions: &Prefix, region: &Region) -> bool {
        let mut same = self.asked.iter().filter(|(asked, _)| asked == decisions).peekable();
        if same.peek().is_none() {
            return false;
        }
        let events = needed(forest, decisions, &region.nodes);
        same.any(|(_, all)| is_within(&events, all))
    }
}
