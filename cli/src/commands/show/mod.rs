//! `warpath show`: a trace as text, or what it contains.

mod stats;

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use warpath_trace::text;

use self::stats::Contents;
use crate::app::Invocation;
use crate::console::{self, Console};
use crate::exit::Exit;
use crate::inputs::readable_file;
use crate::json::JsonTarget;
use crate::options::{JsonOption, Loudness, LoudnessOptions};
use crate::traces::{Source, TraceForm};

/// Print a trace as text, or what it contains
///
/// The text form has one event a line, is made for reading, searching and comparing, and loses nothing: `warpath
/// pack` turns it back. A file that was cut (the traced program or the machine died) is shown as far as it goes.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  warpath show run.wpt | less
  warpath show run.wpt --stats              threads, kinds of events, inputs, approximations
  warpath show run.wpt --json -             the same for machines
  diff <(warpath show a.wpt) <(warpath show b.wpt)
  warpath show torn.wpt --salvage           what comes before the damage

Exit codes:
  0  shown
  2  wrong usage, a file that is no trace, or one that is damaged")]
pub(crate) struct ShowArgs {
    /// Trace to show
    #[arg(value_name = "T.wpt")]
    trace: PathBuf,
    /// What the trace contains instead of its events
    #[arg(long)]
    stats: bool,
    /// Form of the file, when neither its first bytes nor its name say it
    #[arg(long, value_enum, value_name = "FORM")]
    from: Option<TraceForm>,
    /// Take what comes before damage instead of refusing the file
    #[arg(long)]
    salvage: bool,
    #[command(flatten)]
    json: JsonOption,
    #[command(flatten)]
    loudness: LoudnessOptions,
}

#[derive(Debug, Serialize)]
pub(crate) struct ShowConfig {
    from: Source,
    stats: bool,
    json: Option<JsonTarget>,
}

impl Invocation for ShowArgs {
    const NAME: &'static str = "show";
    type Config = ShowConfig;

    fn loudness(&self) -> Loudness {
        self.loudness.loudness()
    }

    fn json(&self) -> Option<&JsonTarget> {
        self.json.json.as_ref()
    }

    fn lower(self) -> anyhow::Result<ShowConfig> {
        let from = Source { path: readable_file(self.trace)?, form: self.from, salvage: self.salvage };
        Ok(ShowConfig { from, stats: self.stats, json: self.json.json })
    }

    fn run(config: ShowConfig, console: &Console) -> anyhow::Result<Exit> {
        let loaded = config.from.load()?;
        if let Some(remark) = &loaded.remark {
            console.note(format_args!("note: {remark}"));
        }
        if let Some(target) = &config.json {
            target.write(&Contents::of(&config.from.path, &loaded))?;
        }
        if JsonTarget::takes_stdout(config.json.as_ref()) {
            return Ok(Exit::Clean);
        }
        if config.stats {
            console::print(Contents::of(&config.from.path, &loaded))?;
        } else {
            console::print_with(|mut out| Ok(text::print(&loaded.trace, &mut out)?))?;
        }
        Ok(Exit::Clean)
    }
}
