//! Writing down why `unsat` was said, for `warpath smt-check`.
//!
//! One step per line, as it comes about; `check/README.md` describes the format. Constants, assertions and checks are
//! known by their number among the commands of the script that declare, assert and check, counted from 1, so that a
//! checker can pair them with the script, which it reads itself. What an answer rests on is with the operating system
//! before the answer is given.

use rustc_hash::FxHashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warpath_smt_engine::{Function, Lit, Proof, Step};
use warpath_solvers::term::TermId;

/// The first line.
const HEADER: &str = "warpath-smt-proof 1";

/// A proof that is being written: the dialogue and the engine tell it what they do.
#[derive(Debug, Clone)]
pub(crate) struct ProofLog(Arc<Mutex<Writer>>);

#[derive(Debug)]
struct Writer {
    out: BufWriter<File>,
    /// The numbers of declared constants. What has none is an assumption of ours behind which an assertion stands.
    constants: FxHashMap<TermId, u64>,
    declarations: u64,
    assertions: u64,
    checks: u64,
    refuted: Vec<i64>,
    /// The first error of writing; nothing is written behind it.
    failed: Option<io::Error>,
}

impl ProofLog {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let writer = Writer {
            out: BufWriter::new(File::create(path)?),
            constants: FxHashMap::default(),
            declarations: 0,
            assertions: 0,
            checks: 0,
            refuted: Vec::new(),
            failed: None,
        };
        let log = ProofLog(Arc::new(Mutex::new(writer)));
        log.lock().line(HEADER, &[]);
        // So that what is stopped at any time leaves a proof, of nothing at least.
        log.finish()?;
        Ok(log)
    }

    fn lock(&self) -> MutexGuard<'_, Writer> {
        // A line that a panic left behind makes the proof wrong, which its checker will say.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// There is a new engine, which knows nothing.
    pub(crate) fn restart(&self) {
        self.lock().line("r", &[]);
    }

    /// A constant was declared.
    pub(crate) fn declared(&self, constant: TermId) {
        let mut writer = self.lock();
        writer.declarations += 1;
        let number = writer.declarations;
        writer.constants.entry(constant).or_insert(number);
    }

    /// Numbers of terms mean something else from now on.
    pub(crate) fn forget_constants(&self) {
        self.lock().constants.clear();
    }

    /// An assertion is about to be told to the engine.
    pub(crate) fn asserting(&self) {
        self.lock().assertions += 1;
    }

    /// A check begins.
    pub(crate) fn checking(&self) {
        self.lock().checks += 1;
    }

    /// The check will be answered with `unsat`, because of what was refuted last.
    pub(crate) fn concluded(&self) -> io::Result<()> {
        let mut writer = self.lock();
        let mut numbers = vec![writer.checks as i64];
        numbers.append(&mut writer.refuted);
        writer.line("u", &numbers);
        writer.flush()
    }

    /// Nothing more will come.
    pub(crate) fn finish(&self) -> io::Result<()> {
        self.lock().flush()
    }
}

impl Writer {
    fn line(&mut self, word: &str, numbers: &[i64]) {
        if self.failed.is_none()
            && let Err(error) = write_line(&mut self.out, word, numbers)
        {
            self.failed = Some(error);
        }
    }

    fn clause(&mut self, word: &str, first: &[i64], clause: &[Lit]) {
        let numbers: Vec<i64> =
            first.iter().copied().chain(clause.iter().map(|literal| literal.dimacs())).collect();
        self.line(word, &numbers);
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.failed.take() {
            Some(error) => {
                self.failed = Some(error.kind().into());
                Err(error)
            }
            None => self.out.flush(),
        }
    }
}

fn write_line(out: &mut impl Write, word: &str, numbers: &[i64]) -> io::Result<()> {
    out.write_all(word.as_bytes())?;
    for number in numbers {
        write!(out, " {number}")?;
    }
    out.write_all(b"\n")
}

impl Proof for ProofLog {
    fn step(&mut self, step: Step<'_>) {
        let mut writer = self.lock();
        match step {
            Step::Input { literal, constant, bit } => match writer.constants.get(&constant) {
                Some(&number) => writer.line("i", &[literal.dimacs(), number as i64, i64::from(bit)]),
                None => writer.line("a", &[literal.dimacs()]),
            },
            Step::Activation(literal) => writer.line("a", &[literal.dimacs()]),
            Step::Retired(literal) => writer.line("x", &[literal.dimacs()]),
            Step::Node { node, constant } => {
                // Integers are never ours, so there is a number.
                let number = writer.constants.get(&constant).copied().unwrap_or(0);
                writer.line("n", &[i64::from(node), number as i64]);
            }
            Step::Choice { node, condition, then, otherwise } => {
                let (first, second) = (i64::from(then.0), i64::from(otherwise.0));
                let numbers = [i64::from(node), condition.dimacs(), first, then.1, second, otherwise.1];
                writer.line("c", &numbers);
            }
            Step::Order { literal, from, to, least } => {
                writer.line("o", &[literal.dimacs(), i64::from(from), i64::from(to), least]);
            }
            Step::Gate { output, function, inputs } => {
                let word = match function {
                    Function::And => "&",
                    Function::Xor => "^",
                    Function::Mux => "?",
                    Function::Majority => "%",
                };
                writer.clause(word, &[output.dimacs()], inputs);
            }
            Step::Asserted { clause, .. } => {
                let number = writer.assertions as i64;
                writer.clause("s", &[number], clause);
            }
            Step::Lemma(clause) => writer.clause("t", &[], clause),
            Step::Learned(clause) => writer.clause("l", &[], clause),
            Step::Deleted(clause) => writer.clause("d", &[], clause),
            Step::Refuted(clause) => {
                writer.refuted = clause.iter().map(|literal| literal.dimacs()).collect();
            }
            // Follows from the gate or the choice. What is new to us is nothing to rely on.
            _ => {}
        }
    }
}
