//! A question as a script and as a dialogue with a solver.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Instant;

use warpath_solvers::script::{EmitOptions, Script};
use warpath_solvers::smtlib::symbol;
use warpath_solvers::term::{Model, Op as TermOp, Shape, Sort, TermError, TermId, Terms};
use warpath_solvers::{Answer, Optimum, Preference, Query, Reason, Smt};
use warpath_trace::header::MemoryModel;

use super::manifest::{Manifest, Symbol};
use super::open_end::OpenEnd;
use crate::answer::{Execution, Final, Mismatch, Reference, executed};
use crate::encode::{About, Constraint, Encoding, Options, OrderSort, Point};
use crate::model::{Forest, NodeId};

/// What came of a question.
#[derive(Debug)]
pub enum Verdict {
    /// It can happen, like this; the reference interpreter has executed it.
    Possible(Box<(Execution, Final)>),
    /// It cannot, as far as the forest goes.
    Impossible,
    /// Not answered.
    Unknown(Reason),
    /// The solver's model passed our evaluation of the formula, but the reference interpreter cannot execute
    /// it: a bug of ours.
    Bug(Box<(Execution, Mismatch)>),
}

/// A question about a forest, encoded.
#[derive(Debug)]
pub struct Question<'f> {
    pub(crate) encoding: Encoding<'f>,
    order: Vec<Constraint>,
    targets: Vec<Constraint>,
    description: String,
    /// What refutes circles holds if this does.
    circle_switch: Option<TermId>,
}

impl<'f> Question<'f> {
    /// Can what `ask` adds to the formula be so? `cone` are the nodes that its terms speak of: they, what their
    /// decisions depend on and what it takes to get there make the formula.
    pub fn new(
        forest: &'f Forest,
        options: Options,
        cone: &[NodeId],
        description: String,
        ask: impl FnOnce(&mut Encoding<'f>) -> Result<Vec<TermId>, TermError>,
    ) -> Result<Self, TermError> {
        Question::of(Encoding::new(forest, options, cone)?, description, ask)
    }

    /// The same on a formula that is there already.
    pub fn of(
        mut encoding: Encoding<'f>,
        description: String,
        ask: impl FnOnce(&mut Encoding<'f>) -> Result<Vec<TermId>, TermError>,
    ) -> Result<Self, TermError> {
        let targets = ask(&mut encoding)?;
        let targets = targets.into_iter().zip(0..);
        let targets = targets.map(|(term, n)| Constraint { about: About::Target(n), term }).collect();
        let order = encoding.order_constraints()?;
        Ok(Question { description, encoding, order, targets, circle_switch: None })
    }

    /// Many questions on one formula, each with a switch: assuming it asks that question.
    pub(super) fn switched(
        encoding: Encoding<'f>,
        description: String,
        targets: impl FnOnce(&mut Encoding<'f>) -> Result<Vec<TermId>, TermError>,
    ) -> Result<(Self, Vec<TermId>), TermError> {
        let mut switches = Vec::new();
        let question = Question::of(encoding, description, |encoding| {
            let mut switched = Vec::new();
            for target in targets(encoding)? {
                // By the target, so that a solver that was asked for other ones before does not mix them up.
                let switch = encoding.terms.constant(&format!("asked({})", target.index()), Sort::Bool)?;
                switched.push(encoding.terms.implies(switch, target)?);
                switches.push(switch);
            }
            Ok(switched)
        })?;
        Ok((question, switches))
    }

    /// Can this end be reached? `node` is where the end is in this forest: see [`OpenEnd::place`].
    pub fn at(forest: &'f Forest, end: &OpenEnd, node: NodeId, options: Options) -> Result<Self, TermError> {
        Question::at_in_arena(forest, end, node, options, Terms::new())
    }

    /// The same with terms that are there already.
    pub(super) fn at_in_arena(
        forest: &'f Forest,
        end: &OpenEnd,
        node: NodeId,
        options: Options,
        terms: Terms,
    ) -> Result<Self, TermError> {
        let description = end.describe(forest, &options);
        let encoding = end.encoding(forest, node, options, terms)?;
        Question::of(encoding, description, |encoding| Ok(vec![end.target(encoding, node)?]))
    }

    /// Asks whether an open end can be reached.
    pub fn reach(
        forest: &Forest,
        end: &OpenEnd,
        options: Options,
        smt: &mut dyn Smt,
        query: &Query,
    ) -> Result<Verdict, TermError> {
        let (grown, node) = end.place(forest);
        let forest = grown.as_ref().unwrap_or(forest);
        Question::at(forest, end, node, options)?.solve(smt, query)
    }

    /// What is asked, in words.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// All constraints: the formula, the order, the target.
    pub fn constraints(&self) -> impl Iterator<Item = Constraint> + '_ {
        self.encoding.constraints.iter().chain(&self.order).chain(&self.targets).copied()
    }

    /// How many clauses the constraints are, with conjunctions taken apart, also those that something implies.
    pub fn clauses(&self) -> usize {
        self.constraints().map(|constraint| clauses(&self.encoding.terms, constraint.term)).sum()
    }

    /// The question as a script, and what its symbols mean.
    pub fn script(&mut self) -> Result<(String, Manifest), TermError> {
        if self.encoding.order_sort() == OrderSort::Int {
            return self.in_pairs()?.script();
        }
        let mut script = Script::new();
        script.comment(&self.description);
        script.comment("sat: the values give a schedule (executed events, ascending by o) and inputs.");
        script.comment("unsat: with the events seen so far, no schedule and no input makes it so.");
        let constraints = self.whole()?;
        for (name, constraint) in self.named(&constraints) {
            script.assert_named(constraint.term, &name);
        }
        script.check();
        let (values, symbols) = self.symbols(&constraints)?;
        script.get_values(&values);
        let text = script.emit(&self.encoding.terms, &EmitOptions::default());
        let text = text.unwrap_or_else(|error| unreachable!("our names are distinct: {error}"));
        Ok((text, Manifest { question: self.description.clone(), symbols }))
    }

    /// The same question with a Boolean for each pair of events that are compared.
    fn in_pairs(&self) -> Result<Question<'f>, TermError> {
        let mut pairs = self.encoding.clone().in_pairs()?;
        let targets = pairs.translated(&self.targets)?;
        let mut encoding = pairs.encoding;
        let order = encoding.order_constraints()?;
        Ok(Question { encoding, order, targets, description: self.description.clone(), circle_switch: None })
    }

    /// All constraints, and what makes them complete for somebody who answers only once.
    pub(super) fn whole(&mut self) -> Result<Vec<Constraint>, TermError> {
        let ties = self.encoding.order_ties()?;
        Ok(self.constraints().chain(ties).collect())
    }

    /// The constraints with a name each. Several can be about the same; the names differ all the same.
    fn named(&self, constraints: &[Constraint]) -> Vec<(String, Constraint)> {
        let mut used: HashMap<String, u32> = HashMap::new();
        let named = constraints.iter().map(|&constraint| {
            let name = constraint.about.name(self.encoding.forest);
            let times = used.entry(name.clone()).or_insert(0);
            *times += 1;
            let name = if *times == 1 { name } else { format!("{name} ({times})") };
            (name, constraint)
        });
        named.collect()
    }

    fn symbols(
        &mut self,
        constraints: &[Constraint],
    ) -> Result<(Vec<TermId>, BTreeMap<String, Symbol>), TermError> {
        let forest = self.encoding.forest;
        let mut all: Vec<(TermId, Symbol)> = Vec::new();
        for (input, var) in forest.inputs().iter().enumerate() {
            let term = self.encoding.input(input as u32)?;
            if forest.fixed_input(var).is_some() {
                continue;
            }
            all.push((term, Symbol::Input { name: var.name.clone(), nth: var.nth }));
        }
        for id in forest.ids() {
            if !self.encoding.has(id) || forest.is_settled(id) {
                continue;
            }
            let term = self.encoding.en(id)?;
            all.push((term, Symbol::Executed { event: forest.name(id), place: forest.node(id).at.clone() }));
        }
        for (point, term) in self.encoding.order_variables() {
            let event = forest.name(point.node());
            all.push(match point {
                Point::Issue(_) => (term, Symbol::Order { event }),
                Point::Commit(_) => (term, Symbol::Commit { event }),
            });
        }
        // Every constant, so that an answer from elsewhere can be checked against the whole script; what is
        // only ours to understand has no meaning in the manifest.
        let roots: Vec<TermId> = constraints.iter().map(|constraint| constraint.term).collect();
        let mut values: Vec<TermId> = all.iter().map(|(term, _)| *term).collect();
        let listed: HashSet<TermId> = values.iter().copied().collect();
        let rest = self.encoding.terms.constants_in(&roots).into_iter();
        values.extend(rest.filter(|constant| !listed.contains(constant)));
        let name = |term: TermId| self.encoding.terms.name(term).map(symbol::quote);
        let symbols = all.into_iter().filter_map(|(term, meaning)| Some((name(term)?, meaning))).collect();
        Ok((values, symbols))
    }

    /// Asks a solver. What was asserted before stays, what is asserted here goes.
    pub fn solve(&mut self, smt: &mut dyn Smt, query: &Query) -> Result<Verdict, TermError> {
        Ok(self.solve_with_model(smt, query)?.0)
    }

    /// The same with the solver's model, for questions that want to know which of their terms hold.
    pub(crate) fn solve_with_model(
        &mut self,
        smt: &mut dyn Smt,
        query: &Query,
    ) -> Result<(Verdict, Option<Model>), TermError> {
        smt.push();
        self.assert_whole(smt);
        let answer = self.solve_asserted(smt, query);
        smt.pop().expect("the level was pushed here");
        answer
    }

    /// Gives the solver the formula without the question.
    fn assert_formula(&self, smt: &mut dyn Smt) {
        for constraint in self.encoding.constraints.iter().chain(&self.order) {
            smt.assert(&self.encoding.terms, constraint.term).expect("the formula is made of Booleans");
        }
    }

    /// Gives the solver the formula and the question.
    pub(crate) fn assert_whole(&self, smt: &mut dyn Smt) {
        self.assert_formula(smt);
        for target in &self.targets {
            smt.assert(&self.encoding.terms, target.term).expect("a question is Boolean");
        }
    }

    /// Adds to the question, also for a solver that has been given it already.
    pub(crate) fn extend(
        &mut self,
        smt: &mut dyn Smt,
        ask: impl FnOnce(&mut Encoding<'f>) -> Result<Vec<TermId>, TermError>,
    ) -> Result<(), TermError> {
        let known = self.encoding.constraints.len();
        let targets = ask(&mut self.encoding)?;
        let said: HashSet<TermId> = self.order.iter().map(|constraint| constraint.term).collect();
        let order = self.encoding.order_constraints()?;
        let order: Vec<Constraint> =
            order.into_iter().filter(|constraint| !said.contains(&constraint.term)).collect();
        let first = self.targets.len() as u32;
        let targets = targets.into_iter().zip(first..);
        let targets: Vec<Constraint> =
            targets.map(|(term, n)| Constraint { about: About::Target(n), term }).collect();
        for constraint in self.encoding.constraints[known..].iter().chain(&order).chain(&targets) {
            smt.assert(&self.encoding.terms, constraint.term).expect("the formula is made of Booleans");
        }
        self.order.extend(order);
        self.targets.extend(targets);
        Ok(())
    }

    /// Asks a solver that has been given the formula and the question.
    pub(super) fn solve_asserted(
        &mut self,
        smt: &mut dyn Smt,
        query: &Query,
    ) -> Result<(Verdict, Option<Model>), TermError> {
        let answer = self.check_asserted(smt, query)?;
        Ok(match answer {
            Answer::Unsat { .. } => (Verdict::Impossible, None),
            Answer::Unknown(reason) => (Verdict::Unknown(reason), None),
            Answer::Sat(model) => {
                let execution = Execution::of(&mut self.encoding, &model);
                let run = Reference::run(self.encoding.forest, &self.encoding.options, &execution);
                let verdict = match run {
                    Ok(end) => Verdict::Possible(Box::new((execution, end))),
                    Err(mismatch) => Verdict::Bug(Box::new((execution, mismatch))),
                };
                (verdict, Some(model))
            }
        })
    }

    /// Lets what refutes circles of models hold only if this does, for a solver that will be asked of other forests.
    pub(super) fn refute_circles_behind(&mut self, switch: TermId) {
        self.circle_switch = Some(switch);
    }

    /// The terms, when nothing more is asked.
    pub(super) fn into_terms(self) -> Terms {
        self.encoding.terms
    }

    /// The solver's answer, with orders that are orders: circles of a model are refuted and the solver is asked
    /// again. What refutes them holds for every question, and stays.
    pub(crate) fn check_asserted(&mut self, smt: &mut dyn Smt, query: &Query) -> Result<Answer, TermError> {
        // The time is for all rounds together.
        let allowed = query.timeout.unwrap_or_else(|| smt.default_timeout());
        let begun = Instant::now();
        let mut query = query.clone();
        loop {
            let answer = smt.check(&self.encoding.terms, &query);
            let Answer::Sat(model) = &answer else { return Ok(answer) };
            if !self.refute_circles(smt, model)? {
                return Ok(answer);
            }
            let left = allowed.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return Ok(Answer::Unknown(Reason::Timeout { allowed }));
            }
            query.timeout = Some(left);
        }
    }

    /// The same for a model that violates as few of these preferences as possible.
    pub(crate) fn optimise_asserted(
        &mut self,
        smt: &mut dyn Smt,
        query: &Query,
        preferences: &[Preference],
    ) -> Result<Optimum, TermError> {
        let allowed = query.timeout.unwrap_or_else(|| smt.default_timeout());
        let begun = Instant::now();
        let mut query = query.clone();
        loop {
            let optimum = smt.optimise(&mut self.encoding.terms, &query, preferences);
            let Answer::Sat(model) = &optimum.answer else { return Ok(optimum) };
            if !self.refute_circles(smt, model)? {
                return Ok(optimum);
            }
            let left = allowed.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return Ok(Optimum { answer: Answer::Unknown(Reason::Timeout { allowed }), ..optimum });
            }
            query.timeout = Some(left);
        }
    }

    /// Tells the solver that the circles of a model are none, if it has some.
    fn refute_circles(&mut self, smt: &mut dyn Smt, model: &Model) -> Result<bool, TermError> {
        if self.encoding.order_sort() != OrderSort::Pairs {
            return Ok(false);
        }
        let executed = executed(&mut self.encoding, model);
        let circles = self.encoding.circles(model, &executed)?;
        let any = !circles.is_empty();
        for circle in circles {
            let clause = match self.circle_switch {
                Some(switch) => self.encoding.terms.implies(switch, circle)?,
                None => circle,
            };
            smt.assert(&self.encoding.terms, clause).expect("a clause is Boolean");
        }
        Ok(any)
    }

    /// Why not: what a question that was answered [`Verdict::Impossible`] fails on, if the solver says so. With
    /// the program order of the events concerned, these constraints are enough.
    pub fn explain(&mut self, smt: &mut dyn Smt, query: &Query) -> Option<Vec<About>> {
        let constraints = self.whole().ok()?;
        let named = self.named(&constraints);
        smt.push();
        for (name, constraint) in &named {
            let terms = &self.encoding.terms;
            smt.assert_named(terms, name, constraint.term)
                .expect("our names are distinct, our formula Boolean");
        }
        let answer = smt.check(&self.encoding.terms, &query.clone().with_core());
        smt.pop().expect("the level was pushed here");
        let Answer::Unsat { core: Some(core) } = answer else { return None };
        let by_name: HashMap<&str, About> =
            named.iter().map(|(name, constraint)| (name.as_str(), constraint.about)).collect();
        let mut about: Vec<About> =
            core.names.iter().filter_map(|name| by_name.get(name.as_str()).copied()).collect();
        about.sort_unstable();
        about.dedup();
        Some(about)
    }
}

fn clauses(terms: &Terms, term: TermId) -> usize {
    match terms.shape(term) {
        Shape::App(TermOp::And, parts) => parts.iter().map(|&part| clauses(terms, part)).sum(),
        Shape::App(TermOp::Or | TermOp::Implies, parts) => {
            let conjunctions =
                parts.iter().filter(|&&part| matches!(terms.shape(part), Shape::App(TermOp::And, _)));
            conjunctions.map(|&part| clauses(terms, part)).sum::<usize>().max(1)
        }
        _ => 1,
    }
}

/// The memory model in words.
pub(super) fn under(options: &Options) -> &'static str {
    match options.model {
        MemoryModel::Sc => "under sequential consistency",
        MemoryModel::Tso => "under TSO",
        MemoryModel::Pso => "under PSO",
    }
}
