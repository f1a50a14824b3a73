//! `--proof DIR`: every `unsat` of the search, followed by a checker that does not trust the solver.
//!
//! The folder has what each solver process was told, written by that process from what it read, and its proof. What has
//! to be proved is what was answered to us, check by check, not what the process says it has proved.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use serde::Serialize;
use warpath_smt_check::check;
use warpath_solvers::{CancelToken, KeptProof, Proofs};

use super::text::count;
use crate::console::Console;
use crate::failure::advised;
use crate::progress::Progress;

/// The folder, which is made; one that has anything in it is left alone.
pub(super) fn open(folder: &Path) -> anyhow::Result<Arc<Proofs>> {
    let cannot = || format!("cannot make the folder {}", folder.display());
    fs::create_dir_all(folder).with_context(cannot)?;
    if fs::read_dir(folder).with_context(cannot)?.next().is_some() {
        return Err(advised(
            format!("{} has files: a proof must not be taken for that of another search", folder.display()),
            "name a folder that is empty or new",
        ));
    }
    Ok(Arc::new(Proofs::within(folder)))
}

/// What came of checking: `proof` in `warpath.explore/1`.
#[derive(Debug, Serialize)]
pub(super) struct Checked {
    dir: String,
    /// Scripts in which anything was answered `unsat`.
    scripts: usize,
    /// Answers of `unsat` that the search was given.
    unsat: usize,
    /// How many of them the checker has confirmed.
    checked: usize,
    /// A sentence for each script of which anything was not.
    failed: Vec<String>,
}

impl Checked {
    /// Is every `unsat` that the search relies on confirmed?
    pub(super) fn is_proved(&self) -> bool {
        self.failed.is_empty() && self.checked == self.unsat
    }

    /// For people: that it was checked, or why it was not.
    pub(super) fn sentence(&self) -> String {
        let of = |answers: usize| count(answers as u64, "answer") + " of `unsat`";
        match &self.failed[..] {
            [] => {
                let scripts = count(self.scripts as u64, "script");
                format!("checked, {} in {scripts}, {}", of(self.unsat), self.dir)
            }
            [first, rest @ ..] => {
                let more = match rest.len() {
                    0 => String::new(),
                    more => format!(" (and {more} more; --json lists them)"),
                };
                format!("not checked: {first}{more}; {} of {} confirmed", self.checked, of(self.unsat))
            }
        }
    }
}

/// Follows all proofs of a search that has ended.
pub(super) fn check_all(
    proofs: &Proofs,
    jobs: usize,
    cancel: &CancelToken,
    console: &Console,
) -> anyhow::Result<Checked> {
    let kept = proofs.kept();
    let pool = ThreadPoolBuilder::new()
        .num_threads(jobs)
        .build()
        .context("cannot start the threads that check proofs")?;
    let progress = Progress::start(console, "proofs", kept.len() as u64);
    let one = |kept: &KeptProof| {
        let confirmed = match cancel.is_cancelled() {
            true => Err("there was no time to check it: the search was interrupted".to_owned()),
            false => confirm(kept),
        };
        progress.step("");
        confirmed.map_err(|reason| format!("{}: {reason}", kept.script.display()))
    };
    let confirmed: Vec<Result<usize, String>> = pool.install(|| kept.par_iter().map(one).collect());
    Ok(Checked {
        dir: proofs.folder().display().to_string(),
        scripts: kept.len(),
        unsat: kept.iter().map(|kept| kept.refuted.len()).sum(),
        checked: confirmed.iter().flatten().sum(),
        failed: confirmed.into_iter().filter_map(Result::err).collect(),
    })
}

/// How many answers were confirmed, which are all that were given; or why they are not.
fn confirm(kept: &KeptProof) -> Result<usize, String> {
    let unreadable = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| format!("{path} cannot be read: {error}")
    };
    let script = fs::read_to_string(&kept.script).map_err(unreadable(&kept.script))?;
    let proof = File::open(&kept.proof).map_err(unreadable(&kept.proof))?;
    let report = check(&script, BufReader::new(proof)).map_err(|error| error.to_string())?;
    match kept.refuted.difference(&report.refuted).next() {
        Some(unproved) => {
            Err(format!("check {unproved} was answered `unsat`, and the proof does not say why"))
        }
        None => Ok(kept.refuted.len()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tempfile::TempDir;
    use warpath_analyzer::explore::Judgement;
    use warpath_smt::{Settings, serve};

    use super::super::exit;
    use super::*;
    use crate::exit::Exit;

    const SCRIPT: &str = "(declare-const x Int)(declare-const y Int)(declare-const v (_ BitVec 8))
(assert (< x y))(check-sat)(push 1)(assert (= (bvadd v #x01) v))(check-sat)(pop 1)(assert (< y x))(check-sat)";

    /// A script that was answered `sat`, `unsat`, `unsat`.
    fn kept(folder: &TempDir, refuted: &[usize]) -> KeptProof {
        let (script, proof) = (folder.path().join("1.smt2"), folder.path().join("1.proof"));
        let settings =
            Settings::default().with_proof(Some(proof.clone())).with_transcript(Some(script.clone()));
        let mut answers = Vec::new();
        serve(SCRIPT.as_bytes(), &mut answers, &settings).expect("the files can be written");
        assert_eq!(answers, b"sat\nunsat\nunsat\n");
        KeptProof { script, proof, refuted: BTreeSet::from_iter(refuted.iter().copied()) }
    }

    #[track_caller]
    fn expect_refused(kept: &KeptProof, words: &str) {
        let refused = confirm(kept).expect_err("it must not be confirmed");
        assert!(refused.contains(words), "{refused}");
    }

    #[test]
    fn what_was_answered_is_confirmed_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let whole = kept(&folder, &[2, 3]);
        assert_eq!(fs::read_to_string(&whole.script).expect("a transcript"), SCRIPT);
        assert_eq!(confirm(&whole), Ok(2));
        expect_refused(
            &kept(&folder, &[1, 2, 3]),
            "check 1 was answered `unsat`, and the proof does not say why",
        );
    }

    #[test]
    fn a_script_that_was_cut_off_behind_its_answers_is_good() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = kept(&folder, &[2, 3]);
        fs::write(&kept.script, format!("{SCRIPT}\n(push 1)(assert (= v #x")).expect("a script");
        assert_eq!(confirm(&kept), Ok(2));
    }

    #[test]
    fn what_is_not_confirmed_is_said_and_is_no_success() {
        let checked = |checked, failed: &[&str]| Checked {
            dir: "kept".to_owned(),
            scripts: 3,
            unsat: 14,
            checked,
            failed: failed.iter().map(|&text| text.to_owned()).collect(),
        };
        let (proved, one) = (checked(14, &[]), checked(9, &["kept/2.smt2: it is wrong"]));
        assert_eq!(proved.sentence(), "checked, 14 answers of `unsat` in 3 scripts, kept");
        assert_eq!(
            one.sentence(),
            "not checked: kept/2.smt2: it is wrong; 9 of 14 answers of `unsat` confirmed"
        );
        let two = checked(0, &["kept/1.smt2: this", "kept/2.smt2: that"]);
        assert!(two.sentence().contains("kept/1.smt2: this (and 1 more; --json lists them); 0 of 14"));
        for (judgement, proof, expected) in [
            (Judgement::Safe, None, Exit::Clean),
            (Judgement::Safe, Some(&proved), Exit::Clean),
            (Judgement::Safe, Some(&one), Exit::Unknown),
            (Judgement::Bug, Some(&one), Exit::Found),
            (Judgement::Unknown, Some(&proved), Exit::Unknown),
        ] {
            assert_eq!(exit(judgement, proof), expected, "{judgement} {proof:?}");
        }
    }

    #[test]
    fn damaged_files_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = kept(&folder, &[2, 3]);
        let proof = fs::read_to_string(&kept.proof).expect("a proof");
        let damaged = |text: String| fs::write(&kept.proof, text).expect("a proof");

        let without_lemmas: String =
            proof.lines().filter(|line| !line.starts_with("t ")).map(|line| format!("{line}\n")).collect();
        assert_ne!(proof, without_lemmas);
        damaged(without_lemmas);
        expect_refused(&kept, "of the proof is wrong");

        let (before, _) = proof.split_once("\nu 3").expect("the last answer");
        damaged(format!("{before}\n"));
        expect_refused(&kept, "check 3 was answered `unsat`");

        damaged("no proof\n".to_owned());
        expect_refused(&kept, "does not begin with");

        damaged(proof);
        fs::write(&kept.script, SCRIPT.replace("(< y x)", "(< x y)")).expect("a script");
        expect_refused(&kept, "of the proof is wrong");

        fs::remove_file(&kept.script).expect("it is there");
        expect_refused(&kept, "1.smt2 cannot be read");
    }
}
