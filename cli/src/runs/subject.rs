//! A program under whichever tracer runs it. The native tracer's words for plans and outcomes are the commands' own;
//! those of the JVM tracer are put into them here.

use std::path::Path;

use warpath_jvm::lift::without_addresses;
use warpath_jvm::run as jvm;
use warpath_native::run::{self as native, Divergence, End, Failure, Follow, Plan, Policy, Run, Source, Why};
use warpath_trace::si::Si;

use super::program::explained;
use crate::failure::{advise, advised};
use crate::options::Program;

/// A program, ready to be run.
pub(crate) enum Subject {
    /// An executable.
    Native(Box<native::Program>),
    /// A Java program.
    Jvm(Box<jvm::JvmProgram>),
}

/// Is the command that of a Java virtual machine?
pub(crate) fn is_java(command: &Path) -> bool {
    command.file_name().is_some_and(|name| name == "java")
}

/// Refuses `--jvm` for what is not `java …`.
pub(crate) fn expect_java(program: &Program) -> anyhow::Result<()> {
    if is_java(program.name()) {
        return Ok(());
    }
    let what = format!("`{}` is not a Java virtual machine", program.name().display());
    Err(advised(what, "write the command with `java`, as in `-- java -cp target/classes Main`"))
}

impl Subject {
    pub(crate) fn open(program: &Program) -> anyhow::Result<Subject> {
        if !is_java(program.name()) {
            let (arguments, world) = (program.arguments().to_vec(), program.world().clone());
            let opened = native::Program::in_world(program.name(), arguments, world);
            return Ok(Subject::Native(Box::new(opened.map_err(explained)?)));
        }
        let name = program.name().as_os_str();
        let words = std::iter::once(name).chain(program.arguments().iter().map(AsRef::as_ref));
        let words: Option<Vec<String>> = words.map(|word| word.to_str().map(str::to_owned)).collect();
        let words = words.ok_or_else(|| {
            advised("an argument of the Java program is not Unicode", "the JVM tracer takes only text")
        })?;
        Ok(Subject::Jvm(Box::new(jvm::JvmProgram::new(words).map_err(told)?)))
    }

    /// The native program, if it is one.
    pub(crate) fn native(&mut self) -> Option<&mut native::Program> {
        match self {
            Subject::Native(program) => Some(program),
            Subject::Jvm(_) => None,
        }
    }

    /// Its build id in hexadecimal; empty if it has none.
    pub(crate) fn build_id(&self) -> String {
        let bytes = match self {
            Subject::Native(program) => program.facts().build_id.clone().unwrap_or_default(),
            Subject::Jvm(program) => program.build_id().to_vec(),
        };
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Takes as shared what a schedule was made with, and nothing else.
    pub(crate) fn share(&mut self, si: &Si) {
        match self {
            Subject::Native(program) => program.share(si),
            Subject::Jvm(program) => program.share(si),
        }
    }

    /// Runs it once; and the number of the run, if its trace can be made once more without.
    pub(crate) fn run_keeping(&mut self, plan: &Plan) -> anyhow::Result<(Run, Option<u64>)> {
        match self {
            Subject::Native(program) => Ok((program.run(plan).map_err(explained)?, None)),
            Subject::Jvm(program) => {
                let made = program.run(&planned(plan)?).map_err(told)?;
                let kept = made.kept.map(|kept| kept.0);
                Ok((run(made, plan), kept))
            }
        }
    }

    /// The trace of a run that was made before, with what is known by now; `None` if it has to be made again.
    pub(crate) fn again(&mut self, kept: u64, plan: &Plan) -> anyhow::Result<Option<Run>> {
        match self {
            Subject::Native(_) => Ok(None),
            Subject::Jvm(program) => {
                let made = program.again(jvm::KeptRun(kept), &planned(plan)?.options).map_err(told)?;
                Ok(made.map(|made| run(made, plan)))
            }
        }
    }

    /// Runs it until nothing new is found to be shared.
    pub(crate) fn record(&mut self, plan: &Plan) -> anyhow::Result<Run> {
        match self {
            Subject::Native(program) => program.record(plan).map_err(explained),
            Subject::Jvm(program) => Ok(run(program.record(&planned(plan)?).map_err(told)?, plan)),
        }
    }

    /// Runs it by a schedule.
    pub(crate) fn replay(&mut self, plan: &Plan) -> anyhow::Result<Run> {
        match self {
            Subject::Native(program) => program.replay(plan).map_err(explained),
            Subject::Jvm(program) => Ok(run(program.replay(&planned(plan)?).map_err(told)?, plan)),
        }
    }

    /// Did two runs write the same? What a JVM calls its lambdas is not the program's doing.
    pub(crate) fn wrote_alike(&self, one: &Run, other: &Run) -> bool {
        let plain = |run: &Run| -> Vec<(i32, String)> {
            let text = |bytes: &[u8]| without_addresses(&String::from_utf8_lossy(bytes));
            run.output.iter().map(|(stream, bytes)| (*stream, text(bytes))).collect()
        };
        one.output == other.output || (matches!(self, Subject::Jvm(_)) && plain(one) == plain(other))
    }
}

/// An error of the JVM tracer with what can be done about it.
fn told(error: jvm::JvmError) -> anyhow::Error {
    let help = match &error {
        jvm::JvmError::Java(_) => "install a JDK (scripts/setup does), or name its `java` with the path",
        jvm::JvmError::Agent(_) => "`make build` builds it, too",
        jvm::JvmError::Died { .. } => "does the program run without Warpath?",
        _ => "please report it with the program, if you may share that",
    };
    let text = error.to_string();
    advise(error, text, help)
}

fn planned(plan: &Plan) -> anyhow::Result<jvm::Plan> {
    let options = &plan.options;
    if !options.repair.is_empty() {
        let help = "make the change in the source, and explore that";
        return Err(advised("repairs cannot be assumed of Java programs", help));
    }
    let symbolic: anyhow::Result<Vec<jvm::Source>> = options.symbolic.iter().map(source).collect();
    Ok(jvm::Plan {
        options: jvm::RunOptions {
            symbolic: symbolic?,
            inputs: options.inputs.clone(),
            model: options.model,
            values: options.values,
            max_expressions: options.max_expressions,
            max_events: options.max_events,
            output: match options.output {
                native::Output::Inherit => jvm::Output::Inherit,
                native::Output::Keep => jvm::Output::Keep,
                native::Output::Discard => jvm::Output::Discard,
            },
            max_output: options.max_output,
            fail_on_exit: options.fail_on_exit,
            check_expressions: options.check_expressions || options.verify,
            cancel: std::sync::Arc::clone(&options.cancel),
            ..jvm::RunOptions::default()
        },
        follow: follow(&plan.follow),
        policy: match plan.policy {
            Policy::RunToBlock => jvm::Policy::RunToBlock,
            Policy::RoundRobin => jvm::Policy::RoundRobin,
            Policy::Random { seed } => jvm::Policy::Random { seed },
            Policy::Pct { seed, depth, steps } => jvm::Policy::Pct { seed, depth, steps },
        },
    })
}

fn source(source: &Source) -> anyhow::Result<jvm::Source> {
    Ok(match source {
        Source::Stdin { bytes } => jvm::Source::Stdin { bytes: *bytes },
        Source::Argument(nth) => jvm::Source::Argument(*nth),
        Source::Environment(name) => jvm::Source::Environment(name.clone()),
        Source::Random => jvm::Source::Random,
        Source::Time => jvm::Source::Time,
        Source::File { path, .. } => {
            let what = format!("`{}`: files of Java programs cannot be symbolic", path.display());
            return Err(advised(what, "let the program take it from standard input, or as an argument"));
        }
    })
}

fn follow(follow: &Follow) -> jvm::Follow {
    let strictness = match follow.strictness() {
        native::Strictness::Strict => jvm::Strictness::Strict,
        native::Strictness::Lenient => jvm::Strictness::Lenient,
    };
    let mut followed = jvm::Follow::new(follow.steps().to_vec(), strictness);
    if follow.passes_some() {
        followed = followed.passing_others();
    }
    match follow.goes_on_with() {
        Some(thread) => followed.then(thread.clone()),
        None => followed,
    }
}

fn run(run: jvm::Run, plan: &Plan) -> Run {
    let end = match run.end {
        jvm::End::Exited(status) => End::Exited(status),
        jvm::End::Failed(failure) => End::Failed(Failure::new(failure.kind, failure.message)),
        jvm::End::Stopped(why) => End::Stopped(stopped(why)),
    };
    let events = run.trace.listing().filter(|(_, _, event)| event.op.is_visible() && !event.op.is_pending());
    let taken = events.count();
    Run {
        left: plan.follow.steps().len().saturating_sub(taken),
        trace: run.trace,
        end,
        sharing_grew: run.sharing_grew,
        instructions: 0,
        hardware_steps: 0,
        skipped: 0,
        guided: None,
        output: run.output,
    }
}

fn stopped(why: jvm::Why) -> Why {
    match why {
        jvm::Why::Events(limit) => Why::Events(limit),
        jvm::Why::Expressions(limit) => Why::Expressions(limit),
        jvm::Why::Output(limit) => Why::Output(limit),
        jvm::Why::Time(seconds) => Why::Time(seconds),
        jvm::Why::Assumption => Why::Assumption,
        jvm::Why::Interrupted => Why::Interrupted,
        jvm::Why::Diverged(divergence) => Why::Diverged(Box::new(divergence_of(&divergence.0))),
    }
}

/// The agent says it as the native tracer does.
fn divergence_of(text: &str) -> Divergence {
    let parts = || {
        let (step, rest) = text.strip_prefix("at step ")?.split_once(" of ")?;
        let (steps, rest) = rest.split_once(" the schedule says `")?;
        let (expected, found) = rest.split_once("`, but ")?;
        let (expected, found) = (expected.to_owned(), found.to_owned());
        Some(Divergence { step: step.parse().ok()?, steps: steps.parse().ok()?, expected, found })
    };
    parts().unwrap_or_else(|| Divergence {
        step: 0,
        steps: 0,
        expected: String::new(),
        found: text.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divergences_read_alike_whoever_says_them() {
        let said =
            Divergence { step: 3, steps: 9, expected: "T0.1 w x".into(), found: "T0.1 has ended".into() };
        assert_eq!(divergence_of(&said.to_string()), said);
    }

    #[test]
    fn java_is_known_by_its_name() {
        assert!(is_java(Path::new("java")) && is_java(Path::new("/usr/lib/jvm/x/bin/java")));
        assert!(!is_java(Path::new("./javac")) && !is_java(Path::new("/")));
    }
}
