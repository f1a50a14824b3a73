//! Can a repair make threads wait for ever? Told from the forest alone, on the safe side.
//!
//! A new lock is harmless if nobody waits for anything while holding it but for locks, and nobody comes to it with one
//! of these locks in hand. A wait inside does no harm either if the lock keeps every thread from it, which a solver can
//! tell: who has the lock of a library under contention only waits where others can have that lock. To wait for a line
//! is harmless if the other thread always comes to it, and waits for nothing on its way that the waiting thread could
//! keep from it.

use std::collections::BTreeSet;

use warpath_trace::event::{Attempt, Op, WaitResult};
use warpath_trace::ids::LocationId;
use warpath_trace::repair::{How, Rule, Spot};

use super::rule::{forks_at, times};
use super::section::{Section, sections, whole};
use crate::model::{Forest, NodeId, TreeIx};
use crate::queries::survey::Survey;

/// Can a repair make threads wait for ever?
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Safety {
    /// It cannot, if no thread comes to any of these events with the repair made.
    IfNever(Vec<NodeId>),
    /// It might, for this reason.
    Danger(String),
}

/// Can the repair make threads wait for ever?
pub(super) fn safety(survey: &Survey<'_>, rule: &Rule) -> Safety {
    let harmless = |danger: Option<String>| danger.map_or(Safety::IfNever(Vec::new()), Safety::Danger);
    match rule {
        Rule::CriticalSections { regions } => of_lock(
            survey,
            &regions.iter().flat_map(|region| sections(survey.forest, region)).collect::<Vec<_>>(),
        ),
        Rule::OneByOne { threads } => {
            let forest = survey.forest;
            let all = threads.iter().filter_map(|key| whole(forest, key));
            of_lock(survey, &all.collect::<Vec<_>>())
        }
        Rule::JoinAtOnce { after } => harmless(of_join(survey, after)),
        Rule::Fences { .. } => Safety::IfNever(Vec::new()),
        Rule::Wait { before, until, how, .. } => harmless(of_wait(survey, before, until, *how)),
    }
}

/// What an event waits for.
enum Waits {
    Nothing,
    Lock(LocationId),
    Else,
}

fn waits(forest: &Forest, id: NodeId) -> Waits {
    match forest.node(id).op {
        Op::Lock { mutex, attempt: Attempt::Block, .. } => Waits::Lock(mutex),
        Op::RwLock { lock, attempt: Attempt::Block, .. } => Waits::Lock(lock),
        Op::Join { attempt: Attempt::Block, .. }
        | Op::CondWait { .. }
        | Op::CondWake { .. }
        | Op::SemWait { attempt: Attempt::Block, .. }
        | Op::BarrierArrive { .. }
        | Op::BarrierLeave { .. }
        | Op::FutexWait { .. }
        | Op::FutexResume { .. }
        | Op::Once { .. } => Waits::Else,
        _ => Waits::Nothing,
    }
}

fn of_lock(survey: &Survey<'_>, all: &[Section]) -> Safety {
    let forest = survey.forest;
    let (mut inside, mut never) = (Vec::new(), Vec::new());
    for &id in all.iter().flat_map(|section| &section.events) {
        match waits(forest, id) {
            Waits::Nothing => {}
            Waits::Lock(lock) => inside.push(lock),
            Waits::Else => never.push(id),
        }
    }
    // A loop that looks again and again may never see what it waits for while others are kept out.
    for section in all {
        let ways = section.events.iter().flat_map(|&id| {
            let node = forest.node(id);
            let ways = node.children.iter().map(|child| child.outcome).chain(node.stops.iter().copied());
            ways.map(move |way| (id, way))
        });
        let reads = ways.flat_map(|(id, way)| forest.idle_turns(id, way)).flat_map(|idle| &idle.reads);
        never.extend(reads.filter(|read| section.events.binary_search(read).is_ok()));
    }
    never.sort_unstable();
    never.dedup();
    let held = all.iter().flat_map(|section| survey.held(section.first));
    match held.map(|held| held.object).find(|object| inside.contains(object)) {
        Some(lock) => {
            Safety::Danger(format!("`{}` is held where it begins, and locked inside", survey.location(lock)))
        }
        None => Safety::IfNever(never),
    }
}

fn of_wait(survey: &Survey<'_>, before: &Spot, until: &Spot, how: How) -> Option<String> {
    let forest = survey.forest;
    let waiting: Vec<NodeId> = times(forest, before).iter().map(|time| time.first).collect();
    let awaited = times(forest, until);
    let holding = waiting.iter().any(|&id| !survey.held(id).is_empty());
    let often = times(forest, before).iter().map(|time| time.nth).max().unwrap_or(0);
    // The thread comes to the line on every path, as often as it must, and nothing holds it up on the way.
    let is_sure = |tree: TreeIx| {
        let turns = if how == How::Each { often } else { 0 };
        (0..=turns).all(|nth| {
            let here = awaited.iter().filter(|time| time.nth == nth && forest.node(time.first).tree == tree);
            let here: Vec<NodeId> = here.map(|time| time.first).collect();
            let waits_first = |id: NodeId| forest.path_up(id).any(|above| waiting.contains(&above));
            is_on_every_path(forest, tree, &here)
                && here.iter().all(|&id| !waits_first(id) && comes_there(forest, id, holding, 0))
        })
    };
    let comes = |tree: TreeIx| awaited.iter().any(|time| forest.node(time.first).tree == tree);
    let others = |tree: TreeIx| forest.trees().filter(move |&other| other != tree);
    let waiters: BTreeSet<TreeIx> = waiting.iter().map(|&id| forest.node(id).tree).collect();
    let sure = waiters.iter().all(|&waiter| match how {
        How::Once | How::Each => others(waiter).any(is_sure),
        How::All => others(waiter).filter(|&other| comes(other)).all(is_sure),
    });
    (!sure || waiters.is_empty())
        .then(|| format!("no thread is sure to come to {}:{}", until.file, until.line))
}

/// Who is waited for must come to its end whatever others do: it waits for nothing but for locks, and for these only if
/// who waits for it has none.
fn of_join(survey: &Survey<'_>, after: &Spot) -> Option<String> {
    let forest = survey.forest;
    let forks = forks_at(forest, after);
    let comes_to_end = |&(fork, child): &(NodeId, TreeIx)| {
        let holding = !survey.held(fork).is_empty();
        let mut own = forest.ids().filter(|&id| forest.node(id).tree == child);
        !forest.ends(child).is_empty() && own.all(|id| goes_on(forest, id, holding))
    };
    let stuck = forks.iter().find(|fork| !comes_to_end(fork));
    match stuck {
        Some(&(_, child)) => Some(format!("{} may wait for others before it ends", forest.key(child))),
        None => forks.is_empty().then(|| format!("nobody starts a thread at {}:{}", after.file, after.line)),
    }
}

/// Does every known path of the thread have one of these events?
fn is_on_every_path(forest: &Forest, tree: TreeIx, events: &[NodeId]) -> bool {
    let mut open: Vec<NodeId> = forest.root(tree).into_iter().collect();
    // Of a thread that was never there, and of which no end is known, nothing is sure.
    if open.is_empty() || events.is_empty() {
        return false;
    }
    while let Some(id) = open.pop() {
        if events.contains(&id) {
            continue;
        }
        let node = forest.node(id);
        // A run that was cut short by somebody else's failure says nothing.
        if matches!(node.op, Op::End) {
            return false;
        }
        open.extend(node.children.iter().map(|child| child.node));
    }
    true
}

/// Has the semaphore a unit for everybody who ever takes one, from the start?
fn has_enough(forest: &Forest, semaphore: LocationId) -> bool {
    let takes =
        |id: NodeId| matches!(forest.node(id).op, Op::SemWait { semaphore: other, .. } if other == semaphore);
    let most = |tree: TreeIx| {
        let own = forest.ids().filter(|&id| forest.node(id).tree == tree && takes(id));
        own.map(|id| forest.path_up(id).filter(|&above| takes(above)).count()).max().unwrap_or(0)
    };
    forest.semaphore(semaphore).0 as usize >= forest.trees().map(most).sum()
}

/// Does nothing that the thread waits for on its way to the event depend on others? Neither what its parent waits for
/// before it starts it.
fn comes_there(forest: &Forest, id: NodeId, locks_are_held: bool, depth: usize) -> bool {
    let forks = forest.forks(forest.node(id).tree);
    forest.path_up(id).all(|above| goes_on(forest, above, locks_are_held))
        && depth < forest.keys().len()
        && forks.iter().all(|&fork| comes_there(forest, fork, locks_are_held, depth + 1))
}

/// Does what the thread waits for here, if for anything, not depend on others?
fn goes_on(forest: &Forest, id: NodeId, locks_are_held: bool) -> bool {
    let harmless = match waits(forest, id) {
        Waits::Nothing => true,
        Waits::Lock(_) => !locks_are_held,
        Waits::Else => match forest.node(id).op {
            Op::Join { result, .. } => matches!(result, WaitResult::Busy | WaitResult::TimedOut),
            Op::SemWait { semaphore, .. } => has_enough(forest, semaphore),
            _ => false,
        },
    };
    // A loop that waits for somebody to write something is a wait, too.
    let node = forest.node(id);
    let mut ways = node.children.iter().map(|child| child.outcome).chain(node.stops.iter().copied());
    harmless && ways.all(|way| forest.idle_turns(id, way).is_empty())
}
