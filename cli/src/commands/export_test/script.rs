//! The script: POSIX shell, with nothing but Warpath and the program.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use warpath_trace::header::MemoryModel;
use warpath_trace::si::Expect;

/// What a test is about.
#[derive(Debug)]
pub(super) struct Test {
    /// The stem of its files.
    pub(super) name: String,
    /// The program, absolute or as the folder of the test sees it.
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<OsString>,
    pub(super) expect: Expect,
    pub(super) model: MemoryModel,
    /// What the program read from its standard input and was an input; empty if nothing was.
    pub(super) stdin: Vec<u8>,
}

const SCRIPT: &str = r#"#!/bin/sh
# Regression test of a concurrency bug, made by `warpath export-test`:
#   @BUG@
#
#   @NAME@.sh [PROGRAM]   PROGRAM: another build of the program
#
# Ends with 0 if the failure does not show any more, 1 if it does, 2 if something is missing: the program, the SI file,
# Warpath or its solver.
#
# What it does:
# 1. It replays schedule and inputs of @NAME@.si.toml. The program that the schedule was made for fails each time.
# 2. A program that has changed may do other things than the schedule says: the replay then ends where they part
#    (DIVERGED), or at the end of the program (NOT REPRODUCED). That alone does not mean that the bug is gone; a new line
#    of source is enough. So the program is then explored with the inputs of the SI file and any schedule, until there
#    is nothing left to see or the time is over. Any failure that this finds fails the test, also if it is another one.
# What is not found in that time counts as gone.
#
# WARPATH             the command, if it is not on PATH
# WARPATH_TEST_TIME   time for step 2, such as 30s or 5m (default: 60s); 0 leaves it out

set -u

missing() {
    echo "@NAME@: $1" >&2
    exit 2
}

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || missing "the folder of $0 cannot be entered"
warpath=${WARPATH:-warpath}
time=${WARPATH_TEST_TIME:-60s}
si=$here/@NAME@.si.toml
program=@PROGRAM@
if [ $# -gt 0 ]; then
    program=$1
    case $program in */*) ;; *) program=./$program ;; esac
fi
# The arguments of the run that failed.
set -- @ARGUMENTS@

command -v "$warpath" >/dev/null 2>&1 || missing "there is no '$warpath': put it on PATH, or name it in WARPATH"
[ -f "$si" ] || missing "$si is missing"
if ! { [ -f "$program" ] && [ -x "$program" ]; }; then
    missing "there is no program $program: build it, or name it as the argument"
fi

found=
# Whoever stops the test gets no verdict.
trap 'rm -rf "$found"; exit 2' HUP INT TERM

"$warpath" replay "$si" -- "$program" "$@" <@STDIN@
code=$?
case $code in
    0 | 3) ;;
    1)
        echo "@NAME@: FAIL: the schedule still leads to a failure" >&2
        exit 1
        ;;
    *) missing "the schedule could not be replayed (exit code $code)" ;;
esac

if [ "$time" = 0 ]; then
    echo "@NAME@: PASS: the schedule does not lead to a failure any more"
    exit 0
fi
found=$(mktemp -d) || missing "there is no place for temporary files"
"$warpath" explore --first --inputs-of "$si" --model @MODEL@ --time "$time" --out "$found" @OPTIONS@-- "$program" "$@" <@STDIN@
code=$?
case $code in
    0) echo "@NAME@: PASS: no schedule with these inputs fails" ;;
    1)
        echo "@NAME@: FAIL: another schedule leads to a failure; it is in $found" >&2
        exit 1
        ;;
    3) echo "@NAME@: PASS: no failure was found within the time and the bounds" ;;
    *)
        rm -rf "$found"
        missing "the program could not be explored (exit code $code)"
        ;;
esac
rm -rf "$found"
exit 0
"#;

impl Test {
    /// Its script's file name.
    pub(super) fn script(&self) -> String {
        format!("{}.sh", self.name)
    }

    /// Its SI file's name.
    pub(super) fn schedule(&self) -> String {
        format!("{}.si.toml", self.name)
    }

    /// The name of the file with what comes from standard input.
    pub(super) fn stdin_file(&self) -> String {
        format!("{}.stdin", self.name)
    }

    /// The bug in a line.
    pub(super) fn bug(&self) -> String {
        let Expect { outcome, thread, place, message } = &self.expect;
        let mut line = outcome.clone();
        for (word, text) in [(": ", message), (" at ", place), (" in thread ", thread)] {
            if !text.is_empty() {
                line.push_str(word);
                line.push_str(text);
            }
        }
        // It goes into comments and texts of three languages: nothing that could end them.
        let plain = |c: char| if c.is_control() || "\\\"".contains(c) { ' ' } else { c };
        line.chars().map(plain).collect::<String>().replace("*/", "* /")
    }

    /// The script. Arguments and paths need not be UTF-8.
    pub(super) fn text(&self) -> Vec<u8> {
        let program = match self.program.is_absolute() {
            true => quoted(self.program.as_os_str().as_bytes()),
            false => [b"$here/".as_slice(), &quoted(self.program.as_os_str().as_bytes())].concat(),
        };
        let arguments: Vec<Vec<u8>> =
            self.arguments.iter().map(|argument| quoted(argument.as_bytes())).collect();
        let stdin = match self.stdin.is_empty() {
            true => "/dev/null".to_owned(),
            false => format!("\"$here/{}\"", self.stdin_file()),
        };
        let values: [(&str, Vec<u8>); 7] = [
            ("BUG", self.bug().into_bytes()),
            ("NAME", self.name.clone().into_bytes()),
            ("PROGRAM", program),
            ("ARGUMENTS", arguments.join(&b' ')),
            ("MODEL", self.model().as_bytes().to_vec()),
            ("OPTIONS", self.options().into_bytes()),
            ("STDIN", stdin.into_bytes()),
        ];
        filled(SCRIPT, &values)
    }

    fn model(&self) -> &'static str {
        match self.model {
            MemoryModel::Sc => "sc",
            MemoryModel::Tso => "tso",
            MemoryModel::Pso => "pso",
        }
    }

    /// What exploring has to look for besides what it always does.
    fn options(&self) -> String {
        match self.expect.outcome.as_str() {
            "data-race" => "--check race ".to_owned(),
            "atomicity-violation" | "order-violation" => "--check atomicity ".to_owned(),
            outcome if outcome.starts_with("exit") => "--fail-on-exit ".to_owned(),
            _ => String::new(),
        }
    }
}

/// Puts values where `@NAMES@` are, in one pass: what a value contains is not looked at again.
fn filled(template: &str, values: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('@') {
        text.extend(before.as_bytes());
        let value = values
            .iter()
            .find_map(|(name, value)| Some((value, after.strip_prefix(name)?.strip_prefix('@')?)));
        rest = match value {
            Some((value, after)) => {
                text.extend(value);
                after
            }
            // The shell has a use of its own for the character.
            None => {
                text.push(b'@');
                after
            }
        };
    }
    text.extend(rest.as_bytes());
    text
}

/// One word of a shell.
fn quoted(bytes: &[u8]) -> Vec<u8> {
    let mut word = vec![b'\''];
    for &byte in bytes {
        match byte {
            b'\'' => word.extend(b"'\\''"),
            _ => word.push(byte),
        }
    }
    word.push(b'\'');
    word
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn words_come_out_of_a_shell_as_they_went_in() {
        for word in ["", "a b", "it's", "$(id)", "`id`", "\\", "-n", "a\nb", "\"", "@NAME@", "*"] {
            let mut script = b"printf %s ".to_vec();
            script.extend(quoted(word.as_bytes()));
            let script = String::from_utf8(script).expect("UTF-8");
            let output = Command::new("sh").args(["-c", &script]).output().expect("a shell");
            assert_eq!(output.stdout, word.as_bytes());
        }
    }

    #[test]
    fn a_bug_is_one_harmless_line() {
        let test = Test {
            name: "bug-1".into(),
            program: "../prog".into(),
            arguments: vec!["@NAME@".into()],
            expect: Expect {
                outcome: "assertion".into(),
                message: "x\n*/ rm -rf \"/\" @PROGRAM@".into(),
                ..Expect::default()
            },
            model: MemoryModel::Tso,
            stdin: Vec::new(),
        };
        assert_eq!(test.bug(), "assertion: x * / rm -rf  /  @PROGRAM@");
        let text = String::from_utf8(test.text()).expect("UTF-8");
        assert!(text.contains("#   assertion: x * / rm -rf  /  @PROGRAM@\n"), "{text}");
        assert!(text.contains("program=$here/'../prog'\n"), "{text}");
        assert!(text.contains("set -- '@NAME@'\n"), "{text}");
        assert!(text.contains("--model tso"), "{text}");
    }
}
