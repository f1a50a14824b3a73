//! What a script asks, by the numbers that proofs use.

use warpath_solvers::script::{Command, Script, ScriptError};
use warpath_solvers::term::{TermId, Terms};

/// An assertion, and between which commands it stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Assertion {
    pub(crate) term: TermId,
    pub(crate) life: Life,
}

/// Positions among all commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Life {
    pub(crate) begins: usize,
    pub(crate) ends: usize,
}

impl Life {
    pub(crate) fn has(self, position: usize) -> bool {
        self.begins < position && position < self.ends
    }

    /// When both are alive.
    pub(crate) fn and(self, other: Life) -> Life {
        Life { begins: self.begins.max(other.begins), ends: self.ends.min(other.ends) }
    }
}

#[derive(Debug)]
pub(crate) struct Check {
    pub(crate) position: usize,
    /// Constants, and whether they are assumed to be true.
    pub(crate) assumptions: Vec<(TermId, bool)>,
}

/// Declarations, assertions and checks, in order.
#[derive(Debug)]
pub(crate) struct Questions {
    pub(crate) terms: Terms,
    pub(crate) constants: Vec<TermId>,
    pub(crate) assertions: Vec<Assertion>,
    pub(crate) checks: Vec<Check>,
}

impl Questions {
    /// Reads a script with the reader that `warpath smt` does not use.
    pub(crate) fn read(text: &str) -> Result<Questions, ScriptError> {
        let mut terms = Terms::new();
        let script = Script::parse(text, &mut terms)?;
        let mut questions =
            Questions { terms, constants: Vec::new(), assertions: Vec::new(), checks: Vec::new() };
        // The numbers of living assertions, and how many there were when each level was opened.
        let mut living: Vec<usize> = Vec::new();
        let mut levels: Vec<usize> = Vec::new();
        for (position, command) in script.commands.into_iter().enumerate() {
            let mut keep = living.len();
            match command {
                Command::Declare { constant } => questions.constants.push(constant),
                Command::Assert { term, .. } => {
                    living.push(questions.assertions.len());
                    keep = living.len();
                    let life = Life { begins: position, ends: usize::MAX };
                    questions.assertions.push(Assertion { term, life });
                }
                Command::Push { levels: count } => {
                    levels.resize(levels.len() + count as usize, living.len());
                }
                Command::Pop { levels: count } => {
                    for _ in 0..count {
                        keep = levels.pop().unwrap_or(0).min(keep);
                    }
                }
                Command::Reset | Command::ResetAssertions => {
                    levels.clear();
                    keep = 0;
                }
                Command::CheckSat => questions.checks.push(Check { position, assumptions: Vec::new() }),
                Command::CheckSatAssuming { literals } => {
                    let assumptions =
                        literals.iter().map(|literal| (literal.constant, literal.positive)).collect();
                    questions.checks.push(Check { position, assumptions });
                }
                Command::Exit => break,
                _ => {}
            }
            for dead in living.drain(keep..) {
                questions.assertions[dead].life.ends = position;
            }
        }
        Ok(questions)
    }
}
