//! One solver for a forest that grows: what it was told stays, what no longer holds is switched off.
//!
//! As runs are merged, a read gets more writes to choose from, a lock more holders, a thread more forks: the
//! formula of the larger forest does not imply that of the smaller one. So constraints go to the solver in
//! bundles, one for each event, each behind a switch. A question turns on the switches of exactly the bundles that
//! its own formula has. A bundle that the solver knows already, because neither it nor anything it depends on has
//! changed, is not told again, and what the solver has learned from it stays learned.

use std::collections::{BTreeMap, HashMap};

use warpath_solvers::term::{Sort, TermError, TermId, Terms};
use warpath_solvers::{Query, Smt, Statistics};

use super::ask::{Question, Verdict};
use super::open_end::OpenEnd;
use super::several::{Several, Together, Wish, in_forest};
use crate::encode::{About, Options, OrderSort, order_sort};
use crate::model::{Forest, NodeId};

/// What could be kept from question to question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Questions asked.
    pub questions: u64,
    /// Bundles of constraints that the solver was told.
    pub told: u64,
    /// Bundles that it knew already.
    pub known: u64,
}

/// A solver that is asked about a forest as it grows.
pub struct GrowingSolver {
    smt: Box<dyn Smt>,
    terms: Terms,
    /// The switch of each bundle, by its constraints.
    switches: HashMap<Vec<TermId>, TermId>,
    /// Of order variables; those of a forest that has outgrown it are not the same any more.
    order_sort: Option<Sort>,
    kept: Kept,
}

impl GrowingSolver {
    /// A solver that has been told nothing.
    pub fn new(smt: Box<dyn Smt>) -> Self {
        GrowingSolver {
            smt,
            terms: Terms::new(),
            switches: HashMap::new(),
            order_sort: None,
            kept: Kept::default(),
        }
    }

    /// What could be kept so far.
    pub fn kept(&self) -> Kept {
        self.kept
    }

    /// Asks whether an open end can be reached.
    pub fn reach(
        &mut self,
        forest: &Forest,
        end: &OpenEnd,
        options: Options,
        query: &Query,
    ) -> Result<Verdict, TermError> {
        let (grown, node) = end.place(forest);
        let forest = grown.as_ref().unwrap_or(forest);
        let options = options.clause_by_clause();
        self.ask(forest, options, query, |terms| Question::at_in_arena(forest, end, node, options, terms))
    }

    /// Looks for an execution that reaches as many of these ends as it can get: see [`reach_several`](super::reach_several).
    pub fn reach_several(
        &mut self,
        forest: &Forest,
        wishes: &[Wish],
        options: Options,
        query: &Query,
    ) -> Result<Several, TermError> {
        let options = options.clause_by_clause();
        self.fit(forest, options);
        let known = in_forest(wishes);
        let together = Together::new(forest, &known, options, std::mem::take(&mut self.terms));
        let several = together.and_then(|mut together| {
            let told = self.told(&mut together.question);
            let several =
                told.and_then(|told| together.search(&mut *self.smt, &query.clone().assuming(told)));
            self.terms = together.question.into_terms();
            several
        });
        if several.is_err() {
            // The terms may be lost, and with them what the switches mean.
            self.forget();
        }
        several
    }

    /// Counters of the solver.
    pub fn statistics(&self) -> Statistics {
        self.smt.statistics()
    }

    /// Orders of a forest that has outgrown their variables cannot be compared with earlier ones.
    fn fit(&mut self, forest: &Forest, options: Options) {
        let order_sort = order_sort(forest, options);
        if options.orders != OrderSort::Pairs && self.order_sort.replace(order_sort) != Some(order_sort) {
            self.forget();
        }
    }

    fn ask<'f>(
        &mut self,
        forest: &'f Forest,
        options: Options,
        query: &Query,
        build: impl FnOnce(Terms) -> Result<Question<'f>, TermError>,
    ) -> Result<Verdict, TermError> {
        self.fit(forest, options);
        let asked = build(std::mem::take(&mut self.terms)).and_then(|mut question| {
            let verdict = self.solve(&mut question, query);
            self.terms = question.into_terms();
            verdict
        });
        if asked.is_err() {
            // The terms may be lost, and with them what the switches mean.
            self.forget();
        }
        asked
    }

    /// Starts all over again.
    fn forget(&mut self) {
        self.terms = Terms::new();
        self.switches.clear();
        self.smt.change_arena();
    }

    fn solve(&mut self, question: &mut Question<'_>, query: &Query) -> Result<Verdict, TermError> {
        let query = query.clone().assuming(self.told(question)?);
        Ok(question.solve_asserted(&mut *self.smt, &query)?.0)
    }

    /// Tells the solver what it does not know of a question yet; what has to be assumed to ask it.
    fn told(&mut self, question: &mut Question<'_>) -> Result<Vec<TermId>, TermError> {
        self.kept.questions += 1;
        let mut assumptions = Vec::new();
        for bundle in bundles(question) {
            assumptions.push(self.switch(question, bundle)?);
        }
        // Program order between threads rests on the forks and joins seen so far, and so do circles.
        let order = self.order_switch(question)?;
        assumptions.push(order);
        question.refute_circles_behind(order);
        Ok(assumptions)
    }

    /// The switch of a bundle; the solver is told the bundle if it does not know it.
    fn switch(&mut self, question: &mut Question<'_>, bundle: Vec<TermId>) -> Result<TermId, TermError> {
        if let Some(&switch) = self.switches.get(&bundle) {
            self.kept.known += 1;
            return Ok(switch);
        }
        self.kept.told += 1;
        let switch = self.new_switch(question)?;
        for &term in &bundle {
            let guarded = question.encoding.terms.implies(switch, term)?;
            self.smt.assert(&question.encoding.terms, guarded).expect("the formula is made of Booleans");
        }
        self.switches.insert(bundle, switch);
        Ok(switch)
    }

    fn new_switch(&mut self, question: &mut Question<'_>) -> Result<TermId, TermError> {
        question.encoding.terms.constant(&format!("switch({})", self.switches.len()), Sort::Bool)
    }

    /// The switch of what the order between threads rests on: which events fork and end which thread, and what else
    /// the must-order has found out from the writes and locks seen so far.
    fn order_switch(&mut self, question: &mut Question<'_>) -> Result<TermId, TermError> {
        let forest = question.encoding.forest;
        let mut key = vec![question.encoding.terms.bool(true)];
        for tree in forest.trees() {
            for &id in forest.forks(tree).iter().chain(forest.ends(tree)) {
                let name = format!("counts({})", forest.name(id));
                key.push(question.encoding.terms.constant(&name, Sort::Bool)?);
            }
            key.push(question.encoding.terms.bool(false));
        }
        for id in forest.ids() {
            for before in question.encoding.must.newly_before(forest, id) {
                let name = format!("before({},{})", forest.name(before), forest.name(id));
                key.push(question.encoding.terms.constant(&name, Sort::Bool)?);
            }
        }
        // An event that no run has had yet may turn out to belong elsewhere in its row.
        for id in forest.ids().filter(|&id| forest.node(id).observed == u32::MAX) {
            let left = forest.seats().position(id).checked_sub(1);
            let left =
                left.and_then(|left| forest.seats().row(forest.node(id).tree).get(left as usize).copied());
            let left = left.map_or_else(String::new, |left| forest.name(left));
            let name = format!("right({left},{})", forest.name(id));
            key.push(question.encoding.terms.constant(&name, Sort::Bool)?);
        }
        if let Some(&switch) = self.switches.get(&key) {
            return Ok(switch);
        }
        let switch = self.new_switch(question)?;
        self.switches.insert(key, switch);
        Ok(switch)
    }
}

/// The question's constraints, those about one event together.
fn bundles(question: &Question<'_>) -> Vec<Vec<TermId>> {
    let mut bundles: BTreeMap<(Option<NodeId>, u8), Vec<TermId>> = BTreeMap::new();
    for constraint in question.constraints() {
        // What changes as the forest grows apart from what does not.
        let kind = match constraint.about {
            About::Order(_) => 1,
            About::Seat(_) => 2,
            _ => 0,
        };
        bundles.entry((constraint.about.node(), kind)).or_default().push(constraint.term);
    }
    bundles.into_values().collect()
}
