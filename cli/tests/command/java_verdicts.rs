//! Every Java sample is explored: the verdict is the manifest's.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::java_samples::{Expectation, Program, Verdict, programs};
use crate::run::{Folder, repository, run, warpath};
use crate::samples::{is_nightly, once};

/// The next sample that nobody has taken.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// The agent's archive, which samples are compiled against, too.
pub(crate) fn agent() -> PathBuf {
    let agent = repository().join("tracers/jvm/agent/target/warpath-agent.jar");
    assert!(agent.is_file(), "the agent is not built: run `make agent`");
    agent
}

/// The folder of all compiled samples.
pub(crate) fn classes() -> PathBuf {
    once("java-classes", |path| {
        let mut javac = Command::new("javac");
        javac.args(["-g", "-Xlint:all", "-Werror", "-cp"]).arg(agent()).arg("-d").arg(path);
        for program in programs() {
            let source = repository().join("samples/java").join(program.source);
            if !javac.get_args().any(|known| known == source) {
                javac.arg(source);
            }
        }
        let compiled = javac.output().expect("javac can be run: is a JDK installed? (scripts/setup)");
        let said = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "the samples do not compile:\n{said}");
    })
}

fn explored(program: &Program, expected: &Expectation) -> Value {
    let folder = Folder::new();
    let mut command = warpath();
    command.args(["explore", "-q", "--json", "-", "--solver", "yices", "--jobs", "1", "--out"]);
    command.arg(folder.path().join("out")).args(["--time", if is_nightly() { "5m" } else { "20s" }]);
    command.args(["--model", expected.model.word()]);
    // That a correct program is safe is known at the end; of a bug the first sight is enough.
    if expected.verdict == Verdict::Bug {
        command.arg("--first");
    }
    command.args(["--", "java", "-cp"]).arg(classes()).args(&program.jvm).arg(&program.main);
    run(&mut command).json()
}

/// What is wrong with the verdict about a sample under a memory model.
fn wrong(program: &Program, expected: &Expectation) -> Option<String> {
    if expected.is_long && !is_nightly() {
        return None;
    }
    let json = explored(program, expected);
    let told = |what: &str| Some(format!("{} ({}): {what}: {json}", program.name, expected.model.word()));
    let bugs: &[Value] = json["bugs"].as_array().map_or(&[], |bugs| bugs);
    let shows = |bug: &Value| {
        let waits = bug["waits"].as_array().into_iter().flatten().map(|wait| &wait["where"]);
        let mut places = waits.chain([&bug["where"]]).filter_map(Value::as_str);
        let line = |place: &str| place.split(':').nth(1).and_then(|line| line.parse().ok());
        places.any(|place| expected.places.iter().any(|at| line(place) == Some(at.line)))
    };
    match (expected.verdict, json["verdict"].as_str()) {
        // Why it is not known is said, and true: the agent does not follow everything.
        (Verdict::Safe, Some("SAFE" | "UNKNOWN")) => None,
        (Verdict::Safe, _) => told("has no bug"),
        (Verdict::Bug, Some("UNKNOWN")) if expected.missed.is_some() => None,
        (Verdict::Bug, Some("BUG")) if expected.missed.is_some() => told("is not missed any more"),
        (Verdict::Bug, Some("BUG")) if !bugs.iter().all(|bug| bug["replayed"] == true) => {
            told("a bug was not replayed")
        }
        (Verdict::Bug, Some("BUG")) if found_late(expected, &json) => told("was found sooner by others"),
        (Verdict::Bug, Some("BUG")) if bugs.iter().any(shows) => None,
        (Verdict::Bug, Some("BUG")) => told("its bug is elsewhere"),
        (Verdict::Bug, _) => told("has a bug"),
    }
}

/// Did the bug take more executions than was published? With store buffers a run that shows what is shared is made once
/// more, because its writes did not wait; so this is asked under sequential consistency alone.
fn found_late(expected: &Expectation, json: &Value) -> bool {
    let published = expected.published.as_ref().filter(|_| json["model"] == "sc");
    let published = published.and_then(|published| published.to_bug);
    let executions = json["first_bug_execution"].as_u64();
    published.is_some_and(|most| executions.is_none_or(|executions| executions > u64::from(most)))
}

fn explore_samples() {
    let programs = programs();
    let mut all = Vec::new();
    while let Some(program) = programs.get(NEXT.fetch_add(1, Ordering::Relaxed)) {
        all.extend(program.expect.iter().filter_map(|expected| wrong(program, expected)));
    }
    assert!(all.is_empty(), "{} verdicts are wrong:\n{}", all.len(), all.join("\n"));
}

#[test]
fn java_samples_have_the_verdicts_of_the_manifest() {
    explore_samples();
}

#[test]
fn java_samples_have_the_verdicts_of_the_manifest_too() {
    explore_samples();
}

#[test]
fn a_java_program_fails_the_same_way_every_time() {
    // One whose own classes matter, and one in which those of the JDK do, and lambdas are printed.
    for main in ["M", "ExecutorShutdown"] {
        let folder = Folder::new();
        let out = folder.path().join("out");
        let mut command = warpath();
        command.args(["explore", "-q", "--first", "--solver", "yices", "--out"]).arg(&out);
        run(command.args(["--", "java", "-cp"]).arg(classes()).arg(main)).expect_code(1);
        let times = if is_nightly() { "100" } else { "10" };
        let mut command = warpath();
        command.arg("replay").arg(out.join("bug-1.si.toml")).args(["--times", times, "--json", "-"]);
        let replayed = run(&mut command);
        let json = replayed.json();
        assert_eq!(
            (&json["verdict"], json["agreed"].to_string()),
            (&"reproduced".into(), times.to_owned()),
            "{main}"
        );
    }
}

/// Compiles a class `Main` into a folder.
fn compile(folder: &Folder, source: &str) {
    let file = folder.path().join("Main.java");
    std::fs::write(&file, source).expect("a file can be written");
    let done = Command::new("javac")
        .args(["-g", "-cp"])
        .arg(agent())
        .arg("-d")
        .arg(folder.path())
        .arg(file)
        .output();
    let done = done.expect("javac can be run");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn a_bug_that_needs_an_argument_is_found() {
    let folder = Folder::new();
    compile(
        &folder,
        "public class Main {
            static int balance = 10;
            public static void main(String[] a) throws Exception {
                int by = Integer.parseInt(a[1]);
                Thread t = new Thread(() -> { if (a[0].equals(\"pay\")) balance -= by; });
                t.start();
                int seen = balance;
                t.join();
                if (seen - balance == 314) throw new IllegalStateException();
            }
        }",
    );
    let explore = |symbolic: &[&str]| {
        let mut command = warpath();
        command.args(["explore", "-q", "--first", "--json", "-", "--solver", "yices", "--out"]);
        command.arg(folder.path().join("out")).args(symbolic);
        run(command.args(["--", "java", "-cp"]).arg(folder.path()).args(["Main", "get", "123"])).json()
    };
    assert_eq!(explore(&[])["verdict"], "SAFE");
    let json = explore(&["--symbolic", "arg:1", "--symbolic", "arg:2"]);
    assert_eq!(json["verdict"], "BUG", "{json}");
    let si =
        std::fs::read_to_string(folder.path().join("out/bug-1.si.toml")).expect("a schedule was written");
    assert!(si.contains("arg:1") && si.contains("arg:2"), "{si}");
    let mut command = warpath();
    command.arg("replay").arg(folder.path().join("out/bug-1.si.toml")).args(["--json", "-"]);
    assert_eq!(run(&mut command).json()["verdict"], "reproduced");
}

#[test]
fn a_bug_that_needs_lines_of_standard_input_is_found() {
    let folder = Folder::new();
    compile(
        &folder,
        "import java.io.*;
        public class Main {
            static int left = 100;
            public static void main(String[] a) throws Exception {
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
                String order = in.readLine();
                int count = Integer.parseInt(in.readLine());
                Thread t = new Thread(() -> { if (order.startsWith(\"sell\")) left -= count; });
                t.start();
                if (left < 40 && count % 7 == 3) throw new IllegalStateException();
                t.join();
            }
        }",
    );
    let given = folder.path().join("given");
    std::fs::write(&given, "keep it\n12\n").expect("it can be written");
    let stdin = || std::fs::File::open(&given).expect("it can be written");
    let mut command = warpath();
    command.args([
        "explore",
        "-q",
        "--first",
        "--json",
        "-",
        "--solver",
        "yices",
        "--symbolic",
        "stdin:64",
        "--out",
    ]);
    command.arg(folder.path().join("out")).stdin(stdin());
    let json = run(command.args(["--", "java", "-cp"]).arg(folder.path()).arg("Main")).json();
    assert_eq!(json["verdict"], "BUG", "{json}");
    let mut command = warpath();
    command.arg("replay").arg(folder.path().join("out/bug-1.si.toml")).args(["--json", "-"]).stdin(stdin());
    assert_eq!(run(&mut command).json()["verdict"], "reproduced");
}

#[test]
fn a_search_of_other_classes_is_another_search() {
    let folder = Folder::new();
    let source = |wanted: &str| {
        format!(
            "public class Main {{ static int x;
                public static void main(String[] a) throws Exception {{
                    Thread t = new Thread(() -> {{ x++; }}); t.start(); x++; t.join();
                    if (x == {wanted}) throw new IllegalStateException();
                }} }}"
        )
    };
    compile(&folder, &source("7"));
    let explore = |out: &str| {
        let mut command = warpath();
        command
            .args(["explore", "-q", "--json", "-", "--solver", "yices", "--state"])
            .arg(folder.path().join("s"));
        command.arg("--out").arg(folder.path().join(out));
        run(command.args(["--", "java", "-cp"]).arg(folder.path()).arg("Main"))
    };
    let first = explore("one").json();
    assert_eq!(first["verdict"], "SAFE", "{first}");
    // Taken up again, nothing is left to do, and the runs are those of before.
    let again = explore("two").json();
    assert_eq!(
        (&again["verdict"], &again["executions"], &again["paths"]),
        (&first["verdict"], &first["executions"], &first["paths"]),
        "{again}"
    );
    compile(&folder, &source("1"));
    explore("three").expect_code(2).expect_complaint("is the state of another search");
}

#[test]
fn what_is_not_java_is_refused_with_jvm() {
    for words in [&["explore", "--jvm", "--", "true"][..], &["record", "-o", "t.wpt", "--jvm", "--", "true"]]
    {
        let folder = Folder::new();
        let ran = run(warpath().current_dir(folder.path()).args(words));
        ran.expect_code(2).expect_complaint("is not a Java virtual machine").expect_complaint("help: ");
    }
}
