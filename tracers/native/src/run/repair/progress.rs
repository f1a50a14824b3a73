//! How far a thread is in the places of a repair, and which steps that adds to what it does.
//!
//! A thread is in a place from the first visible step that it is about to take there (itself, or in a function that is
//! called from there) until it is about to take one elsewhere. Where control comes back to the first step of a stay,
//! the next turn of a loop begins, and so the next stay. Diagnosis counts in the same way.

use std::sync::Arc;

use warpath_trace::event::Verb;
use warpath_trace::thread::ThreadKey;

use super::plan::{Measure, Opened, PlaceIx, Plan, latch};

/// A step that the repair adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    /// A mutex is locked.
    Lock(u64),
    /// A mutex is unlocked.
    Unlock(u64),
    /// Waits for a unit of a semaphore.
    Wait(u64),
    /// Gives one.
    Post(u64),
    /// A fence.
    Fence,
    /// Waits for the thread of this handle to end.
    Join(u64),
}

/// A step, and the instruction that it belongs to.
pub(crate) type At = (Added, u64);

/// Where a thread stands when it is about to do something.
#[derive(Clone, Debug)]
pub(crate) struct Stand {
    pub kind: Kind,
    /// The places that its calls are in, the innermost first.
    pub inside: Vec<Inside>,
    /// The instruction.
    pub site: u64,
}

/// What it is about to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Something that others can notice, at a line and column.
    Event { verb: Verb, at: Option<(Arc<str>, u32, u32)> },
    /// Nothing that others can notice: statements of places begin at this instruction.
    Passage { address: u64 },
    /// Nothing that others can notice: it waits for something outside the program.
    Aside,
    /// It ends.
    End,
}

/// A call that is in a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inside {
    pub place: PlaceIx,
    /// Which call: where its frame begins.
    pub frame: u64,
    /// Its instruction, or the one that it returns to.
    pub pc: u64,
    /// It is this very call that is about to do something, and none that it has made.
    pub is_innermost: bool,
}

/// A thread's way through the places of a repair.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    visits: Vec<Option<Visit>>,
    /// How often it has come to each place.
    come: Vec<usize>,
    /// Whether it holds the lock of each measure.
    holds: Vec<bool>,
    /// The handle of a thread that it has started and is to wait for, and where that was.
    started: Option<(u64, u64)>,
}

/// A stay in a place.
#[derive(Clone, Debug)]
struct Visit {
    frame: u64,
    /// The beginning of a statement that it began with, if it did.
    marker: Option<u64>,
    /// The first thing that others can notice.
    first: Option<(Inside, Kind)>,
    last_pc: u64,
    /// The last instruction that belongs to it.
    site: u64,
}

impl Visit {
    /// Is the thread back where this stay began?
    fn begins_again(&self, here: &Inside, kind: &Kind) -> bool {
        match (kind, &self.first) {
            // A line may have several statements, and the first of them begins it.
            (Kind::Passage { address }, _) => self.marker.is_none_or(|marker| marker == *address),
            (Kind::Event { .. }, Some((first, first_kind))) => {
                match (first.is_innermost, here.is_innermost) {
                    (true, true) => first_kind == kind,
                    // The same call, once more; as long as it has not returned it is the same.
                    (false, false) => first.pc == here.pc && self.last_pc != here.pc,
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn goes_on(&mut self, here: &Inside, stand: &Stand) {
        self.last_pc = here.pc;
        self.site = stand.site;
        if self.first.is_none() && matches!(stand.kind, Kind::Event { .. }) {
            self.first = Some((*here, stand.kind.clone()));
        }
    }
}

/// What came of looking at the places.
struct Moved {
    /// Left, with the last instruction there.
    left: Vec<(PlaceIx, u64)>,
    entered: Vec<PlaceIx>,
}

/// A stay that a thread has not left.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    pub place: PlaceIx,
    pub frame: u64,
    /// The instruction that it began with, and what that was about to do.
    pub first: u64,
    pub kind: Kind,
}

impl Progress {
    /// The stays that began with a step of the place itself, and not of what it calls.
    pub(crate) fn open(&self) -> Vec<Open> {
        let open = |(place, visit): (PlaceIx, &Option<Visit>)| {
            let visit = visit.as_ref()?;
            let (first, kind) = visit.first.as_ref().filter(|(first, _)| first.is_innermost)?;
            Some(Open { place, frame: visit.frame, first: first.pc, kind: kind.clone() })
        };
        self.visits.iter().enumerate().filter_map(open).collect()
    }

    /// The thread is about to do something: the steps to take before it.
    pub(crate) fn arrive(&mut self, plan: &Plan, thread: &ThreadKey, stand: &Stand) -> Vec<At> {
        self.visits.resize(plan.places.len(), None);
        self.come.resize(plan.places.len(), 0);
        self.holds.resize(plan.measures.len(), false);
        let moved = self.moved(plan, stand);
        let mut steps = Vec::new();
        // With all locks that it has there: the others may be around it.
        steps.extend(self.started.take().map(|(handle, site)| (Added::Join(handle), site)));
        // What is left is given back before anything is waited for, and nothing is locked while waiting.
        for (n, measure) in plan.measures.iter().enumerate() {
            self.leave(n, measure, stand, &moved, &mut steps);
        }
        for measure in &plan.measures {
            self.tell(measure, thread, &moved, &mut steps);
        }
        for measure in &plan.measures {
            self.wait(measure, thread, stand, &moved, &mut steps);
        }
        for (n, measure) in plan.measures.iter().enumerate() {
            self.enter(n, measure, thread, stand, &mut steps);
        }
        let fenced = |measure: &Measure| match measure {
            Measure::Fence { places } => places.iter().any(|place| moved.entered.contains(place)),
            _ => false,
        };
        if plan.measures.iter().any(fenced) {
            steps.push((Added::Fence, stand.site));
        }
        steps
    }

    /// The thread has started another one, of this handle, by the call at a site that is in these places.
    pub(crate) fn has_started(&mut self, plan: &Plan, here: &[PlaceIx], (handle, site): (u64, u64)) {
        let is_here = |measure: &Measure| match measure {
            Measure::Join { place } => here.contains(place),
            _ => false,
        };
        if plan.measures.iter().any(is_here) {
            self.started = Some((handle, site));
        }
    }

    fn moved(&mut self, plan: &Plan, stand: &Stand) -> Moved {
        let mut moved = Moved { left: Vec::new(), entered: Vec::new() };
        let comes = matches!(stand.kind, Kind::Event { .. } | Kind::Passage { .. });
        let passes = matches!(stand.kind, Kind::Passage { .. });
        for place in 0..self.visits.len() {
            let here = |inside: &&Inside| inside.place == place;
            if passes && !stand.inside.iter().any(|inside| inside.place == place) {
                // One statement is over where another begins. Of what a lock is around, only what others can notice
                // counts.
                let same_call = |visit: &Visit| stand.inside.iter().any(|inside| inside.frame == visit.frame);
                if plan.is_marked(place) {
                    let over = self.visits[place].take_if(|visit| same_call(visit));
                    moved.left.extend(over.map(|visit| (place, visit.site)));
                }
                continue;
            }
            if let Some(visit) = &mut self.visits[place] {
                let still =
                    stand.inside.iter().filter(here).find(|inside| inside.frame == visit.frame).copied();
                match still.filter(|_| stand.kind != Kind::End) {
                    Some(inside) if !visit.begins_again(&inside, &stand.kind) => {
                        visit.goes_on(&inside, stand);
                    }
                    _ => {
                        moved.left.push((place, visit.site));
                        self.visits[place] = None;
                    }
                }
            }
            // Of a function that calls itself, the outermost call counts.
            if self.visits[place].is_none()
                && comes
                && let Some(&first) = stand.inside.iter().rev().find(here)
            {
                let marker = match stand.kind {
                    Kind::Passage { address } => Some(address),
                    _ => None,
                };
                let (frame, last_pc, site) = (first.frame, first.pc, stand.site);
                let mut visit = Visit { frame, marker, first: None, last_pc, site };
                visit.goes_on(&first, stand);
                self.visits[place] = Some(visit);
                self.come[place] += 1;
                moved.entered.push(place);
            }
        }
        moved
    }

    fn leave(&mut self, n: usize, measure: &Measure, stand: &Stand, moved: &Moved, steps: &mut Vec<At>) {
        match measure {
            Measure::Lock { mutex, places } if self.holds[n] => {
                let stays = |place: &PlaceIx| self.visits[*place].is_some() && !moved.entered.contains(place);
                if !places.iter().any(stays) {
                    let last = moved.left.iter().find(|(place, _)| places.contains(place));
                    steps.push((Added::Unlock(*mutex), last.map_or(stand.site, |(_, site)| *site)));
                    self.holds[n] = false;
                }
            }
            Measure::Threads { mutex, .. } if self.holds[n] && stand.kind == Kind::End => {
                steps.push((Added::Unlock(*mutex), stand.site));
                self.holds[n] = false;
            }
            _ => {}
        }
    }

    /// Opens the latch of who waits for a place that was left.
    fn tell(&self, measure: &Measure, thread: &ThreadKey, moved: &Moved, steps: &mut Vec<At>) {
        let Measure::Latch { first, until, opened, .. } = measure else { return };
        let Some(&(_, site)) = moved.left.iter().find(|(place, _)| place == until) else { return };
        // It may have come there again already.
        let nth = self.come[*until] - 1 - usize::from(moved.entered.contains(until));
        let which = match opened {
            Opened::Once => (nth == 0).then_some(0),
            Opened::Each => Some(nth),
            Opened::All(threads) => threads.iter().position(|key| key == thread).filter(|_| nth == 0),
        };
        steps.extend(which.map(|which| (Added::Post(latch(*first, which)), site)));
    }

    /// Waits for latches, which are left open: what is taken is given back.
    fn wait(&self, measure: &Measure, thread: &ThreadKey, stand: &Stand, moved: &Moved, steps: &mut Vec<At>) {
        let Measure::Latch { first, before, opened, .. } = measure else { return };
        if !moved.entered.contains(before) {
            return;
        }
        let nth = self.come[*before] - 1;
        let which: Vec<usize> = match opened {
            Opened::Each => vec![nth],
            // Open once is open for ever.
            _ if nth > 0 => Vec::new(),
            Opened::Once => vec![0],
            Opened::All(threads) => (0..threads.len()).filter(|&n| threads[n] != *thread).collect(),
        };
        for which in which {
            let latch = latch(*first, which);
            steps.extend([(Added::Wait(latch), stand.site), (Added::Post(latch), stand.site)]);
        }
    }

    fn enter(&mut self, n: usize, measure: &Measure, thread: &ThreadKey, stand: &Stand, steps: &mut Vec<At>) {
        let (mutex, wanted) = match measure {
            Measure::Lock { mutex, places } => {
                (*mutex, places.iter().any(|&place| self.visits[place].is_some()))
            }
            Measure::Threads { mutex, threads } => {
                (*mutex, threads.contains(thread) && matches!(stand.kind, Kind::Event { .. }))
            }
            Measure::Fence { .. } | Measure::Latch { .. } | Measure::Join { .. } => return,
        };
        if wanted && !self.holds[n] {
            steps.push((Added::Lock(mutex), stand.site));
            self.holds[n] = true;
        }
    }
}

#[cfg(test)]
mod tests;
