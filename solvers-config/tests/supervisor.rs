//! The supervisor by itself: it ends with its client, whatever ends that, and takes everything with it.

#![allow(clippy::unwrap_used)] // the helpers of tests are tests too

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use support::{expect_none_left, processes_with};
use warpath_solvers::supervise::Failure;

/// A supervised shell that runs a script; the script's environment carries the marker.
struct Supervised {
    process: Child,
    answers: BufReader<ChildStdout>,
    marker: String,
}

impl Supervised {
    fn new(name: &str, script: &str) -> Self {
        let marker = format!("warpath-supervised-{}-{name}-end", std::process::id());
        let mut process = Command::new(env!("CARGO_BIN_EXE_warpath-supervise"))
            .args(["guard", "0", "1000000", "/bin/sh", "-c", script])
            .env("WARPATH_FAKE_MARKER", &marker)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        Self { process, answers, marker }
    }

    fn tell(&mut self, text: &str) {
        self.process.stdin.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    /// Waits until the solver and what it starts are there.
    fn wait_for(&self, processes: usize) {
        let until = Instant::now() + Duration::from_secs(5);
        while processes_with(&self.marker).len() < processes {
            assert!(Instant::now() < until, "{:?}", processes_with(&self.marker));
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn end(mut self) {
        self.process.wait().unwrap();
        expect_none_left(&self.marker);
    }
}

const WITH_CHILDREN: &str =
    "trap '' TERM INT HUP; sleep 1000 & setsid sleep 1000 & setsid sh -c 'sleep 1000' & cat; wait";

#[test]
fn it_ends_when_its_client_is_gone() {
    let mut supervised = Supervised::new("gone", WITH_CHILDREN);
    supervised.wait_for(5);
    drop(supervised.process.stdin.take());
    supervised.end();
}

#[test]
fn it_ends_when_its_client_is_gone_while_the_solver_reads_nothing() {
    let mut supervised = Supervised::new("stuck", "sleep 1000");
    supervised.wait_for(2);
    let mut stdin = supervised.process.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        // More than all the pipes and buffers hold: blocks until the client, here this thread, is ended.
        let _ = stdin.write_all(&b"(assert true)\n".repeat(1_000_000));
    });
    std::thread::sleep(Duration::from_millis(300));
    kill(pid_of(&supervised.process), Signal::SIGTERM).unwrap();
    writer.join().unwrap();
    supervised.end();
}

#[test]
fn it_ends_on_exit() {
    let mut supervised = Supervised::new("exit", WITH_CHILDREN);
    supervised.wait_for(5);
    supervised.tell("(exit)");
    supervised.end();
}

#[test]
fn signals_end_it_with_a_report() {
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        let mut supervised = Supervised::new(signal.as_str(), WITH_CHILDREN);
        supervised.wait_for(5);
        kill(pid_of(&supervised.process), signal).unwrap();
        assert_eq!(Failure::from_line(&supervised.line()), Some(Failure::Interrupted));
        supervised.end();
    }
}

#[test]
fn the_solver_dies_with_a_killed_supervisor() {
    let supervised = Supervised::new("killed", "exec sleep 1000");
    supervised.wait_for(2);
    kill(pid_of(&supervised.process), Signal::SIGKILL).unwrap();
    supervised.end();
}

#[test]
fn it_is_in_a_process_group_of_its_own() {
    let supervised = Supervised::new("group", "exec sleep 1000");
    supervised.wait_for(2);
    let pid = pid_of(&supervised.process);
    assert_eq!(nix::unistd::getpgid(Some(pid)).unwrap(), pid);
    assert_ne!(nix::unistd::getpgid(Some(pid)).unwrap(), nix::unistd::getpgrp());
    kill(pid, Signal::SIGTERM).unwrap();
    supervised.end();
}

#[test]
fn a_deadline_holds_for_all_following_answers_until_it_is_moved() {
    let script = "while read line; do case $line in *check*) sleep 0.3; echo sat;; esac; done";
    let mut supervised = Supervised::new("deadline", script);
    supervised.tell("(set-info :warpath-deadline-ms 5000)\n(check-sat)\n");
    assert_eq!(supervised.line(), "sat");
    supervised.tell("(set-info :warpath-deadline-ms 0)\n(check-sat)\n");
    assert_eq!(supervised.line(), "sat");
    supervised.tell("(set-info :warpath-deadline-ms 100)\n(check-sat)\n");
    assert_eq!(Failure::from_line(&supervised.line()), Some(Failure::Timeout { allowed_ms: 100 }));
    supervised.end();
}

#[test]
fn a_deadline_that_passes_while_nobody_waits_means_nothing() {
    let script = "while read line; do case $line in *check*) echo sat;; esac; done";
    let mut supervised = Supervised::new("idle", script);
    supervised.tell("(set-info :warpath-deadline-ms 100)\n(check-sat)\n");
    assert_eq!(supervised.line(), "sat");
    std::thread::sleep(Duration::from_millis(300));
    supervised.tell("(set-info :warpath-deadline-ms 5000)\n(check-sat)\n");
    assert_eq!(supervised.line(), "sat");
    supervised.tell("(exit)");
    supervised.end();
}

#[test]
fn it_says_who_it_is_without_asking_the_solver() {
    let mut supervised = Supervised::new("identity", "exec sleep 1000");
    supervised.tell("(get-info :warpath-supervisor)\n");
    assert_eq!(supervised.line(), format!("(:warpath-supervisor {})", supervised.process.id()));
    supervised.tell("(exit)");
    supervised.end();
}

#[test]
fn an_answer_beyond_the_limit_is_cut_off() {
    let script = "read line; printf '('; yes '(a b)'";
    let mut supervised = Supervised::new("limit", script);
    supervised.tell("(get-value (x))\n");
    let failure = Failure::from_line(&supervised.line());
    assert!(matches!(failure, Some(Failure::Malformed { .. })), "{failure:?}");
    supervised.end();
}

#[test]
fn by_hand_it_only_explains_itself() {
    let output = Command::new(env!("CARGO_BIN_EXE_warpath-supervise")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("not for use by hand"));
    let mut rest = Vec::new();
    output.stdout.as_slice().read_to_end(&mut rest).unwrap();
    assert!(rest.is_empty());
}

fn pid_of(process: &Child) -> Pid {
    Pid::from_raw(i32::try_from(process.id()).unwrap())
}
