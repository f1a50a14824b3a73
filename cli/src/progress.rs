//! Progress of long work: a bar on a terminal, a plain line now and then elsewhere, nothing with `-q`.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::console::{Console, complain};
use crate::options::Loudness;

/// Between two plain lines: often enough to see life in a build log, rare enough not to fill it.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Counts steps of known number and shows them. May be shared between threads.
pub(crate) struct Progress {
    shown: Shown,
}

enum Shown {
    Bar(ProgressBar),
    Lines(Mutex<Lines>),
    Nothing,
}

struct Lines {
    what: &'static str,
    done: u64,
    total: u64,
    last: Instant,
}

impl Progress {
    /// Starts showing `total` steps of `what` (a plural, such as "scripts").
    pub(crate) fn start(console: &Console, what: &'static str, total: u64) -> Progress {
        let shown = if console.is_live() {
            let bar = ProgressBar::new(total);
            // The template is ours and constant; were it wrong, the default style would do.
            if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} {prefix}  {elapsed}  {msg}")
            {
                bar.set_style(style);
            }
            bar.set_prefix(what);
            bar.enable_steady_tick(Duration::from_millis(200));
            Shown::Bar(bar)
        } else if console.loudness() >= Loudness::Normal {
            Shown::Lines(Mutex::new(Lines { what, done: 0, total, last: Instant::now() }))
        } else {
            Shown::Nothing
        };
        Progress { shown }
    }

    /// One more step is done; `note` says what is worth knowing now.
    pub(crate) fn step(&self, note: &str) {
        match &self.shown {
            Shown::Bar(bar) => {
                bar.set_message(note.to_owned());
                bar.inc(1);
            }
            Shown::Lines(lines) => {
                if let Ok(mut lines) = lines.lock() {
                    lines.done += 1;
                    if lines.last.elapsed() >= LINE_EVERY {
                        lines.last = Instant::now();
                        complain(&format_args!(
                            "warpath: {}/{} {}  {note}",
                            lines.done, lines.total, lines.what
                        ));
                    }
                }
            }
            Shown::Nothing => {}
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}
