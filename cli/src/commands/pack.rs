//! `warpath pack`: a text trace becomes a binary one.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::convert::copy;
use crate::app::Invocation;
use crate::console::Console;
use crate::exit::Exit;
use crate::failure::advised;
use crate::inputs::readable_file;
use crate::json::JsonTarget;
use crate::options::{Loudness, LoudnessOptions};
use crate::traces::{Destination, Source, TraceForm};

/// Make a binary trace from its text form
///
/// The way back from `warpath show`: for traces written by hand, edited, or kept in version control as text. Packing
/// what `show` printed gives the same trace. A mistake in the text is reported with its line and column.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  warpath pack samples/traces/fig2.wpt.txt -o fig2.wpt
  warpath pack run.wpt.txt                      writes run.wpt
  warpath show run.wpt > run.txt; $EDITOR run.txt; warpath pack run.txt -o edited.wpt

Files written: the trace named by -o, or the text's name without `.txt`, ending in `.wpt`.

Exit codes:
  0  the trace is written
  2  wrong usage, or the text is not a trace")]
pub(crate) struct PackArgs {
    /// Text to pack
    #[arg(value_name = "T.txt")]
    text: PathBuf,
    /// Trace to write [default: the text's name with `.wpt` instead of `.txt`]
    #[arg(short, long, value_name = "FILE.wpt")]
    output: Option<PathBuf>,
    /// Compress with zstd at this level
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, default_missing_value = "3", require_equals = true,
          value_parser = clap::value_parser!(i32).range(1..=19))]
    compress: Option<i32>,
    #[command(flatten)]
    loudness: LoudnessOptions,
}

#[derive(Debug, Serialize)]
pub(crate) struct PackConfig {
    from: Source,
    to: Destination,
}

impl Invocation for PackArgs {
    const NAME: &'static str = "pack";
    type Config = PackConfig;

    fn loudness(&self) -> Loudness {
        self.loudness.loudness()
    }

    fn json(&self) -> Option<&JsonTarget> {
        None
    }

    fn lower(self) -> anyhow::Result<PackConfig> {
        let output = match self.output {
            Some(output) => output,
            None => default_output(&self.text)?,
        };
        Ok(PackConfig {
            from: Source { path: readable_file(self.text)?, form: Some(TraceForm::Text), salvage: false },
            to: Destination::new(output, Some(TraceForm::Wpt), self.compress)?,
        })
    }

    fn run(config: PackConfig, console: &Console) -> anyhow::Result<Exit> {
        copy(&config.from, &config.to, console)
    }
}

/// `run.wpt.txt` and `run.txt` both become `run.wpt`.
fn default_output(text: &std::path::Path) -> anyhow::Result<PathBuf> {
    match TraceForm::of(text) {
        Some(TraceForm::Text) => {
            let stem = text.with_extension("");
            Ok(if TraceForm::of(&stem) == Some(TraceForm::Wpt) { stem } else { text.with_extension("wpt") })
        }
        _ => Err(advised(
            format!(
                "{} does not end in .txt, so there is no name to derive the trace's from",
                text.display()
            ),
            "name the trace to write with -o",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_name_of_the_trace_follows_from_the_texts() {
        assert_eq!(default_output(Path::new("a/run.wpt.txt")).ok(), Some("a/run.wpt".into()));
        assert_eq!(default_output(Path::new("run.txt")).ok(), Some("run.wpt".into()));
        assert_eq!(default_output(Path::new("v1.2.txt")).ok(), Some("v1.2.wpt".into()));
        assert!(default_output(Path::new("run.wpt")).is_err());
    }
}
