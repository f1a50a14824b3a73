//! Asking whether all of it can be true.

use super::{Dialogue, Reply};
use crate::decide::{Checked, Decider, Limits, Objective, Optimum, checked_model, minimise};
use crate::error::{At, Complaint, Fault, Place};
use crate::names::Symbol;
use std::io::{Read, Write};
use warpath_smt_engine::Outcome;
use warpath_solvers::term::{Model, Sort, TermId};

/// What the last check said, until something is asserted, pushed or popped.
pub(super) enum Mode {
    Unasked,
    Sat {
        model: Model,
        /// What each objective costs.
        costs: Vec<(Option<Symbol>, u128)>,
    },
    Unsat {
        /// Assumptions of this check, with the words of the user.
        assumed: Vec<(TermId, String)>,
        /// Assumptions, of the user and of named assertions, that suffice.
        reason: Vec<TermId>,
        /// Whether an attempt was made to make `reason` smaller.
        small: bool,
    },
    Unknown(&'static str),
}

impl<D: Decider, R: Read, W: Write> Dialogue<'_, D, R, W> {
    pub(super) fn check_sat(&mut self, at: Place) -> Result<Reply, Fault> {
        self.end()?;
        self.check(Vec::new()).at(at)
    }

    pub(super) fn check_sat_assuming(&mut self, at: Place) -> Result<Reply, Fault> {
        let literals = self.terms_in_list()?;
        self.end()?;
        let mut assumed = Vec::with_capacity(literals.len());
        for (term, text, at) in literals {
            self.expect_sort(term, Sort::Bool).at(at)?;
            assumed.push((term, text));
        }
        self.check(assumed).at(at)
    }

    fn check(&mut self, assumed: Vec<(TermId, String)>) -> Result<Reply, Complaint> {
        self.checks += 1;
        if let Some(proof) = self.proof {
            proof.checking();
        }
        self.mode = Mode::Unasked;
        let selectors = self.assertions.iter().filter_map(|assertion| assertion.tracked);
        let mut assumptions: Vec<TermId> = selectors.map(|(_, selector)| selector).collect();
        assumptions.extend(assumed.iter().map(|(term, _)| *term));
        let mut limits = Limits::new(self.options.timeout(), self.options.memory());
        let mut stop = || limits.stop();
        let (ids, objectives) = self.objectives();
        let outcome = if objectives.is_empty() {
            self.engine.check(&mut self.terms, &assumptions, &mut stop).map(|outcome| match outcome {
                Outcome::Sat => Optimum::Found(Vec::new()),
                Outcome::Unsat => Optimum::Unsat,
                Outcome::Unknown => Optimum::Unknown,
            })
        } else {
            minimise(&mut self.engine, &mut self.terms, &assumptions, &objectives, &mut stop)
        };
        let (answer, mode) = match outcome.map_err(|error| Complaint::Engine { what: error.what })? {
            Optimum::Unknown => match self.engine.fault() {
                Some(what) => return Err(Complaint::Internal { what: what.to_owned() }),
                None => ("unknown", Mode::Unknown(limits.reason())),
            },
            Optimum::Unsat => {
                let reason = self.engine.failed().to_vec();
                if let Some(proof) = self.proof {
                    proof.concluded().map_err(|error| Complaint::Internal {
                        what: format!("the proof cannot be written: {error}"),
                    })?;
                }
                ("unsat", Mode::Unsat { assumed, reason, small: false })
            }
            Optimum::Found(costs) => {
                let required = self.assertions.iter().map(|assertion| assertion.term);
                let required = required.chain(assumed.iter().map(|(term, _)| *term));
                // A program of ours that asks believes no model, wherever it comes from: once is enough.
                let required = required.filter(|_| self.guard.is_none());
                let constants = self.constants.iter().map(|&(_, constant)| constant);
                match checked_model(&self.engine, &self.terms, constants, required) {
                    Checked::Right(model) => {
                        ("sat", Mode::Sat { model, costs: ids.into_iter().zip(costs).collect() })
                    }
                    Checked::Uncheckable => ("unknown", Mode::Unknown("incomplete")),
                    Checked::Wrong(what) => {
                        return Err(Complaint::Internal { what: format!("the model is wrong: {what}") });
                    }
                }
            }
        };
        self.mode = mode;
        Ok(Reply::Text(answer.to_owned()))
    }

    /// The objectives, in the order in which they were first spoken of.
    fn objectives(&self) -> (Vec<Option<Symbol>>, Vec<Objective>) {
        let mut ids: Vec<Option<Symbol>> = Vec::new();
        let mut objectives: Vec<Objective> = Vec::new();
        for soft in &self.softs {
            let index = ids.iter().position(|id| *id == soft.id).unwrap_or_else(|| {
                ids.push(soft.id);
                objectives.push(Objective::default());
                ids.len() - 1
            });
            objectives[index].softs.push((soft.term, soft.weight));
        }
        (ids, objectives)
    }
}
