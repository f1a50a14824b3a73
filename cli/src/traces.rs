//! Trace files in any of their forms, told apart by their first bytes, their names or what the user says.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::ValueEnum;
use serde::Serialize;
use warpath_trace::binary::{self, Ending, MAGIC, OnDamage, WriterOptions};
use warpath_trace::rapid::{self, ExportReport};
use warpath_trace::text;
use warpath_trace::trace::Trace;

use crate::console;
use crate::failure::{advise, advised};
use crate::inputs::cannot_read;
use crate::outputs::replace_file;

/// A text longer than this is not read: texts are for people, and a device that never ends must not fill memory.
const LONGEST_TEXT: u64 = 1 << 30;

/// How every text trace begins.
const TEXT_MAGIC: &str = "warpath-trace";

/// The forms a trace can have outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TraceForm {
    /// Binary, `.wpt`
    Wpt,
    /// One event a line, `.txt`; loses nothing
    Text,
    /// The STD format of RAPID, `.std`: accesses, locks, forks and joins, without values
    Std,
}

impl TraceForm {
    /// The form that a file's name promises.
    pub(crate) fn of(path: &Path) -> Option<TraceForm> {
        match path.extension().and_then(OsStr::to_str)? {
            "wpt" => Some(TraceForm::Wpt),
            "txt" => Some(TraceForm::Text),
            "std" => Some(TraceForm::Std),
            _ => None,
        }
    }

    /// The form that the first bytes show, else the one of the name. What is neither is taken for a binary file,
    /// whose reader says best what it found instead.
    fn recognise(start: &[u8], path: &Path) -> TraceForm {
        if start.starts_with(MAGIC) {
            TraceForm::Wpt
        } else if start.starts_with(TEXT_MAGIC.as_bytes()) {
            TraceForm::Text
        } else {
            TraceForm::of(path).unwrap_or(TraceForm::Wpt)
        }
    }
}

/// Where a trace comes from.
#[derive(Debug, Serialize)]
pub(crate) struct Source {
    /// The file; `-` is standard input.
    pub(crate) path: PathBuf,
    /// Its form, if the user named one.
    pub(crate) form: Option<TraceForm>,
    /// Take what comes before damage instead of refusing the file.
    pub(crate) salvage: bool,
}

/// A trace, and what its reader should know about it.
pub(crate) struct Loaded {
    pub(crate) trace: Trace,
    /// Whether the file was whole.
    pub(crate) complete: bool,
    /// A sentence about what is missing.
    pub(crate) remark: Option<String>,
}

impl Source {
    /// Reads the trace.
    pub(crate) fn load(&self) -> anyhow::Result<Loaded> {
        let shown = self.path.display();
        let mut input: Box<dyn Read> = if is_standard(&self.path) {
            Box::new(io::stdin().lock())
        } else {
            Box::new(File::open(&self.path).map_err(|error| cannot_read(&self.path, error))?)
        };
        let mut start = Vec::new();
        input
            .by_ref()
            .take(TEXT_MAGIC.len() as u64)
            .read_to_end(&mut start)
            .map_err(|error| cannot_read(&self.path, error))?;
        let form = self.form.unwrap_or_else(|| TraceForm::recognise(&start, &self.path));
        let input = start.as_slice().chain(input);
        let loaded = match form {
            TraceForm::Wpt => self.load_binary(BufReader::with_capacity(1 << 18, input)),
            TraceForm::Text => Ok(whole(text::parse(&as_text(input)?)?)),
            TraceForm::Std => Ok(whole(rapid::import(input)?)),
        };
        loaded.with_context(|| format!("cannot read {shown}"))
    }

    fn load_binary(&self, input: impl Read) -> anyhow::Result<Loaded> {
        let on_damage = if self.salvage { OnDamage::KeepBefore } else { OnDamage::Refuse };
        let (trace, ending) = binary::read_with(input, on_damage).map_err(|error| {
            if error.is_damage() {
                let help = "with --salvage the part before the damage is used";
                advise(error, "the trace is damaged", help)
            } else {
                anyhow!(error)
            }
        })?;
        let remark = match ending {
            Ending::Complete => None,
            Ending::Cut { offset } => {
                Some(format!("the trace was cut after byte {offset}: what follows is what came before"))
            }
            Ending::Damaged(error) => Some(format!("only the part before the damage is used: {error}")),
            _ => Some("the trace is not complete".into()),
        };
        Ok(Loaded { trace, complete: remark.is_none(), remark })
    }
}

fn whole(trace: Trace) -> Loaded {
    Loaded { complete: trace.footer.is_some(), trace, remark: None }
}

fn as_text(input: impl Read) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let read = input.take(LONGEST_TEXT + 1).read_to_end(&mut bytes)? as u64;
    if read > LONGEST_TEXT {
        return Err(advised(
            format!("the text is longer than {LONGEST_TEXT} bytes"),
            "use the binary form for long traces",
        ));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..good].iter().filter(|&&byte| byte == b'\n').count();
        anyhow!("line {line}: byte {good} of the file is not UTF-8 text")
    })
}

/// Where a trace goes.
#[derive(Debug, Serialize)]
pub(crate) struct Destination {
    /// The file, replaced as a whole; `-` is standard output.
    pub(crate) path: PathBuf,
    /// Its form.
    pub(crate) form: TraceForm,
    /// zstd level for binary files.
    pub(crate) compression: Option<i32>,
}

impl Destination {
    /// Decides the form: the one the user named, else the one of the file's name.
    pub(crate) fn new(
        path: PathBuf,
        form: Option<TraceForm>,
        compression: Option<i32>,
    ) -> anyhow::Result<Destination> {
        let form = form.or_else(|| TraceForm::of(&path)).ok_or_else(|| {
            advised(
                format!("the name {} does not say which form of a trace to write", path.display()),
                "use a name that ends in .wpt, .txt or .std, or say --to wpt|text|std",
            )
        })?;
        if compression.is_some() && form != TraceForm::Wpt {
            return Err(advised("--compress is for binary traces", "leave it out, or write a .wpt file"));
        }
        Ok(Destination { path, form, compression })
    }

    /// The same, in another file.
    pub(crate) fn at(&self, path: PathBuf) -> Destination {
        Destination { path, form: self.form, compression: self.compression }
    }

    /// Writes the trace; answers with a sentence about what the form could not hold.
    pub(crate) fn store(&self, trace: &Trace) -> anyhow::Result<Option<String>> {
        let mut lost = None;
        let mut write = |out: &mut dyn Write| -> anyhow::Result<()> {
            lost = self.write(trace, out)?;
            Ok(())
        };
        if is_standard(&self.path) {
            console::print_with(write)?;
        } else {
            replace_file(&self.path, |out| write(out))?;
        }
        Ok(lost)
    }

    fn write(&self, trace: &Trace, mut out: &mut dyn Write) -> anyhow::Result<Option<String>> {
        match self.form {
            TraceForm::Wpt => {
                let options = WriterOptions { compression: self.compression, ..WriterOptions::default() };
                trace.write(out, options)?;
                Ok(None)
            }
            TraceForm::Text => {
                text::print(trace, &mut out)?;
                Ok(None)
            }
            TraceForm::Std => Ok(left_out(&rapid::export(trace, &mut out)?)),
        }
    }

    /// The size of the file that was written, where it is one.
    pub(crate) fn size(&self) -> Option<u64> {
        if is_standard(&self.path) {
            return None;
        }
        fs::metadata(&self.path).ok().filter(fs::Metadata::is_file).map(|metadata| metadata.len())
    }
}

/// A sentence about what an STD file lacks, if it lacks anything.
fn left_out(report: &ExportReport) -> Option<String> {
    let kinds: Vec<String> = report.left_out.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let mut lacks = Vec::new();
    if !kinds.is_empty() {
        lacks.push(format!("STD has no word for: {}", kinds.join(", ")));
    }
    if report.overlapping > 0 {
        lacks.push(format!("{} accesses overlap others, which STD takes as unrelated", report.overlapping));
    }
    (!lacks.is_empty()).then(|| lacks.join("; "))
}

fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

impl Loaded {
    /// What of the run the trace leaves out, in a sentence: predictions from it may then be impossible in the program.
    pub(crate) fn left_out(&self) -> Option<String> {
        let footer = self.trace.footer.as_ref()?;
        let parts: Vec<String> = footer
            .approximations
            .iter()
            .map(|&(what, count)| (self.trace.tables.text(what), count))
            .filter(|(what, _)| what.contains("not recorded") || what.contains("not traced"))
            .map(|(what, count)| format!("{count} {what}"))
            .collect();
        (!parts.is_empty()).then(|| {
            format!(
                "the trace leaves out {}: what is predicted may be impossible; replay it",
                parts.join("; ")
            )
        })
    }
}
