//! Threads in the manner of litmus tests: a few stores of different values and loads, and a question about what
//! was found.

use warpath_trace::event::MemoryOrder;

use super::{Features, Generator};
use crate::oracle::build::{arith, load, r, stmt, store, sum};
use crate::oracle::program::{Arith, Expr, Reg, Statement, What};

/// Stores (`W`) and loads (`R`) of two cells, thread by thread: the shapes that tell memory models apart, and
/// some that do not.
const SHAPES: &[&[&str]] = &[
    &["Wx Ry", "Wy Rx"],
    &["Wx Wy", "Ry Rx"],
    &["Wx Wy", "Wy Rx"],
    &["Wx Wy", "Ry Wx"],
    &["Wx Wy", "Wy Wx"],
    &["Rx Wy", "Ry Wx"],
    &["Wx Wx", "Rx Rx"],
    &["Wx Rx Ry", "Wy Ry Rx"],
    &["Wx", "Rx Wy", "Ry Rx"],
];

impl Generator {
    /// Threads on two cells. What each found decides, or is left behind in a cell of its own, and sometimes the
    /// last thread looks at what the first two left.
    pub(super) fn litmus(&mut self, count: usize, most: usize) {
        if self.program.cells.len() < 2 {
            self.program.cell("y", 0);
        }
        let judge = count > 2 && self.rng.percent(50);
        let shape = *self.rng.pick(SHAPES);
        let mut results = Vec::new();
        for thread in 0..count {
            if judge && thread == count - 1 {
                let mut body: Vec<Statement> =
                    results[..2].iter().zip(0..).map(|(&result, to)| load(to, result)).collect();
                body.push(question(&[0, 1]));
                self.program.threads.push(body);
                continue;
            }
            let steps: Vec<(bool, usize)> = match shape.get(thread) {
                Some(text) => {
                    text.split(' ').map(|step| (&step[..1] == "W", usize::from(&step[1..] == "y"))).collect()
                }
                None => (0..most.clamp(1, 3)).map(|_| (self.rng.percent(50), self.rng.below(2))).collect(),
            };
            let (mut body, found) = self.accesses(&steps);
            // No store leaves a 3, so that a result of 0 differs from none.
            let result = self.program.cell(&format!("result{thread}"), 3);
            results.push(result);
            match (judge || self.rng.percent(30), &found[..]) {
                (_, []) => {}
                (true, [.., last]) => body.push(store(result, r(*last))),
                (false, found) => body.push(question(found)),
            }
            self.program.threads.push(body);
        }
    }

    /// Stores and loads, some atomic, with a fence between now and then; and the registers that were loaded.
    fn accesses(&mut self, steps: &[(bool, usize)]) -> (Vec<Statement>, Vec<Reg>) {
        use MemoryOrder::{Acquire, Relaxed, Release, SeqCst};
        let mut body = Vec::new();
        let mut found: Vec<Reg> = Vec::new();
        for (nth, &(is_store, cell)) in steps.iter().enumerate() {
            if nth > 0 && self.has(Features::FENCE) && self.rng.percent(25) {
                body.push(stmt(What::Fence { order: *self.rng.pick(&[SeqCst, Release, Acquire]) }));
            }
            let atomic = self.has(Features::ATOMIC_ACCESS) && self.rng.percent(30);
            if is_store {
                let order = atomic.then(|| *self.rng.pick(&[Relaxed, Release]));
                let value = vec![Expr::Const(1 + self.rng.below(2) as u8)];
                body.push(stmt(What::Store { cell, value, order }));
            } else {
                let order = atomic.then(|| *self.rng.pick(&[Relaxed, Acquire]));
                let to = found.len() as Reg;
                found.push(to);
                body.push(stmt(What::Load { to: vec![to], cell, order }));
            }
        }
        (body, found)
    }
}

/// Control depends on everything that was found: each combination is a decision of its own.
fn question(found: &[Reg]) -> Statement {
    let all = found.iter().fold(Expr::Const(0), |all, &next| sum(arith(Arith::Mul, all, 4), r(next)));
    stmt(What::Switch { on: all, cases: Vec::new(), default: Vec::new() })
}
