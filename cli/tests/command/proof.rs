//! `warpath explore --proof`: verdicts that need not trust the solver.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::native::eventually;
use crate::run::{Folder, ran, run, warpath};
use crate::samples::named;

/// `warpath explore --proof DIR` on a sample, and DIR.
pub(crate) fn proving(sample: &str, folder: &Folder, options: &[&str]) -> (Command, PathBuf) {
    let proofs = folder.path().join("proofs");
    let mut command = warpath();
    command.args(["explore", "--out"]).arg(folder.path().join("out")).arg("--proof").arg(&proofs);
    command.args(options).arg("--").arg(named(sample).program());
    (command, proofs)
}

/// The scripts that have a proof beside them.
fn scripts(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.extension().is_some_and(|ending| ending == "smt2")).collect()
}

/// How many answers `warpath smt-check` confirms in a script.
#[track_caller]
fn confirmed(script: &Path) -> u64 {
    let ran = run(warpath().arg("smt-check").args([script, &script.with_extension("proof")]));
    let words = ran.expect_code(0).stdout.strip_prefix("checked: ").and_then(|rest| rest.split(' ').next());
    words.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{}", ran.stdout))
}

#[test]
fn safe_verdicts_have_a_checked_proof() {
    for (sample, model) in
        // The last one's conditions are about values: equalities of vectors inside of conjunctions.
        [
            ("sb", "sc"),
            ("peterson-fenced", "sc"),
            ("publish", "tso"),
            ("peterson-fenced", "tso"),
            ("addall-fixed", "sc"),
        ]
    {
        let folder = Folder::new();
        let (mut command, proofs) = proving(sample, &folder, &["--model", model, "--json", "-"]);
        let json = run(&mut command).expect_code(0).json();
        assert_eq!(json["verdict"], "SAFE", "{sample} {model}: {json}");
        let proof = &json["proof"];
        assert_eq!(proof["dir"], proofs.display().to_string(), "{proof}");
        assert_eq!(proof["failed"], serde_json::json!([]), "{proof}");
        assert_eq!(proof["checked"], proof["unsat"], "{proof}");
        assert_eq!(proof["unsat"], json["queries"]["unsat"], "none was left out: {json}");
        assert!(proof["unsat"].as_u64() > Some(0), "{sample} {model} asks nothing that cannot be: {json}");
        // Anybody can check them once more.
        let again: u64 = scripts(&proofs).iter().map(|script| confirmed(script)).sum();
        assert_eq!(proof["unsat"], again, "{sample} {model}");
        assert!(json["solver"].as_str().is_some_and(|solver| solver.starts_with("warpath ")), "{json}");
    }
}

#[test]
fn the_text_says_so_and_a_folder_is_of_one_search() {
    let folder = Folder::new();
    let (mut command, proofs) = proving("publish", &folder, &[]);
    let ran = run(&mut command);
    let text = &ran.expect_code(0).stdout;
    let expected = format!(
        "SAFE (checked proof): everything reachable was explored, and nothing fails\n  \
         proof: checked, 2 answers of `unsat` in 1 script, {}\n",
        proofs.display()
    );
    assert!(text.starts_with(&expected), "{text}");
    run(&mut command).expect_code(2).expect_complaint("has files: a proof must not be taken for");
}

#[test]
fn bugs_are_bugs_with_a_proof_too() {
    let folder = Folder::new();
    let (mut command, _) = proving("sb", &folder, &["--model", "tso"]);
    let ran = run(&mut command);
    let text = &ran.expect_code(1).stdout;
    assert!(
        text.contains("\nBUG: 1 bug was found and replayed") && text.contains("\n  proof: checked, "),
        "{text}"
    );
}

#[test]
fn strategies_that_want_reasons_do_without() {
    let folder = Folder::new();
    let (mut command, _) = proving("fig7", &folder, &["--strategy", "mpc-s2", "--json", "-"]);
    let json = run(&mut command).expect_code(0).json();
    assert_eq!(
        (&json["verdict"], &json["proof"]["failed"]),
        (&"SAFE".into(), &serde_json::json!([])),
        "{json}"
    );
}

#[test]
fn only_our_own_solver_is_asked() {
    let folder = Folder::new();
    for (options, words) in [
        (
            &["--solver", "z3"][..],
            "--proof is for answers of our own solver: `z3` writes no proof we can check",
        ),
        (&["--solver", "warpath", "--cross-check", "z3"], "leaves nothing to ask `z3`"),
    ] {
        let (mut command, proofs) = proving("sb", &folder, options);
        run(&mut command).expect_code(2).expect_complaint(words);
        assert!(!proofs.exists(), "nothing was begun");
    }
}

#[test]
fn an_interrupted_search_leaves_proofs_of_all_that_was_answered() {
    let folder = Folder::new();
    let (mut command, proofs) = proving("spinlock", &folder, &[]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts");
    let answered = eventually("script with an answer", || {
        // The first answer has arrived when there is a second.
        let concluded = |script: &PathBuf| {
            let proof = fs::read_to_string(script.with_extension("proof")).unwrap_or_default();
            proof.matches("\nu ").count() > 1
        };
        let answered: Vec<PathBuf> = scripts(&proofs).into_iter().filter(concluded).collect();
        (!answered.is_empty()).then_some(answered)
    });
    // In the middle of something, most likely.
    sleep(Duration::from_millis(50));
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).expect("it can be interrupted");
    let ended = ran(child.wait_with_output().expect("it ends"));
    let text = &ended.expect_code(3).stdout;
    assert!(text.contains("  proof: not checked: ") && text.contains("the search was interrupted"), "{text}");
    for script in answered {
        assert!(confirmed(&script) > 0, "{}", script.display());
    }
}
