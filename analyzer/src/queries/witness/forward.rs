//! Lets threads go on, one step at a time, until each of two stands before its event.
//!
//! Only the two have somewhere to go at first. Whoever cannot go on says what it waits for, and the thread that can
//! help gets that as its own aim: the fork or the end of a thread, an earlier operation of a condition or the like,
//! the release of a lock, a write of another value where a read would now lead to another decision. A thread looks
//! ahead before it reads, up to its next event that others notice, and before it acquires a lock, up to its release:
//! who waits inside for a value that is written under the same lock waits for ever. Among those who can go on, the
//! one that did so first in the observed run does; a lock that is held in the end is acquired when there is nothing
//! else to do. Who is stuck because of a value that it, or somebody else, read long ago starts all over again, and
//! takes care that this read finds what it found in the run. What cannot be reached so may be reachable all the same.

use std::collections::HashSet;

use warpath_trace::event::{Op, RwMode};

use super::blame::blamed;
use super::needs::Needs;
use super::part::Stand;
use super::sections::Does;
use super::values::{Values, World};
use crate::answer::Execution;
use crate::encode::{Point, conflict};
use crate::model::{NodeId, TreeIx};

/// What the events of the run read and wrote, by node.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) read: Vec<Option<u128>>,
    pub(super) written: Vec<Option<u128>>,
}

/// A thread would leave the observed way.
struct Astray {
    /// With which of its steps.
    at: u32,
    /// What it has read by then, the latest first.
    reads: Vec<NodeId>,
}

/// Who holds a lock, how, and which step of the thread releases it.
type Holder = (usize, RwMode, Option<u32>);

/// Threads on their way.
pub(super) struct Forward<'a> {
    world: World<'a>,
    run: &'a Execution,
    needs: &'a Needs,
    values: &'a mut Values,
    stands: &'a [Stand; 2],
    observed: &'a Found,
    /// Reads that must find what they found in the run.
    fixed: &'a HashSet<NodeId>,
    holders: Vec<Vec<Holder>>,
    /// Per thread: how many steps it has done, how many it should do, and how many it may.
    done: Vec<u32>,
    aim: Vec<u32>,
    limit: Vec<u32>,
    /// Per thread: the step that did not go well, and how often memory had changed by then.
    refused: Vec<Option<(u32, u64)>>,
    region: Option<usize>,
    /// How many steps at the run's beginning are settled.
    settled: u32,
    line: Vec<u32>,
}

impl<'a> Forward<'a> {
    /// At the start, with the settled steps still to be done.
    pub(super) fn new(
        world: World<'a>,
        run: &'a Execution,
        needs: &'a Needs,
        values: &'a mut Values,
        stands: &'a [Stand; 2],
        observed: &'a Found,
        fixed: &'a HashSet<NodeId>,
    ) -> Self {
        let threads = needs.threads.len();
        let mut aim = needs.settled.clone();
        let mut limit: Vec<u32> = needs.threads.iter().map(|steps| steps.len() as u32).collect();
        for stand in stands {
            let tree = stand.tree.index();
            aim[tree] = aim[tree].max(stand.done);
            limit[tree] = stand.limit;
            // A thread whose first event is wanted has nothing to do itself, but must have been forked.
            if let (None, Some(fork)) = (stand.behind, needs.fork[tree]) {
                let parent = world.forest.node(run.steps[fork as usize].node()).tree.index();
                aim[parent] = aim[parent].max(needs.index[fork as usize] + 1);
            }
        }
        values.reset(world, run);
        Forward {
            world,
            run,
            needs,
            values,
            stands,
            observed,
            fixed,
            holders: vec![Vec::new(); needs.locks.len()],
            done: vec![0; threads],
            aim,
            limit,
            refused: vec![None; threads],
            region: None,
            settled: needs.settled.iter().sum(),
            line: Vec::new(),
        }
    }

    /// The steps in the order in which they were done. If somebody did not get there, the reads that are to blame.
    pub(super) fn go(mut self) -> Result<Vec<u32>, Vec<NodeId>> {
        // What is settled has happened, in the order in which it did.
        for position in 0..self.settled {
            self.step(position, self.tree_of(position)).ok_or_else(Vec::new)?;
        }
        let mut turns: Vec<(bool, u32, usize)> = Vec::new();
        loop {
            turns.clear();
            for tree in 0..self.done.len() {
                if self.aim[tree] > self.limit[tree] {
                    return Err(Vec::new());
                }
                if self.done[tree] < self.aim[tree] {
                    let position = self.needs.threads[tree][self.done[tree] as usize];
                    turns.push((self.is_put_off(position, tree), position, tree));
                }
            }
            if turns.is_empty() {
                return Ok(self.line);
            }
            turns.sort_unstable();
            // Who only has a lock to acquire that it will keep comes last: others may need help that needs the lock.
            let (first, last) = turns.split_at(turns.partition_point(|&(put_off, ..)| !put_off));
            let went_on =
                self.go_on(first).and_then(|went_on| if went_on { Some(true) } else { self.go_on(last) });
            if went_on != Some(true) {
                let stuck: Vec<(u32, usize)> =
                    turns.iter().map(|&(_, position, tree)| (position, tree)).collect();
                return Err(stuck
                    .into_iter()
                    .flat_map(|(position, tree)| self.blame(position, tree))
                    .collect());
            }
        }
    }

    /// The reads because of which a thread would go astray.
    fn blame(&mut self, position: u32, tree: usize) -> Vec<NodeId> {
        self.values.try_with(None);
        let release = self.release(position);
        let astray = self.try_steps(position, tree, release, &mut Vec::new());
        let step = astray.map(|index| self.needs.threads[tree][index as usize]);
        let event = step.and_then(|step| self.event(step));
        let decision = event.and_then(|id| self.world.forest.node(id).parent).map(|(parent, _)| parent);
        let suspects = event.into_iter().chain(decision);
        let blamed =
            suspects.flat_map(|id| blamed(self.world, self.values, &self.observed.read, id)).collect();
        self.values.take_back(self.world);
        blamed
    }

    /// Lets the first of these go on that can, or helps one of them. Answers whether either was possible; `None` if
    /// nothing will be any more.
    fn go_on(&mut self, turns: &[(bool, u32, usize)]) -> Option<bool> {
        let next = turns.iter().find(|&&(_, position, tree)| self.is_ready(position, tree));
        match next {
            Some(&(_, position, tree)) => self.step(position, tree).map(|()| true),
            None if self.region.is_some() => Some(false),
            None => Some(turns.iter().any(|&(_, position, tree)| self.ask_for_help(position, tree))),
        }
    }

    fn locks_at(&self, position: u32) -> impl Iterator<Item = (usize, Does)> + use<'a> {
        let deeds = &self.needs.deeds;
        let from = deeds.partition_point(|&(at, ..)| at < position);
        let here = deeds[from..].iter().take_while(move |&&(at, ..)| at == position);
        here.map(|&(_, lock, does)| (lock, does))
    }

    /// Does the step acquire a lock that is held where the thread will stand?
    fn is_put_off(&self, position: u32, tree: usize) -> bool {
        let index = self.needs.index[position as usize];
        let stand = self.stands.iter().find(|stand| stand.tree.index() == tree && index < stand.done);
        stand.is_some_and(|stand| {
            let is_kept = |until: Option<u32>| until.is_none_or(|until| until >= stand.done);
            self.locks_at(position)
                .any(|(_, does)| matches!(does, Does::Enter { until, .. } if is_kept(until)))
        })
    }

    fn event(&self, position: u32) -> Option<NodeId> {
        match self.run.steps[position as usize] {
            Point::Issue(id) => Some(id),
            Point::Commit(_) => None,
        }
    }

    /// Can the thread do this step now?
    fn is_ready(&mut self, position: u32, tree: usize) -> bool {
        if self.region.is_some_and(|inside| inside != tree) {
            return false;
        }
        let row = self.needs.rows.get(self.needs.step[position as usize]);
        if (0..row.len()).any(|other| other != tree && row[other] > self.done[other]) {
            return false;
        }
        let holds = |holders: &[Holder], mode: RwMode| {
            holders.iter().any(|&(holder, held, _)| holder != tree && conflict(held, mode))
        };
        let locks_allow = self.locks_at(position).all(|(lock, does)| match does {
            Does::Enter { mode, .. } => !holds(&self.holders[lock], mode),
            Does::Leave => true,
            Does::Fail { mode } => holds(&self.holders[lock], mode),
        });
        if !locks_allow || self.refused[tree] == Some((position, self.values.changes)) {
            return false;
        }
        let goes_well = self.look_ahead(position, tree, None).is_ok();
        self.refused[tree] = (!goes_well).then_some((position, self.values.changes));
        goes_well
    }

    /// Tries the thread's steps from here to the next one that others notice; to the release, if this one acquires
    /// a lock. If a decision comes out differently: how far it went, and the reads up to there, the latest first.
    fn look_ahead(
        &mut self,
        position: u32,
        tree: usize,
        pretended: Option<(NodeId, u128)>,
    ) -> Result<(), Astray> {
        let release = self.release(position);
        self.values.try_with(pretended);
        let mut reads = Vec::new();
        let astray = self.try_steps(position, tree, release, &mut reads);
        self.values.take_back(self.world);
        reads.reverse();
        astray.map_or(Ok(()), |at| Err(Astray { at, reads }))
    }

    /// Which step of the thread gives back what this one acquires; 0 if it acquires nothing.
    fn release(&self, position: u32) -> u32 {
        let until = self.locks_at(position).filter_map(|(_, does)| match does {
            Does::Enter { until, .. } => Some(until.unwrap_or(u32::MAX)),
            _ => None,
        });
        until.max().unwrap_or(0)
    }

    /// Which step of the thread goes astray, if one does.
    fn try_steps(
        &mut self,
        position: u32,
        tree: usize,
        release: u32,
        reads: &mut Vec<NodeId>,
    ) -> Option<u32> {
        let stand = self.stands.iter().find(|stand| stand.tree.index() == tree);
        let first = self.needs.index[position as usize];
        // Who enters will have to leave.
        let aim = self.aim[tree].max(release).min(self.limit[tree]);
        for index in first.. {
            let is_wanted = index < aim || stand.is_some_and(|stand| index <= stand.limit);
            let next = *self.needs.threads[tree].get(index as usize).filter(|_| is_wanted)?;
            let visible = match self.event(next) {
                Some(id) if !self.may_follow(id) => return Some(index),
                Some(id) => {
                    let op = &self.world.forest.node(id).op;
                    reads.extend(op.read_location().map(|_| id));
                    op.is_visible()
                }
                // A commit that need not happen does not hide where the thread will stand.
                None if index >= aim => continue,
                None => false,
            };
            if index >= aim || (visible && index > first && index >= release) {
                return None;
            }
            let point = self.run.steps[next as usize];
            let happens = self.values.step(self.world, point).is_some();
            let id = point.node().index();
            let is_fixed = self.fixed.contains(&point.node());
            if !happens || (is_fixed && self.values.found()[id] != self.observed.read[id]) {
                return Some(index);
            }
        }
        None
    }

    /// Does control of the thread come to this event?
    fn may_follow(&mut self, id: NodeId) -> bool {
        let Some((parent, outcome)) = self.world.forest.node(id).parent else { return true };
        self.world.forest.is_settled(id) || self.values.goes_on(self.world, parent, outcome)
    }

    /// Does a step that is ready.
    fn step(&mut self, position: u32, tree: usize) -> Option<()> {
        self.values.step(self.world, self.run.steps[position as usize])?;
        for (lock, does) in self.locks_at(position) {
            match does {
                Does::Enter { mode, until, .. } => self.holders[lock].push((tree, mode, until)),
                Does::Leave => self.holders[lock].retain(|&(holder, ..)| holder != tree),
                Does::Fail { .. } => {}
            }
        }
        match self.event(position).map(|id| self.world.forest.node(id).op) {
            Some(Op::AtomicBegin) => {
                self.region = Some(tree);
                let regions = &self.needs.regions[tree];
                let begun = regions.iter().find(|(begin, _)| *begin == self.done[tree])?;
                self.aim[tree] = self.aim[tree].max(begun.1? + 1);
            }
            Some(Op::AtomicEnd) => self.region = None,
            _ => {}
        }
        self.done[tree] += 1;
        self.line.push(position);
        Some(())
    }

    /// Gives another thread an aim that lets this one go on. Answers whether that is a new one.
    fn ask_for_help(&mut self, position: u32, tree: usize) -> bool {
        let row = self.needs.rows.get(self.needs.step[position as usize]);
        let mut helped = false;
        let mut waits = false;
        for other in (0..row.len()).filter(|&other| other != tree) {
            waits |= row[other] > self.done[other];
            helped |= self.aim_at(other, row[other]);
        }
        for (lock, does) in self.locks_at(position) {
            let Does::Enter { mode, .. } = does else { continue };
            for (holder, held, until) in self.holders[lock].clone() {
                if holder != tree && conflict(held, mode) {
                    waits = true;
                    helped |= until.is_some_and(|until| self.aim_at(holder, until + 1));
                }
            }
        }
        if waits {
            return helped;
        }
        let Err(astray) = self.look_ahead(position, tree, None) else { return false };
        astray.reads.iter().any(|&read| self.ask_for_value(read, position, tree, astray.at))
    }

    /// Asks for the nearest write that would let the thread come further, if the read saw it.
    fn ask_for_value(&mut self, read: NodeId, position: u32, tree: usize, than: u32) -> bool {
        let Some(location) = self.world.forest.node(read).op.read_location() else { return false };
        let Some(cell) = self.world.cells.row(location).first() else { return false };
        let mut effects: Vec<(u32, u32)> = Vec::new();
        for &effect in &self.needs.effects[cell.0 as usize] {
            let writer = self.tree_of(effect);
            let index = self.needs.index[effect as usize];
            if writer != tree && index >= self.aim[writer] && index < self.limit[writer] {
                effects.push((effect.abs_diff(position), effect));
            }
        }
        effects.sort_unstable();
        for (_, effect) in effects {
            let write = self.run.steps[effect as usize].node();
            // What is computed from other reads may be another value by then; it is a guess.
            let Some(value) = self.observed.written[write.index()] else { continue };
            let ahead = self.look_ahead(position, tree, Some((read, value)));
            if ahead.map_or_else(|astray| astray.at > than, |()| true) {
                return self.aim_at(self.tree_of(effect), self.needs.index[effect as usize] + 1);
            }
        }
        false
    }

    fn tree_of(&self, position: u32) -> usize {
        let TreeIx(tree) = self.world.forest.node(self.run.steps[position as usize].node()).tree;
        tree as usize
    }

    /// Lets a thread do so many steps, if it may.
    fn aim_at(&mut self, tree: usize, steps: u32) -> bool {
        let more = steps > self.aim[tree] && steps <= self.limit[tree];
        if more {
            self.aim[tree] = steps;
        }
        more
    }
}
