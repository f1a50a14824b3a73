//! Watching an exploration: progress, bugs as they come, scripts.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use warpath_analyzer::explore::{Bug, Observer, Standing};
use warpath_analyzer::queries::Manifest;

use super::ExploreConfig;
use super::bug::Reported;
use super::files::{Scripts, keep};
use super::text;
use crate::console::{self, Console, complain};
use crate::json::JsonTarget;
use crate::options::Loudness;

/// Between two plain lines.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Somebody who watches for the user.
pub(super) struct Watch<'a> {
    config: &'a ExploreConfig,
    console: &'a Console,
    bar: Option<ProgressBar>,
    last_line: Instant,
    scripts: Option<Scripts>,
    bugs: Vec<Reported>,
    /// The first thing that could not be written.
    trouble: Option<anyhow::Error>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(config: &'a ExploreConfig, console: &'a Console) -> Watch<'a> {
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
            scripts: config.emit.clone().map(|folder| Scripts::new(folder, config.model.name())),
            bugs: Vec::new(),
            trouble: None,
        }
    }

    /// What was reported; an error if something could not be written.
    pub(super) fn finish(mut self) -> anyhow::Result<Vec<Reported>> {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        if let Some(scripts) = self.scripts.take() {
            scripts.finish()?;
        }
        match self.trouble {
            Some(trouble) => Err(trouble),
            None => Ok(self.bugs),
        }
    }

    fn show(&mut self, bug: &Bug) -> anyhow::Result<()> {
        let (si, trace) = keep(bug, self.bugs.len() + 1, &self.config.out)?;
        let reported = Reported::new(bug, &si, &trace);
        if !JsonTarget::takes_stdout(self.config.json.as_ref()) {
            let text = text::bug(bug, &reported);
            match &self.bar {
                Some(bar) => bar.suspend(|| console::print(text))?,
                None => console::print(text)?,
            }
        }
        self.bugs.push(reported);
        Ok(())
    }
}

impl Observer for Watch<'_> {
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

    fn bug(&mut self, bug: &Bug) {
        if let Err(error) = self.show(bug) {
            self.trouble.get_or_insert(error);
        }
    }

    fn asked(&mut self, script: &str, manifest: &Manifest) {
        if let Some(scripts) = &mut self.scripts
            && let Err(error) = scripts.keep(script, manifest)
        {
            self.trouble.get_or_insert(error);
        }
    }

    fn remark(&mut self, text: &str) {
        self.console.detail(text);
    }
}
