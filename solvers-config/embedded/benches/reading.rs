//! How fast scripts are read, and how long a process takes to be ready. Figures, not assertions.

#![allow(clippy::unwrap_used)] // a benchmark is a test too

#[path = "../tests/common/mod.rs"]
mod common;

use common::shapes;
use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use warpath_smt::{Decider, Settings, serve_with};
use warpath_smt_engine::{Outcome, Unsupported};
use warpath_solvers::term::{TermId, Terms, Value};

/// Takes everything and decides nothing: what is measured is the reading.
struct Sink;

impl Decider for Sink {
    fn push(&mut self) {}
    fn pop(&mut self) {}
    fn assert(&mut self, _: &mut Terms, _: TermId) -> Result<(), Unsupported> {
        Ok(())
    }
    fn check(
        &mut self,
        _: &mut Terms,
        _: &[TermId],
        _: &mut dyn FnMut() -> bool,
    ) -> Result<Outcome, Unsupported> {
        Ok(Outcome::Unknown)
    }
    fn value(&self, _: &Terms, _: TermId) -> Option<Value> {
        None
    }
    fn failed(&self) -> &[TermId] {
        &[]
    }
}

/// An order formula of some megabytes: chains, and clauses over pairs of events.
fn orders() -> String {
    let mut text = String::from("(set-logic QF_IDL)\n");
    for event in 0..4000 {
        writeln!(text, "(declare-const |order of event {event}| Int)").unwrap();
    }
    let mut random = common::random::Random::new(7);
    for clause in 0..80_000 {
        let event = |random: &mut common::random::Random| format!("|order of event {}|", random.below(4000));
        let (a, b, c) = (event(&mut random), event(&mut random), event(&mut random));
        writeln!(text, "(define-fun def.{clause} () Bool (< {a} {b}))").unwrap();
        writeln!(text, "(assert (or def.{clause} (not (< {b} {c})) (<= {c} {a})))").unwrap();
    }
    text
}

/// Many small conversations of all shapes.
fn mixed() -> String {
    (0..3000).map(|seed| format!("(reset)\n{}", shapes::any(seed).plain_script())).collect()
}

fn fastest(runs: usize, mut run: impl FnMut()) -> Duration {
    (0..runs)
        .map(|_| {
            let begun = Instant::now();
            run();
            begun.elapsed()
        })
        .min()
        .unwrap_or_default()
}

fn main() {
    for (name, script) in [("orders", orders()), ("mixed", mixed())] {
        let time = fastest(5, || {
            let settings = Settings::default();
            serve_with(script.as_bytes(), std::io::sink(), &settings, &mut |_| Sink).unwrap();
        });
        let megabytes = script.len() as f64 / 1e6;
        println!("reading {name}: {megabytes:.1} MB, {:.0} MB/s", megabytes / time.as_secs_f64());
    }
    let start = |program: &str, arguments: &[&str]| {
        fastest(50, || {
            let mut command = Command::new(program);
            command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null());
            assert!(command.status().unwrap().success());
        })
    };
    let ours = start(env!("CARGO_BIN_EXE_warpath-smt"), &[]);
    let nothing = start("/bin/true", &[]);
    println!("start and end of a process: {ours:.1?} (/bin/true: {nothing:.1?})");
}
