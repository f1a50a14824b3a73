//! What a repair demands of executions.

use std::collections::BTreeSet;

use warpath_solvers::term::{TermError, TermId};
use warpath_trace::event::Op;
use warpath_trace::repair::{How, Region, Rule, Spot};

use super::section::{Section, sections, whole};
use super::spot::spot_of;
use crate::diagnose::ordering::effect;
use crate::encode::{Encoding, Point, drains};
use crate::model::{Forest, NodeId, Outcome, TreeIx};

/// What sort of change it is; the preferred first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    CriticalSections,
    Fences,
    Wait,
    JoinAtOnce,
    OneByOne,
}

pub(super) fn kind(rule: &Rule) -> Kind {
    match rule {
        Rule::CriticalSections { .. } => Kind::CriticalSections,
        Rule::Fences { .. } => Kind::Fences,
        Rule::Wait { .. } => Kind::Wait,
        Rule::JoinAtOnce { .. } => Kind::JoinAtOnce,
        Rule::OneByOne { .. } => Kind::OneByOne,
    }
}

/// Is it to be offered only where nothing else will do? What is left of the program has no concurrency.
pub(super) fn is_last_resort(rule: &Rule) -> bool {
    kind(rule) == Kind::JoinAtOnce
}

/// The rule holds.
pub(in crate::diagnose) fn term(rule: &Rule, encoding: &mut Encoding<'_>) -> Result<TermId, TermError> {
    let forest = encoding.forest;
    match rule {
        Rule::CriticalSections { regions } => {
            let all = regions.iter().flat_map(|region| sections(forest, region));
            exclusive(encoding, &all.collect::<Vec<_>>())
        }
        Rule::OneByOne { threads } => {
            let all = threads.iter().filter_map(|key| whole(forest, key));
            exclusive(encoding, &all.collect::<Vec<_>>())
        }
        Rule::JoinAtOnce { after } => join_at_once(encoding, after),
        Rule::Fences { before } => {
            let mut all = Vec::new();
            // In front of the line: what it writes itself is not meant.
            for time in before.iter().flat_map(|spot| times(forest, spot)) {
                all.push(drained(encoding, time.first)?);
            }
            encoding.terms.and(&all)
        }
        Rule::Wait { before, until, how, threads } => {
            let parties = parties(forest, threads);
            wait(encoding, &times(forest, before), &times(forest, until), *how, &parties)
        }
    }
}

/// The threads with these keys.
fn parties(forest: &Forest, threads: &[String]) -> BTreeSet<TreeIx> {
    forest.trees().filter(|&tree| threads.contains(&forest.key(tree).to_string())).collect()
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

/// What a thread does behind a fork at the line, it does behind the end of who was started there.
fn join_at_once(encoding: &mut Encoding<'_>, after: &Spot) -> Result<TermId, TermError> {
    let forest = encoding.forest;
    let mut all = Vec::new();
    for (fork, child) in forks_at(forest, after) {
        for next in next_visible(forest, fork) {
            let mut ways = Vec::new();
            for &end in forest.ends(child) {
                let parts = [encoding.en(end)?, encoding.before(Point::Issue(end), Point::Issue(next))?];
                ways.push(encoding.terms.and(&parts)?);
            }
            let joined = encoding.terms.or(&ways)?;
            let en = encoding.en(next)?;
            all.push(encoding.terms.implies(en, joined)?);
        }
    }
    encoding.terms.and(&all)
}

/// The forks at a line, and who is started.
pub(super) fn forks_at(forest: &Forest, spot: &Spot) -> Vec<(NodeId, TreeIx)> {
    let here = |&id: &NodeId| spot_of(forest, id).is_some_and(|own| own == *spot);
    let fork = |id: NodeId| match forest.node(id).op {
        Op::Fork { child } => Some((id, TreeIx(child.0))),
        _ => None,
    };
    forest.ids().filter(here).filter_map(fork).collect()
}

/// What others can notice next of a thread that has come to an event, on each of its paths.
fn next_visible(forest: &Forest, id: NodeId) -> Vec<NodeId> {
    let children = |id: NodeId| forest.node(id).children.iter().map(|child| child.node);
    let (mut open, mut next): (Vec<NodeId>, _) = (children(id).collect(), Vec::new());
    while let Some(id) = open.pop() {
        match forest.node(id).op.is_visible() {
            true => next.push(id),
            false => open.extend(children(id)),
        }
    }
    next
}

/// Who comes to the one line comes there behind somebody's coming to the other.
fn wait(
    encoding: &mut Encoding<'_>,
    waiting: &[Time],
    awaited: &[Time],
    how: How,
    parties: &BTreeSet<TreeIx>,
) -> Result<TermId, TermError> {
    let forest = encoding.forest;
    let mut all = Vec::new();
    for time in waiting {
        let later = time.first;
        let by = |wanted: &dyn Fn(&Time) -> bool| {
            let there = awaited.iter().filter(|other| wanted(other)).flat_map(|other| other.last.clone());
            there.collect::<Vec<_>>()
        };
        // One of these for each of the lists.
        let needs: Vec<Vec<NodeId>> = match how {
            How::Once => vec![by(&|_| true)],
            How::Each => vec![by(&|other| other.nth == time.nth)],
            How::All => parties
                .iter()
                .filter(|&&party| party != forest.node(later).tree)
                .map(|&party| by(&|other| forest.node(other.first).tree == party && other.nth == 0))
                .collect(),
        };
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
    let sections = sections(forest, &Region::of(spot));
    let firsts: BTreeSet<NodeId> = sections.iter().map(|section| section.first).collect();
    let mut times = Vec::new();
    for section in &sections {
        let seen = |id: &&NodeId| {
            let own = spot_of(forest, **id).is_some_and(|own| own == *spot);
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
