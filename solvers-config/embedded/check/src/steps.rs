//! The lines of a proof.

use crate::gates::Function;
use crate::orders::LARGEST;
use std::io::{BufRead, Read};

/// The first line.
pub(crate) const HEADER: &str = "warpath-smt-proof 1";

/// A longer line is refused before it is read to its end.
const LONGEST_LINE: u64 = 256 << 20;

/// One step, with the proof's own numbers: of variables from 1, negative if negated; of nodes from 0; of the script's
/// declarations, assertions and checks from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    /// `r`: all that was said is forgotten.
    Restart,
    /// `i`: a variable is the bit of a constant.
    Input { var: i64, constant: usize, bit: u32 },
    /// `a`: a variable is free; what is asserted may stand behind it.
    Activation { var: i64 },
    /// `x`: such a variable is false for good.
    Retired { var: i64 },
    /// `n`: a node is an integer constant.
    Node { node: i64, constant: usize },
    /// `c`: a node is one sum of a node and a number, or another.
    Choice { node: i64, condition: i64, then: (i64, i64), otherwise: (i64, i64) },
    /// `o`: a variable is a comparison of nodes.
    Order { var: i64, from: i64, to: i64, least: i64 },
    /// `& ^ ? %`: a variable is the output of a gate.
    Gate { var: i64, function: Function, inputs: &'a [i64] },
    /// `s`: a clause that an assertion implies.
    Asserted { assertion: usize, clause: &'a [i64] },
    /// `t`: a clause that holds of integers.
    Lemma(&'a [i64]),
    /// `l`: a clause that follows.
    Learned(&'a [i64]),
    /// `d`: a clause that is not needed any more.
    Deleted(&'a [i64]),
    /// `u`: a check is unsatisfiable, because this clause follows.
    Refuted { check: usize, clause: &'a [i64] },
}

/// Reads lines, one at a time, into the same memory.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    input: R,
    text: Vec<u8>,
    pub(crate) number: u64,
    /// The last line has no end: whoever wrote it was stopped. It is left out.
    pub(crate) cut_off: bool,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Lines { input, text: Vec::new(), number: 0, cut_off: false }
    }

    /// The next line, without its end; `None` behind the last one.
    pub(crate) fn next(&mut self) -> std::io::Result<Option<&str>> {
        self.text.clear();
        let mut limited = (&mut self.input).take(LONGEST_LINE);
        if limited.read_until(b'\n', &mut self.text)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        if self.text.pop_if(|last| *last == b'\n').is_none() {
            if (self.text.len() as u64) < LONGEST_LINE {
                self.cut_off = true;
                return Ok(None);
            }
            let what = format!("line {} is longer than {LONGEST_LINE} bytes", self.number);
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, what));
        }
        match std::str::from_utf8(&self.text) {
            Ok(line) => Ok(Some(line)),
            Err(_) => {
                let what = format!("line {} is not text", self.number);
                Err(std::io::Error::new(std::io::ErrorKind::InvalidData, what))
            }
        }
    }
}

/// The step of a line; `numbers` is where its numbers are kept. `None` if it is no step.
pub(crate) fn parse<'a>(line: &str, numbers: &'a mut Vec<i64>) -> Option<Step<'a>> {
    numbers.clear();
    let mut words = line.split(' ');
    let word = words.next()?;
    for text in words {
        // So that sums of a few do not overflow.
        numbers.push(text.parse().ok().filter(|number: &i64| number.unsigned_abs() <= LARGEST as u64)?);
    }
    let index = |number: i64| usize::try_from(number).ok();
    Some(match (word, numbers.as_slice()) {
        ("r", []) => Step::Restart,
        ("i", &[var, constant, bit]) => {
            Step::Input { var, constant: index(constant)?, bit: u32::try_from(bit).ok()? }
        }
        ("a", &[var]) => Step::Activation { var },
        ("x", &[var]) => Step::Retired { var },
        ("n", &[node, constant]) => Step::Node { node, constant: index(constant)? },
        ("c", &[node, condition, first, first_offset, second, second_offset]) => {
            Step::Choice { node, condition, then: (first, first_offset), otherwise: (second, second_offset) }
        }
        ("o", &[var, from, to, least]) => Step::Order { var, from, to, least },
        ("&" | "^" | "?" | "%", [var, inputs @ ..]) => {
            let function = match word {
                "&" => Function::And,
                "^" => Function::Xor,
                "?" => Function::Mux,
                _ => Function::Majority,
            };
            function.takes(inputs.len()).then_some(Step::Gate { var: *var, function, inputs })?
        }
        ("s", [assertion, clause @ ..]) => Step::Asserted { assertion: index(*assertion)?, clause },
        ("t", clause) => Step::Lemma(clause),
        ("l", clause) => Step::Learned(clause),
        ("d", clause) => Step::Deleted(clause),
        ("u", [check, clause @ ..]) => Step::Refuted { check: index(*check)?, clause },
        _ => return None,
    })
}
