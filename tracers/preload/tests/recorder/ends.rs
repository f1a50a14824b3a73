//! However a program ends, what it had done is there.

use std::io::Read;
use std::process::{Child, Stdio};

use crate::support::{Program, episode_of, same, trace_of};
use warpath_trace::event::{FailureKind, Op, WaitResult};
use warpath_trace::header::Outcome;

/// Starts it and waits until it says `go`.
fn start(program: &Program, set: &[(&str, &str)]) -> Running {
    let mut command = program.recorded();
    command.stdout(Stdio::piped()).envs(set.iter().copied());
    let mut child = command.spawn().expect("the program starts");
    let mut said = [0; 3];
    child.stdout.as_mut().expect("a pipe").read_exact(&mut said).expect("the program says go");
    assert_eq!(&said, b"go\n");
    Running(child)
}

/// A program that is not left running, whatever becomes of the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn kill(running: Running) {
    drop(running);
}

#[test]
fn a_killed_process_loses_at_most_what_was_being_written() {
    let program = Program::compile("endless.c");
    kill(start(&program, &[]));
    let (trace, written) = trace_of(&program.processes()[0]);
    assert_eq!(written.outcome, Outcome::Unknown);
    let locks = |op: &Op| matches!(op, Op::Lock { result: WaitResult::Done, .. });
    let taken = trace.threads.iter().flatten().filter(|event| locks(&event.op)).count();
    assert!(taken >= 5000, "it had counted to 5000 before it was killed, {taken} are there");
    // Two threads: each may have been in the middle of one record.
    assert!(written.lost <= 2, "{} lost", written.lost);
    exclusive(&trace);
}

/// In the order of the trace no lock is taken by two threads at once.
pub(crate) fn exclusive(trace: &warpath_trace::trace::Trace) {
    let mut owners = std::collections::HashMap::new();
    for (thread, index, event) in trace.in_order().expect("the trace has an order") {
        match event.op {
            Op::Lock { mutex, result: WaitResult::Done, .. } => {
                assert_eq!(owners.insert(mutex, thread), None, "event {index} of {thread:?}");
            }
            Op::Unlock { mutex, .. } => assert_eq!(owners.remove(&mutex), Some(thread), "event {index}"),
            _ => {}
        }
    }
}

#[test]
fn a_deadlock_shows_in_what_a_killed_process_leaves() {
    let program = Program::compile("stuck.c");
    let child = start(&program, &[]);
    // It is stuck when both say that they wait; nothing else tells.
    let waiting = || {
        let (trace, _) = trace_of(&program.processes()[0]);
        let pending = |op: &Op| match op {
            Op::Lock { mutex, result: WaitResult::Pending, .. } => Some(trace.tables.location_name(*mutex)),
            _ => None,
        };
        let mut found: Vec<_> =
            trace.threads.iter().filter_map(|events| pending(&events.last()?.op)).collect();
        found.sort();
        found
    };
    while waiting().len() < 2 {
        std::thread::yield_now();
    }
    kill(child);
    assert_eq!(waiting(), ["a", "b"]);
}

#[test]
fn failures_are_events_of_their_threads() {
    let program = Program::compile("fails.c");
    for (how, kind) in [
        ("abort", FailureKind::Abort),
        ("assert", FailureKind::Assertion),
        ("null", FailureKind::NullDereference),
        ("wild", FailureKind::Segfault),
        ("divide", FailureKind::Arithmetic),
    ] {
        let plain = program.plain().arg(how).output().expect("it runs");
        let recorded = program.recorded().arg(how).output().expect("it runs");
        same(&plain, &recorded);
        let (trace, written) = trace_of(&program.processes()[0]);
        assert_eq!(written.outcome, Outcome::Failed(kind), "{how}");
        let last = trace.threads[1].last().expect("events");
        assert!(matches!(last.op, Op::Failure { kind: found, .. } if found == kind), "{how}: {last:?}");
        if how == "assert" {
            let Op::Failure { message, .. } = last.op else { unreachable!("matched above") };
            assert_eq!(trace.tables.text(message), "zero == 1");
        }
        let place = trace.tables.source_name(last.at);
        assert!(place.contains("fails.c:1"), "{how}: {place}");
        std::fs::remove_dir_all(program.recordings()).expect("it was there");
    }
    program.recorded().arg("exit").output().expect("it runs");
    assert_eq!(trace_of(&program.processes()[0]).1.outcome, Outcome::Exited(7));
}

#[test]
fn children_are_processes_of_their_own() {
    let program = Program::compile("forks.c");
    same(&program.plain().output().expect("it runs"), &program.recorded().output().expect("it runs"));
    let processes = program.processes();
    let shape: Vec<_> = processes.iter().map(|process| process.meta.forked_from.is_some()).collect();
    assert_eq!(shape, [false, true, false], "parent, child, and what the child became");
    assert_eq!(processes[1].meta.forked_from, Some(processes[0].meta.pid));
    let threads: Vec<_> = processes.iter().map(trace_of_any).collect();
    assert_eq!(threads, [2, 3, 1]);
}

fn trace_of_any(process: &warpath_light::Recording) -> usize {
    let episode = *process.episodes().first().expect("an episode");
    episode_of(process, episode).0.threads.len()
}

#[test]
fn constructors_signal_handlers_and_exceptions_do_no_harm() {
    let program = Program::compile("early.cc");
    for _ in 0..3 {
        let recorded = program.recorded().output().expect("it runs");
        same(&program.plain().output().expect("it runs"), &recorded);
        let (trace, written) = trace_of(&program.processes()[0]);
        assert_eq!(written.lost, 0);
        let posts =
            trace.threads.iter().flatten().filter(|event| matches!(event.op, Op::SemPost { .. })).count();
        let waits = trace
            .threads
            .iter()
            .flatten()
            .filter(|event| matches!(event.op, Op::SemWait { result: WaitResult::Done, .. }));
        assert_eq!(posts, waits.count(), "each post of the handler was recorded and taken");
        std::fs::remove_dir_all(program.recordings()).expect("it was there");
    }
}

/// How many events are there of a program that was killed, each of whose threads keeps its newest part?
fn events_of_a_ring() -> u64 {
    let program = Program::compile("endless.c");
    let child = start(&program, &[("WARPATH_LIGHT_LIMIT", "512K"), ("WARPATH_LIGHT_RING", "1")]);
    // More than fits, several times over.
    let folder = warpath_light::processes(&program.recordings()).expect("a process").remove(0);
    let newest = || {
        // The thread may not have begun.
        let bytes = std::fs::read(folder.join("thread-1")).unwrap_or_default();
        bytes.get(7 * 8..8 * 8).map_or(0, |word| u64::from_le_bytes(word.try_into().expect("a word")))
    };
    while newest() < 8 {
        std::thread::yield_now();
    }
    kill(child);
    let size = std::fs::metadata(folder.join("thread-1")).expect("a thread").len();
    assert_eq!(size, 4096 + 3 * 256 * 1024, "the file does not grow beyond its limit");
    let (trace, written) = trace_of(&program.processes()[0]);
    exclusive(&trace);
    written.events
}

#[test]
fn a_ring_keeps_the_newest_part() {
    // A trace is of the time of which all threads have kept something, and on a busy machine one of them may not have
    // run since the oldest that another has kept.
    let tries: Vec<u64> = (0..10).map(|_| events_of_a_ring()).take_while(|&events| events <= 100).collect();
    assert!(tries.len() < 10, "a trace of two threads that ran at once: {tries:?}");
}

#[test]
fn a_limit_is_kept_and_what_is_lost_is_counted() {
    let program = Program::compile("endless.c");
    let child = start(&program, &[("WARPATH_LIGHT_LIMIT", "512K")]);
    while program.processes()[0].episodes().is_empty() || trace_of(&program.processes()[0]).1.lost == 0 {
        std::thread::yield_now();
    }
    kill(child);
    let (_, written) = trace_of(&program.processes()[0]);
    assert!(written.events > 10_000 && written.lost > 0, "{written:?}");
}

#[test]
fn a_signal_switches_recording_off_and_on() {
    let program = Program::compile("endless.c");
    let child = start(&program, &[("WARPATH_LIGHT_SIGNAL", "USR2")]);
    let pid = child.0.id().to_string();
    let toggle = || {
        let done = std::process::Command::new("kill").args(["-USR2", &pid]).status().expect("kill is there");
        assert!(done.success());
    };
    toggle();
    // Two signals at once are one: it is off when nothing is written any more.
    let folder = warpath_light::processes(&program.recordings()).expect("a process").remove(0);
    let written = || [1, 2].map(|n| std::fs::read(folder.join(format!("thread-{n}"))).unwrap_or_default());
    let still_for = |milliseconds| {
        let before = written();
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        written() == before
    };
    while !still_for(200) {}
    toggle();
    // The files are only looked at: reading them takes longer than it takes to write as much again. What changes first may be
    // no more than the word that it goes on.
    for _ in 0..2 {
        while still_for(1) {}
    }
    kill(child);
    let process = program.processes().remove(0);
    assert_eq!(process.episodes(), [0, 1]);
    for &episode in process.episodes() {
        exclusive(&episode_of(&process, episode).0);
    }
}
