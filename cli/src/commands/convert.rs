//! `warpath convert`: between the forms of a trace.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::app::Invocation;
use crate::console::Console;
use crate::exit::Exit;
use crate::inputs::readable_file;
use crate::json::JsonTarget;
use crate::options::{Loudness, LoudnessOptions};
use crate::traces::{Destination, Source, TraceForm};

/// Convert a trace between binary, text and RAPID's STD format
///
/// The forms follow from the files' first bytes and names (.wpt, .txt, .std) unless --from and --to say otherwise.
/// Binary and text hold the same; STD (`T0|r(V1)|345`) is what race detectors exchange: it knows accesses, locks,
/// forks and joins, but no values and no conditions, and what it cannot hold is counted in a remark.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  warpath convert run.wpt run.txt
  warpath convert benchmark.std benchmark.wpt
  warpath convert run.wpt - --to std | head
  warpath convert run.wpt small.wpt --compress
  warpath convert torn.wpt whole.wpt --salvage     keep what comes before the damage

Files written: OUT.

Exit codes:
  0  the trace is written
  2  wrong usage, a file that is no trace, or one that is damaged")]
pub(crate) struct ConvertArgs {
    /// Trace to read; `-` is standard input
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Trace to write; `-` is standard output
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Form of IN, when its name does not say it
    #[arg(long, value_enum, value_name = "FORM")]
    from: Option<TraceForm>,
    /// Form of OUT, when its name does not say it
    #[arg(long, value_enum, value_name = "FORM")]
    to: Option<TraceForm>,
    /// Compress a binary OUT with zstd at this level
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, default_missing_value = "3", require_equals = true,
          value_parser = clap::value_parser!(i32).range(1..=19))]
    compress: Option<i32>,
    /// Take what comes before damage instead of refusing the file
    #[arg(long)]
    salvage: bool,
    #[command(flatten)]
    loudness: LoudnessOptions,
}

#[derive(Debug, Serialize)]
pub(crate) struct ConvertConfig {
    from: Source,
    to: Destination,
}

impl Invocation for ConvertArgs {
    const NAME: &'static str = "convert";
    type Config = ConvertConfig;

    fn loudness(&self) -> Loudness {
        self.loudness.loudness()
    }

    fn json(&self) -> Option<&JsonTarget> {
        None
    }

    fn lower(self) -> anyhow::Result<ConvertConfig> {
        let path = if self.input.as_os_str() == "-" { self.input } else { readable_file(self.input)? };
        Ok(ConvertConfig {
            from: Source { path, form: self.from, salvage: self.salvage },
            to: Destination::new(self.output, self.to, self.compress)?,
        })
    }

    fn run(config: ConvertConfig, console: &Console) -> anyhow::Result<Exit> {
        copy(&config.from, &config.to, console)
    }
}

/// Reads, writes, and says what is worth knowing.
pub(super) fn copy(from: &Source, to: &Destination, console: &Console) -> anyhow::Result<Exit> {
    let loaded = from.load()?;
    if let Some(remark) = &loaded.remark {
        console.note(format_args!("note: {remark}"));
    }
    if let Some(lost) = to.store(&loaded.trace)? {
        console.note(format_args!("note: {lost}"));
    }
    if let Some(size) = to.size() {
        let events = loaded.trace.len();
        console.detail(format_args!("{events} events, {size} bytes in {}", to.path.display()));
    }
    Ok(Exit::Clean)
}
