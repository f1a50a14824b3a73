//! The engine as others see it: assertions on levels, checks under assumptions, models and cores.

use crate::families::{self, Families};
use crate::proof::{Proof, Step};
use crate::sat::{Lit, Statistics, Status, Until};
use crate::terms::Translation;
use crate::{Options, Outcome, Unsupported};
use rustc_hash::FxHashSet;
use warpath_solvers::term::{Evaluator, MissingConstant, Model, Sort, TermId, Terms, Value};

/// Decides what is asserted. All calls must be given the same arena, which may grow between them.
///
/// ```
/// use warpath_smt_engine::{Engine, Options, Outcome};
/// use warpath_solvers::term::{Sort, Terms};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut terms = Terms::new();
/// let (a, b) = (terms.constant("a", Sort::Int)?, terms.constant("b", Sort::Int)?);
/// let (ab, ba) = (terms.lt(a, b)?, terms.lt(b, a)?);
/// let mut engine = Engine::new(Options::default());
/// engine.assert(&mut terms, ab)?;
/// assert_eq!(engine.check(&mut terms, &[], &mut || false)?, Outcome::Sat);
/// assert_eq!(engine.check(&mut terms, &[ba], &mut || false)?, Outcome::Unsat);
/// assert_eq!(engine.failed(), [ba]);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Engine {
    options: Options,
    translation: Translation,
    families: Families,
    levels: Vec<Level>,
    assertions: Vec<TermId>,
    model: Option<Assignment>,
    failed: Vec<TermId>,
    fault: Option<String>,
}

/// A level that was opened.
#[derive(Debug)]
struct Level {
    /// Assumed as long as the level is open.
    activation: Lit,
    /// How many assertions there were before.
    assertions: usize,
    /// How many links of chains.
    links: usize,
    /// Which families.
    families: families::Mark,
}

/// The values of literals and nodes that a search ended with.
#[derive(Debug, Default)]
struct Assignment {
    literals: Vec<i8>,
    nodes: Vec<i64>,
}

impl Engine {
    /// Nothing is asserted.
    pub fn new(options: Options) -> Engine {
        Engine {
            translation: Translation::new(options.seed),
            options,
            families: Families::default(),
            levels: Vec::new(),
            assertions: Vec::new(),
            model: None,
            failed: Vec::new(),
            fault: None,
        }
    }

    /// Tells every step of a refutation from now on. To be called before anything is asserted.
    pub fn set_proof(&mut self, proof: Box<dyn Proof>) {
        self.translation.circuit.sat.proof = Some(proof);
        self.translation.circuit.sat.theory.orders.want_whole();
    }

    /// What was done so far.
    pub fn statistics(&self) -> Statistics {
        self.translation.circuit.sat.statistics
    }

    /// After [`Outcome::Unknown`] that no stop was the reason for: what went wrong.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Opens a level.
    pub fn push(&mut self) {
        let sat = &mut self.translation.circuit.sat;
        let activation = sat.new_var().positive();
        if let Some(proof) = &mut sat.proof {
            proof.step(Step::Activation(activation));
        }
        let links = sat.theory.orders.links();
        let families = self.families.mark();
        self.levels.push(Level { activation, assertions: self.assertions.len(), links, families });
    }

    /// Forgets what was asserted since the last push that is still open. What was learned without it stays.
    pub fn pop(&mut self) {
        self.model = None;
        if let Some(level) = self.levels.pop() {
            self.assertions.truncate(level.assertions);
            if let Some(proof) = &mut self.translation.circuit.sat.proof {
                proof.step(Step::Retired(level.activation));
            }
            self.translation.circuit.sat.theory.orders.unlink(level.links);
            self.families.forget(level.families);
            self.translation.circuit.define(&[!level.activation]);
        }
    }

    /// Asserts a Boolean term. Nothing is asserted if it is not supported.
    pub fn assert(&mut self, terms: &mut Terms, term: TermId) -> Result<(), Unsupported> {
        self.model = None;
        let level = self.top();
        if self.translation.family(terms, term, level, &mut self.families)? {
            self.assertions.push(term);
            return Ok(());
        }
        let clauses = self.translation.clauses(terms, term)?;
        self.assertions.push(term);
        let sat = &mut self.translation.circuit.sat;
        for mut clause in clauses {
            if let [literal] = clause[..] {
                sat.theory.orders.asserted(literal);
            }
            clause.extend(level);
            if let Some(proof) = &mut sat.proof {
                proof.step(Step::Asserted { clause: &clause, assertion: term });
            }
            sat.may_ask(&clause, level);
            sat.add_clause(&clause);
        }
        Ok(())
    }

    /// A Boolean term is tried with this value first (without it: false).
    pub fn set_phase(&mut self, terms: &Terms, term: TermId, phase: bool) -> Result<(), Unsupported> {
        let literal = self.translation.literal(terms, term)?;
        self.translation.circuit.sat.set_phase(literal.var(), literal.is_positive() == phase);
        Ok(())
    }

    /// Are the assertions and these Boolean terms satisfiable together? `stop` is asked now and then.
    pub fn check(
        &mut self,
        terms: &mut Terms,
        assumptions: &[TermId],
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Outcome, Unsupported> {
        let mut kept = self.model.take().unwrap_or_default();
        self.failed.clear();
        self.fault = None;
        let mut literals: Vec<Lit> = self.levels.iter().map(|level| level.activation).collect();
        for &term in assumptions {
            literals.push(self.translation.literal(terms, term)?);
        }
        let status = self.search(&literals, stop)?;
        let sat = &mut self.translation.circuit.sat;
        match status {
            Status::Satisfiable => {
                kept.literals.clear();
                kept.literals.extend_from_slice(sat.values());
                kept.nodes.clear();
                kept.nodes.extend_from_slice(match self.families.is_empty() {
                    true => sat.theory.orders.potentials(),
                    false => self.families.moments(),
                });
                sat.release();
                self.model = Some(kept);
                Ok(self.verified(terms, assumptions))
            }
            Status::Unsatisfiable => {
                let blamed: FxHashSet<Lit> = sat.failed().iter().copied().collect();
                let mut told = FxHashSet::default();
                for (&term, literal) in assumptions.iter().zip(&literals[self.levels.len()..]) {
                    if blamed.contains(literal) && told.insert(*literal) {
                        self.failed.push(term);
                    }
                }
                if sat.proof.is_some() {
                    let clause: Vec<Lit> = sat.failed().iter().map(|&literal| !literal).collect();
                    if let Some(proof) = &mut sat.proof {
                        proof.step(Step::Refuted(&clause));
                    }
                }
                Ok(Outcome::Unsat)
            }
            Status::Stopped | Status::Paused => {
                if sat.is_exhausted() {
                    self.fault = Some("there is no more room for clauses".to_owned());
                }
                Ok(Outcome::Unknown)
            }
        }
    }

    /// The literal that is false as long as the topmost level is open, if one is.
    fn top(&self) -> Option<Lit> {
        self.levels.last().map(|level| !level.activation)
    }

    /// Searches until the families are satisfied as well.
    fn search(&mut self, literals: &[Lit], stop: &mut dyn FnMut() -> bool) -> Result<Status, Unsupported> {
        let top = self.top();
        let guards = self.levels.len();
        let Self { translation, families, .. } = self;
        for instance in std::mem::take(&mut families.at_once) {
            translation.add_instance(&instance, top, families)?;
        }
        // What is violated is mostly seen before the rest is decided upon.
        let first = if families.is_empty() { Until::All } else { Until::First };
        let mut status = translation.circuit.sat.solve(literals, guards, first, stop);
        while matches!(status, Status::Satisfiable | Status::Paused) && !families.is_empty() {
            let sat = &translation.circuit.sat;
            let vars = sat.vars();
            let violated = families.violated(&sat.theory.orders, &|literal| sat.value(literal) == Some(true));
            if violated.is_empty() && status == Status::Satisfiable {
                break;
            }
            for instance in &violated {
                translation.add_instance(instance, top, families)?;
            }
            // Without a new comparison nothing may come of looking once more before the rest is known.
            let is_new = translation.circuit.sat.vars() > vars;
            let until = if is_new { Until::First } else { Until::All };
            status = translation.circuit.sat.resume(until, stop);
        }
        Ok(status)
    }

    /// After [`Outcome::Sat`]: the value of a declared constant, also of one that nothing asserted speaks of.
    pub fn value(&self, terms: &Terms, constant: TermId) -> Option<Value> {
        let model = self.model.as_ref()?;
        let sort = terms.sort(constant);
        let holds = |literal: &Lit| model.literals.get(literal.index()).is_some_and(|&value| value > 0);
        match sort {
            Sort::Int => {
                let value = self.translation.node_of(constant).and_then(|node| model.nodes.get(node.index()));
                let zero = model.nodes.first().copied().unwrap_or(0);
                Some(Value::Int(value.map_or(0, |&value| i128::from(value) - i128::from(zero))))
            }
            Sort::Bool => {
                Some(Value::Bool(self.translation.bits_of(constant).is_some_and(|bits| holds(&bits[0]))))
            }
            Sort::Bits(width) => {
                let bits = self.translation.bits_of(constant).unwrap_or_default();
                let set = |sum, (place, bit)| sum | u128::from(holds(bit)) << place;
                Value::bits(0, width)?;
                Value::bits(bits.iter().enumerate().fold(0, set), width)
            }
        }
    }

    /// After [`Outcome::Unsat`]: some of the assumptions, which together with the assertions are unsatisfiable.
    pub fn failed(&self) -> &[TermId] {
        &self.failed
    }

    /// Checks the model, if that is wanted.
    fn verified(&mut self, terms: &Terms, assumptions: &[TermId]) -> Outcome {
        if !self.options.verify {
            return Outcome::Sat;
        }
        let constants = self.translation.constants().iter();
        let model: Model =
            constants.filter_map(|&constant| Some((constant, self.value(terms, constant)?))).collect();
        let mut evaluator = Evaluator::new(terms, &model).missing(MissingConstant::Default);
        for &term in self.assertions.iter().chain(assumptions) {
            // What has no value, being too wide, cannot be checked.
            if evaluator.value(term) == Ok(Value::Bool(false)) {
                self.fault =
                    Some(format!("internal error: the model found does not satisfy term {}", term.index()));
                self.model = None;
                return Outcome::Unknown;
            }
        }
        Outcome::Sat
    }
}
