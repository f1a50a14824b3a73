//! Where results go besides the terminal.

use std::path::PathBuf;

use clap::Args;

use crate::json::JsonTarget;

/// `--json`.
#[derive(Args, Debug)]
pub(crate) struct JsonOption {
    /// Write the results as JSON to FILE; `-` is standard output, which then carries nothing else
    #[arg(long, value_name = "FILE|-", value_parser = parse_target)]
    pub(crate) json: Option<JsonTarget>,
}

fn parse_target(text: &str) -> Result<JsonTarget, String> {
    if text.is_empty() { Err("name a file, or `-`".into()) } else { Ok(PathBuf::from(text).into()) }
}

/// `--sarif`.
#[derive(Args, Debug)]
pub(crate) struct SarifOption {
    /// Write the findings as SARIF 2.1.0, for editors and code-review pages
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
}

/// `--emit`.
#[derive(Args, Debug)]
pub(crate) struct EmitOption {
    /// Write every solver query as a self-contained SMT-LIB 2.6 script into DIR, with a manifest that maps symbols
    /// back to events
    #[arg(long, value_name = "DIR")]
    pub(crate) emit: Option<PathBuf>,
}

/// `--out`.
#[derive(Args, Debug)]
pub(crate) struct OutOption {
    /// Folder for the files that the command writes (SI files, traces, scripts of findings)
    #[arg(long, value_name = "DIR", default_value = "warpath-out")]
    pub(crate) out: PathBuf,
}
