//! What is found in Java programs, and how it is told: failures at their instructions, races, deadlocks with their cycle.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::run::{Folder, Ran, repository, run, warpath};
use crate::samples::once;

/// The classes of a source file that has the class `Main`.
pub(crate) fn java(name: &str, source: &str) -> PathBuf {
    once(&format!("java-{name}"), |path| {
        std::fs::create_dir_all(path).expect("a folder for classes");
        let file = path.join("Main.java");
        std::fs::write(&file, source).expect("the source can be written");
        let agent = repository().join("tracers/jvm/agent/target/warpath-agent-api.jar");
        let mut javac = Command::new("javac");
        javac.args(["-g", "-nowarn", "-cp"]).arg(agent).arg("-d").arg(path).arg(&file);
        let done = javac.output().expect("there is a Java compiler; run scripts/setup");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    })
}

fn explored(classes: &Path, options: &[&str], arguments: &[&str]) -> Ran {
    let folder = Folder::new();
    let mut command = warpath();
    command.args(["explore", "-q", "--solver", "yices", "--jobs", "1", "--time", "2m", "--out"]);
    command.arg(folder.path().join("out")).args(options);
    command.args(["--", "java", "-XX:TieredStopAtLevel=1", "-cp"]).arg(classes).arg("Main").args(arguments);
    run(&mut command)
}

fn json(classes: &Path, options: &[&str], arguments: &[&str]) -> Value {
    explored(classes, &[options, &["--json", "-"]].concat(), arguments).json()
}

const FAILURES: &str = "import java.util.concurrent.*;
public class Main {
    static volatile int x = 1; static volatile Object o = \"s\"; static volatile int[] a = new int[3];
    static int sink;
    static void nothing() { sink = ((String) o).length(); }
    static void bounds() { sink = a[x]; }
    static void divide() { sink = 10 / x; }
    static void cast() { sink = ((String) o).length(); }
    static void negative() { sink = new int[x].length; }
    static void asserted() { assert x > 0 : \"x is \" + x; }
    static void pool() {
        ExecutorService pool = Executors.newFixedThreadPool(1);
        pool.execute(() -> { if (x == -5) throw new IllegalStateException(\"in the pool\"); });
        pool.shutdown();
    }
    static void disturb(String how) {
        switch (how) {
            case \"nothing\": o = null; break;
            case \"cast\": o = new Object(); break;
            case \"divide\": x = 0; break;
            default: x = -5;
        }
    }
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> disturb(args[0]));
        t.start();
        switch (args[0]) {
            case \"nothing\": nothing(); break;
            case \"bounds\": bounds(); break;
            case \"divide\": divide(); break;
            case \"cast\": cast(); break;
            case \"negative\": negative(); break;
            case \"asserted\": asserted(); break;
            default: pool();
        }
        t.join();
    }
}";

#[test]
fn instructions_of_java_programs_fail_where_another_thread_makes_them() {
    let classes = java("failures", FAILURES);
    for (how, kind, line, writes) in [
        ("nothing", "null-dereference", 5, 18),
        ("bounds", "out-of-bounds", 6, 21),
        ("divide", "arithmetic", 7, 20),
        ("cast", "uncaught-exception", 8, 19),
        ("negative", "uncaught-exception", 9, 21),
        ("asserted", "assertion", 10, 21),
        ("pool", "uncaught-exception", 13, 21),
    ] {
        let json = json(&classes, &["--first"], &[how]);
        let bug = &json["bugs"][0];
        assert_eq!((&bug["kind"], &bug["replayed"]), (&kind.into(), &true.into()), "{how}: {json}");
        assert_eq!(bug["where"], format!("Main.java:{line}"), "{how}: {json}");
        // The other side is named, too.
        let places: Vec<&str> = bug["places"]
            .as_array()
            .expect("places")
            .iter()
            .filter_map(|side| side["where"].as_str())
            .collect();
        assert!(places.contains(&format!("Main.java:{writes}").as_str()), "{how}: {json}");
    }
}

const DEADLOCKS: &str = "import java.util.concurrent.locks.*;
public class Main {
    static final Object a = new Object(), b = new Object();
    static final ReentrantLock l = new ReentrantLock(), m = new ReentrantLock();
    static boolean ready;
    static void monitors() { synchronized (b) {
            synchronized (a) { } } }
    static void locks() { m.lock();
            l.lock(); l.unlock(); m.unlock(); }
    static void mixed() { m.lock();
            synchronized (a) { } m.unlock(); }
    static void parked() {
            if (!ready) LockSupport.park(); }
    static void waits() { synchronized (a) { if (!ready) {
            try { a.wait(); } catch (InterruptedException e) { } } } }
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> {
            switch (args[0]) {
                case \"monitors\": monitors(); break;
                case \"locks\": locks(); break;
                case \"mixed\": mixed(); break;
                case \"parked\": parked(); break;
                default: waits();
            }
        });
        t.start();
        switch (args[0]) {
            case \"monitors\": synchronized (a) {
                synchronized (b) { } } break;
            case \"locks\": l.lock();
                m.lock(); m.unlock(); l.unlock(); break;
            case \"mixed\": synchronized (a) {
                m.lock(); m.unlock(); } break;
            case \"parked\": ready = true; LockSupport.unpark(args.length > 1 ? t : null); break;
            default: synchronized (a) { a.notify(); }
        }
        t.join();
    }
}";

#[test]
fn a_deadlock_of_a_java_program_names_its_cycle() {
    let classes = java("deadlocks", DEADLOCKS);
    let monitor = |n: usize| format!("waits for `monitor(java.lang.Object@T0:{n})`, held by");
    let lock = |n: usize| format!("waits for `java.util.concurrent.locks.ReentrantLock@T0:{n}`, held by");
    for (how, main, other) in [
        ("monitors", (29, monitor(1) + " T0.0"), (7, monitor(0) + " T0")),
        ("locks", (31, lock(3) + " T0.0"), (9, lock(2) + " T0")),
        ("mixed", (33, lock(3) + " T0.0"), (11, monitor(0) + " T0")),
        ("parked", (37, "waits for T0.0 to end".into()), (13, "is parked, and nobody unparks it".into())),
        (
            "missed",
            (37, "waits for T0.0 to end".into()),
            (15, "waits on `waiters(java.lang.Object@T0:0)`, which nobody notifies".into()),
        ),
    ] {
        let told = explored(&classes, &["--first"], &[how]);
        told.expect_code(1);
        for (thread, (line, what)) in [("T0", main), ("T0.0", other)] {
            let wanted = format!("  --> Main.java:{line} {thread} {what}\n");
            assert!(told.stdout.contains(&wanted), "{how}: no `{wanted}` in\n{}", told.stdout);
        }
    }
    // With the wake there is none.
    assert_eq!(json(&classes, &[], &["parked", "woken"])["verdict"], "SAFE");
}

const RACES: &str = "import java.util.concurrent.*; import java.util.concurrent.atomic.*; import java.util.concurrent.locks.*;
public class Main {
    static int plain, sink; static volatile int visible; static volatile Main published; static Box box;
    static final AtomicInteger atomic = new AtomicInteger(); static final Object lock = new Object();
    static final ReentrantLock mutex = new ReentrantLock(); static final Semaphore ready = new Semaphore(0);
    static final CountDownLatch latch = new CountDownLatch(1);
    int field; final int[] few = new int[1];
    static final class Box { final int value; Box(int value) { this.value = value; } }
    static void write(String how) {
        switch (how) {
            case \"plain\": plain = 1; break;
            case \"volatile\": visible = 1; break;
            case \"atomic\": atomic.incrementAndGet(); break;
            case \"published\": Main made = new Main(); made.field = 3; made.few[0] = 4; published = made; break;
            case \"flag\": plain = 1; visible = 1; break;
            case \"monitor\": synchronized (lock) { plain = 1; } break;
            case \"mutex\": mutex.lock(); plain = 1; mutex.unlock(); break;
            case \"half\": synchronized (lock) { plain = 1; } break;
            case \"semaphore\": plain = 1; ready.release(); break;
            case \"latch\": plain = 1; latch.countDown(); break;
            case \"counted\": plain = 1; atomic.set(1); break;
            default: box = new Box(5);
        }
    }
    static void read(String how, Thread t) throws Exception {
        switch (how) {
            case \"plain\": sink = plain; break;
            case \"volatile\": sink = visible; break;
            case \"atomic\": sink = atomic.getAndAdd(2); break;
            case \"published\": Main seen = published; if (seen != null) sink = seen.field + seen.few[0]; break;
            case \"flag\": if (visible == 1) sink = plain; break;
            case \"monitor\": synchronized (lock) { sink = plain; } break;
            case \"mutex\": mutex.lock(); sink = plain; mutex.unlock(); break;
            case \"half\": sink = plain; break;
            case \"semaphore\": ready.acquire(); sink = plain; break;
            case \"latch\": latch.await(); sink = plain; break;
            case \"counted\": if (atomic.get() == 1) sink = plain; break;
            case \"joined\": t.join(); sink = box.value; break;
            default: Box found = box; if (found != null) sink = found.value;
        }
    }
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> write(args[0]));
        t.start();
        read(args[0], t);
        t.join();
    }
}";

#[test]
fn races_of_java_programs_are_those_of_its_memory_model() {
    let classes = java("races", RACES);
    let clean = [
        "volatile",
        "atomic",
        "published",
        "flag",
        "monitor",
        "mutex",
        "semaphore",
        "latch",
        "counted",
        "joined",
    ];
    for how in clean {
        let json = json(&classes, &["--check", "race"], &[how]);
        assert_eq!(
            (&json["verdict"], json["bugs"].to_string().as_str()),
            (&"SAFE".into(), "[]"),
            "{how}: {json}"
        );
    }
    // Of what is published by a race the reference alone is in one: its final field is not.
    for (how, message) in [
        ("plain", "data race on Main.plain: Main.java:11 and Main.java:27"),
        ("half", "data race on Main.plain: Main.java:18 and Main.java:34"),
        ("final", "data race on Main.box: Main.java:22 and Main.java:39"),
    ] {
        let json = json(&classes, &["--check", "race"], &[how]);
        let bugs = json["bugs"].as_array().expect("bugs");
        assert_eq!(bugs.len(), 1, "{how}: {json}");
        let told: Vec<&str> = bugs[0]["message"].as_str().expect("a message").split([' ', ':']).collect();
        assert!(message.split([' ', ':']).all(|word| told.contains(&word)), "{how}: {json}");
    }
}
