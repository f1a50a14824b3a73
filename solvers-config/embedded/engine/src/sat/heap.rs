//! Unassigned variables, the most active one first (VSIDS, as MiniSat does it).
//!
//! Most variables were never part of a conflict. They come last, in their order, so they need no heap: a finger that
//! moves over all variables, and back when one of them is unassigned, finds the next one.

use super::literal::Var;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

const ABSENT: u32 = u32::MAX;
/// How much of its weight a bump has after the next conflict. Questions take few conflicts, so what is recent counts.
const DECAY: f64 = 0.9;
/// Above this, all activities are scaled down.
const LARGE: f64 = 1e100;

#[derive(Debug)]
pub(super) struct Heap {
    heap: Vec<Var>,
    place: Vec<u32>,
    activity: Vec<f64>,
    increment: f64,
    /// No variable before it that was never active is unassigned.
    finger: usize,
    seed: u64,
    /// Which variables come before all others, however active these are.
    first: Vec<bool>,
}

impl Heap {
    /// With a seed other than 0, variables that are equally active come in an order of chance.
    pub(super) fn new(seed: u64) -> Heap {
        Heap {
            heap: Vec::new(),
            place: Vec::new(),
            activity: Vec::new(),
            increment: 1.0,
            finger: 0,
            seed,
            first: Vec::new(),
        }
    }

    /// Adds the next variable.
    pub(super) fn add(&mut self) {
        let var = Var(self.place.len() as u32);
        let chance = match self.seed {
            0 => 0,
            seed => FxBuildHasher.hash_one((seed, var)) >> 48,
        };
        self.place.push(ABSENT);
        self.first.push(false);
        // Small enough that one conflict weighs more.
        self.activity.push(chance as f64 * 1e-6 * self.increment);
        self.insert(var);
    }

    pub(super) fn insert(&mut self, var: Var) {
        if self.activity[var.index()] == 0.0 {
            self.finger = self.finger.min(var.index());
        } else if self.place[var.index()] == ABSENT {
            self.place[var.index()] = self.heap.len() as u32;
            self.heap.push(var);
            self.up(self.heap.len() - 1);
        }
    }

    /// The next variable to decide upon, if it is unassigned, which is not known here.
    pub(super) fn pop(&mut self) -> Option<Var> {
        let Some(&first) = self.heap.first() else { return self.never_active() };
        self.place[first.index()] = ABSENT;
        let last = self.heap.pop()?;
        if last != first {
            self.heap[0] = last;
            self.place[last.index()] = 0;
            self.down(0);
        }
        Some(first)
    }

    /// The most active variable in the heap.
    pub(super) fn first(&self) -> Option<Var> {
        self.heap.first().copied()
    }

    fn never_active(&mut self) -> Option<Var> {
        let from = self.finger;
        let next = self.activity[from..].iter().position(|&activity| activity == 0.0);
        self.finger = next.map_or(self.activity.len(), |next| from + next + 1);
        next.map(|next| Var((from + next) as u32))
    }

    /// Makes a variable more active. One that is unassigned and never was must be inserted then.
    pub(super) fn bump(&mut self, var: Var) {
        let activity = &mut self.activity[var.index()];
        *activity += self.increment;
        if *activity > LARGE {
            for activity in &mut self.activity {
                *activity /= LARGE;
            }
            self.increment /= LARGE;
        }
        let place = self.place[var.index()];
        if place != ABSENT {
            self.up(place as usize);
        }
    }

    /// Lets a variable that was active come before all that are not first as well.
    pub(super) fn put_first(&mut self, var: Var) {
        self.first[var.index()] = true;
        let place = self.place[var.index()];
        if place != ABSENT {
            self.up(place as usize);
        }
    }

    pub(super) fn is_first(&self, var: Var) -> bool {
        self.first[var.index()]
    }

    pub(super) fn decay(&mut self) {
        self.increment /= DECAY;
    }

    /// Older variables first where activities are equal: they are nearer to the question.
    pub(super) fn precedes(&self, a: Var, b: Var) -> bool {
        let (of_a, of_b) = (self.activity[a.index()], self.activity[b.index()]);
        let (first_a, first_b) = (self.first[a.index()], self.first[b.index()]);
        match first_a == first_b {
            true => of_a > of_b || (of_a == of_b && a < b),
            false => first_a,
        }
    }

    fn up(&mut self, mut at: usize) {
        let var = self.heap[at];
        while at > 0 {
            let parent = (at - 1) / 2;
            let above = self.heap[parent];
            if !self.precedes(var, above) {
                break;
            }
            self.heap[at] = above;
            self.place[above.index()] = at as u32;
            at = parent;
        }
        self.heap[at] = var;
        self.place[var.index()] = at as u32;
    }

    fn down(&mut self, mut at: usize) {
        let var = self.heap[at];
        loop {
            let left = 2 * at + 1;
            if left >= self.heap.len() {
                break;
            }
            let right = left + 1;
            let child = if right < self.heap.len() && self.precedes(self.heap[right], self.heap[left]) {
                right
            } else {
                left
            };
            let below = self.heap[child];
            if !self.precedes(below, var) {
                break;
            }
            self.heap[at] = below;
            self.place[below.index()] = at as u32;
            at = child;
        }
        self.heap[at] = var;
        self.place[var.index()] = at as u32;
    }
}
