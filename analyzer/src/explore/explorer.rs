//! What all strategies have in common: runs, what is learnt from them, bugs, bounds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use warpath_solvers::Query;
use warpath_trace::header::Values;
use warpath_trace::si::{InputValue, Program, Si};
use warpath_trace::trace::Trace;

use super::ExploreError;
use super::bug::{Bug, Identity, own_failure};
use super::coverage::Coverage;
use super::events::{Checkpoint, Observer, Standing};
use super::frontier::{Frontier, Known};
use super::lane::Lane;
use super::mpc::RunPath;
use super::options::ExploreOptions;
use super::result::{Exploration, Judgement};
use super::runner::{Ended, Following, Free, KeptRun, Observed, Request, Runner, RunnerError};
use super::statistics::Statistics;
use super::team::Team;
use super::values_only::values_only;
use crate::findings::{CheckOptions, Finding, Kind, check};
use crate::model::{Divergence, Forest, InputVar, NodeId};
use crate::queries::{GrowingSolver, open_ends};
use crate::window::OpenSolvers;

/// Rounds of repeating all runs, each because the one before has taught something new.
const REPETITIONS: usize = 64;

/// An exploration under way.
pub(super) struct Explorer<'a, 'scope, 'env> {
    pub(super) options: &'a ExploreOptions,
    pub(super) team: Team<'scope, 'env>,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) forest: Arc<Forest>,
    pub(super) frontier: Frontier,
    pub(super) statistics: Statistics,
    pub(super) values: Values,
    /// Why it is not known that nothing is left.
    pub(super) doubts: BTreeSet<String>,
    pub(super) bounds_hit: BTreeSet<String>,
    pub(super) bugs: Vec<Bug>,
    /// Interferences that the schedules being run were asked to have at most.
    pub(super) interferences: Option<usize>,
    open: &'a OpenSolvers<'a>,
    lanes: Vec<Lane>,
    solver: String,
    /// The runs that the forest was made of.
    history: Vec<Si>,
    /// Those of them that need not be made again to know their traces; as long as the history.
    kept: Vec<Option<KeptRun>>,
    /// The first of them.
    first: Option<Trace>,
    /// How often all of them were made again.
    pub(super) generation: u64,
    /// The paths of the runs added, for a strategy that takes them out of here.
    pub(super) paths: Option<Vec<RunPath>>,
    known_bugs: BTreeSet<Identity>,
    /// Findings whose schedules were run.
    tried: BTreeSet<Identity>,
    unconfirmed: Vec<Finding>,
    approximations: BTreeMap<String, u64>,
    began: Instant,
}

/// A run that has been added to the forest.
pub(super) struct Merged {
    pub(super) observed: Observed,
    /// The nodes of its events, thread by thread; none if it did not fit.
    pub(super) paths: Vec<Vec<NodeId>>,
}

/// What came of runs.
pub(super) enum Came {
    /// Each of them has been added, in this order.
    Merged(Vec<Merged>),
    /// They have taught something new: the forest was made anew from all runs.
    Renewed,
}

impl<'a, 'scope, 'env> Explorer<'a, 'scope, 'env> {
    pub(super) fn new(
        options: &'a ExploreOptions,
        team: Team<'scope, 'env>,
        open: &'a OpenSolvers<'a>,
        observer: &'a mut dyn Observer,
    ) -> Self {
        Explorer {
            options,
            team,
            observer,
            forest: fresh(options),
            frontier: Frontier::default(),
            statistics: Statistics::default(),
            values: Values::Symbolic,
            doubts: BTreeSet::new(),
            bounds_hit: BTreeSet::new(),
            bugs: Vec::new(),
            interferences: None,
            open,
            lanes: Vec::new(),
            solver: String::new(),
            history: Vec::new(),
            kept: Vec::new(),
            first: None,
            generation: 0,
            paths: None,
            known_bugs: BTreeSet::new(),
            tried: BTreeSet::new(),
            unconfirmed: Vec::new(),
            approximations: BTreeMap::new(),
            began: Instant::now(),
        }
    }

    /// Is it over, by a bound or because somebody wants it to be?
    pub(super) fn is_over(&mut self) -> bool {
        let bounds = &self.options.bounds;
        if self.options.cancel.is_cancelled() {
            self.doubts.insert("interrupted".to_owned());
            return true;
        }
        if let Some(most) = bounds.executions.filter(|&most| self.statistics.executions >= most) {
            self.bounds_hit.insert(format!("{most} executions (--max-executions)"));
            return true;
        }
        if let Some(time) = bounds.time.filter(|_| self.is_late()) {
            self.bounds_hit.insert(format!("{time:?} (--time)"));
            return true;
        }
        self.options.stop_at_first && !self.bugs.is_empty()
    }

    /// When the time is over.
    pub(super) fn until(&self) -> Option<Instant> {
        self.options.bounds.time.and_then(|time| self.began.checked_add(time))
    }

    /// Runs that may still be made.
    pub(super) fn runs_left(&self) -> usize {
        let left = self.options.bounds.executions.map(|most| most.saturating_sub(self.statistics.executions));
        left.and_then(|left| usize::try_from(left).ok()).unwrap_or(usize::MAX)
    }

    /// Is the time for everything up?
    pub(super) fn is_late(&self) -> bool {
        self.options.bounds.time.is_some_and(|time| self.began.elapsed() >= time)
    }

    /// A question within the time that is left.
    pub(super) fn query(&self) -> Query {
        let left = self.options.bounds.time.map(|time| time.saturating_sub(self.began.elapsed()));
        let timeout = match (self.options.timeout, left) {
            (Some(timeout), Some(left)) => Some(timeout.min(left)),
            (timeout, left) => timeout.or(left),
        };
        Query { timeout, cancel: self.options.cancel.clone(), ..Query::default() }
    }

    /// A lane that nobody uses.
    pub(super) fn lane(&mut self) -> Result<Lane, ExploreError> {
        if let Some(lane) = self.lanes.pop() {
            return Ok(lane);
        }
        let smt = (self.open)().map_err(ExploreError::Solver)?;
        self.solver = smt.describe();
        let growing = GrowingSolver::new((self.open)().map_err(ExploreError::Solver)?);
        Ok(Lane { smt, growing })
    }

    /// Lanes that are not used any more; the first of them is the next to be used.
    pub(super) fn put_back(&mut self, lanes: Vec<Lane>) {
        self.lanes.extend(lanes.into_iter().rev());
    }

    /// Tells the observer where the search stands.
    pub(super) fn progress(&mut self, open_ends: usize) {
        let standing = Standing {
            executions: self.statistics.executions,
            open_ends,
            queries: self.statistics.queries,
            solving: self.statistics.solving,
            bugs: self.bugs.len(),
        };
        self.observer.progress(&standing);
        self.checkpoint();
    }

    fn checkpoint(&mut self) {
        let Explorer { history, generation, statistics, .. } = self;
        self.observer.checkpoint(&Checkpoint { runs: history, generation: *generation, statistics });
    }

    /// Makes runs and adds them.
    pub(super) fn run(&mut self, requests: Vec<Request>) -> Result<Came, ExploreError> {
        let runs = self.observe(requests)?;
        self.take(runs)
    }

    /// Makes runs.
    fn observe(&mut self, requests: Vec<Request>) -> Result<Vec<Observed>, ExploreError> {
        let job = |request: Request| {
            move |runner: &mut dyn Runner| {
                let begun = Instant::now();
                let observed = observe(runner, &request);
                (observed, begun.elapsed())
            }
        };
        let mut runs = Vec::new();
        for (observed, time) in self.team.all(requests.into_iter().map(job).collect())? {
            self.statistics.running += time;
            let (observed, lesson) = observed?;
            if let Some(lesson) = lesson {
                self.team.teach(lesson);
            }
            runs.push(observed);
        }
        Ok(runs)
    }

    /// Adds runs that were made.
    pub(super) fn take(&mut self, runs: Vec<Observed>) -> Result<Came, ExploreError> {
        if runs.iter().any(|run| run.renewed) {
            self.statistics.executions += executions(&runs);
            let earlier = self.history.drain(..).zip(self.kept.drain(..));
            let all = earlier.map(|(si, kept)| Past { si, kept }).chain(runs.iter().filter_map(Past::of));
            let all = all.collect();
            self.renew(all)?;
            return Ok(Came::Renewed);
        }
        let mut merged = Vec::new();
        for run in runs {
            self.statistics.executions += u64::from(run.executed);
            merged.push(self.merge(run)?);
        }
        Ok(Came::Merged(merged))
    }

    /// Makes the forest anew: what was learnt makes every trace different.
    pub(super) fn renew(&mut self, mut all: Vec<Past>) -> Result<(), ExploreError> {
        self.generation += 1;
        let begin = |runs: &mut Vec<Past>| {
            if let (Some(begin), Some(first)) = (&self.options.begin, runs.first_mut()) {
                first.si.clone_from(begin);
            }
        };
        begin(&mut all);
        for _ in 0..REPETITIONS {
            self.history.clear();
            self.kept.clear();
            self.paths.iter_mut().for_each(Vec::clear);
            self.forest = fresh(self.options);
            self.frontier = Frontier::default();
            // Events have other names now, and solvers know them by their names.
            self.lanes.clear();
            let request = |past: &Past| Request {
                again: past.kept,
                ..Request::of(&past.si, Following::Loosely, self.values)
            };
            let runs = self.observe(all.iter().map(request).collect())?;
            self.statistics.executions += executions(&runs);
            self.statistics.repeated += executions(&runs);
            let renewed = runs.iter().any(|run| run.renewed);
            let mut more: Vec<Past> = runs.iter().filter_map(Past::of).collect();
            if renewed && !self.options.cancel.is_cancelled() {
                begin(&mut more);
                all = more;
                continue;
            }
            for run in runs {
                self.merge(run)?;
            }
            if self.options.cancel.is_cancelled() {
                // Some were cut short: who takes up the search again is better off with those of before.
                (self.history, self.kept) = all.into_iter().map(|past| (past.si, past.kept)).unzip();
            }
            return Ok(());
        }
        self.doubts.insert("every run shows other memory to be shared".to_owned());
        Ok(())
    }

    /// Adds a run to the forest; if it failed, that is a bug.
    fn merge(&mut self, mut observed: Observed) -> Result<Merged, ExploreError> {
        if self.values == Values::Pinned {
            observed.trace = values_only(&observed.trace);
        }
        self.observer.executed(self.statistics.executions, &observed);
        for &(what, count) in observed.trace.footer.iter().flat_map(|footer| &footer.approximations) {
            let known = self.approximations.entry(observed.trace.tables.text(what).into_owned()).or_insert(0);
            *known = (*known).max(count);
        }
        match &observed.ended {
            Ended::Cut(bound) => {
                self.bounds_hit.insert(bound.clone());
            }
            Ended::Lost(why) => {
                self.doubts.insert(why.clone());
            }
            _ => {}
        }
        let mut grown = Forest::clone(&self.forest);
        let paths = match grown.merge(&observed.trace) {
            Ok(paths) => {
                self.forest = Arc::new(grown);
                if self.history.is_empty() {
                    self.first = Some(observed.trace.clone());
                }
                self.remember(&observed);
                paths
            }
            Err(divergence) => {
                self.doubts.insert(does_not_fit(&divergence));
                Vec::new()
            }
        };
        if let Some(log) = &mut self.paths {
            log.push(RunPath::of(&self.forest, &observed, &paths));
        }
        if matches!(observed.ended, Ended::Failed(_)) {
            self.failed(&observed)?;
        }
        Ok(Merged { observed, paths })
    }

    /// The run is one of those that the forest is made of.
    fn remember(&mut self, observed: &Observed) {
        // The trace of a kept run may be asked for several times: it is one run.
        let is_known = observed.kept.is_some() && self.kept.contains(&observed.kept);
        if let Some(past) = Past::of(observed).filter(|_| !is_known) {
            self.history.push(past.si);
            self.kept.push(past.kept);
        }
    }

    /// The run that everything began with, if its trace can be made once more.
    pub(super) fn first_kept(&self) -> Option<KeptRun> {
        self.kept.first().copied().flatten()
    }

    /// A run failed: if that is not known yet and happens again, it is a bug.
    fn failed(&mut self, observed: &Observed) -> Result<(), ExploreError> {
        let Some(failed) = own_failure(&observed.trace) else { return Ok(()) };
        let identity = Identity::of_failure(&failed);
        if self.known_bugs.contains(&identity) {
            return Ok(());
        }
        let Some(si) = si_of(&observed.trace) else { return Ok(()) };
        let again = self.replay(&si)?;
        if own_failure(&again.trace).is_none_or(|again| Identity::of_failure(&again) != identity) {
            self.doubts.insert(format!("a run failed ({identity}), and did not when it was repeated"));
            return Ok(());
        }
        self.known_bugs.insert(identity);
        let bug = Bug::of_failure(&failed, si, observed.trace.clone(), self.statistics.executions);
        self.found(bug);
        Ok(())
    }

    fn found(&mut self, bug: Bug) {
        let bug = Bug { interferences: self.interferences, ..bug };
        self.observer.bug(&bug);
        self.bugs.push(bug);
    }

    /// Runs a schedule to the letter, to see whether something happens again.
    fn replay(&mut self, si: &Si) -> Result<Observed, ExploreError> {
        self.statistics.replays += 1;
        let request = Request::of(si, Following::Strictly, self.values);
        let mut runs = self.observe(vec![request])?;
        runs.pop().ok_or_else(|| ExploreError::Runner(RunnerError("there was no run".into())))
    }

    /// Checks the properties on the forest; what is possible is tried. Answers whether there was anything new to try.
    pub(super) fn check_properties(&mut self) -> Result<bool, ExploreError> {
        if self.options.properties.is_empty() {
            return Ok(false);
        }
        let options = CheckOptions {
            formula: self.options.formula,
            timeout: self.query().timeout,
            cancel: self.options.cancel.clone(),
            main_end: self.options.main_end,
            // They are known.
            recorded: false,
            scripts: self.options.scripts,
            ..CheckOptions::default()
        };
        let forest = Arc::clone(&self.forest);
        let begun = Instant::now();
        let open = self.open;
        let report = check(&forest, &options, &self.options.properties, &mut || open())?;
        let mut solving = Duration::ZERO;
        for result in &report.properties {
            solving += result.statistics.solving;
            self.statistics.queries += result.statistics.queries;
            self.statistics.sat += result.statistics.sat;
            self.statistics.unsat += result.statistics.unsat;
            self.statistics.unknown += result.statistics.unknown;
        }
        self.statistics.solving += solving;
        self.statistics.encoding += begun.elapsed().saturating_sub(solving);
        for unanswered in &report.unanswered {
            self.doubts.insert(format!("{} ({})", unanswered.question, unanswered.reason));
        }
        let mut news = false;
        for finding in report.findings {
            if self.options.scripts
                && let Some(manifest) = &finding.manifest
            {
                self.observer.asked(&finding.script, manifest);
            }
            if self.is_over() {
                break;
            }
            news |= self.try_finding(finding)?;
        }
        Ok(news)
    }

    /// Runs the schedule of a finding; whether it was new.
    fn try_finding(&mut self, mut finding: Finding) -> Result<bool, ExploreError> {
        if self.values == Values::Pinned {
            // Where values are decisions, inputs are not: the formula says nothing of them.
            finding.si.inputs.clear();
        }
        let identity = Identity::of_finding(&finding);
        // A run that confirms it may fail at the same place: what was tried is not yet known to be a bug.
        if self.known_bugs.contains(&identity) || !self.tried.insert(identity.clone()) {
            return Ok(false);
        }
        let before = self.bugs.len();
        let known = self.known_bugs.len();
        let request = Request::of(&finding.si, Following::Strictly, self.values);
        let merged = match self.run(vec![request])? {
            Came::Merged(mut merged) => merged.pop(),
            Came::Renewed => {
                // With what is known now it has to be tried again.
                self.tried.remove(&identity);
                return Ok(true);
            }
        };
        let Some(Merged { observed, .. }) = merged else { return Ok(true) };
        if self.bugs.len() > before || self.known_bugs.len() > known {
            return Ok(true);
        }
        if matches!(observed.ended, Ended::Failed(_)) && own_failure(&observed.trace).is_some() {
            // It is a failure that is known from another run.
            return Ok(true);
        }
        let followed = matches!(observed.ended, Ended::Normally | Ended::Failed(_) | Ended::Assumption);
        if followed && !shows_by_failing(finding.kind) {
            let mut si = finding.si.clone();
            si.program = Program::of_run(&observed.trace);
            si.shared = warpath_trace::si::SharedBytes::of_run(&observed.trace);
            si.spins = warpath_trace::si::spins(&observed.trace);
            si.expect.outcome = finding.kind.word();
            let first = finding.events.first();
            self.known_bugs.insert(identity.clone());
            self.found(Bug {
                kind: finding.kind.word(),
                message: finding.summary.clone(),
                place: first.map(|event| event.place.clone()).unwrap_or_default(),
                threads: finding.events.iter().map(|event| event.thread.clone()).collect(),
                identity,
                si,
                trace: observed.trace,
                execution: self.statistics.executions,
                interferences: None,
                finding: Some(finding),
            });
            return Ok(true);
        }
        let how = match &observed.ended {
            Ended::Diverged(how) | Ended::Cut(how) | Ended::Lost(how) => how.as_str(),
            _ => "the run went well",
        };
        self.doubts.insert(format!("predicted, but not reproduced: {} ({how})", finding.summary));
        self.unconfirmed.push(finding);
        Ok(true)
    }

    /// The end.
    pub(super) fn finish(mut self, exhausted: bool, paths: Option<usize>) -> Exploration {
        self.checkpoint();
        let doubtful = |(what, count): (&String, &u64)| {
            // What the hardware executes is exact; where a value was used as it was, other values are an open end.
            let exact = what.contains("hardware") || what.contains("concrete value");
            (!exact).then(|| format!("{count} {what}"))
        };
        let approximated: Vec<String> = self.approximations.iter().filter_map(doubtful).collect();
        for (end, known) in self.frontier.unanswered(&self.forest) {
            if let Known::Bounded(bound) = known {
                self.bounds_hit.insert(bound.clone());
                continue;
            }
            let question = end.describe(&self.forest, &self.options.formula);
            self.doubts.insert(format!("{question} {}", known.describe()));
        }
        let sure =
            exhausted && self.doubts.is_empty() && self.bounds_hit.is_empty() && approximated.is_empty();
        let judgement = match (self.bugs.is_empty(), sure) {
            (false, _) => Judgement::Bug,
            (true, true) => Judgement::Safe,
            (true, false) => Judgement::Unknown,
        };
        let open = open_ends(&self.forest).into_iter();
        let open = open.filter(|end| self.frontier.known(&self.forest, end) != Some(&Known::Impossible));
        let leaves = self.forest.nodes().iter().filter(|node| node.children.is_empty()).count();
        let approximated = approximated.into_iter().map(|what| format!("not followed exactly: {what}"));
        Exploration {
            judgement,
            reasons: self.doubts.iter().cloned().chain(approximated).collect(),
            exhausted: sure,
            bounds_hit: self.bounds_hit.into_iter().collect(),
            bugs: self.bugs,
            unconfirmed: self.unconfirmed,
            paths: paths.unwrap_or(leaves),
            nodes: self.forest.nodes().len(),
            open_ends: open.count(),
            coverage: Coverage::of(&self.forest, &self.frontier),
            forest: self.forest,
            first: self.first,
            approximations: self.approximations,
            statistics: self.statistics,
            solver: self.solver,
        }
    }

    /// What everything begins with: the run without a schedule, or the runs of an earlier search.
    pub(super) fn first(&mut self) -> Result<(), ExploreError> {
        if let Some(earlier) = self.options.earlier.as_ref().filter(|earlier| !earlier.runs.is_empty()) {
            self.statistics = earlier.statistics;
            self.renew(earlier.runs.iter().cloned().map(Past::from).collect())?;
            let now = self.statistics;
            self.statistics = Statistics {
                resumed: earlier.statistics.resumed + now.executions - earlier.statistics.executions,
                executions: earlier.statistics.executions,
                repeated: earlier.statistics.repeated,
                ..now
            };
            return Ok(());
        }
        if let Some(begin) = &self.options.begin {
            // A plain run, too: what uses storage that was freed in this one does so in time in that.
            self.renew(vec![Past::from(begin.clone())])?;
        }
        let request = Request {
            inputs: self.options.inputs.clone().unwrap_or_default(),
            ..Request::free(Free::RunToBlock, self.values)
        };
        self.run(vec![request]).map(drop)
    }
}

/// A run that was made, by what it takes to make it again.
pub(super) struct Past {
    si: Si,
    kept: Option<KeptRun>,
}

impl Past {
    /// Unless nobody knows its order.
    fn of(run: &Observed) -> Option<Past> {
        Some(Past { si: si_of(&run.trace)?, kept: run.kept })
    }
}

impl From<Si> for Past {
    fn from(si: Si) -> Past {
        Past { si, kept: None }
    }
}

/// How often the program was executed for these.
fn executions(runs: &[Observed]) -> u64 {
    runs.iter().filter(|run| run.executed).count() as u64
}

/// A forest that nothing has been observed for, about the executions that are of interest.
fn fresh(options: &ExploreOptions) -> Arc<Forest> {
    let mut forest = Forest::new();
    if let Some(inputs) = &options.inputs {
        forest.fix_inputs(inputs.iter().map(|input| {
            let InputValue { name, nth, width, value } = input.clone();
            (InputVar { name, nth, width }, value)
        }));
    }
    Arc::new(forest)
}

/// Runs, and says what the runner learnt by it.
fn observe(
    runner: &mut dyn Runner,
    request: &Request,
) -> Result<(Observed, Option<super::runner::Learnt>), RunnerError> {
    let observed = runner.run(request)?;
    let lesson = observed.renewed.then(|| runner.learnt());
    Ok((observed, lesson))
}

/// The schedule and inputs of a run, unless nobody knows its order.
fn si_of(trace: &Trace) -> Option<Si> {
    Si::of_run(trace).ok()
}

fn does_not_fit(divergence: &Divergence) -> String {
    format!("a run does not fit the others ({divergence}): threads communicate in a way that is not followed")
}

/// Does a run in which this happens end with a failure?
fn shows_by_failing(kind: Kind) -> bool {
    !matches!(kind, Kind::DataRace | Kind::AtomicityViolation | Kind::OrderViolation)
}
