//! A slow but exact engine: z3, told everything anew for each check. With it the front end is tested by itself.

use super::processes::Process;
use std::cell::RefCell;
use std::rc::Rc;
use warpath_smt::Decider;
use warpath_smt_engine::{Outcome, Unsupported};
use warpath_solvers::smtlib::sexpr::{Sexpr, SexprLimits};
use warpath_solvers::smtlib::symbol::quote;
use warpath_solvers::smtlib::term_text;
use warpath_solvers::term::{Model, TermId, Terms, Value};

pub struct StandIn {
    z3: Rc<RefCell<Process>>,
    levels: Vec<usize>,
    asserted: Vec<TermId>,
    model: Model,
    failed: Vec<TermId>,
}

impl StandIn {
    pub fn new(z3: Rc<RefCell<Process>>) -> Self {
        StandIn { z3, levels: Vec::new(), asserted: Vec::new(), model: Model::new(), failed: Vec::new() }
    }
}

impl Decider for StandIn {
    fn push(&mut self) {
        self.levels.push(self.asserted.len());
    }

    fn pop(&mut self) {
        let count = self.levels.pop().expect("a level is open");
        self.asserted.truncate(count);
    }

    fn assert(&mut self, _: &mut Terms, term: TermId) -> Result<(), Unsupported> {
        self.asserted.push(term);
        Ok(())
    }

    fn check(
        &mut self,
        terms: &mut Terms,
        assumptions: &[TermId],
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Outcome, Unsupported> {
        if stop() {
            return Ok(Outcome::Unknown);
        }
        let mut z3 = self.z3.borrow_mut();
        z3.tell("(reset)(set-option :produce-unsat-cores true)");
        let roots: Vec<TermId> = self.asserted.iter().chain(assumptions).copied().collect();
        let constants = terms.constants_in(&roots);
        for &id in &constants {
            z3.tell(&format!("(declare-const {} {})", quote(terms.name(id).unwrap()), terms.sort(id)));
        }
        for &term in &self.asserted {
            z3.tell(&format!("(assert {})", term_text(terms, term)));
        }
        for (index, &term) in assumptions.iter().enumerate() {
            z3.tell(&format!("(assert (! {} :named assumed.{index}))", term_text(terms, term)));
        }
        match z3.ask("(check-sat)").as_str() {
            "sat" => {
                self.model = Model::new();
                for &id in &constants {
                    let pair = z3.ask(&format!("(get-value ({}))", quote(terms.name(id).unwrap())));
                    let pair = Sexpr::parse(pair.as_bytes(), SexprLimits::default()).unwrap();
                    let value = &pair.as_list().unwrap()[0].as_list().unwrap()[1];
                    self.model.set(id, Value::from_sexpr(value).unwrap());
                }
                Ok(Outcome::Sat)
            }
            "unsat" => {
                let core = z3.ask("(get-unsat-core)");
                let names = core.trim_matches(['(', ')']).split_whitespace();
                let indices = names.map(|name| name.trim_start_matches("assumed.").parse::<usize>().unwrap());
                self.failed = indices.map(|index| assumptions[index]).collect();
                Ok(Outcome::Unsat)
            }
            other => panic!("z3 answers {other}"),
        }
    }

    fn value(&self, _: &Terms, constant: TermId) -> Option<Value> {
        self.model.get(constant)
    }

    fn failed(&self) -> &[TermId] {
        &self.failed
    }
}
