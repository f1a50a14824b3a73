//! The ground truth: all interleavings, inputs, commits and choices of waiters, one state after the other.
//!
//! A violated assumption or assertion stops its thread alone. For an assertion that means: its thread is about
//! to fail while the others go on, which is what an execution prefix is.
//!
//! Sequences of decisions are part of a state, so that every one that can be reached is seen.

mod code;
mod local;
mod objects;
mod simple;
mod state;
mod step;
mod truth;
mod watch;

use std::collections::{BTreeSet, HashMap, HashSet};

use warpath_trace::event::MemoryOrder;
use warpath_trace::header::MemoryModel;

use super::decision::{Decision, View};
use super::program::{Program, ThreadNr, What};
use code::{Instruction, Op, compile};
use state::{Life, Mixed, State};

pub use truth::{Interruptions, Stuck, Truth, Waiting};

/// How far to go.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Give up above so many states.
    pub states: usize,
    /// Inputs that have this value only; the others have every value of their domain.
    pub inputs: Vec<(String, u8)>,
    /// What counts as a decision.
    pub view: View,
    /// Per thread, sequences of decisions with all their beginnings. If given, a thread that decides otherwise
    /// stops there; an event that would *be* another decision by how it ends does not happen. The decision is
    /// noted all the same.
    pub within: Option<Vec<BTreeSet<Vec<Decision>>>>,
    /// Watch for atomicity and order violations: many more states.
    pub watch: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { states: 200_000, inputs: Vec::new(), view: View::Symbolic, within: None, watch: false }
    }
}

/// More states than the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the program has more than {0} states; raise the limit or make the program smaller")]
pub struct TooLarge(pub usize);

/// Everything the program can do under a memory model.
pub fn enumerate(program: &Program, model: MemoryModel, limits: &Limits) -> Result<Truth, TooLarge> {
    Explorer::new(program, model, limits).explore(limits.states)
}

struct Explorer<'p> {
    program: &'p Program,
    model: MemoryModel,
    code: Vec<Vec<Instruction<'p>>>,
    /// First byte of each storage in the state's memory.
    bases: Vec<usize>,
    /// Values that each input may have.
    domains: Vec<Vec<u8>>,
    histories: Vec<Histories>,
    view: View,
    watches: bool,
    truth: Truth,
}

/// Sequences of decisions of one thread, by number; 0 is the empty one.
#[derive(Default)]
struct Histories {
    longer: HashMap<(u32, Decision), u32>,
    all: Vec<(u32, Decision)>,
    /// Those up to this number may be extended; `None` for all.
    within: Option<u32>,
}

impl Histories {
    fn within(known: &BTreeSet<Vec<Decision>>) -> Histories {
        let mut histories = Histories::default();
        for sequence in known {
            sequence.iter().fold(0, |history, &decision| histories.extend(history, decision));
        }
        histories.within = Some(histories.all.len() as u32);
        histories
    }

    /// Has the thread decided otherwise than it may?
    fn is_outside(&self, history: u32) -> bool {
        self.within.is_some_and(|last| history > last)
    }

    fn extend(&mut self, history: u32, decision: Decision) -> u32 {
        let next = self.all.len() as u32 + 1;
        *self.longer.entry((history, decision)).or_insert_with(|| {
            self.all.push((history, decision));
            next
        })
    }

    fn sequences(&self) -> BTreeSet<Vec<Decision>> {
        let mut sequences: Vec<Vec<Decision>> = vec![Vec::new()];
        for &(shorter, decision) in &self.all {
            let mut sequence = sequences[shorter as usize].clone();
            sequence.push(decision);
            sequences.push(sequence);
        }
        sequences.into_iter().collect()
    }
}

/// An access to shared memory.
struct Access {
    cell: usize,
    writes: bool,
    atomic: bool,
}

impl<'p> Explorer<'p> {
    fn new(program: &'p Program, model: MemoryModel, limits: &Limits) -> Self {
        let mut bases = vec![0];
        for storage in &program.storages {
            bases.push(bases[bases.len() - 1] + storage.bytes.len());
        }
        let domain = |input: &super::program::Input| {
            let fixed = limits.inputs.iter().find(|(name, _)| *name == input.name);
            fixed.map_or_else(|| (0..input.domain).collect(), |&(_, value)| vec![value])
        };
        Explorer {
            program,
            model,
            code: compile(program),
            bases,
            domains: program.inputs.iter().map(domain).collect(),
            histories: match &limits.within {
                Some(known) => known.iter().map(Histories::within).collect(),
                None => (0..program.thread_count()).map(|_| Histories::default()).collect(),
            },
            view: limits.view,
            watches: limits.watch,
            truth: Truth::default(),
        }
    }

    fn explore(mut self, limit: usize) -> Result<Truth, TooLarge> {
        let first = State::initial(self.program, self.watches);
        let mut seen: HashSet<State, Mixed> = HashSet::default();
        let mut stack = vec![first.clone()];
        seen.insert(first);
        while let Some(state) = stack.pop() {
            self.note_races(&state);
            let successors = self.successors(&state);
            if successors.is_empty() {
                self.note_end(&state);
            }
            for next in successors {
                if self.is_outside(&next) {
                    continue;
                }
                if !seen.contains(&next) {
                    if seen.len() >= limit {
                        return Err(TooLarge(limit));
                    }
                    seen.insert(next.clone());
                    stack.push(next);
                }
            }
        }
        self.truth.states = seen.len();
        self.truth.histories = self.histories.iter().map(Histories::sequences).collect();
        Ok(self.truth)
    }

    /// Did an event happen that must not?
    fn is_outside(&self, state: &State) -> bool {
        let mut threads = state.threads.iter().zip(&self.histories);
        threads
            .any(|(thread, histories)| thread.life != Life::Stopped && histories.is_outside(thread.history))
    }

    /// The instruction that a living thread stands at.
    fn current(&self, state: &State, nr: ThreadNr) -> Option<&Instruction<'p>> {
        let thread = &state.threads[nr];
        (thread.life == Life::Alive).then(|| &self.code[nr][usize::from(thread.at)])
    }

    fn access(&self, state: &State, nr: ThreadNr) -> Option<(u32, Access)> {
        if state.region.is_some_and(|inside| usize::from(inside) != nr) {
            return None;
        }
        let instruction = self.current(state, nr)?;
        let access = match &instruction.op {
            Op::Simple(What::Load { cell, order, .. }) => {
                Access { cell: *cell, writes: false, atomic: is_atomic(*order) }
            }
            Op::Simple(What::Store { cell, order, .. }) => {
                Access { cell: *cell, writes: true, atomic: is_atomic(*order) }
            }
            Op::Simple(What::Rmw { cell, .. }) => Access { cell: *cell, writes: true, atomic: true },
            Op::FutexBlock { cell, .. } => Access { cell: *cell, writes: false, atomic: true },
            _ => return None,
        };
        Some((instruction.id, access))
    }

    fn note_races(&mut self, state: &State) {
        let count = state.threads.len();
        let next: Vec<_> = (0..count).map(|nr| self.access(state, nr)).collect();
        for (b, second) in next.iter().enumerate() {
            for (a, first) in next[..b].iter().enumerate() {
                let (Some((id, access)), Some((other_id, other))) = (first, second) else { continue };
                let cells = &self.program.cells;
                let conflict = (access.writes || other.writes)
                    && !(access.atomic && other.atomic)
                    && cells[access.cell].overlaps(&cells[other.cell]);
                if conflict {
                    self.truth.races.insert(((a, *id), (b, *other_id)));
                }
            }
        }
    }

    fn note_end(&mut self, state: &State) {
        if state.threads.iter().all(|thread| thread.life == Life::Ended) {
            self.truth.finals.insert(state.memory.clone());
            self.truth.paths.insert(state.threads.iter().map(|thread| thread.history).collect());
            return;
        }
        let with = |life: Life| (0..state.threads.len()).filter(move |&nr| state.threads[nr].life == life);
        let stopped = with(Life::Stopped).collect();
        let blocked = with(Life::Alive).map(|nr| (nr, self.waiting(state, nr))).collect();
        self.truth.stuck.insert(Stuck { blocked, stopped });
    }

    fn waiting(&self, state: &State, nr: ThreadNr) -> Waiting {
        let instruction = &self.code[nr][usize::from(state.threads[nr].at)];
        let holders = match &instruction.op {
            Op::Join(child) => vec![*child],
            Op::CondWake { mutex: object, .. }
            | Op::OnceEnter { once: object, .. }
            | Op::Simple(What::Lock { mutex: object, .. })
            | Op::Simple(What::RwLock { lock: object, .. }) => state.objects[*object].holders(),
            _ => Vec::new(),
        };
        Waiting { statement: instruction.id, holders: holders.into_iter().collect() }
    }
}

fn is_atomic(order: Option<MemoryOrder>) -> bool {
    !matches!(order, None | Some(MemoryOrder::Volatile))
}
