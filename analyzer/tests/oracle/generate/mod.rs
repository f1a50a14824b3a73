//! Random programs: small, with few shared cells, and with control that depends on reads and inputs.
//!
//! Locks are given back by whoever took them, and inputs are taken once: a program is never wrong about the
//! language, only about concurrency.

mod blocks;
mod critical;
mod expressions;
mod features;
mod litmus;

use warpath_trace::event::{MutexKind, SyncKind};

use super::program::Program;
use super::rng::Rng;

pub use features::Features;

/// What programs to make.
#[derive(Clone, Copy, Debug)]
pub struct Knobs {
    /// Fewest and most threads besides the main one.
    pub threads: (usize, usize),
    /// Most visible events of a thread, begin and end not counted.
    pub events: usize,
    /// About how many combinations of places the threads may be at: keeps enumeration quick.
    pub size: usize,
    pub features: Features,
}

impl Default for Knobs {
    fn default() -> Self {
        Knobs { threads: (2, 4), events: 12, size: 500, features: Features::ALL }
    }
}

/// The program of a seed: the same for the same knobs on every machine.
pub fn generate(seed: u64, knobs: &Knobs) -> Program {
    let mut rng = Rng::new(seed);
    let features = knobs.features.sample(&mut rng);
    let count = knobs.threads.0 + skewed(&mut rng, knobs.threads.1 - knobs.threads.0);
    let mut generator = Generator { rng, features, program: Program::default(), kinds: Kinds::default() };
    generator.declare(count);
    let workers = count + usize::from(features.has(Features::MAIN));
    // As many events each as make `size` combinations; a thread has two more places, its begin and its end.
    let each = (1..=knobs.size).take_while(|each| each.pow(workers as u32) <= knobs.size).last();
    let most = each.unwrap_or(1).saturating_sub(2).clamp(2, knobs.events);
    // Programs in which the memory model matters are rare among random ones; some are made for it.
    if knobs.features.has(Features::SWITCH) && generator.rng.percent(20) {
        generator.litmus(count, most);
        return generator.program.numbered();
    }
    for _ in 0..count {
        let body = generator.thread_body(most);
        generator.program.threads.push(body);
    }
    if features.has(Features::MAIN) {
        generator.program.main = generator.thread_body(most);
    }
    generator.program.numbered()
}

/// 0 to `most`, lower ones more often.
fn skewed(rng: &mut Rng, most: usize) -> usize {
    let (a, b) = (rng.below(most + 1), rng.below(most + 1));
    a.min(b)
}

/// The synchronisation objects that there are, by kind.
#[derive(Default)]
struct Kinds {
    mutexes: Vec<usize>,
    recursive: Vec<usize>,
    error_check: Vec<usize>,
    rwlocks: Vec<usize>,
    conditions: Vec<usize>,
    semaphores: Vec<usize>,
    barriers: Vec<usize>,
    onces: Vec<usize>,
}

struct Generator {
    rng: Rng,
    features: Features,
    program: Program,
    kinds: Kinds,
}

impl Generator {
    fn has(&self, feature: Features) -> bool {
        self.features.has(feature)
    }

    fn declare(&mut self, threads: usize) {
        for name in &["x", "y", "z"][..1 + self.rng.below(3)] {
            let initial = if self.rng.percent(80) { 0 } else { self.rng.below(4) as u8 };
            self.program.cell(name, initial);
        }
        if self.has(Features::WIDE) {
            self.program.overlapping("low", "high", "wide");
        }
        if self.has(Features::HEAP) {
            self.program.heap_cell("h", 0);
        }
        let mutex = |kind| SyncKind::Mutex { kind, robust: false };
        // A condition needs a mutex to wait with.
        if self.has(Features::MUTEX) || self.has(Features::CONDITION) {
            for name in &["m", "n"][..1 + self.rng.below(2)] {
                self.kinds.mutexes.push(self.program.sync(name, mutex(MutexKind::Normal)));
            }
        }
        if self.has(Features::RECURSIVE) {
            self.kinds.recursive.push(self.program.sync("rec", mutex(MutexKind::Recursive)));
        }
        if self.has(Features::ERROR_CHECK) {
            self.kinds.error_check.push(self.program.sync("e", mutex(MutexKind::ErrorCheck)));
        }
        if self.has(Features::RWLOCK) {
            self.kinds.rwlocks.push(self.program.sync("rw", SyncKind::RwLock));
        }
        if self.has(Features::CONDITION) {
            self.kinds.conditions.push(self.program.sync("c", SyncKind::Condition));
        }
        if self.has(Features::SEMAPHORE) {
            let initial = self.rng.below(3) as u32;
            let maximum = self.rng.percent(40).then(|| initial.max(1) + self.rng.below(2) as u32);
            let kind = SyncKind::Semaphore { initial, maximum };
            self.kinds.semaphores.push(self.program.sync("s", kind));
        }
        if self.has(Features::BARRIER) {
            let parties = 2 + self.rng.below(threads.max(2) - 1) as u32;
            self.kinds.barriers.push(self.program.sync("b", SyncKind::Barrier { parties }));
        }
        if self.has(Features::ONCE) {
            self.kinds.onces.push(self.program.sync("o", SyncKind::Once));
        }
    }
}
