//! `warpath smt-check`: follows a proof that `warpath smt --proof` wrote.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use warpath_smt_check::{CheckError, check};

use crate::app::Invocation;
use crate::console::{Console, print};
use crate::exit::Exit;
use crate::json::JsonTarget;
use crate::options::Loudness;

/// Check a proof of `unsat` that `warpath smt --proof` wrote
///
/// Reads the script anew, translates its formulas itself, and follows the proof step by step: definitions, clauses of
/// assertions, circles of comparisons, learned clauses, and the conclusion of every check that was answered `unsat`. Of
/// the solver nothing is trusted. What is trusted: this command's reader, its translation of formulas, and its few
/// rules, see solvers-config/embedded/check/README.md.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  warpath smt --proof query.proof query.smt2
  warpath smt-check query.smt2 query.proof

Exit codes:
  0  every step is right, so each `unsat` that the proof concludes is
  1  a step is wrong; the line and the reason are said
  2  wrong usage, or a file that cannot be read")]
pub(crate) struct SmtCheckArgs {
    /// The script that was answered
    #[arg(value_name = "SCRIPT.smt2")]
    script: PathBuf,
    /// Its proof
    #[arg(value_name = "PROOF")]
    proof: PathBuf,
}

#[derive(Debug, Serialize)]
pub(crate) struct SmtCheckConfig {
    script: PathBuf,
    proof: PathBuf,
}

impl Invocation for SmtCheckArgs {
    const NAME: &'static str = "smt-check";
    type Config = SmtCheckConfig;

    fn loudness(&self) -> Loudness {
        Loudness::Normal
    }

    fn json(&self) -> Option<&JsonTarget> {
        None
    }

    fn lower(self) -> anyhow::Result<SmtCheckConfig> {
        Ok(SmtCheckConfig { script: self.script, proof: self.proof })
    }

    fn run(config: SmtCheckConfig, console: &Console) -> anyhow::Result<Exit> {
        let unreadable = |path: &PathBuf| format!("{} cannot be read", path.display());
        let script = fs::read_to_string(&config.script).with_context(|| unreadable(&config.script))?;
        let proof = File::open(&config.proof).with_context(|| unreadable(&config.proof))?;
        match check(&script, BufReader::new(proof)) {
            Ok(report) => {
                let answers = report.refuted.len();
                print(format_args!(
                    "checked: {answers} unsat answers, {} lemmas, {} learned clauses\n",
                    report.lemmas, report.learned
                ))?;
                if report.cut_off {
                    console.note("the end of the proof or of the script is cut off, and was left out");
                }
                Ok(Exit::Clean)
            }
            Err(wrong @ CheckError::Wrong { .. }) => {
                print(format_args!("{wrong}\n"))?;
                Ok(Exit::Found)
            }
            Err(error) => Err(error.into()),
        }
    }
}
