//! Wrong usage, missing parts, closed pipes: sentences and exit codes.

use crate::json_doc;
use crate::run::warpath_with;

#[test]
fn wrong_usage_is_2() {
    for arguments in [
        &[][..],
        &["nonsense"],
        &["explore", "--no-such-option"],
        &["explore", "--model", "arm", "--", "true"],
        &["solve"],
        &["solve", "--solver-timeout", "soon", "x.smt2"],
        &["show", "-q", "-v", "x.wpt"],
        &["record", "--", "true"],
        &["record", "-o", "t.wpt", "--light", "--symbolic", "stdin", "--", "true"],
        &["solvers", "install"],
        &["cc"],
    ] {
        let ran = warpath_with(arguments);
        ran.expect_code(2);
        assert!(ran.stdout.is_empty() && !ran.stderr.is_empty(), "{arguments:?}: {ran:?}");
    }
}

#[test]
fn their_arguments_are_checked_all_the_same() {
    warpath_with(["explore"]).expect_code(2).expect_complaint("no program was named");
    warpath_with(["explore", "--", "no-such-program"])
        .expect_code(2)
        .expect_complaint("there is no program no-such-program");
    warpath_with(["replay", "no-such.si.toml"])
        .expect_code(2)
        .expect_complaint("no-such.si.toml does not exist");
    warpath_with(["diagnose", "/"]).expect_code(2).expect_complaint("/ is a folder");
    warpath_with(["triage", "no-such-folder"])
        .expect_code(2)
        .expect_complaint("no-such-folder does not exist");
}

#[test]
fn with_vv_the_configuration_is_shown_as_one_line_of_json() {
    let ran = warpath_with(["explore", "-vv", "--symbolic", "arg:1", "--time", "5m", "--", "true", "x y"]);
    let line = ran.stderr.lines().find_map(|line| line.strip_prefix("warpath: explore ")).expect("the line");
    let configuration: serde_json::Value = serde_json::from_str(line).expect("JSON");
    assert_eq!(configuration["symbolic"][0]["argument"], 1);
    assert_eq!(configuration["bounds"]["time"], 300_000);
    assert_eq!(configuration["program"]["arguments"][0], "x y");
}

#[test]
fn an_error_is_also_json_when_json_is_asked_for() {
    let ran = warpath_with(["replay", "--json", "-", "no-such.si.toml"]);
    let report = ran.expect_code(2).json();
    assert_eq!(report["command"], "replay");
    assert_eq!(report["error"], "no-such.si.toml does not exist");
    assert_eq!(report["help"], "check the path");
    json_doc::check("warpath.error/1", &[report]);
}
