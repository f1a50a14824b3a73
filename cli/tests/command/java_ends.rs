//! How Java programs end, and what is left of what they did.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::java_bugs::java;
use crate::native::eventually;
use crate::run::{Folder, Ran, ran, run, warpath};
use crate::samples::is_nightly;

const ENDS: &str = "import java.lang.reflect.*; import java.util.*;
public class Main {
    static volatile int x;
    static void recurse(int depth) { recurse(depth + 1); }
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> { x = 1; });
        t.start(); t.join();
        x = 3;
        switch (args[0]) {
            case \"halt\": Runtime.getRuntime().halt(7);
            case \"exit\": System.exit(5);
            case \"elsewhere\":
                Thread other = new Thread(() -> System.exit(4)); other.start(); other.join(); break;
            case \"kill\":
                new ProcessBuilder(\"kill\", \"-9\", \"\" + ProcessHandle.current().pid()).start().waitFor();
                while (true) { }
            case \"crash\":
                Field f = Class.forName(\"sun.misc.Unsafe\").getDeclaredField(\"theUnsafe\"); f.setAccessible(true);
                f.getType().getMethod(\"putLong\", long.class, long.class).invoke(f.get(null), 0L, 1L); break;
            case \"memory\": List<long[]> all = new ArrayList<>(); while (true) all.add(new long[1 << 20]);
            case \"stack\": recurse(0); break;
            case \"caught\": try { recurse(0); } catch (StackOverflowError e) { x = 9; } break;
            case \"daemon\":
                Thread d = new Thread(() -> { while (true) { x = 4; Thread.yield(); } }); d.setDaemon(true); d.start(); break;
            case \"handler\":
                Thread h = new Thread(() -> { throw new IllegalStateException(\"handled\"); });
                h.setUncaughtExceptionHandler((who, what) -> { x = 11; }); h.start(); h.join(); break;
            case \"hook\": Runtime.getRuntime().addShutdownHook(new Thread(() -> { x = 12; })); break;
        }
        x = 100;
    }
}";

fn recorded(classes: &Path, folder: &Folder, how: &str) -> (Ran, String) {
    let trace = folder.path().join(format!("{how}.wpt"));
    let mut command = warpath();
    command.args(["record", "-o"]).arg(&trace).args(["--", "java", "-Xmx64m", "-XX:-CreateCoredumpOnCrash"]);
    command.args(["-XX:TieredStopAtLevel=1", "-cp"]).arg(classes).args(["Main", how]);
    let ran = run(command.current_dir(folder.path()));
    let shown = run(warpath().arg("show").arg(&trace));
    (ran, shown.stdout)
}

/// Each way to end: the command's code, the outcome, and the last thing that the program did.
#[test]
fn whatever_ends_a_jvm_what_it_did_is_kept() {
    let classes = java("ends", ENDS);
    let folder = Folder::new();
    for (how, code, outcome, last) in [
        ("halt", 0, "exited 7", "T0 w Main.x seqcst 3 "),
        ("exit", 0, "exited 5", "T0 w Main.x seqcst 3 "),
        ("elsewhere", 0, "exited 4", "T0.1 begin"),
        ("kill", 1, "failed killed 9", "T0 fail killed 9 "),
        ("crash", 1, "failed abort", "T0 fail abort "),
        ("memory", 1, "failed uncaught-exception", "T0 fail uncaught-exception \"java.lang.OutOfMemoryError"),
        (
            "stack",
            1,
            "failed uncaught-exception",
            "T0 fail uncaught-exception \"java.lang.StackOverflowError",
        ),
        ("caught", 0, "exited 0", "T0 end"),
        ("daemon", 0, "exited 0", "T0 end"),
        ("handler", 1, "failed uncaught-exception", "T0.1 fail uncaught-exception "),
        ("hook", 0, "exited 0", "T0.1 end"),
    ] {
        let (ran, shown) = recorded(&classes, &folder, how);
        ran.expect_code(code);
        assert!(shown.contains(&format!("\noutcome {outcome}\n")), "{how}: {shown}");
        assert!(shown.contains("\nT0 w Main.x seqcst 3 @Main.java:8"), "{how}: {shown}");
        let mut events = shown.lines().filter(|line| line.starts_with("T0"));
        assert!(events.next_back().is_some_and(|event| event.starts_with(last)), "{how}: {shown}");
    }
}

#[test]
fn a_java_program_does_the_same_every_time_whoever_ends_it() {
    let classes = java("ends", ENDS);
    for how in ["daemon", "elsewhere", "hook", "handler"] {
        let folder = Folder::new();
        let (_, first) = recorded(&classes, &folder, how);
        for _ in 1..if is_nightly() { 100 } else { 4 } {
            assert_eq!(recorded(&classes, &folder, how).1, first, "{how}");
        }
    }
}

const STUCK: &str = "public class Main {
    static volatile int x;
    public static void main(String[] args) throws Exception {
        java.net.ServerSocket socket = new java.net.ServerSocket(0);
        Thread t = new Thread(() -> { try { socket.accept(); } catch (java.io.IOException closed) { x = -1; } });
        t.start();
        for (int n = 1; n < 5; n++) { x = n; Thread.yield(); }
        socket.close();
        t.join();
    }
}";

#[test]
fn a_thread_that_is_stuck_outside_does_not_stop_the_others_and_is_named() {
    let classes = java("stuck", STUCK);
    let folder = Folder::new();
    let (ran, shown) = recorded(&classes, &folder, "");
    ran.expect_code(0).expect_complaint("T0.0 blocks outside the program, in ");
    for n in 1..5 {
        assert!(shown.contains(&format!("T0 w Main.x seqcst {n} ")), "{shown}");
    }
    assert!(shown.contains("T0.0 w Main.x seqcst 0xffffffff "), "{shown}");
}

const POINT: &str = "public class Main {
    static Main shared; int x, y;
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> { Main m = new Main(); m.x = 1;
            m.y = 1;
            shared = m; });
        t.start();
        Main seen = shared;
        if (seen != null && seen.x != seen.y) throw new IllegalStateException(\"half\");
        t.join();
    }
}";

fn schedule_of_point(folder: &Folder) -> PathBuf {
    let classes = java("point", POINT);
    let out = folder.path().join("out");
    let mut command = warpath();
    command.args(["explore", "-q", "--first", "--solver", "yices", "--model", "pso", "--out"]).arg(&out);
    run(command.args(["--", "java", "-cp"]).arg(&classes).arg("Main")).expect_code(1);
    out.join("bug-1.si.toml")
}

#[test]
fn a_schedule_with_commits_fails_the_same_way_every_time() {
    let folder = Folder::new();
    let si = schedule_of_point(&folder);
    let times = if is_nightly() { "100" } else { "10" };
    let json = run(warpath().arg("replay").arg(&si).args(["--times", times, "--json", "-"])).json();
    assert_eq!((&json["verdict"], json["agreed"].to_string()), (&"reproduced".into(), times.to_owned()));
}

#[test]
fn a_schedule_of_another_program_is_told_with_both_sides() {
    let folder = Folder::new();
    let si = schedule_of_point(&folder);
    let text = std::fs::read_to_string(&si).expect("the schedule");
    let commit = text.lines().find(|line| line.contains("commit Main.shared")).expect("it publishes early");
    let changed =
        folder.file("changed.si.toml", text.replace(commit, &commit.replace("Main.shared", "Main.other")));
    expect_divergence(
        &changed,
        "T0.0 commit Main.other @Main.java:6",
        "T0.0 has no such write in its buffer",
    );
    let write = text.lines().find(|line| line.contains(" w Main.shared")).expect("it writes");
    let changed =
        folder.file("again.si.toml", text.replace(write, &write.replace("Main.java:6", "Main.java:60")));
    let found = "T0.0 is about to do `w Main.shared @Main.java:6`";
    expect_divergence(&changed, "T0.0 w Main.shared @Main.java:60", found);
}

#[track_caller]
fn expect_divergence(si: &Path, schedule: &str, program: &str) {
    let told = run(warpath().arg("replay").arg(si));
    told.expect_code(3);
    let wanted = format!("\n  schedule: {schedule}\n  program:  {program}\n");
    assert!(told.stdout.contains(&wanted), "no `{wanted}` in\n{}", told.stdout);
}

#[test]
fn a_search_through_a_java_program_can_be_left_off() {
    let classes = java(
        "endless",
        "public class Main { public static void main(String[] args) { long n = 0; while (true) { n++; } } }",
    );
    let folder = Folder::new();
    let mut command = warpath();
    command.args(["explore", "--out"]).arg(folder.path().join("out")).args(["--", "java", "-cp"]);
    command.arg(&classes).arg("Main");
    let child = started(&mut command);
    eventually("JVM at work", || (!jvms_with(&classes).is_empty()).then_some(()));
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).expect("it can be interrupted");
    let ended = ran(child.wait_with_output().expect("it ends"));
    ended.expect_code(3);
    assert!(ended.stdout.starts_with("UNKNOWN: "), "{}", ended.stdout);
    assert_eq!(jvms_with(&classes), Vec::<String>::new());
}

/// Command lines of JVMs that run these classes.
fn jvms_with(classes: &Path) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").expect("/proc is there");
    let lines = entries.filter_map(|entry| std::fs::read(entry.ok()?.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    let classes = classes.display().to_string();
    lines.filter(|line| line.contains(&classes) && line.contains("-javaagent:")).collect()
}

fn started(command: &mut Command) -> std::process::Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts")
}
