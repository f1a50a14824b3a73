//! What a check found: values, models, costs, reasons.

use super::checks::Mode;
use super::{Dialogue, Reply};
use crate::decide::{Decider, shrink};
use crate::error::{At, Complaint, Fault, Place};
use std::fmt::Write as _;
use std::io::{Read, Write};
use warpath_solvers::term::{Evaluator, MissingConstant, Model, TermId};

const NO_MODEL: Complaint = Complaint::OutOfTurn {
    what: "there is no model: the last check was not satisfiable, or something changed since",
};
const NO_REASON: Complaint = Complaint::OutOfTurn {
    what: "there is no reason to give: the last check was not unsatisfiable, or something changed since",
};

impl<D: Decider, R: Read, W: Write> Dialogue<'_, D, R, W> {
    fn model(&self, at: Place) -> Result<&Model, Fault> {
        if !self.options.produce_models {
            let what = "the option :produce-models is false";
            return Err(Fault::new(at, Complaint::OutOfTurn { what }));
        }
        match &self.mode {
            Mode::Sat { model, .. } => Ok(model),
            _ => Err(Fault::new(at, NO_MODEL)),
        }
    }

    pub(super) fn get_value(&mut self, at: Place) -> Result<Reply, Fault> {
        let asked = self.terms_in_list()?;
        if asked.is_empty() {
            let expected = "at least one term";
            return Err(Fault::new(at, Complaint::Expected { expected, found: "()".to_owned() }));
        }
        self.end()?;
        let model = self.model(at)?;
        let mut evaluator = Evaluator::new(&self.terms, model).missing(MissingConstant::Default);
        let mut text = String::from("(");
        for (index, (term, written, at)) in asked.iter().enumerate() {
            let value = evaluator
                .value(*term)
                .map_err(|error| Complaint::Engine { what: format!("this has no value here: {error}") })
                .at(*at)?;
            let apart = if index == 0 { "" } else { "\n " };
            write!(text, "{apart}({written} {value})").expect("writing to a string does not fail");
        }
        text.push(')');
        Ok(Reply::Text(text))
    }

    pub(super) fn get_model(&mut self, at: Place) -> Result<Reply, Fault> {
        self.end()?;
        let model = self.model(at)?;
        let mut evaluator = Evaluator::new(&self.terms, model).missing(MissingConstant::Default);
        let mut text = String::from("(\n");
        for &(symbol, constant) in &self.constants {
            let value = evaluator
                .value(constant)
                .map_err(|error| Complaint::Engine { what: format!("the model cannot be written: {error}") })
                .at(at)?;
            let (name, sort) = (self.shown_symbol(symbol), self.terms.sort(constant));
            writeln!(text, "  (define-fun {name} () {sort} {value})")
                .expect("writing to a string does not fail");
        }
        text.push(')');
        Ok(Reply::Text(text))
    }

    pub(super) fn get_objectives(&mut self, at: Place) -> Result<Reply, Fault> {
        self.end()?;
        let Mode::Sat { costs, .. } = &self.mode else {
            return Err(Fault::new(at, NO_MODEL));
        };
        let mut text = String::from("(objectives\n");
        for (id, cost) in costs {
            let id = id.map(|symbol| self.shown_symbol(symbol)).unwrap_or_default();
            writeln!(text, " ({id} {cost})").expect("writing to a string does not fail");
        }
        text.push(')');
        Ok(Reply::Text(text))
    }

    /// Assumptions that suffice for `unsat`, made smaller if that was not tried yet.
    fn reason(&mut self, at: Place) -> Result<Vec<TermId>, Fault> {
        let wanted = self.options.small_cores;
        let Mode::Unsat { reason, small, .. } = &mut self.mode else {
            return Err(Fault::new(at, NO_REASON));
        };
        if wanted && !*small {
            *reason = shrink(&mut self.engine, &mut self.terms, std::mem::take(reason));
            *small = true;
        }
        Ok(reason.clone())
    }

    pub(super) fn get_unsat_core(&mut self, at: Place) -> Result<Reply, Fault> {
        self.end()?;
        if !self.options.produce_cores {
            let what = "the option :produce-unsat-cores is not set";
            return Err(Fault::new(at, Complaint::OutOfTurn { what }));
        }
        let mut reason = self.reason(at)?;
        reason.sort_unstable();
        let tracked = self.assertions.iter().filter_map(|assertion| assertion.tracked);
        let names = tracked
            .filter(|(_, selector)| reason.binary_search(selector).is_ok())
            .map(|(name, _)| self.shown_symbol(name));
        Ok(Reply::Text(format!("({})", names.collect::<Vec<_>>().join(" "))))
    }

    pub(super) fn get_unsat_assumptions(&mut self, at: Place) -> Result<Reply, Fault> {
        self.end()?;
        let mut reason = self.reason(at)?;
        reason.sort_unstable();
        let Mode::Unsat { assumed, .. } = &self.mode else {
            return Err(Fault::new(at, NO_REASON));
        };
        let mut texts = Vec::new();
        for (term, text) in assumed {
            // Two ways to write one literal: one of them is enough.
            if let Ok(index) = reason.binary_search(term) {
                reason.remove(index);
                texts.push(text.as_str());
            }
        }
        Ok(Reply::Text(format!("({})", texts.join(" "))))
    }
}
