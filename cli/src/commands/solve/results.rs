//! What came of the scripts, for people and for machines (`warpath.solve/1`).

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use warpath_solvers::Answer;
use warpath_solvers::solve::{CheckResult, SolveError, SolvedFile};

use crate::exit::Exit;
use crate::options::{SolverConfig, whole_millis};

/// Everything that was solved.
#[derive(Debug, Serialize)]
pub(super) struct Results {
    format: &'static str,
    solver: String,
    cross_check: Option<String>,
    interrupted: bool,
    #[serde(serialize_with = "whole_millis")]
    time_ms: Duration,
    totals: Totals,
    scripts: Vec<Solved>,
}

#[derive(Debug, Default, Serialize)]
struct Totals {
    scripts: usize,
    checks: usize,
    sat: usize,
    unsat: usize,
    unknown: usize,
    skipped: usize,
    errors: usize,
}

/// What came of one script.
#[derive(Debug, Serialize)]
pub(super) struct Solved {
    script: PathBuf,
    solver: Option<String>,
    answers: Option<PathBuf>,
    skipped: bool,
    error: Option<String>,
    checks: Vec<Check>,
}

#[derive(Debug, Serialize)]
struct Check {
    answer: &'static str,
    reason: Option<String>,
    cost: Option<String>,
    optimal: Option<bool>,
    #[serde(serialize_with = "whole_millis")]
    time_ms: Duration,
}

impl Solved {
    /// A script with its answers.
    pub(super) fn done(file: &SolvedFile) -> Solved {
        Solved {
            solver: Some(file.result.solver.clone()),
            answers: Some(file.answers.clone()),
            checks: file.result.checks.iter().map(Check::new).collect(),
            ..Solved::without_answers(&file.script)
        }
    }

    /// A script that an interrupt came before.
    pub(super) fn skipped(script: &Path) -> Solved {
        Solved { skipped: true, ..Solved::without_answers(script) }
    }

    /// A script that could not be solved at all.
    pub(super) fn failed(script: &Path, error: &SolveError) -> Solved {
        Solved { error: Some(error.to_string()), ..Solved::without_answers(script) }
    }

    fn without_answers(script: &Path) -> Solved {
        Solved {
            script: script.to_path_buf(),
            solver: None,
            answers: None,
            skipped: false,
            error: None,
            checks: Vec::new(),
        }
    }

    /// One line about it.
    pub(super) fn line(&self) -> String {
        let name = self.script.file_name().unwrap_or(self.script.as_os_str()).to_string_lossy();
        format!("{name}  {}", self.verdict())
    }

    fn verdict(&self) -> String {
        match self {
            Solved { error: Some(_), .. } => "error".into(),
            Solved { skipped: true, .. } => "skipped".into(),
            Solved { checks, .. } if checks.is_empty() => "asks nothing".into(),
            Solved { checks, .. } => checks.iter().map(|check| check.answer).collect::<Vec<_>>().join(" "),
        }
    }

    fn time(&self) -> Duration {
        self.checks.iter().map(|check| check.time_ms).sum()
    }
}

impl Check {
    fn new(check: &CheckResult) -> Check {
        let optimum = check.optimum.as_ref().filter(|_| matches!(check.answer, Answer::Sat(_)));
        Check {
            answer: check.answer.verdict(),
            reason: match &check.answer {
                Answer::Unknown(reason) => Some(reason.to_string()),
                _ => None,
            },
            // Costs have 128 bits, which JSON numbers do not.
            cost: optimum.map(|optimum| optimum.cost.to_string()),
            optimal: optimum.map(|optimum| optimum.proved),
            time_ms: check.time,
        }
    }
}

impl Results {
    /// Adds up.
    pub(super) fn new(
        config: &SolverConfig,
        scripts: Vec<Solved>,
        time_ms: Duration,
        interrupted: bool,
    ) -> Results {
        let answered = |answer| {
            scripts.iter().flat_map(|script| &script.checks).filter(|check| check.answer == answer).count()
        };
        let totals = Totals {
            scripts: scripts.len(),
            checks: scripts.iter().map(|script| script.checks.len()).sum(),
            sat: answered("sat"),
            unsat: answered("unsat"),
            unknown: answered("unknown"),
            skipped: scripts.iter().filter(|script| script.skipped).count(),
            errors: scripts.iter().filter(|script| script.error.is_some()).count(),
        };
        Results {
            format: "warpath.solve/1",
            solver: config.name.clone(),
            cross_check: config.cross_check.clone(),
            interrupted,
            time_ms,
            totals,
            scripts,
        }
    }

    /// What the exit code says about them.
    pub(super) fn exit(&self) -> Exit {
        if self.totals.errors > 0 {
            Exit::Trouble
        } else if self.interrupted || self.totals.unknown > 0 {
            Exit::Unknown
        } else {
            Exit::Clean
        }
    }

    /// A sentence if some scripts could not be solved at all.
    pub(super) fn complaint(&self) -> Option<String> {
        let Totals { scripts, errors, .. } = self.totals;
        (errors > 0).then(|| format!("{errors} of {scripts} scripts could not be solved"))
    }

    /// A line per script, the reasons of unknowns and errors below them, a summary if there are several.
    pub(super) fn text(&self, with_answers: bool) -> String {
        let shown = |solved: &Solved| solved.script.display().to_string();
        let width = self.scripts.iter().map(|solved| shown(solved).chars().count()).max().unwrap_or_default();
        let mut text = String::new();
        for solved in &self.scripts {
            // Writing to a string cannot fail.
            let _ = write!(text, "{:<width$}  {:<8}", shown(solved), solved.verdict());
            match &solved.solver {
                Some(solver) => {
                    let _ = writeln!(text, " {:>6} ms  {solver}", solved.time().as_millis());
                }
                None => text.push('\n'),
            }
            for reason in
                solved.error.iter().chain(solved.checks.iter().filter_map(|check| check.reason.as_ref()))
            {
                let _ = writeln!(text, "    {reason}");
            }
            if let Some(answers) = solved.answers.as_ref().filter(|_| with_answers) {
                match fs::read_to_string(answers) {
                    Ok(answers) => answers.lines().for_each(|line| {
                        let _ = writeln!(text, "    {line}");
                    }),
                    Err(error) => {
                        let _ = writeln!(text, "    {} cannot be read: {error}", answers.display());
                    }
                }
            }
        }
        if self.scripts.len() > 1 {
            let _ = writeln!(text, "{}", self.totals.sentence());
        }
        text
    }
}

impl Totals {
    fn sentence(&self) -> String {
        let Totals { scripts, sat, unsat, unknown, skipped, errors, .. } = self;
        let mut text = format!("{scripts} scripts: {sat} sat, {unsat} unsat, {unknown} unknown");
        for (count, what) in [(skipped, "skipped"), (errors, "in error")] {
            if *count > 0 {
                let _ = write!(text, ", {count} {what}");
            }
        }
        text
    }
}
