//! Store buffers: random programs by random schedules under TSO and PSO. Every recorded value is compared with what a
//! machine with such buffers would have found, and by its schedule each run happens again.

use std::collections::HashMap;
use std::fmt::Write;

use warpath_jvm::run::{End, Plan, Policy, Run, RunOptions};
use warpath_trace::event::{MemoryOrder, Op};
use warpath_trace::header::MemoryModel;
use warpath_trace::ids::LocationId;

use super::build::{Built, checked, events, happens_again, java, options, text};
use super::random::Random;

/// A write that others do not see yet.
struct Pending {
    event: u32,
    location: LocationId,
    value: u128,
    epoch: usize,
}

/// A machine with store buffers that executes what was recorded.
#[derive(Default)]
struct Machine {
    memory: HashMap<LocationId, u128>,
    buffers: HashMap<usize, Vec<Pending>>,
    epochs: HashMap<usize, usize>,
    /// Reads that found something else than what had been written last.
    stale: usize,
    /// Writes that took effect before an older one of their thread.
    overtaken: usize,
}

impl Machine {
    fn run(model: MemoryModel, run: &Run) -> Machine {
        let mut machine = Machine::default();
        for (n, location) in run.trace.tables.locations().iter().enumerate() {
            machine.memory.extend(location.initial.map(|value| (LocationId::from(n), value)));
        }
        for (t, at, event) in run.trace.listing() {
            machine.step(model, t.index(), at, &event.op);
        }
        assert!(machine.buffers.values().all(Vec::is_empty), "writes never took effect");
        machine
    }

    fn step(&mut self, model: MemoryModel, t: usize, at: u32, op: &Op) {
        let drains = |machine: &Machine| {
            let left = machine.buffers.get(&t).map_or(0, Vec::len);
            assert_eq!(left, 0, "event {at} of thread {t}, {op:?}, did not wait for {left} writes");
        };
        match *op {
            Op::Read { location, value } | Op::AtomicRead { location, value, .. } => {
                self.read(t, at, location, value);
            }
            Op::Write { location, value } => {
                let epoch = *self.epochs.entry(t).or_default();
                let write = Pending { event: at, location, value: value.value, epoch };
                self.buffers.entry(t).or_default().push(write);
            }
            Op::AtomicWrite { location, value, .. } => {
                drains(self);
                self.memory.insert(location, value.value);
            }
            Op::Rmw { location, old, new, .. } => {
                drains(self);
                self.read(t, at, location, old);
                self.memory.insert(location, new.value);
            }
            Op::Commit { write } => self.commit(model, t, write),
            Op::Fence { order: MemoryOrder::Release } => *self.epochs.entry(t).or_default() += 1,
            Op::Begin | Op::Branch { .. } | Op::Switch { .. } | Op::Concretise { .. } | Op::Assert { .. } => {
            }
            Op::Failure { .. } | Op::Await { .. } => {}
            _ => drains(self),
        }
    }

    fn read(&mut self, t: usize, at: u32, location: LocationId, value: u128) {
        let youngest = |writes: &Vec<Pending>| {
            writes.iter().rev().find(|write| write.location == location).map(|write| write.value)
        };
        let own = self.buffers.get(&t).and_then(youngest);
        let found = own.or_else(|| self.memory.get(&location).copied());
        assert_eq!(found.unwrap_or(value), value, "event {at} of thread {t}");
        let others = self.buffers.iter().filter(|(other, _)| **other != t);
        self.stale +=
            usize::from(others.filter_map(|(_, writes)| youngest(writes)).any(|other| other != value));
    }

    fn commit(&mut self, model: MemoryModel, t: usize, write: u32) {
        let buffer = self.buffers.entry(t).or_default();
        let position = buffer.iter().position(|pending| pending.event == write).expect("it was written");
        let chosen = buffer.remove(position);
        let earlier = &buffer[..position];
        match model {
            MemoryModel::Pso => {
                let bars = |older: &Pending| older.location == chosen.location || older.epoch != chosen.epoch;
                assert!(!earlier.iter().any(bars), "write {write} of thread {t} has overtaken another");
            }
            _ => assert!(earlier.is_empty(), "write {write} of thread {t} is not the oldest"),
        }
        self.overtaken += usize::from(position > 0);
        self.memory.insert(chosen.location, chosen.value);
    }
}

/// What a thread does: a few statements about what all of them share.
fn thread(random: &mut Random) -> String {
    let mut body = String::from("int i = 0; Frozen seen; ");
    for _ in 0..6 + random.below(8) {
        let n = 1 + random.below(100);
        let _ = match random.below(17) {
            0 | 1 => write!(body, "a = {n}; "),
            2 => write!(body, "b = a + {n}; "),
            3 => write!(body, "i += a + b; "),
            4 => write!(body, "o.wide = {n}_000_000_000L + i; "),
            5 => write!(body, "i += (int) o.wide; o.small = (byte) {n}; "),
            6 => write!(body, "o.letter = (char) {n}; o.flag = !o.flag; "),
            7 => write!(body, "e[{}] = i + {n}; ", n % 3),
            8 => write!(body, "i += e[{}] + o.small; ", n % 3),
            9 => write!(body, "o.real = {n}.5; i += (int) o.real; "),
            10 => write!(body, "words[0] = o.flag ? \"yes\" : \"no\"; if (words[0] != null) {{ i++; }} "),
            11 => write!(body, "v = {n}; "),
            12 => write!(body, "i += v; "),
            13 => write!(body, "synchronized (o) {{ a += {n}; }} "),
            14 => write!(body, "n.addAndGet({n}); "),
            15 => write!(body, "frozen = new Frozen({n}); "),
            _ => match random.below(3) {
                0 => write!(body, "VarHandle.fullFence(); "),
                1 => write!(body, "VarHandle.storeStoreFence(); "),
                _ => write!(body, "System.arraycopy(e, 0, e, 1, 2); "),
            },
        };
        if random.below(4) == 0 {
            body += "seen = frozen; if (seen != null) { i += seen.value + seen.rest; } ";
        }
    }
    body
}

fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let bodies: Vec<String> = (0..3).map(|_| thread(&mut random)).collect();
    format!(
        "import java.lang.invoke.VarHandle; import java.util.concurrent.atomic.AtomicInteger;
        public class Main {{
            static int a, b; static volatile int v; static final Main o = new Main();
            static final int[] e = new int[3]; static final String[] words = new String[1];
            static final AtomicInteger n = new AtomicInteger(); static Frozen frozen;
            long wide; byte small; char letter; boolean flag; double real;
            static final class Frozen {{
                final int value; int rest; Frozen(int value) {{ this.value = value; rest = value + 1; }}
            }}
            static void one() {{ {} }} static void two() {{ {} }} static void three() {{ {} }}
            public static void main(String[] args) throws Exception {{
                Thread s = new Thread(Main::one), t = new Thread(Main::two);
                s.start(); t.start(); three(); s.join(); t.join(); one();
            }}
        }}",
        bodies[0], bodies[1], bodies[2]
    )
}

fn record(built: &Built, model: MemoryModel, policy: Policy) -> Run {
    let options = RunOptions { model, ..options() };
    let run = built.program().record(&Plan::by_policy(options, policy)).unwrap();
    checked(&run);
    run
}

#[test]
fn random_programs_find_what_store_buffers_leave() {
    let seeds = std::env::var("WARPATH_JVM_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    let (mut stale, mut overtaken) = (0, 0);
    for seed in 1..=seeds {
        let source = program(seed);
        let built = java(&source);
        for model in [MemoryModel::Tso, MemoryModel::Pso] {
            for policy in [Policy::Random { seed }, Policy::RunToBlock, Policy::RoundRobin] {
                let run = record(&built, model, policy);
                assert_eq!(run.end, End::Exited(0), "seed {seed}\n{source}\n{}", text(&run.trace));
                let machine = Machine::run(model, &run);
                stale += machine.stale;
                overtaken += machine.overtaken;
                happens_again(&built, &run);
            }
        }
    }
    // Else nothing of this was tried.
    assert!(stale > 0 && overtaken > 0, "{stale} reads were early, {overtaken} writes were overtaken");
}

#[test]
fn final_fields_are_there_before_the_object_is() {
    let built = java(
        "public class Main {
            static Box shared;
            static class Box { final int x; int y; Box(int x) { this.x = x; y = x; } }
            public static void main(String[] args) throws Exception {
                Thread t = new Thread(() -> { Box box = shared; if (box != null && box.x + box.y != 10) throw new Error(); });
                t.start(); shared = new Box(5); t.join();
            }
        }",
    );
    for seed in 0..12 {
        let run = record(&built, MemoryModel::Pso, Policy::Random { seed });
        assert_eq!(run.end, End::Exited(0), "{}", text(&run.trace));
        Machine::run(MemoryModel::Pso, &run);
    }
    let run = record(&built, MemoryModel::Pso, Policy::RunToBlock);
    assert!(events(&run.trace).iter().any(|event| event.starts_with("T0 fence rel")), "{}", text(&run.trace));
}
