//! Many random programs, compared one after the other: on all cores, from any seed on, with progress lines.
//!
//! `WARPATH_ORACLE_PROGRAMS` sets how many programs, `WARPATH_ORACLE_SEED` where to begin (a campaign that was
//! stopped goes on from the seed of its last progress line), `WARPATH_ORACLE_JOBS` how many at a time,
//! `WARPATH_ORACLE_FEATURES` a mask of what programs may contain; `WARPATH_ORACLE_SOLVER`, `WARPATH_ORACLE_MODEL` and
//! `WARPATH_ORACLE_ORDERS` who answers, for which memory model and how the order is written, if not all in turn.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use warpath_analyzer::encode::{Options, OrderSort};
use warpath_trace::header::MemoryModel;

use super::pool::Pool;
use crate::guard;
use crate::oracle::generate::{Features, Knobs, generate};
use crate::oracle::program::Program;
use crate::oracle::settings;
use crate::oracle::shrink::shrink;

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];
pub const ORDERS: [OrderSort; 3] = OrderSort::ALL;
pub const SOLVERS: [&str; 4] = ["warpath", "yices", "z3", "cvc5"];

/// Programs between two looks at the clock.
const BLOCK: u64 = 100;

/// How a program is looked at.
#[derive(Clone, Debug)]
pub struct Case {
    pub seed: u64,
    pub options: Options,
    pub solver: String,
}

impl Case {
    /// Memory models, ways to write the order and solvers in turn. Yices gets most: it answers quickest.
    pub fn of(seed: u64) -> Case {
        let named = |name: &str| std::env::var(name).ok();
        let model = match named("WARPATH_ORACLE_MODEL").as_deref() {
            None => MODELS[(seed % 3) as usize],
            Some("sc") => MemoryModel::Sc,
            Some("tso") => MemoryModel::Tso,
            Some("pso") => MemoryModel::Pso,
            Some(other) => panic!("WARPATH_ORACLE_MODEL is `{other}`; it should be sc, tso or pso"),
        };
        let turn = seed / 3;
        let orders = match named("WARPATH_ORACLE_ORDERS") {
            None => ORDERS[(turn % ORDERS.len() as u64) as usize],
            Some(wanted) => {
                let found =
                    ORDERS.into_iter().find(|orders| format!("{orders:?}").eq_ignore_ascii_case(&wanted));
                found.unwrap_or_else(|| panic!("WARPATH_ORACLE_ORDERS is `{wanted}`; there is {ORDERS:?}"))
            }
        };
        let turn = (turn / ORDERS.len() as u64) % 6;
        let solver = named("WARPATH_ORACLE_SOLVER")
            .unwrap_or_else(|| SOLVERS[[0, 1, 2, 0, 1, 3][turn as usize]].to_owned());
        // Every second time as families, if they are known.
        let knows = solver == "warpath" && orders == OrderSort::Int && turn.is_multiple_of(2);
        let families_from = if knows { 0 } else { usize::MAX };
        Case { seed, options: Options { model, orders, families_from, ..Options::default() }, solver }
    }
}

/// How a program came out.
pub enum Verdict {
    /// As it should be; so much was compared.
    Agrees {
        counted: usize,
    },
    TooLarge,
    Differs(String),
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    pub compared: u64,
    pub counted: usize,
    pub too_large: u64,
    /// The longest that a program took, and its seed.
    pub slowest: (Duration, u64),
}

/// Compares many programs; the first difference is shrunk and shown.
pub struct Campaign {
    pub name: &'static str,
    /// How many programs, if the environment does not say.
    pub programs: u64,
    pub knobs: Knobs,
    /// What is counted, for the progress lines.
    pub unit: &'static str,
}

impl Campaign {
    pub fn run(&self, compare: impl Fn(&Program, &Case, &Arc<Pool>) -> Verdict + Sync) -> Totals {
        let features = settings::features().map_or(self.knobs.features, Features);
        let knobs = Knobs { features, ..self.knobs };
        let pool = Pool::new(guard::solvers());
        let (first, count) = (settings::seed(), settings::programs(self.programs));
        let mut totals = Totals::default();
        let (begun, mut told) = (Instant::now(), Instant::now());
        let mut from = first;
        while from < first + count {
            let to = (from + BLOCK).min(first + count);
            self.block(from..to, &knobs, &pool, &compare, &mut totals);
            from = to;
            if told.elapsed() > Duration::from_secs(20) && from < first + count {
                println!("{}, go on from seed {from}", self.line(&totals, begun));
                told = Instant::now();
            }
        }
        println!("{}: all seeds from {first} to {}", self.line(&totals, begun), first + count - 1);
        assert!(totals.compared * 2 > totals.too_large, "most programs are small enough to be compared");
        totals
    }

    fn line(&self, totals: &Totals, begun: Instant) -> String {
        let Totals { compared, counted, too_large, slowest } = totals;
        let (name, unit, seconds) = (self.name, self.unit, begun.elapsed().as_secs_f64());
        let slowest = format!("seed {} took {:.1} s", slowest.1, slowest.0.as_secs_f64());
        format!(
            "{name}: {compared} programs agree ({counted} {unit}), {too_large} too large, {seconds:.0} s ({slowest})"
        )
    }

    fn block(
        &self,
        seeds: std::ops::Range<u64>,
        knobs: &Knobs,
        pool: &Arc<Pool>,
        compare: &(impl Fn(&Program, &Case, &Arc<Pool>) -> Verdict + Sync),
        totals: &mut Totals,
    ) {
        let next = AtomicU64::new(seeds.start);
        let done = Mutex::new((totals, Vec::new()));
        std::thread::scope(|scope| {
            for _ in 0..settings::jobs() {
                scope.spawn(|| {
                    loop {
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        if seed >= seeds.end {
                            return;
                        }
                        let begun = Instant::now();
                        let verdict = compare(&generate(seed, knobs), &Case::of(seed), pool);
                        let (totals, different) = &mut *done.lock().expect("nobody panics with it");
                        totals.slowest = totals.slowest.max((begun.elapsed(), seed));
                        match verdict {
                            Verdict::Agrees { counted } => {
                                totals.compared += 1;
                                totals.counted += counted;
                            }
                            Verdict::TooLarge => totals.too_large += 1,
                            Verdict::Differs(_) => different.push(seed),
                        }
                    }
                });
            }
        });
        let (_, different) = done.into_inner().expect("nobody panics with it");
        if let Some(&seed) = different.iter().min() {
            self.show(generate(seed, knobs), &Case::of(seed), pool, compare);
        }
    }

    fn show(
        &self,
        program: Program,
        case: &Case,
        pool: &Arc<Pool>,
        compare: &impl Fn(&Program, &Case, &Arc<Pool>) -> Verdict,
    ) {
        let wrong = |program: &Program| match compare(program, case, pool) {
            Verdict::Differs(what) => Some(what),
            _ => None,
        };
        let small = shrink(program, |program| wrong(program).is_some());
        let what = wrong(&small).expect("shrinking keeps the difference");
        let Case { seed, options, solver } = case;
        panic!(
            "{}: seed {seed}, {:?}, {:?}, {solver}: {what}\n{small}",
            self.name, options.model, options.orders
        );
    }
}
