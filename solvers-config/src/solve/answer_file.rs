//! The answers to a script as a file: what a solver would have printed, one answer per line, with comment lines that
//! say who answered and what each line is.
//!
//! ```text
//! ; warpath answers 1
//! ; script: query.smt2
//! ; solver: z3 5.4.0
//! ;@ check
//! sat
//! ;@ values
//! ((x 5) (y #x0f))
//! ;@ check
//! unknown
//! ;@ reason no answer within 500 ms
//! ```
//!
//! Times are left out: the same answers give the same bytes.

use std::fmt;

use thiserror::Error;

use super::run::{Response, ScriptResult};
use crate::answer::Answer;
use crate::smtlib::answer::{NamedLiteral, named_values, unsat_assumptions, unsat_core};
use crate::smtlib::{symbol, term_text};
use crate::term::{TermId, Terms, Value};

const FIRST_LINE: &str = "; warpath answers 1";
/// A term whose text would be longer than this many nodes is called by its position instead.
const LONGEST_TERM: u64 = 10_000;

/// The content of an answer file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerFile {
    /// File name of the script.
    pub script: String,
    /// Who answered.
    pub solver: String,
    /// The answers, in the order of the script's commands.
    pub answers: Vec<Recorded>,
}

/// One answer in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recorded {
    /// There is a model; with the cost of violated soft assertions, if there were any, and whether that is optimal.
    Sat(Option<(u128, bool)>),
    /// There is none.
    Unsat,
    /// Nobody knows, and why.
    Unknown(String),
    /// Values: the name of a constant or the text of a term, and the value.
    Values(Vec<(String, Value)>),
    /// Names of assertions.
    Core(Vec<String>),
    /// Assumptions.
    Assumptions(Vec<NamedLiteral>),
    /// Text from the script or about the solver.
    Echo(String),
    /// What was asked for is not there.
    Error(String),
}

/// Why a file is not an answer file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {reason}")]
pub struct AnswerFileError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
}

impl AnswerFile {
    /// The answers to a script.
    pub fn of(script: &str, result: &ScriptResult, terms: &Terms) -> Self {
        let answers = result
            .responses
            .iter()
            .map(|response| match response {
                Response::Check(number) => {
                    let check = &result.checks[*number];
                    match &check.answer {
                        Answer::Sat(_) => Recorded::Sat(
                            check.optimum.as_ref().map(|optimum| (optimum.cost, optimum.proved)),
                        ),
                        Answer::Unsat { .. } => Recorded::Unsat,
                        Answer::Unknown(reason) => Recorded::Unknown(one_line(&reason.to_string())),
                    }
                }
                Response::Values(values) => Recorded::Values(
                    values
                        .iter()
                        .enumerate()
                        .map(|(at, (term, value))| (label(terms, *term, at), *value))
                        .collect(),
                ),
                Response::Core(names) => Recorded::Core(names.clone()),
                Response::Assumptions(assumed) => {
                    Recorded::Assumptions(assumed.iter().filter_map(|term| literal(terms, *term)).collect())
                }
                Response::Echo(text) => Recorded::Echo(one_line(text)),
                Response::Error(text) => Recorded::Error(one_line(text)),
            })
            .collect();
        Self { script: one_line(script), solver: one_line(&result.solver), answers }
    }

    /// Reads a file; whatever the text is, this ends and names the line that is wrong.
    pub fn parse(text: &str) -> Result<Self, AnswerFileError> {
        let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
        let mut header = |prefix: &str| match lines.next() {
            Some((_, line)) if line.starts_with(prefix) => Ok(line[prefix.len()..].trim().to_owned()),
            other => {
                let line = other.map_or(1, |(line, _)| line);
                Err(AnswerFileError {
                    line,
                    reason: format!("`{prefix}` was expected: is this an answer file?"),
                })
            }
        };
        header(FIRST_LINE)?;
        let (script, solver) = (header("; script:")?, header("; solver:")?);
        let mut answers = Vec::new();
        while let Some((line, text)) = lines.next() {
            let wrong = |reason: String| AnswerFileError { line, reason };
            if let Some(reason) = text.strip_prefix(";@ reason ") {
                match answers.last_mut() {
                    Some(Recorded::Unknown(last)) => *last = reason.to_owned(),
                    _ => return Err(wrong("a reason belongs to an unknown".to_owned())),
                }
            } else if let Some(cost) = text.strip_prefix(";@ cost ") {
                let cost = parse_cost(cost).ok_or_else(|| wrong(format!("`{cost}` is no cost")))?;
                match answers.last_mut() {
                    Some(Recorded::Sat(last)) => *last = Some(cost),
                    _ => return Err(wrong("a cost belongs to a sat".to_owned())),
                }
            } else if let Some(kind) = text.strip_prefix(";@ ") {
                let (line, content) =
                    lines.next().ok_or_else(|| wrong("an answer was expected after it".to_owned()))?;
                answers.push(parse_answer(kind, content).map_err(|reason| AnswerFileError { line, reason })?);
            } else if !text.trim().is_empty() && !text.starts_with(';') {
                return Err(wrong("an answer needs a line `;@ KIND` before it".to_owned()));
            }
        }
        Ok(Self { script, solver, answers })
    }
}

impl fmt::Display for AnswerFile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{FIRST_LINE}\n; script: {}\n; solver: {}", self.script, self.solver)?;
        for answer in &self.answers {
            match answer {
                Recorded::Sat(None) => writeln!(out, ";@ check\nsat")?,
                Recorded::Sat(Some((cost, proved))) => {
                    let optimal = if *proved { "optimal" } else { "best found" };
                    writeln!(out, ";@ check\nsat\n;@ cost {cost} {optimal}")?;
                }
                Recorded::Unsat => writeln!(out, ";@ check\nunsat")?,
                Recorded::Unknown(reason) => writeln!(out, ";@ check\nunknown\n;@ reason {reason}")?,
                Recorded::Values(values) => {
                    let pairs: Vec<String> =
                        values.iter().map(|(name, value)| format!("({} {value})", shown(name))).collect();
                    writeln!(out, ";@ values\n({})", pairs.join(" "))?;
                }
                Recorded::Core(names) => {
                    let names: Vec<String> = names.iter().map(|name| symbol::quote(name)).collect();
                    writeln!(out, ";@ core\n({})", names.join(" "))?;
                }
                Recorded::Assumptions(literals) => {
                    let literals: Vec<String> = literals.iter().map(literal_text).collect();
                    writeln!(out, ";@ assumptions\n({})", literals.join(" "))?;
                }
                Recorded::Echo(text) => writeln!(out, ";@ echo\n\"{}\"", text.replace('"', "\"\""))?,
                Recorded::Error(text) => {
                    writeln!(out, ";@ error\n(error \"{}\")", text.replace('"', "\"\""))?
                }
            }
        }
        Ok(())
    }
}

fn parse_answer(kind: &str, text: &str) -> Result<Recorded, String> {
    let unquoted = |text: &str| {
        let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        inner.map(|inner| inner.replace("\"\"", "\"")).ok_or_else(|| format!("`{text}` is no string"))
    };
    match (kind, text) {
        ("check", "sat") => Ok(Recorded::Sat(None)),
        ("check", "unsat") => Ok(Recorded::Unsat),
        ("check", "unknown") => Ok(Recorded::Unknown(String::new())),
        ("values", _) => {
            named_values(text.as_bytes()).map(Recorded::Values).map_err(|error| error.to_string())
        }
        ("core", _) => unsat_core(text.as_bytes()).map(Recorded::Core).map_err(|error| error.to_string()),
        ("assumptions", _) => {
            unsat_assumptions(text.as_bytes()).map(Recorded::Assumptions).map_err(|error| error.to_string())
        }
        ("echo", _) => unquoted(text).map(Recorded::Echo),
        ("error", _) => {
            let inner = text.strip_prefix("(error ").and_then(|text| text.strip_suffix(')')).unwrap_or(text);
            unquoted(inner).map(Recorded::Error)
        }
        _ => Err(format!("`{text}` is no answer of the kind `{kind}`")),
    }
}

fn parse_cost(text: &str) -> Option<(u128, bool)> {
    let (cost, how) = text.split_once(' ')?;
    Some((cost.parse().ok()?, how == "optimal"))
}

/// A name or, where a term was asked for, its text, which begins with a parenthesis unless it is a literal.
fn shown(name: &str) -> String {
    let is_term = name.starts_with('(')
        && crate::smtlib::sexpr::Sexpr::parse(name.as_bytes(), Default::default()).is_ok();
    if is_term { name.to_owned() } else { symbol::quote(name) }
}

fn label(terms: &Terms, term: TermId, position: usize) -> String {
    match terms.name(term) {
        Some(name) => name.to_owned(),
        None if written_size(terms, term) <= LONGEST_TERM => term_text(terms, term),
        None => format!("value {position}"),
    }
}

/// How many nodes the term has when it is written out, shared ones as often as they occur.
fn written_size(terms: &Terms, root: TermId) -> u64 {
    let mut cone: Vec<TermId> = terms.cone(&[root]).collect();
    cone.sort_unstable();
    let mut sizes = rustc_hash::FxHashMap::default();
    for id in cone {
        let below = terms.args(id).iter().map(|arg| sizes.get(arg).copied().unwrap_or(1));
        let size = below.fold(1u64, u64::saturating_add);
        sizes.insert(id, size);
    }
    sizes.get(&root).copied().unwrap_or(1)
}

fn literal(terms: &Terms, term: TermId) -> Option<NamedLiteral> {
    let named =
        |id: TermId, positive| terms.name(id).map(|name| NamedLiteral { name: name.to_owned(), positive });
    named(term, true).or_else(|| named(*terms.args(term).first()?, false))
}

fn literal_text(literal: &NamedLiteral) -> String {
    let symbol = symbol::quote(&literal.name);
    if literal.positive { symbol } else { format!("(not {symbol})") }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts() -> impl Strategy<Value = String> {
        any::<String>().prop_map(|text| one_line(&text))
    }

    fn recorded() -> impl Strategy<Value = Recorded> {
        let value = prop_oneof![
            any::<bool>().prop_map(Value::Bool),
            any::<i128>().prop_map(Value::Int),
            (any::<u128>(), 1u32..=128).prop_map(|(value, width)| Value::bits(value, width).unwrap()),
        ];
        // A constant's name may be anything but what reads as a list: that is how terms are told apart.
        let name = any::<String>().prop_filter("not like a term", |name| !name.starts_with('('));
        let literals =
            (name.clone(), any::<bool>()).prop_map(|(name, positive)| NamedLiteral { name, positive });
        prop_oneof![
            prop::option::of((any::<u128>(), any::<bool>())).prop_map(Recorded::Sat),
            Just(Recorded::Unsat),
            texts().prop_map(Recorded::Unknown),
            prop::collection::vec((name, value), 0..5).prop_map(Recorded::Values),
            prop::collection::vec(any::<String>(), 0..5).prop_map(Recorded::Core),
            prop::collection::vec(literals, 0..5).prop_map(Recorded::Assumptions),
            texts().prop_map(Recorded::Echo),
            texts().prop_map(Recorded::Error),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(answers in prop::collection::vec(recorded(), 0..8), script in texts(), solver in texts()) {
            let file = AnswerFile { script, solver, answers };
            prop_assert_eq!(AnswerFile::parse(&file.to_string()), Ok(file));
        }

        #[test]
        fn no_text_makes_it_panic(text in "(; warpath answers 1\n; script: a\n; solver: b\n)?[ -~\n;@()]{0,80}") {
            let _ = AnswerFile::parse(&text);
        }
    }

    #[test]
    fn terms_that_explode_are_called_by_their_position() {
        let mut terms = Terms::new();
        let mut term = terms.constant("x", crate::term::Sort::Bits(8)).unwrap();
        for _ in 0..100 {
            term = terms.apply(crate::term::Op::BvMul, &[term, term]).unwrap();
        }
        assert_eq!(label(&terms, term, 7), "value 7");
    }
}
