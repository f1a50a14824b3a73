//! The steps of a proof, one after the other.
//!
//! Why an accepted conclusion is right. Suppose all assertions that are alive at a check, and its assumptions, had a
//! model. Give the variables of the proof values: bits and comparisons those of the model; outputs of gates and choices
//! what they compute; an activation variable is true exactly if the conclusion names it; a variable behind which our
//! own clauses of an assertion stand is true exactly if the assertion is alive. Each variable was new when it was
//! introduced, so these values exist. Then all clauses are true: definitions and lemmas always are; a clause of an
//! assertion either has an activation variable that the conclusion does not name, or its assertion is alive, which is
//! checked of all of them; what follows by unit propagation follows. So the conclusion is true. But its literals are the
//! negations of assumptions, which are true, and of activation variables that it names: all are false.

mod asserted;
mod numbers;

use crate::equalities::Equalities;
use crate::error::Reason;
use crate::gates::Function;
use crate::literal::Lit;
use crate::orders::Comparison;
use crate::script::Questions;
use crate::steps::Step;
use crate::translate::Translation;
use crate::{Report, orders};
use asserted::Asserted;
use numbers::Numbers;
use rustc_hash::FxHashSet;
use warpath_solvers::term::{Sort, TermId};

#[derive(Debug)]
pub(crate) struct Checker<'a> {
    questions: &'a Questions,
    translation: Translation,
    equalities: Equalities,
    numbers: Numbers,
    asserted: Asserted,
    report: Report,
    /// The literals of the step at hand.
    clause: Vec<Lit>,
}

impl<'a> Checker<'a> {
    pub(crate) fn new(questions: &'a Questions) -> Self {
        Checker {
            questions,
            translation: Translation::new(),
            equalities: Equalities::default(),
            numbers: Numbers::new(),
            asserted: Asserted::default(),
            report: Report { checks: questions.checks.len() as u64, ..Report::default() },
            clause: Vec::new(),
        }
    }

    pub(crate) fn report(&self) -> Report {
        self.report.clone()
    }

    /// Checks the next step.
    pub(crate) fn step(&mut self, step: &Step<'_>) -> Result<(), Reason> {
        self.report.steps += 1;
        match *step {
            Step::Restart => {
                self.translation = Translation::new();
                self.equalities = Equalities::default();
                self.numbers = Numbers::new();
                self.asserted = Asserted::default();
                Ok(())
            }
            Step::Input { var, constant, bit } => self.input(var, constant, bit),
            Step::Activation { var } => {
                let literal = self.new_var(var)?;
                self.numbers.set_free(literal.var());
                Ok(())
            }
            Step::Retired { var } => {
                let literal = self.numbers.literal(var)?;
                if !literal.is_positive() || !self.numbers.retire(literal.var()) {
                    return Err(Reason::NotFree { var });
                }
                self.translation.circuit.clauses.add(&[!literal]);
                Ok(())
            }
            Step::Node { node, constant } => {
                let constant = self.constant(constant)?;
                if self.questions.terms.sort(constant) != Sort::Int {
                    return Err(Reason::WrongSort);
                }
                let own = self.translation.new_node(constant).ok_or(Reason::KnownConstant)?;
                self.numbers.set_node(node, own)
            }
            Step::Choice { node, condition, then, otherwise } => {
                let condition = self.meaningful(condition)?;
                let then = (self.numbers.node(then.0)?, then.1);
                let otherwise = (self.numbers.node(otherwise.0)?, otherwise.1);
                let own = self.translation.orders.new_choice(condition, then, otherwise);
                self.numbers.set_node(node, own)
            }
            Step::Order { var, from, to, least } => self.order(var, from, to, least),
            Step::Gate { var, function, inputs } => self.gate(var, function, inputs),
            Step::Asserted { assertion, clause } => {
                self.read(clause)?;
                self.assert(assertion)
            }
            Step::Lemma(clause) => {
                self.read(clause)?;
                let orders = &self.translation.orders;
                if !orders.is_lemma(&self.clause) && !self.equalities.is_lemma(&self.clause) {
                    return Err(Reason::NoCircle);
                }
                self.report.lemmas += 1;
                self.translation.circuit.clauses.add(&self.clause);
                Ok(())
            }
            Step::Learned(clause) => {
                self.read(clause)?;
                self.follow()?;
                self.report.learned += 1;
                self.translation.circuit.clauses.add(&self.clause);
                Ok(())
            }
            Step::Deleted(clause) => {
                self.read(clause)?;
                self.translation.circuit.clauses.delete(&self.clause);
                Ok(())
            }
            Step::Refuted { check, clause } => {
                self.read(clause)?;
                self.conclude(check)
            }
        }
    }

    fn new_var(&mut self, number: i64) -> Result<Lit, Reason> {
        let clauses = &mut self.translation.circuit.clauses;
        self.numbers.introduce(number, || clauses.new_var())
    }

    /// The literal of a variable that has a meaning.
    fn meaningful(&self, number: i64) -> Result<Lit, Reason> {
        let literal = self.numbers.literal(number)?;
        if self.numbers.is_free(literal.var()) {
            Err(Reason::OverFree { literal: number })
        } else {
            Ok(literal)
        }
    }

    fn read(&mut self, clause: &[i64]) -> Result<(), Reason> {
        self.clause.clear();
        for &number in clause {
            self.clause.push(self.numbers.literal(number)?);
        }
        Ok(())
    }

    fn follow(&mut self) -> Result<(), Reason> {
        if self.translation.circuit.clauses.follows(&self.clause) { Ok(()) } else { Err(Reason::NotImplied) }
    }

    fn constant(&self, number: usize) -> Result<TermId, Reason> {
        let place = number.checked_sub(1);
        place.and_then(|at| self.questions.constants.get(at)).copied().ok_or(Reason::NoConstant { number })
    }

    fn input(&mut self, var: i64, constant: usize, bit: u32) -> Result<(), Reason> {
        let constant = self.constant(constant)?;
        let width = match self.questions.terms.sort(constant) {
            Sort::Bool => 1,
            Sort::Bits(width) => width,
            Sort::Int => 0,
        };
        if bit >= width {
            return Err(Reason::WrongSort);
        }
        let literal = self.new_var(var)?;
        if self.translation.set_input(constant, bit, literal) { Ok(()) } else { Err(Reason::KnownConstant) }
    }

    fn order(&mut self, var: i64, from: i64, to: i64, least: i64) -> Result<(), Reason> {
        let (from, to) = (self.numbers.node(from)?, self.numbers.node(to)?);
        let literal = self.new_var(var)?;
        let comparison = Comparison { from, to, least };
        let orders: &mut orders::Orders = &mut self.translation.orders;
        orders.define(literal, comparison, &mut self.translation.circuit.clauses);
        Ok(())
    }

    fn gate(&mut self, var: i64, function: Function, inputs: &[i64]) -> Result<(), Reason> {
        self.clause.clear();
        for &number in inputs {
            let input = self.meaningful(number)?;
            self.clause.push(input);
        }
        let output = self.new_var(var)?;
        self.translation.circuit.define(output, function, &self.clause);
        self.equalities.define(output, function, &self.clause);
        Ok(())
    }

    /// The clause at hand is why a check is unsatisfiable.
    fn conclude(&mut self, number: usize) -> Result<(), Reason> {
        self.follow()?;
        let questions = self.questions;
        let place = number.checked_sub(1);
        let check = place.and_then(|at| questions.checks.get(at)).ok_or(Reason::NoCheck { number })?;
        let mut assumed = FxHashSet::default();
        for &(constant, positive) in &check.assumptions {
            let literal = self.translation.literal(&questions.terms, constant);
            let literal = literal.map_err(|why| Reason::Untranslatable { why: why.0 })?;
            assumed.insert(literal.flipped(!positive));
        }
        let mut named = FxHashSet::default();
        for &literal in &self.clause {
            let var = literal.var();
            if self.numbers.is_free(var) && !literal.is_positive() && !self.numbers.is_retired(var) {
                named.insert(var);
            } else if !assumed.contains(&!literal) {
                return Err(Reason::NotAssumed { check: number });
            }
        }
        if let Some(assertion) = self.asserted.dead(&named, check.position) {
            return Err(Reason::Dead { assertion, check: number });
        }
        self.report.refuted.insert(number);
        Ok(())
    }
}
