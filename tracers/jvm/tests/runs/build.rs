//! Compiling and running.

use std::path::Path;
use std::process::Command;

use warpath_jvm::run::{Follow, JvmProgram, Output, Plan, Policy, Run, RunOptions, Strictness};
use warpath_trace::trace::Trace;

/// Compiled classes in a folder of their own.
pub struct Built {
    folder: tempfile::TempDir,
}

/// Compiles a source file that has the class `Main`.
pub fn java(source: &str) -> Built {
    java_files(&[("Main.java", source)])
}

/// Compiles several source files.
pub fn java_files(sources: &[(&str, &str)]) -> Built {
    let folder = tempfile::tempdir().unwrap();
    let written = sources.iter().map(|(name, source)| {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, source).unwrap();
        file
    });
    let files: Vec<_> = written.collect();
    let api = Path::new(env!("CARGO_MANIFEST_DIR")).join("agent/target/warpath-agent-api.jar");
    let done = Command::new("javac")
        .args(["-g", "-nowarn", "-cp"])
        .arg(api)
        .arg("-d")
        .arg(folder.path())
        .args(&files)
        .output()
        .expect("there is a Java compiler; run scripts/setup");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Built { folder }
}

impl Built {
    /// The bytes of a class.
    pub fn class(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.folder.path().join(name).with_extension("class")).unwrap()
    }

    /// The program, ready to be run.
    pub fn program(&self) -> JvmProgram {
        self.program_with(&[])
    }

    /// The program with arguments.
    pub fn program_with(&self, arguments: &[&str]) -> JvmProgram {
        let api = Path::new(env!("CARGO_MANIFEST_DIR")).join("agent/target/warpath-agent-api.jar");
        let path = format!("{}:{}", self.folder.path().display(), api.display());
        let command = ["java", "-ea", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-cp", &path, "Main"];
        let command = command.iter().chain(arguments).map(|&word| word.to_owned());
        JvmProgram::new(command.collect())
            .expect("the agent is built; run scripts/setup and `mvn -q package` in tracers/jvm/agent")
    }

    /// Runs it until nothing new is found to be shared.
    pub fn record(&self) -> Run {
        self.record_by(Policy::RunToBlock)
    }

    /// The same with another policy.
    pub fn record_by(&self, policy: Policy) -> Run {
        let run = self.program().record(&Plan::by_policy(options(), policy)).unwrap();
        checked(&run);
        run
    }
}

/// Everything is compared that can be.
pub fn options() -> RunOptions {
    RunOptions {
        output: Output::Keep,
        check_expressions: true,
        max_time: std::time::Duration::from_secs(60),
        ..RunOptions::default()
    }
}

/// The trace makes sense, and every method was followed to its end.
pub fn checked(run: &Run) {
    run.trace.check().unwrap_or_else(|error| panic!("{error}\n{}", text(&run.trace)));
    assert!(run.lost.is_empty(), "{:?}\n{}", run.lost, text(&run.trace));
}

/// The events of a trace as text, without the tables.
pub fn text(trace: &Trace) -> String {
    let mut text = Vec::new();
    warpath_trace::text::print(trace, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// The events of a trace, without offsets and functions.
pub fn events(trace: &Trace) -> Vec<String> {
    let text = text(trace);
    let lines = text.lines().filter(|line| line.starts_with("T0"));
    let short = |line: &str| match line.split_once(" @") {
        Some((event, place)) => format!("{event} @{}", place.split(' ').next().unwrap_or_default()),
        None => line.to_owned(),
    };
    lines.map(short).collect()
}

/// What a run failed of: kind, message, place.
pub fn failure(run: &Run) -> (warpath_trace::event::FailureKind, String, String) {
    let failed = run.trace.failed().unwrap_or_else(|| panic!("{:?}\n{}", run.end, text(&run.trace)));
    (failed.kind, failed.message, failed.place)
}

/// By its schedule a run happens again, event by event.
pub fn happens_again(built: &Built, run: &Run) {
    let si = warpath_trace::si::Si::of_run(&run.trace).unwrap();
    let mut program = built.program();
    program.share(&si);
    let follow = Follow::new(si.schedule.clone(), Strictness::Strict);
    let options = RunOptions { inputs: si.inputs, model: si.model, ..options() };
    let again = program.run(&Plan { options, follow, policy: Policy::RunToBlock }).unwrap();
    checked(&again);
    assert_eq!(again.end, run.end, "{}\n{}", text(&run.trace), text(&again.trace));
    let schedule = warpath_trace::si::Si::of_run(&again.trace).unwrap().schedule;
    assert_eq!(schedule, si.schedule);
    // When a thread comes to what nobody else can notice is a matter of when it has its next turn.
    let by_thread = |trace: &Trace| {
        let mut events = events(trace);
        events.sort_by_key(|event| event.split(' ').next().map(str::to_owned));
        events
    };
    assert_eq!(by_thread(&again.trace), by_thread(&run.trace));
    assert!(!again.sharing_grew);
}
