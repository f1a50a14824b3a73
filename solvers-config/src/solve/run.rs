//! Putting the commands of a script to a solver.

use std::time::{Duration, Instant};

use super::{CommandFault, SolveError, SolveOptions};
use crate::answer::Answer;
use crate::optimise::{Optimum, Preference};
use crate::script::{Command, Script};
use crate::smt::{Query, Smt};
use crate::term::{Evaluator, MissingConstant, TermId, Terms, Value};

/// What came of a script.
#[derive(Debug, Clone)]
pub struct ScriptResult {
    /// Who answered.
    pub solver: String,
    /// One per check, in order.
    pub checks: Vec<CheckResult>,
    /// One per command that gets an answer, in order.
    pub responses: Vec<Response>,
}

/// What came of one check.
#[derive(Debug, Clone)]
pub struct CheckResult {
    /// The answer.
    pub answer: Answer,
    /// What was optimised, if there were soft assertions.
    pub optimum: Option<Optimum>,
    /// How long it took.
    pub time: Duration,
}

/// The answer to one command.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Response {
    /// To a check: its number, from 0.
    Check(usize),
    /// To `get-value` or `get-model`.
    Values(Vec<(TermId, Value)>),
    /// To `get-unsat-core`: names.
    Core(Vec<String>),
    /// To `get-unsat-assumptions`: assumed terms.
    Assumptions(Vec<TermId>),
    /// To `echo`.
    Echo(String),
    /// What was asked for is not there.
    Error(String),
}

/// Solves a script with anything that answers. Its stack is used and left empty.
pub fn solve_script(
    script: &Script,
    terms: &mut Terms,
    smt: &mut dyn Smt,
    options: &SolveOptions,
) -> Result<ScriptResult, SolveError> {
    smt.stack_mut().reset();
    let mut runner = Runner {
        result: ScriptResult { solver: smt.describe(), checks: Vec::new(), responses: Vec::new() },
        terms,
        smt,
        options,
        soft: vec![Vec::new()],
    };
    for (index, command) in script.commands.iter().enumerate() {
        if *command == Command::Exit {
            break;
        }
        runner
            .command(command, &script.commands[index + 1..])
            .map_err(|source| SolveError::Command { number: index + 1, source })?;
    }
    let result = runner.result;
    smt.stack_mut().reset();
    Ok(result)
}

struct Runner<'a> {
    result: ScriptResult,
    terms: &'a mut Terms,
    smt: &'a mut dyn Smt,
    options: &'a SolveOptions,
    /// Soft assertions by level.
    soft: Vec<Vec<Preference>>,
}

impl Runner<'_> {
    fn command(&mut self, command: &Command, following: &[Command]) -> Result<(), CommandFault> {
        match command {
            Command::Assert { term, name } => {
                self.smt.stack_mut().assert(self.terms, *term, name.as_deref())?
            }
            Command::AssertSoft { term, soft } => {
                crate::stack::check_bool(self.terms, *term)?;
                if let Some(top) = self.soft.last_mut() {
                    top.push(Preference { term: *term, weight: soft.weight });
                }
            }
            Command::Push { levels } => {
                for _ in 0..*levels {
                    self.smt.push();
                    self.soft.push(Vec::new());
                }
            }
            Command::Pop { levels } => {
                for _ in 0..*levels {
                    self.smt.pop()?;
                    self.soft.pop();
                }
            }
            Command::Reset | Command::ResetAssertions => {
                self.smt.stack_mut().reset();
                self.soft = vec![Vec::new()];
            }
            Command::CheckSat => self.check(Vec::new(), following),
            Command::CheckSatAssuming { literals } => {
                let mut assumptions = Vec::with_capacity(literals.len());
                for literal in literals {
                    let constant = literal.constant;
                    assumptions.push(if literal.positive { constant } else { self.terms.not(constant)? });
                }
                self.check(assumptions, following);
            }
            Command::GetValue { terms } => self.values(terms),
            Command::GetModel => self.model(),
            Command::GetUnsatCore | Command::GetUnsatAssumptions => self.core(command),
            Command::Echo { text } => self.result.responses.push(Response::Echo(text.clone())),
            Command::GetInfo { keyword } => self.info(keyword),
            _ => {}
        }
        Ok(())
    }

    fn check(&mut self, assumptions: Vec<TermId>, following: &[Command]) {
        let core = following
            .iter()
            .take_while(|command| !matches!(command, Command::CheckSat | Command::CheckSatAssuming { .. }))
            .any(|command| matches!(command, Command::GetUnsatCore | Command::GetUnsatAssumptions));
        let query =
            Query { assumptions, core, timeout: self.options.timeout, cancel: self.options.cancel.clone() };
        let soft: Vec<Preference> = self.soft.concat();
        let begun = Instant::now();
        let check = if soft.is_empty() {
            CheckResult { answer: self.smt.check(self.terms, &query), optimum: None, time: begun.elapsed() }
        } else {
            let optimum = self.smt.optimise(self.terms, &query, &soft);
            CheckResult { answer: optimum.answer.clone(), optimum: Some(optimum), time: begun.elapsed() }
        };
        self.result.responses.push(Response::Check(self.result.checks.len()));
        self.result.checks.push(check);
    }

    fn last(&self) -> Option<&Answer> {
        self.result.checks.last().map(|check| &check.answer)
    }

    fn respond(&mut self, response: Option<Response>, missing: &str) {
        self.result.responses.push(response.unwrap_or_else(|| Response::Error(missing.to_owned())));
    }

    fn values(&mut self, wanted: &[TermId]) {
        let model = self.last().and_then(Answer::model);
        let values = model.map(|model| {
            // What the formula does not constrain may have any value.
            let mut evaluator = Evaluator::new(self.terms, model).missing(MissingConstant::Default);
            wanted.iter().map(|term| Ok((*term, evaluator.value(*term)?))).collect::<Result<Vec<_>, _>>()
        });
        let response = values.map(|values| match values {
            Ok(values) => Response::Values(values),
            Err(error) => {
                let error: crate::term::EvalError = error;
                Response::Error(error.to_string())
            }
        });
        self.respond(response, "there is no model");
    }

    fn model(&mut self) {
        let model = self.last().and_then(Answer::model).map(|model| Response::Values(model.iter().collect()));
        self.respond(model, "there is no model");
    }

    fn core(&mut self, command: &Command) {
        let response = match self.last() {
            Some(Answer::Unsat { core: Some(core) }) => Some(match command {
                Command::GetUnsatCore => Response::Core(core.names.clone()),
                _ => Response::Assumptions(core.assumptions.clone()),
            }),
            _ => None,
        };
        self.respond(response, "there is no core");
    }

    fn info(&mut self, keyword: &str) {
        let text = match (keyword, self.last()) {
            ("name" | "version", _) => Some(self.result.solver.clone()),
            ("reason-unknown", Some(Answer::Unknown(reason))) => Some(reason.to_string()),
            _ => None,
        };
        self.respond(text.map(Response::Echo), "unsupported");
    }
}
