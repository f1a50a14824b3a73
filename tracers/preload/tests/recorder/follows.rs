//! Programs that follow a schedule by themselves.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use warpath_light::replay::{End, InProcess, ReplayError, Replayed};
use warpath_trace::si::{Expected, Si, Step, Visible};
use warpath_trace::trace::Trace;

use crate::support::{Program, library};

pub fn in_process(program: &Path, folder: &Path) -> InProcess {
    InProcess {
        program: program.to_owned(),
        arguments: Vec::new(),
        preload: OsString::from(library()),
        folder: folder.to_owned(),
        lenient: false,
        patience: Duration::from_secs(20),
        enough: false,
    }
}

pub fn follow(program: &Program, si: &Si) -> Result<Replayed, ReplayError> {
    let folder = tempfile::tempdir().expect("a folder");
    in_process(&program.path, folder.path()).run(si, &|| false)
}

/// The visible events of a run in its order.
pub fn visible(trace: &Trace) -> Vec<Step> {
    let events = trace.in_order().expect("an order");
    let events = events.filter(|(_, _, event)| event.op.is_visible() && !event.op.is_pending());
    events
        .map(|(thread, _, event)| Step {
            thread: trace.tables.key(thread).clone(),
            what: Visible::Event(Expected::of(&trace.tables, &trace.threads[thread.index()], event)),
        })
        .collect()
}

fn recorded(program: &Program) -> Si {
    Si::of_run(&program.trace().0).expect("a recorded run has an order")
}

#[test]
fn a_recorded_run_is_followed_event_by_event() {
    let program = Program::compile("everything.c");
    let si = recorded(&program);
    assert!(si.schedule.len() > 60, "{}", si.schedule.len());
    for _ in 0..20 {
        let replayed = follow(&program, &si).expect("it can be followed");
        assert_eq!((&replayed.end, replayed.left, replayed.skipped), (&End::Exited(0), 0, 0));
        assert_eq!(visible(&replayed.trace), si.schedule);
    }
}

#[test]
fn an_order_that_nobody_saw_is_followed() {
    // The second thread comes much later by itself.
    let program = Program::compile("crossing.c");
    let mut si = recorded(&program);
    let first = |key: &str| {
        let of = |step: &Step| step.thread.to_string() == key;
        si.schedule.iter().filter(|step| of(step)).cloned().collect::<Vec<Step>>()
    };
    let (main, forth, back) = (first("T0"), first("T0.0"), first("T0.1"));
    // begin, two forks; the late one whole; the early one whole; two joins.
    si.schedule = [&main[..3], &back, &forth, &main[3..]].concat();
    let replayed = follow(&program, &si).expect("it can be followed");
    assert_eq!((&replayed.end, replayed.left), (&End::Exited(0), 0));
    assert_eq!(visible(&replayed.trace), si.schedule);
}

#[test]
fn steps_without_a_name_stand_for_any() {
    let program = Program::compile("locks.c");
    let mut si = recorded(&program);
    let events = si.schedule.len();
    let first = si.schedule.remove(0);
    si.schedule.insert(0, Step { thread: first.thread, what: Visible::Any(1) });
    let replayed = follow(&program, &si).expect("it can be followed");
    assert_eq!((&replayed.end, visible(&replayed.trace).len()), (&End::Exited(0), events));
}

#[test]
fn threads_that_wait_for_each_other_are_seen() {
    let program = Program::compile("crossing.c");
    let mut si = recorded(&program);
    let step = |text: &str| text.parse::<Step>().expect("a step");
    si.schedule = [
        "T0 begin",
        "T0 fork T0.0",
        "T0 fork T0.1",
        "T0.0 begin",
        "T0.0 lock a",
        "T0.1 begin",
        "T0.1 lock b",
    ]
    .map(step)
    .to_vec();
    let replayed = follow(&program, &si).expect("it can be followed");
    let End::Deadlock(sentence) = &replayed.end else { panic!("{:?}", replayed.end) };
    assert_eq!(
        sentence,
        "T0 waits for T0.0 to end; T0.0 waits for mutex `b`, held by T0.1; T0.1 waits for mutex `a`, held by T0.0"
    );
}

/// Where a changed schedule and the program part.
fn parts(program: &Program, si: &Si) -> (usize, String) {
    match follow(program, si).expect("it runs").end {
        End::Diverged(step, found) => (step, found),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_the_program_does_instead_is_said() {
    let program = Program::compile("crossing.c");
    let si = recorded(&program);
    let place =
        si.schedule.iter().position(|step| step.to_string().starts_with("T0.0 lock b")).expect("a lock");
    let with = |text: &str| {
        let mut si = si.clone();
        si.schedule[place] = text.parse().expect("a step");
        si
    };
    let (step, found) = parts(&program, &with("T0.0 unlock a"));
    assert_eq!((step, found.starts_with("T0.0 comes to `lock` at ")), (place + 1, true), "{found}");
    assert!(found.contains("crossing.c:9"), "{found}");
    let (step, found) = parts(&program, &with("T0.0 lock a"));
    assert_eq!(
        (step, found.starts_with("T0.0 comes to `lock` of something else")),
        (place + 1, true),
        "{found}"
    );
    // The place is not the library's to check: the recording has it.
    let (step, found) = parts(&program, &with("T0.0 lock b @crossing.c:99"));
    assert_eq!((step, found.starts_with("T0.0 does `lock b @")), (place + 1, true), "{found}");
    // Two threads cannot have one lock.
    let mut both = si.clone();
    both.schedule.truncate(place);
    both.schedule
        .extend(["T0.1 begin", "T0.1 lock b", "T0.1 lock a"].map(|step| step.parse().expect("a step")));
    let (step, found) = parts(&program, &both);
    assert_eq!((step, found.starts_with("T0.1 would have to wait")), (place + 3, true), "{found}");
}

#[test]
fn who_never_comes_is_waited_for_only_so_long() {
    let program = Program::compile("crossing.c");
    let mut si = recorded(&program);
    si.schedule.truncate(1);
    si.schedule.push("T0.7 begin".parse().expect("a step"));
    let folder = tempfile::tempdir().expect("a folder");
    let mut this = in_process(&program.path, folder.path());
    this.patience = Duration::from_secs(1);
    let end = this.run(&si, &|| false).expect("it runs").end;
    let End::Diverged(2, found) = end else { panic!("{end:?}") };
    assert_eq!(found, "T0.7 did not come to it in 1 s: it has not been started");
}

#[test]
fn steps_that_do_not_fit_are_left_out_if_that_was_asked_for() {
    let program = Program::compile("locks.c");
    let mut si = recorded(&program);
    let key = si.schedule[2].thread.clone();
    si.schedule.insert(2, format!("{key} sem-post nothing").parse().expect("a step"));
    let folder = tempfile::tempdir().expect("a folder");
    let mut this = in_process(&program.path, folder.path());
    this.lenient = true;
    let replayed = this.run(&si, &|| false).expect("it runs");
    assert_eq!((&replayed.end, replayed.left, replayed.skipped), (&End::Exited(0), 0, 1));
}

#[test]
fn only_the_first_process_follows() {
    let program = Program::compile("forks.c");
    let plain = program.plain().output().expect("the program runs");
    let recorded = program.recorded().output().expect("the program runs");
    crate::support::same(&plain, &recorded);
    let first = program.processes().remove(0);
    let (trace, _) = crate::support::trace_of(&first);
    let si = Si::of_run(&trace).expect("an order");
    let replayed = follow(&program, &si).expect("it can be followed");
    assert_eq!((&replayed.end, replayed.left), (&End::Exited(0), 0));
}

#[test]
fn a_plan_that_is_none_is_said_and_the_program_runs() {
    let program = Program::compile("locks.c");
    let plan = program.folder.path().join("plan");
    let plain = program.plain().output().expect("the program runs");
    let mut random = 1u64;
    let mut next = || {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        random >> 33
    };
    let good = {
        let folder = tempfile::tempdir().expect("a folder");
        let si = recorded(&program);
        in_process(&program.path, folder.path()).run(&si, &|| false).expect("it runs");
        let mut words = std::fs::read(folder.path().join("plan")).expect("the plan");
        // As it was before anybody followed it.
        words[16 * 8..32 * 8].fill(0);
        words
    };
    std::fs::remove_dir_all(program.recordings()).expect("recordings");
    for round in 0..60 {
        let mut bytes = good.clone();
        match round {
            0 => bytes.clear(),
            1 => bytes.truncate(7),
            2..20 => bytes.truncate(next() as usize % bytes.len()),
            _ => {
                let place = next() as usize % (good.len() / 2);
                bytes[place] ^= 1 << (next() % 8);
            }
        }
        std::fs::write(&plan, bytes).expect("a file");
        // Whoever waits for ever behind a schedule that makes no sense is ended from outside, as the driver does.
        let run = std::process::Command::new("timeout")
            .args(["-s", "KILL", "5"])
            .arg(&program.path)
            .env("LD_PRELOAD", library())
            .env("WARPATH_LIGHT", program.recordings())
            .env("WARPATH_FOLLOW", &plan)
            .output()
            .expect("timeout runs");
        let stderr = String::from_utf8_lossy(&run.stderr);
        if round < 20 {
            assert_eq!((run.status.code(), &run.stdout), (Some(0), &plain.stdout), "{round}: {run:?}");
            assert!(stderr.contains("warpath: the schedule is not followed: "), "{round}: {stderr}");
        } else {
            // It ends well, follows something else, or never comes to an end: it does not crash.
            let code = run.status.code();
            assert!(code == Some(0) || code == Some(137) || run.status.code().is_none(), "{round}: {run:?}");
            assert!(!stderr.contains("panicked"), "{round}: {stderr}");
        }
    }
}
