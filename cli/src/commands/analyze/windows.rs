//! `--window`: large traces, checked window by window.

use std::collections::HashSet;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use warpath_analyzer::findings::{Finding, Kind};
use warpath_analyzer::window::{Checks, Cut, Recorded, WindowError, WindowOptions, check};
use warpath_trace::header::MemoryModel;
use warpath_trace::trace::Trace;

use super::AnalyzeConfig;
use super::files::{Files, keep_script};
use super::verdicts::{Asking, Outcome};
use crate::console::Console;
use crate::failure::{advise, advised};
use crate::progress::Progress;

/// From so many events on, a trace is checked in windows without being asked.
const LARGE: u64 = 5_000;
/// Events of a window that nobody asked for.
const USUAL: u32 = 2_000;

const AS_A_WHOLE: &str = "--window 0 checks the trace as a whole";

/// What the user said about windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::commands) enum Windows {
    /// Nothing: large traces are cut.
    IfLarge,
    /// No windows.
    Whole,
    /// These.
    Of {
        /// Events of each.
        size: u32,
        /// Events that two neighbours share.
        overlap: u32,
    },
}

impl Windows {
    pub(in crate::commands) fn of(size: Option<u32>, overlap: Option<u32>) -> anyhow::Result<Windows> {
        match (size, overlap) {
            (None, _) => Ok(Windows::IfLarge),
            (Some(0), None) => Ok(Windows::Whole),
            (Some(0), Some(_)) => {
                Err(advised("--overlap is for windows", "leave it out, or give --window a size"))
            }
            (Some(size), overlap) => {
                let overlap = overlap.unwrap_or(size / 2);
                cut(size, overlap)?;
                Ok(Windows::Of { size, overlap })
            }
        }
    }

    /// How these traces are to be cut, if they are.
    pub(super) fn plan<'t>(
        self,
        traces: &'t [(String, Trace)],
        model: MemoryModel,
        console: &Console,
    ) -> anyhow::Result<Option<Plan<'t>>> {
        match self {
            Windows::Whole => Ok(None),
            Windows::Of { size, overlap } => {
                let plan = Plan::of(traces, model, cut(size, overlap)?);
                plan.map(Some).map_err(|(path, error)| {
                    advise(error, format!("{path} cannot be checked in windows"), AS_A_WHOLE)
                })
            }
            Windows::IfLarge => {
                let Some((path, trace)) = traces.iter().find(|(_, trace)| trace.len() > LARGE) else {
                    return Ok(None);
                };
                let events = trace.len();
                match Plan::of(traces, model, cut(USUAL, USUAL / 2)?) {
                    Ok(plan) => {
                        console.note(format_args!(
                            "note: {path} has {events} events: checked in windows of {USUAL} (--window 0: all at once)"
                        ));
                        Ok(Some(plan))
                    }
                    Err((cause, error)) => {
                        console.note(format_args!(
                            "note: {path} has {events} events, but {cause} cannot be checked in windows: {error}"
                        ));
                        Ok(None)
                    }
                }
            }
        }
    }
}

/// Traces and where they are cut.
pub(super) struct Plan<'t> {
    cut: Cut,
    traces: Vec<(&'t str, Recorded<'t>)>,
}

impl<'t> Plan<'t> {
    /// Answers with the trace that cannot be cut, and why.
    fn of(
        traces: &'t [(String, Trace)],
        model: MemoryModel,
        cut: Cut,
    ) -> Result<Plan<'t>, (&'t str, WindowError)> {
        let recorded = |(path, trace): &'t (String, Trace)| match Recorded::of(trace, model) {
            Ok(recorded) => Ok((path.as_str(), recorded)),
            Err(error) => Err((path.as_str(), error)),
        };
        Ok(Plan { cut, traces: traces.iter().map(recorded).collect::<Result<_, _>>()? })
    }
}

fn cut(size: u32, overlap: u32) -> anyhow::Result<Cut> {
    Cut::new(size, overlap)
        .map_err(|error| advise(error, "--overlap is too large", "leave it out for half the window"))
}

/// `windows` of `warpath.analyze/1`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(in crate::commands) struct Used {
    pub(in crate::commands) size: u32,
    pub(in crate::commands) overlap: u32,
    pub(in crate::commands) count: usize,
    pub(in crate::commands) checked: usize,
}

/// Checks every trace, each in windows of its own.
pub(super) fn run(
    config: &AnalyzeConfig,
    plan: &Plan<'_>,
    asking: &Asking<'_>,
    console: &Console,
) -> anyhow::Result<Outcome> {
    let cut = plan.cut;
    let total: usize = plan.traces.iter().map(|(_, recorded)| cut.windows(recorded.events()).count()).sum();
    let progress = Progress::start(console, "windows", total as u64);
    let mut files = Files::new(config, asking.runs);
    let mut known: HashSet<(Kind, Vec<String>)> = HashSet::new();
    let mut outcome = Outcome {
        windows: Some(Used { size: cut.size(), overlap: cut.overlap(), count: total, checked: 0 }),
        ..Outcome::default()
    };
    for (path, recorded) in &plan.traces {
        let mut failure = None;
        let checks = Checks {
            how: asking.options,
            properties: asking.properties,
            open: asking.open,
            done: &|_| progress.step(path),
        };
        let windows = WindowOptions { cut, jobs: config.jobs };
        let summary = check(recorded, &windows, &checks, &mut |window, finding: Finding| {
            // Another trace may have shown the same.
            if !known.insert(finding.key()) {
                return ControlFlow::Continue(());
            }
            let si = recorded.complete(window, &finding.si);
            match files.keep(finding, window.events.start, si, path) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        let summary = summary.map_err(|error| keep_script(config, error))?;
        if let Some(error) = failure {
            return Err(error);
        }
        outcome.add(summary);
    }
    drop(progress);
    outcome.findings = files.finish();
    Ok(outcome)
}
