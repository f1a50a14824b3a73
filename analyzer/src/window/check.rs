//! Checks the windows of a trace, several at a time, and puts their results together.

use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use rayon::prelude::*;
use warpath_solvers::Smt;

use super::cut::{Cut, Window};
use super::error::WindowError;
use super::forest::forest_of;
use super::recorded::Recorded;
use super::start::{Start, Starts};
use crate::findings::{self, CheckError, CheckOptions, Finding, Kind, Property, PropertyResult};
use crate::findings::{Report, Standing, Statistics, Unanswered};

/// At most so many windows are checked before their results are put in order and the next ones are told what is
/// known: results in memory are bounded by it, and whatever the number of workers, every window is asked the same.
/// The first rounds are shorter, since most of what is found in one window is found in its neighbours, too.
const LONGEST_ROUND: usize = 32;

/// Opens a solver, from any thread.
pub type OpenSolvers<'s> =
    dyn Fn() -> Result<Box<dyn Smt>, Box<dyn std::error::Error + Send + Sync>> + Sync + 's;

/// Takes what was found, window by window; may ask for no more.
pub type Take<'s> = dyn FnMut(&Window, Finding) -> ControlFlow<()> + 's;

/// How to check the windows of a trace.
#[derive(Clone, Copy, Debug)]
pub struct WindowOptions {
    /// Where to cut.
    pub cut: Cut,
    /// Windows checked at the same time; 0 is one per core. The results do not depend on it.
    pub jobs: usize,
}

/// What to check in each window, and by whom.
#[derive(Clone, Copy)]
pub struct Checks<'a> {
    /// How to check a window; cancelling it leaves the windows that have not been begun unchecked.
    pub how: &'a CheckOptions,
    /// What to look for.
    pub properties: &'a [Property],
    /// Who is asked.
    pub open: &'a OpenSolvers<'a>,
    /// Called when a window has been checked, from any thread and in any order: for progress.
    pub done: &'a (dyn Fn(&Window) + Sync),
}

/// What a check of windows came to, without its findings.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// How many windows there are.
    pub windows: usize,
    /// How many of them were checked before the check was cancelled.
    pub checked: usize,
    /// Events that they contain; those of overlaps count for each window.
    pub nodes: usize,
    /// One result for each property, in the order asked for. *None* means: none within any window.
    pub properties: Vec<PropertyResult>,
    /// Questions without an answer.
    pub unanswered: Vec<Unanswered>,
}

/// Checks properties of every window, and hands each finding to `found`: by window, then in the order in which
/// [`findings::check`] has them, and none twice (of one kind at the same positions).
///
/// The schedule of a finding begins where its window does; [`Recorded::complete`] has what comes before.
pub fn check(
    recorded: &Recorded<'_>,
    options: &WindowOptions,
    checks: &Checks<'_>,
    found: &mut Take<'_>,
) -> Result<Summary, CheckError> {
    let cancel = &checks.how.cancel;
    let jobs = options.jobs;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build();
    let pool = pool.map_err(|error| WindowError::Threads { jobs, reason: error.to_string() })?;
    let mut books = Books::new(checks.properties);
    let mut starts = Starts::new(recorded, options.cut);
    let mut wanted = true;
    let mut round = 1;
    while wanted && !cancel.is_cancelled() {
        let batch: Vec<Start> = starts.by_ref().take(round).collect();
        if batch.is_empty() {
            break;
        }
        round = (2 * round).min(LONGEST_ROUND);
        let how = CheckOptions { known: Arc::new(books.found.clone()), ..checks.how.clone() };
        let reports: Vec<Option<Result<Checked, CheckError>>> = pool.install(|| {
            let one =
                |start: &Start| (!cancel.is_cancelled()).then(|| check_one(recorded, start, &how, checks));
            batch.par_iter().map(one).collect()
        });
        for (start, checked) in batch.iter().zip(reports) {
            let Some(checked) = checked else { continue };
            wanted &= books.enter(&start.window, checked?, found).is_continue();
            if !wanted {
                break;
            }
        }
    }
    books.summary.windows = options.cut.windows(recorded.events()).count();
    Ok(books.close())
}

struct Checked {
    nodes: usize,
    report: Report,
}

fn check_one(
    recorded: &Recorded<'_>,
    start: &Start,
    how: &CheckOptions,
    checks: &Checks<'_>,
) -> Result<Checked, CheckError> {
    let forest = forest_of(recorded, start);
    let nodes = forest.nodes().len() - forest.settled().count();
    let report = findings::check(&forest, how, checks.properties, &mut || (checks.open)())?;
    (checks.done)(&start.window);
    Ok(Checked { nodes, report })
}

/// The results so far.
struct Books {
    summary: Summary,
    /// What has been handed out.
    known: HashSet<(Kind, Vec<String>)>,
    /// The same for the windows to come.
    found: BTreeSet<(Property, Vec<String>)>,
    /// What has been asked in vain.
    asked: HashSet<(Property, String)>,
}

impl Books {
    fn new(properties: &[Property]) -> Books {
        let empty = |&property: &Property| PropertyResult {
            property,
            standing: Standing::None,
            statistics: Statistics::default(),
        };
        let properties = properties.iter().map(empty).collect();
        Books {
            summary: Summary { properties, ..Summary::default() },
            known: HashSet::new(),
            found: BTreeSet::new(),
            asked: HashSet::new(),
        }
    }

    fn enter(&mut self, window: &Window, checked: Checked, found: &mut Take<'_>) -> ControlFlow<()> {
        let Checked { nodes, report } = checked;
        self.summary.checked += 1;
        self.summary.nodes += nodes;
        for (sum, result) in self.summary.properties.iter_mut().zip(&report.properties) {
            sum.add(result);
        }
        for unanswered in report.unanswered {
            if self.asked.insert((unanswered.property, unanswered.question.clone())) {
                self.summary.unanswered.push(unanswered);
            }
        }
        for finding in report.findings {
            let (kind, places) = finding.key();
            if self.known.insert((kind, places.clone())) {
                self.found.insert((finding.property, places));
                found(window, finding)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Says which windows were not checked.
    fn close(mut self) -> Summary {
        let missing = self.summary.windows - self.summary.checked;
        if missing > 0 {
            for result in &mut self.summary.properties {
                if result.standing == Standing::None {
                    result.standing = Standing::Unknown;
                }
                self.summary.unanswered.push(Unanswered {
                    property: result.property,
                    question: format!(
                        "Can it be violated in one of the {missing} windows (of {}) that were not checked?",
                        self.summary.windows
                    ),
                    reason: "interrupted".to_owned(),
                    script: String::new(),
                    manifest: None,
                });
            }
        }
        self.summary
    }
}
