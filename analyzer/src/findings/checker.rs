//! Asks the questions of one property after the other and keeps the books.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;

use warpath_solvers::term::{Model, TermError};
use warpath_solvers::{CancelToken, Query, Smt};
use warpath_trace::si::Si;

use super::finding::{Finding, Involved};
use super::property::{Kind, Property};
use super::report::{PropertyResult, Report, Standing, Statistics, Unanswered};
use crate::answer::{Execution, Final, Mismatch};
use crate::encode::Options;
use crate::model::NodeId;
use crate::queries::groups::Group;
use crate::queries::survey::Survey;
use crate::queries::violation::{Battery, Violation};
use crate::queries::{Manifest, Question, Verdict};

/// How many candidates go into one question, once the nearest alone was answered with no.
const MEMBERS_PER_QUESTION: usize = 64;

/// How many questions share a formula and a solver process.
const QUESTIONS_PER_FORMULA: usize = 128;

/// A group and some of its candidates.
type Candidates<'a, const N: usize> = (usize, &'a [[NodeId; N]]);

/// A question as a script.
pub(super) type Scripted = Result<(String, Manifest), TermError>;

/// Opens a solver.
pub type OpenSolver<'s> = dyn FnMut() -> Result<Box<dyn Smt>, Box<dyn std::error::Error + Send + Sync>> + 's;

/// How to check.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// The formula: memory model, encoding, reductions.
    pub formula: Options,
    /// Time for each question; by default what the solver's configuration says.
    pub timeout: Option<Duration>,
    /// Ends the check: questions that have not been answered by then are unknown.
    pub cancel: CancelToken,
    /// At most so many candidates (pairs of accesses, say) at the same positions are asked about.
    pub candidates_per_position: usize,
    /// What the end of the main thread means for the others.
    pub main_end: MainEnd,
    /// Look for violations in the observed run itself before asking.
    pub witnesses: bool,
    /// What has been found before, in another part of the same trace: it is not looked for again.
    pub known: Known,
    /// Are failures that recorded runs ended with findings?
    pub recorded: bool,
    /// Keep the question of each finding, and each that was not answered, as a script. Costs a formula each.
    pub scripts: bool,
}

/// Findings that are known, by property and places of their events, these sorted.
pub type Known = Arc<BTreeSet<(Property, Vec<String>)>>;

/// What the end of the main thread means for the other threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MainEnd {
    /// They end with it, as in C, C++ and Rust: nobody waits for ever behind it.
    EndsProcess,
    /// They go on, as in Java.
    LeavesThreads,
}

impl Default for CheckOptions {
    fn default() -> Self {
        CheckOptions {
            formula: Options::default(),
            timeout: None,
            cancel: CancelToken::default(),
            candidates_per_position: 1024,
            main_end: MainEnd::EndsProcess,
            witnesses: true,
            known: Known::default(),
            recorded: true,
            scripts: true,
        }
    }
}

/// Why a check could not be finished.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// No solver.
    #[error("cannot open a solver: {0}")]
    Solver(Box<dyn std::error::Error + Send + Sync>),
    /// The formula could not be built.
    #[error("cannot build the formula: {0}")]
    Formula(#[from] TermError),
    /// The trace could not be checked window by window.
    #[error(transparent)]
    Window(#[from] crate::window::WindowError),
    /// The formula and the reference interpreter disagree: a bug of ours.
    #[error(
        "the solver's answer to \"{question}\" cannot be executed: {mismatch}; this is a bug of Warpath, please report it with the script"
    )]
    Bug {
        /// The question.
        question: String,
        /// The step that cannot happen.
        mismatch: Box<Mismatch>,
        /// The question as a script.
        script: String,
    },
}

/// What a question was answered.
pub(super) enum Answered {
    /// It can be: like this.
    Yes { execution: Execution, end: Box<Final>, model: Option<Model> },
    /// It cannot be.
    No,
    /// Nobody knows; the books say so.
    Unknown,
}

/// Asks, and keeps the books of one property.
pub(super) struct Checker<'f, 's> {
    pub(super) survey: Survey<'f>,
    pub(super) options: &'s CheckOptions,
    pub(super) statistics: Statistics,
    property: Property,
    open: &'s mut OpenSolver<'s>,
    /// Kept from question to question, each behind a level of its own: starting a process takes longer than most answers.
    solver: Option<Box<dyn Smt>>,
    report: Report,
    /// How many findings belong to properties checked before.
    earlier: usize,
    /// What has been reported: kind and positions.
    seen: HashSet<(Kind, Vec<String>)>,
}

impl<'f, 's> Checker<'f, 's> {
    pub(super) fn new(survey: Survey<'f>, options: &'s CheckOptions, open: &'s mut OpenSolver<'s>) -> Self {
        Checker {
            survey,
            options,
            statistics: Statistics::default(),
            property: Property::Assertion,
            open,
            solver: None,
            report: Report::default(),
            earlier: 0,
            seen: HashSet::new(),
        }
    }

    /// Starts a property's books.
    pub(super) fn begin(&mut self, property: Property) {
        self.property = property;
        self.earlier = self.report.findings.len();
        self.statistics = Statistics::default();
    }

    /// Closes them.
    pub(super) fn end(&mut self) {
        self.report.findings[self.earlier..]
            .sort_by_cached_key(|finding| finding.events.iter().map(|event| event.node).collect::<Vec<_>>());
        let found = self.report.findings.iter().any(|finding| finding.property == self.property);
        let open = self.report.unanswered.iter().any(|unanswered| unanswered.property == self.property);
        let standing = match (found, open) {
            (true, _) => Standing::Predicted,
            (false, true) => Standing::Unknown,
            (false, false) => Standing::None,
        };
        let statistics = std::mem::take(&mut self.statistics);
        self.report.properties.push(PropertyResult { property: self.property, standing, statistics });
    }

    pub(super) fn into_report(self) -> Report {
        self.report
    }

    fn query(&self) -> Query {
        Query { timeout: self.options.timeout, cancel: self.options.cancel.clone(), ..Query::default() }
    }

    pub(super) fn ask(&mut self, question: &mut Question<'f>) -> Result<Answered, CheckError> {
        self.statistics.queries += 1;
        let query = self.query();
        let (verdict, model) = self.with_solver(|_, smt| Ok(question.solve_with_model(smt, &query)?))?;
        let description = question.description().to_owned();
        self.enter(verdict, model, description, |_| question.script())
    }

    /// Lends a solver that has been told nothing, and counts the time that it takes.
    fn with_solver<T>(
        &mut self,
        work: impl FnOnce(&mut Self, &mut dyn Smt) -> Result<T, CheckError>,
    ) -> Result<T, CheckError> {
        let mut smt = match self.solver.take() {
            Some(mut smt) => {
                smt.change_arena();
                smt
            }
            None => (self.open)().map_err(CheckError::Solver)?,
        };
        let before = smt.statistics().time;
        let result = work(self, &mut *smt);
        self.statistics.solving += smt.statistics().time.saturating_sub(before);
        self.solver = Some(smt);
        result
    }

    /// Enters an answer into the books. The question's words are at hand, its script is made when it is needed.
    fn enter(
        &mut self,
        verdict: Verdict,
        model: Option<Model>,
        question: String,
        script: impl FnOnce(&Survey<'f>) -> Scripted,
    ) -> Result<Answered, CheckError> {
        match verdict {
            Verdict::Possible(found) => {
                self.statistics.sat += 1;
                let (execution, end) = *found;
                Ok(Answered::Yes { execution, end: Box::new(end), model })
            }
            Verdict::Bug(bug) => {
                let (script, _) = script(&self.survey)?;
                Err(CheckError::Bug { question, mismatch: Box::new(bug.1), script })
            }
            Verdict::Unknown(reason) => {
                self.statistics.unknown += 1;
                let (script, manifest) = self.script_if_wanted(script)?;
                self.report.unanswered.push(Unanswered {
                    property: self.property,
                    question,
                    reason: reason.to_string(),
                    script,
                    manifest,
                });
                Ok(Answered::Unknown)
            }
            Verdict::Impossible => {
                self.statistics.unsat += 1;
                Ok(Answered::No)
            }
        }
    }

    fn script_if_wanted(
        &self,
        script: impl FnOnce(&Survey<'f>) -> Scripted,
    ) -> Result<(String, Option<Manifest>), TermError> {
        if !self.options.scripts {
            return Ok((String::new(), None));
        }
        let (script, manifest) = script(&self.survey)?;
        Ok((script, Some(manifest)))
    }

    /// How many candidates at the same positions are asked about.
    pub(super) fn limit(&self) -> usize {
        self.options.candidates_per_position.max(1)
    }

    /// Asks about each group until something is found, unless the observed run shows it: its nearest member alone,
    /// which answers most groups, then the others, many in one question.
    pub(super) fn ask_groups<const N: usize, V: Violation<N>>(
        &mut self,
        groups: &[Group<N>],
        violation: &V,
        describe: impl Describe<'f, N>,
    ) -> Result<(), CheckError> {
        let found = groups.iter().map(|group| self.skip_known(group)).collect();
        let mut hunt = Hunt { violation, describe, found };
        self.show_groups(groups, &mut hunt)?;
        let open = groups.iter().enumerate().filter(|&(group, _)| !hunt.found[group]);
        let nearest: Vec<Candidates<'_, N>> =
            open.map(|(group, members)| (group, &members.members[..1])).collect();
        self.ask_lists(&nearest, &mut hunt)?;
        let mut others: Vec<Candidates<'_, N>> = Vec::new();
        for (group, members) in groups.iter().enumerate().filter(|&(group, _)| !hunt.found[group]) {
            others.extend(members.members[1..].chunks(MEMBERS_PER_QUESTION).map(|list| (group, list)));
        }
        self.ask_lists(&others, &mut hunt)?;
        for (group, _) in groups.iter().zip(hunt.found).filter(|(group, found)| !found && group.left_out > 0)
        {
            let first = group.members[0].iter();
            let places: Vec<String> = first.map(|&id| self.survey.forest.place(id)).collect();
            self.not_asked(
                format!("Can more events at {} violate the property?", places.join(", ")),
                format!(
                    "{} candidates at the same positions were asked about, {} were not",
                    group.members.len(),
                    group.left_out
                ),
            );
        }
        Ok(())
    }

    /// Is it known that these positions can violate the property?
    pub(super) fn is_known(&self, nodes: &[NodeId]) -> bool {
        let mut places: Vec<String> = nodes.iter().map(|&id| self.survey.forest.place(id)).collect();
        places.sort_unstable();
        self.options.known.contains(&(self.property, places))
    }

    /// The places of the findings that are known.
    pub(super) fn known(&self) -> impl Iterator<Item = &Vec<String>> {
        let known = self.options.known.range((self.property, Vec::new())..);
        known.take_while(|(property, _)| *property == self.property).map(|(_, places)| places)
    }

    fn skip_known<const N: usize>(&mut self, group: &Group<N>) -> bool {
        let known = self.is_known(&group.members[0]);
        if known {
            self.statistics.filter("known from before", group.members.len() as u64 + group.left_out);
        }
        known
    }

    /// Asks about lists of candidates, each list of a group of which nothing has been found yet; many of them on
    /// one formula and of one solver process, as starting one takes longer than most answers.
    fn ask_lists<const N: usize, V: Violation<N>>(
        &mut self,
        lists: &[Candidates<'_, N>],
        hunt: &mut Hunt<'_, V, impl Describe<'f, N>>,
    ) -> Result<(), CheckError> {
        let formula = self.options.formula;
        let mut left = lists.len();
        for batch in lists.chunks(QUESTIONS_PER_FORMULA) {
            let members: Vec<&[[NodeId; N]]> = batch.iter().map(|&(_, list)| list).collect();
            let battery = Battery::of(&self.survey, formula, hunt.violation, &members)?;
            let on = self.with_solver(|checker, smt| {
                smt.push();
                checker.ask_batch(batch, battery, smt, &mut left, hunt)
            })?;
            if !on {
                break;
            }
        }
        Ok(())
    }

    /// Asks about lists on one formula; `false` if there is to be no further one.
    fn ask_batch<const N: usize, V: Violation<N>>(
        &mut self,
        batch: &[Candidates<'_, N>],
        mut battery: Battery<'f>,
        smt: &mut dyn Smt,
        left: &mut usize,
        hunt: &mut Hunt<'_, V, impl Describe<'f, N>>,
    ) -> Result<bool, CheckError> {
        let Hunt { violation, describe, found } = hunt;
        let formula = self.options.formula;
        battery.begin(smt);
        for (n, &(group, list)) in batch.iter().enumerate() {
            if self.options.cancel.is_cancelled() {
                let question = format!("Can other events violate it? ({left} questions)");
                self.not_asked(question, "interrupted".to_owned());
                return Ok(false);
            }
            *left -= 1;
            if found[group] {
                continue;
            }
            self.statistics.queries += 1;
            let verdict = battery.ask(n, smt, &self.query())?;
            if matches!(verdict, Verdict::Impossible) {
                self.statistics.unsat += 1;
                continue;
            }
            // The script is about this question alone.
            let script = |survey: &Survey<'f>| violation.question(survey, formula, list)?.script();
            let described = violation.describe(&self.survey, &formula, list);
            if let Answered::Yes { execution, end, .. } = self.enter(verdict, None, described, script)? {
                found[group] = true;
                let what = describe(&self.survey, &execution, &end, list);
                self.found(&execution, what, script)?;
            }
        }
        Ok(true)
    }

    /// Notes that something was not asked.
    pub(super) fn not_asked(&mut self, question: String, reason: String) {
        let property = self.property;
        let script = String::new();
        self.report.unanswered.push(Unanswered { property, question, reason, script, manifest: None });
    }

    /// Reports a finding, unless one of the same kind at the same positions has been.
    pub(super) fn found(
        &mut self,
        execution: &Execution,
        what: What,
        script: impl FnOnce(&Survey<'f>) -> Scripted,
    ) -> Result<(), CheckError> {
        let mut places: Vec<String> = what.events.iter().map(|event| event.place.clone()).collect();
        places.sort_unstable();
        if !self.seen.insert((what.kind, places)) {
            return Ok(());
        }
        let (script, manifest) = self.script_if_wanted(script)?;
        let si: Si = execution.si(self.survey.forest, self.options.formula.model);
        self.report.findings.push(Finding {
            property: self.property,
            kind: what.kind,
            storage: what.storage,
            summary: what.summary,
            reason: what.reason,
            events: what.events,
            si,
            script,
            manifest,
        });
        Ok(())
    }
}

/// What is looked for among groups of candidates.
pub(super) struct Hunt<'a, V, D> {
    pub(super) violation: &'a V,
    pub(super) describe: D,
    /// Of each group, whether anything has been found.
    pub(super) found: Vec<bool>,
}

/// Says what an execution that violates the property with one of these candidates shows.
pub(super) trait Describe<'f, const N: usize>:
    Fn(&Survey<'f>, &Execution, &Final, &[[NodeId; N]]) -> What
{
}

impl<'f, const N: usize, D> Describe<'f, N> for D where
    D: Fn(&Survey<'f>, &Execution, &Final, &[[NodeId; N]]) -> What
{
}

/// What is special about a finding.
pub(super) struct What {
    pub(super) kind: Kind,
    pub(super) storage: Option<String>,
    pub(super) summary: String,
    pub(super) reason: String,
    pub(super) events: Vec<Involved>,
}
