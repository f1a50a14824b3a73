//! Watching an exploration: progress, bugs as they come, scripts.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use warpath_analyzer::explore::{Bug, Checkpoint, Observed, Observer, Standing};
use warpath_analyzer::queries::Manifest;
use warpath_solvers::CancelToken;

use super::ExploreConfig;
use super::bug::Reported;
use super::files::keep;
use super::state::State;
use super::text;
use crate::console::{self, Console, complain};
use crate::json::JsonTarget;
use crate::options::{Loudness, SymbolicSource};
use crate::present::Sources;
use crate::scripts::Scripts;

/// Between two plain lines.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Somebody who watches for the user.
pub(super) struct Watch<'a> {
    config: &'a ExploreConfig,
    console: &'a Console,
    bar: Option<ProgressBar>,
    last_line: Instant,
    scripts: Option<Scripts>,
    state: Option<State>,
    sources: Sources,
    bugs: Vec<Reported>,
    /// Names of inputs that runs have taken.
    read: BTreeSet<String>,
    /// The first thing that could not be written.
    trouble: Option<anyhow::Error>,
    /// Ends the search: what is found and cannot be told is of no use.
    cancel: CancelToken,
}

impl<'a> Watch<'a> {
    pub(super) fn new(
        config: &'a ExploreConfig,
        console: &'a Console,
        state: Option<State>,
        cancel: CancelToken,
    ) -> Watch<'a> {
        let bar = console.is_live().then(|| {
            let bar = ProgressBar::new_spinner();
            // The template is ours and constant; were it wrong, the default style would do.
            if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed}  {msg}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Watch {
            config,
            console,
            bar,
            last_line: Instant::now(),
            scripts: config.emit.as_deref().map(|folder| Scripts::new(folder, config.model.name())),
            state,
            sources: Sources::of(config.program.path()),
            bugs: Vec::new(),
            read: BTreeSet::new(),
            trouble: None,
            cancel,
        }
    }

    /// What came of it; an error if something could not be written.
    pub(super) fn finish(mut self) -> anyhow::Result<Watched> {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        if let Some(scripts) = self.scripts.take() {
            scripts.finish()?;
        }
        match self.trouble {
            Some(trouble) => Err(trouble),
            None => Ok(Watched { unread: self.unread(), bugs: self.bugs }),
        }
    }

    /// Sources that the solver may choose from, but that no run has taken anything from.
    fn unread(&self) -> Vec<String> {
        let named = self.config.symbolic.iter().map(SymbolicSource::names);
        let unread = named.filter(|names| !names.iter().any(|name| self.read.contains(name)));
        unread.map(|names| format!("no run has read anything from `{}` (--symbolic)", names[0])).collect()
    }

    fn stop(&mut self, trouble: anyhow::Error) {
        self.trouble.get_or_insert(trouble);
        self.cancel.cancel();
    }

    fn show(&mut self, bug: &Bug) -> anyhow::Result<()> {
        let (number, execution) = match &mut self.state {
            Some(state) => state.number(&bug.identity, bug.execution),
            None => (self.bugs.len() + 1, bug.execution),
        };
        let (si, trace) = keep(bug, number, &self.config.out, self.config.repair())?;
        let reported = Reported::new(bug, execution, &si, &trace);
        if !JsonTarget::takes_stdout(self.config.json.as_ref()) {
            let text = text::bug(bug, &reported, &self.sources);
            match &self.bar {
                Some(bar) => bar.suspend(|| console::report(&text))?,
                None => console::report(&text)?,
            }
        }
        self.bugs.push(reported);
        Ok(())
    }
}

/// What came of watching.
pub(super) struct Watched {
    /// What was reported.
    pub(super) bugs: Vec<Reported>,
    /// Sources of inputs that were not read, a sentence each.
    pub(super) unread: Vec<String>,
}

impl Observer for Watch<'_> {
    fn executed(&mut self, _: u64, run: &Observed) {
        if !self.config.symbolic.is_empty() {
            let tables = &run.trace.tables;
            self.read.extend(tables.inputs().iter().map(|input| tables.text(input.name).into_owned()));
        }
    }

    fn progress(&mut self, standing: &Standing) {
        let Standing { executions, open_ends, queries, solving, bugs } = standing;
        let line = format!(
            "{executions} executions, {open_ends} open ends, {queries} questions ({:.1} s solving), {bugs} bugs",
            solving.as_secs_f64()
        );
        if let Some(bar) = &self.bar {
            bar.set_message(line);
        } else if self.console.loudness() >= Loudness::Normal && self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            complain(&format_args!("warpath: {line}"));
        }
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint<'_>) {
        if let Some(state) = &mut self.state
            && let Err(error) = state.save(checkpoint)
        {
            self.stop(error);
        }
    }

    fn bug(&mut self, bug: &Bug) {
        if let Err(error) = self.show(bug) {
            self.stop(error);
        }
    }

    fn asked(&mut self, script: &str, manifest: &Manifest) {
        let Some(scripts) = &mut self.scripts else { return };
        let file = format!("query-{}.smt2", scripts.len() + 1);
        if let Err(error) = scripts.keep(file, None, script, manifest.clone()) {
            self.stop(error);
        }
    }

    fn remark(&mut self, text: &str) {
        self.console.detail(text);
    }
}
