//! What a repair demands of executions.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use warpath_solvers::term::{TermError, TermId};
use warpath_trace::event::Op;

use super::section::{Section, sections, whole};
use super::spot::{Region, Spot};
use crate::diagnose::ordering::effect;
use crate::encode::{Encoding, Point, drains};
use crate::model::{Forest, NodeId, Outcome, TreeIx};

/// A change of the program that rules out schedules.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
pub enum Rule {
    /// No two threads are in any of these regions at a time: one lock for all of them.
    CriticalSections {
        /// The regions.
        regions: Vec<Region>,
    },
    /// What a thread wrote before these lines is seen by all when it comes there.
    Fences {
        /// The lines, each with a fence in front.
        before: Vec<Spot>,
    },
    /// A thread waits in front of a line until another thread has been at another line.
    Wait {
        /// Where it waits.
        before: Spot,
        /// What has to have happened.
        until: Spot,
        /// How often, and by whom.
        how: How,
    },
    /// Of these threads one runs at a time, from its beginning to its end: one lock around what each of them does.
    OneByOne {
        /// Their keys.
        threads: Vec<String>,
    },
    /// Who starts a thread at one of these lines goes on only when that thread has come to its end.
    JoinAtOnce {
        /// Where threads are started.
        after: Vec<Spot>,
    },
}

/// What a thread waits for in front of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// That somebody else has been there once.
    Once,
    /// That somebody else has been there as often as it has been here: a semaphore.
    Each,
    /// That everybody else who comes there has been there: a barrier, or a join.
    All,
}

/// What sort of change it is; the preferred first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    CriticalSections,
    Fences,
    Wait,
    OneByOne,
    JoinAtOnce,
}

impl Rule {
    pub(super) fn kind(&self) -> Kind {
        match self {
            Rule::CriticalSections { .. } => Kind::CriticalSections,
            Rule::Fences { .. } => Kind::Fences,
            Rule::Wait { .. } => Kind::Wait,
            Rule::OneByOne { .. } => Kind::OneByOne,
            Rule::JoinAtOnce { .. } => Kind::JoinAtOnce,
        }
    }

    /// How many places of the program it changes.
    pub fn places(&self) -> usize {
        match self {
            Rule::CriticalSections { regions } => regions.len(),
            Rule::Fences { before } => before.len(),
            Rule::Wait { .. } => 2,
            Rule::OneByOne { threads } => threads.len(),
            Rule::JoinAtOnce { after } => after.len(),
        }
    }

    /// How many lines it affects.
    pub fn lines(&self) -> u32 {
        match self {
            Rule::CriticalSections { regions } => regions.iter().map(Region::lines).sum(),
            Rule::Fences { before } => before.len() as u32,
            Rule::Wait { .. } => 2,
            Rule::OneByOne { .. } | Rule::JoinAtOnce { .. } => u32::MAX,
        }
    }

    /// It holds.
    pub(in crate::diagnose) fn term(&self, encoding: &mut Encoding<'_>) -> Result<TermId, TermError> {
        match self {
            Rule::CriticalSections { regions } => {
                let forest = encoding.forest;
                exclusive(
                    encoding,
                    &regions.iter().flat_map(|region| sections(forest, region)).collect::<Vec<_>>(),
                )
            }
            Rule::OneByOne { threads } => {
                let forest = encoding.forest;
                let all = threads.iter().filter_map(|key| whole(forest, key));
                exclusive(encoding, &all.collect::<Vec<_>>())
            }
            Rule::Fences { before } => {
                let mut all = Vec::new();
                for id in at(encoding.forest, before) {
                    all.push(drained(encoding, id)?);
                }
                encoding.terms.and(&all)
            }
            Rule::Wait { before, until, how } => wait(encoding, before, until, *how),
            Rule::JoinAtOnce { after } => {
                let mut all = Vec::new();
                for fork in forks_at(encoding.forest, after) {
                    all.push(joined(encoding, fork)?);
                }
                encoding.terms.and(&all)
            }
        }
    }
}

/// The events at these lines that others can notice.
fn at(forest: &Forest, spots: &[Spot]) -> Vec<NodeId> {
    let here = |id: &NodeId| {
        forest.node(*id).op.is_visible() && Spot::of(forest, *id).is_some_and(|spot| spots.contains(&spot))
    };
    forest.ids().filter(here).collect()
}

/// The events at these lines that start threads.
pub(super) fn forks_at(forest: &Forest, spots: &[Spot]) -> Vec<NodeId> {
    let mut forks = at(forest, spots);
    forks.retain(|&id| matches!(forest.node(id).op, Op::Fork { .. }));
    forks
}

/// Whatever comes behind the event that starts a thread, the thread has come to its end before, and all have seen what
/// it wrote.
fn joined(encoding: &mut Encoding<'_>, fork: NodeId) -> Result<TermId, TermError> {
    let forest = encoding.forest;
    let Op::Fork { child } = forest.node(fork).op else { return Ok(encoding.terms.bool(true)) };
    let mut all = Vec::new();
    for next in next_noticed(forest, fork) {
        let mut ways = Vec::new();
        for &end in forest.ends(TreeIx(child.0)) {
            let mut parts = vec![encoding.en(end)?, encoding.before(Point::Issue(end), Point::Issue(next))?];
            for write in buffered(encoding, end) {
                parts.push(encoding.before(Point::Commit(write), Point::Issue(next))?);
            }
            ways.push(encoding.terms.and(&parts)?);
        }
        let over = encoding.terms.or(&ways)?;
        let en = encoding.en(next)?;
        all.push(encoding.terms.implies(en, over)?);
    }
    encoding.terms.and(&all)
}

/// What a thread does next behind an event that others can notice, or how it fails, on each path.
fn next_noticed(forest: &Forest, id: NodeId) -> Vec<NodeId> {
    let below = |id: NodeId| forest.node(id).children.iter().map(|child| child.node);
    let mut open: Vec<NodeId> = below(id).collect();
    let mut next = Vec::new();
    while let Some(id) = open.pop() {
        let op = &forest.node(id).op;
        match op.is_visible() || matches!(op, Op::Failure { .. }) {
            true => next.push(id),
            false => open.extend(below(id)),
        }
    }
    next.sort_unstable();
    next
}

/// No two threads are in these sections at a time. To enter is to lock and to leave is to unlock, so both make others see
/// what was written before.
fn exclusive(encoding: &mut Encoding<'_>, all: &[Section]) -> Result<TermId, TermError> {
    let forest = encoding.forest;
    let mut parts = Vec::new();
    for section in all {
        parts.push(drained(encoding, section.first)?);
    }
    for (n, a) in all.iter().enumerate() {
        for b in &all[n + 1..] {
            if forest.node(a.first).tree == forest.node(b.first).tree {
                continue;
            }
            let (in_a, in_b) = (encoding.en(a.first)?, encoding.en(b.first)?);
            let ways = [over_before(encoding, a, b.first)?, over_before(encoding, b, a.first)?];
            let apart = encoding.terms.or(&ways)?;
            let both = encoding.terms.and(&[in_a, in_b])?;
            parts.push(encoding.terms.implies(both, apart)?);
        }
    }
    encoding.terms.and(&parts)
}

/// The thread has left the section before the event.
fn over_before(encoding: &mut Encoding<'_>, section: &Section, later: NodeId) -> Result<TermId, TermError> {
    let forest = encoding.forest;
    let mut ways = Vec::new();
    for &id in &section.events {
        if matches!(forest.node(id).op, Op::Failure { .. }) {
            continue;
        }
        let mut parts = vec![encoding.en(id)?];
        let mut stays = false;
        for child in &forest.node(id).children {
            if section.events.binary_search(&child.node).is_err() {
                continue;
            }
            match (child.outcome, encoding.outcome(id, child.outcome)?) {
                (Outcome::Next, _) | (_, None) => stays = true,
                (_, Some(inside)) => parts.push(encoding.terms.not(inside)?),
            }
        }
        if stays {
            continue;
        }
        parts.push(encoding.before(Point::Issue(id), Point::Issue(later))?);
        for write in buffered(encoding, id) {
            parts.push(encoding.before(Point::Commit(write), Point::Issue(later))?);
        }
        ways.push(encoding.terms.and(&parts)?);
    }
    encoding.terms.or(&ways)
}

/// Whatever the thread wrote before an event has been seen by all when it happens.
fn drained(encoding: &mut Encoding<'_>, id: NodeId) -> Result<TermId, TermError> {
    let above = encoding.forest.node(id).parent.map(|(parent, _)| buffered(encoding, parent));
    let mut all = Vec::new();
    for write in above.unwrap_or_default() {
        all.push(encoding.before(Point::Commit(write), Point::Issue(id))?);
    }
    let all = encoding.terms.and(&all)?;
    let en = encoding.en(id)?;
    encoding.terms.implies(en, all)
}

/// Writes that may still be in the store buffer behind an event.
fn buffered(encoding: &Encoding<'_>, id: NodeId) -> Vec<NodeId> {
    let forest = encoding.forest;
    let undrained = forest.path_up(id).take_while(|&above| !drains(&forest.node(above).op));
    undrained.filter(|&above| encoding.is_buffered(above)).collect()
}

/// Who comes to the one line comes there behind others' coming to the other.
fn wait(encoding: &mut Encoding<'_>, before: &Spot, until: &Spot, how: How) -> Result<TermId, TermError> {
    let forest = encoding.forest;
    let awaited = times(forest, until);
    let trees: BTreeSet<TreeIx> = awaited.iter().map(|time| forest.node(time.first).tree).collect();
    let mut all = Vec::new();
    for time in times(forest, before) {
        let later = time.first;
        // One of these for each of the lists.
        let mut needs: Vec<Vec<NodeId>> = Vec::new();
        let others = |tree: TreeIx| tree != forest.node(later).tree;
        let by = |wanted: &dyn Fn(&Time) -> bool| {
            let there = awaited.iter().filter(|other| wanted(other)).flat_map(|other| other.last.clone());
            there.collect::<Vec<_>>()
        };
        match how {
            How::Once => needs.push(by(&|other| others(forest.node(other.first).tree))),
            How::Each => {
                needs.push(by(&|other| others(forest.node(other.first).tree) && other.nth == time.nth))
            }
            How::All => {
                for &tree in trees.iter().filter(|&&tree| others(tree)) {
                    needs.push(by(&|other| forest.node(other.first).tree == tree && other.nth == 0));
                }
            }
        }
        let en = encoding.en(later)?;
        for earlier in needs {
            let mut ways = Vec::new();
            for earlier in
                earlier.into_iter().filter(|&earlier| encoding.must.agree(earlier, later)).collect::<Vec<_>>()
            {
                let parts =
                    [encoding.en(earlier)?, encoding.before(effect(encoding, earlier), Point::Issue(later))?];
                ways.push(encoding.terms.and(&parts)?);
            }
            let waited = encoding.terms.or(&ways)?;
            all.push(encoding.terms.implies(en, waited)?);
        }
    }
    encoding.terms.and(&all)
}

/// One time that a thread comes to a line.
pub(super) struct Time {
    /// Its first event there.
    pub(super) first: NodeId,
    /// What of it others can notice last, on each of its paths.
    pub(super) last: Vec<NodeId>,
    /// How often the thread has been there before.
    pub(super) nth: u32,
}

/// Every time that a thread comes to a line and does something there that others can notice.
pub(super) fn times(forest: &Forest, spot: &Spot) -> Vec<Time> {
    let line =
        Region { file: spot.file.clone(), function: spot.function.clone(), from: spot.line, to: spot.line };
    let sections = sections(forest, &line);
    let firsts: BTreeSet<NodeId> = sections.iter().map(|section| section.first).collect();
    let mut times = Vec::new();
    for section in &sections {
        let seen = |id: &&NodeId| {
            let own = Spot::of(forest, **id).is_some_and(|own| own == *spot);
            own && forest.node(**id).op.is_visible()
        };
        let visible: BTreeSet<NodeId> = section.events.iter().filter(seen).copied().collect();
        let above: BTreeSet<NodeId> = visible.iter().flat_map(|&id| forest.path_up(id).skip(1)).collect();
        if let Some(&first) = visible.first() {
            let last = visible.iter().copied().filter(|id| !above.contains(id)).collect();
            let nth = forest.path_up(section.first).skip(1).filter(|id| firsts.contains(id)).count() as u32;
            times.push(Time { first, last, nth });
        }
    }
    times
}
