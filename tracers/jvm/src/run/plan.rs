//! The plan, as the agent reads it.

use std::collections::BTreeMap;
use std::fmt::Write;

use warpath_trace::event::Verb;
use warpath_trace::header::MemoryModel;
use warpath_trace::si::{Expected, Step, Visible};

use super::options::{RunOptions, Source};
use super::schedule::{Follow, Policy, Strictness};
use super::sharing::Sharing;

/// The text of a plan.
pub(super) fn text(options: &RunOptions, follow: &Follow, policy: Policy, shared: &Sharing) -> String {
    let mut plan = Plan(String::from("warpath-jvm-plan\t1\n"));
    let model = match options.model {
        MemoryModel::Sc => "sc",
        MemoryModel::Tso => "tso",
        MemoryModel::Pso => "pso",
    };
    plan.line(&["model", model]);
    plan.line(&["policy", &policy_words(policy)]);
    let strictness = match follow.strictness {
        Strictness::Strict => "strict",
        Strictness::Lenient => "lenient",
    };
    plan.line(&["follow", strictness]);
    if follow.passes_others {
        plan.line(&["pass-others"]);
    }
    plan.line(&["max-events", &options.max_events.to_string()]);
    if let Some(then) = &follow.then {
        plan.line(&["then", &then.to_string()]);
    }
    for (n, input) in options.inputs.iter().enumerate() {
        let earlier = &options.inputs[..n];
        if earlier.iter().any(|other| (&other.name, other.nth) == (&input.name, input.nth)) {
            continue;
        }
        let (nth, width) = (input.nth.to_string(), input.width.to_string());
        plan.line(&["input", &input.name, &nth, &width, &format!("{:x}", input.value)]);
    }
    for source in &options.symbolic {
        match source {
            Source::Stdin { bytes } => plan.line(&["symbolic", "stdin", &bytes.to_string()]),
            Source::Argument(position) => plan.line(&["symbolic", "arg", &position.to_string()]),
            Source::Environment(name) => plan.line(&["symbolic", "env", name]),
            Source::Random => plan.line(&["symbolic", "random"]),
            Source::Time => plan.line(&["symbolic", "time"]),
        }
    }
    for location in shared.locations() {
        plan.line(&["shared", location]);
    }
    for prefix in &options.include {
        plan.line(&["include", prefix]);
    }
    for prefix in &options.exclude {
        plan.line(&["exclude", prefix]);
    }
    plan.steps(&follow.steps);
    plan.0
}

fn policy_words(policy: Policy) -> String {
    match policy {
        Policy::RunToBlock => "run-to-block".into(),
        Policy::RoundRobin => "round-robin".into(),
        Policy::Random { seed } => format!("random {seed}"),
        Policy::Pct { seed, depth, steps } => format!("pct {seed} {depth} {steps}"),
    }
}

struct Plan(String);

impl Plan {
    fn line(&mut self, fields: &[&str]) {
        let escape = |field: &&str| {
            let escaped = field.replace('\\', "\\\\").replace('\t', "\\t");
            escaped.replace('\n', "\\n").replace('\r', "\\r")
        };
        let fields: Vec<String> = fields.iter().map(escape).collect();
        self.0.push_str(&fields.join("\t"));
        self.0.push('\n');
    }

    /// The steps. What a trace writes as a region of several operations is one step of the agent's, and what the adapter
    /// has added to say what a permit is, none.
    fn steps(&mut self, steps: &[Step]) {
        let mut at = 0;
        let mut put_off = BTreeMap::new();
        while let Some(step) = steps.get(at) {
            at += 1;
            match &step.what {
                Visible::Any(count) => {
                    let thread = step.thread.to_string();
                    let _ = writeln!(self.0, "step\t{thread}\t*\t{count}");
                }
                Visible::Event(expected) if expected.verb == Verb::AtomicBegin => {
                    let own = |step: &&Step| matches!(&step.what, Visible::Event(inner) if inner.verb != Verb::AtomicEnd);
                    let ends_wait = |step: &&Step| is_interrupt(step);
                    let same = |other: &&Step| other.thread == step.thread;
                    match steps.get(at).filter(own).filter(same) {
                        // The wait that it ended was put off until here.
                        Some(first) if ends_wait(&first) => {
                            if let Some(wait) = put_off.remove(&step.thread) {
                                self.step(wait);
                            }
                        }
                        Some(first) => self.step(first),
                        // Nothing was taken or given, but there was a step.
                        None => {
                            let _ = writeln!(self.0, "step\t{}\t*\t1", step.thread);
                        }
                    }
                    // Nobody else has a step before its end.
                    while let Some(inner) = steps.get(at).filter(same) {
                        at += 1;
                        if matches!(&inner.what, Visible::Event(inner) if inner.verb == Verb::AtomicEnd) {
                            break;
                        }
                    }
                }
                Visible::Event(expected) if is_added(expected) => {}
                // A wait cannot end by an interrupt before there is one, which is said behind it.
                Visible::Event(_) if is_interrupted(step, &steps[at..]) => {
                    put_off.insert(step.thread.clone(), step);
                }
                Visible::Event(_) => self.step(step),
            }
        }
    }

    fn step(&mut self, step: &Step) {
        let Visible::Event(expected) = &step.what else { return };
        let text = expected.to_string();
        let verb = text.split(' ').next().unwrap_or_default();
        let location = expected.location.as_deref().unwrap_or_default();
        let place = expected.place.as_deref().unwrap_or_default();
        self.line(&["step", &step.thread.to_string(), verb, location, place]);
    }
}

/// Is it an event that the agent knows nothing of?
fn is_added(expected: &Expected) -> bool {
    let unit = |location: &String| location.starts_with("permit(") || location.starts_with("interrupt(");
    expected.verb == Verb::Init && expected.location.as_ref().is_some_and(unit)
}

/// Does the step wait for the thread to be interrupted?
fn is_interrupt(step: &Step) -> bool {
    let unit = |location: &String| location.starts_with("interrupt(");
    matches!(&step.what, Visible::Event(expected)
        if expected.verb == Verb::SemWait && expected.location.as_ref().is_some_and(unit))
}

/// Is it a wait that an interrupt ends, as the thread's next steps say?
fn is_interrupted(step: &Step, later: &[Step]) -> bool {
    let mut own = later
        .iter()
        .filter(|other| other.thread == step.thread)
        .filter(|step| !matches!(&step.what, Visible::Event(expected) if is_added(expected)));
    let begins =
        |step: &Step| matches!(&step.what, Visible::Event(expected) if expected.verb == Verb::AtomicBegin);
    own.next().is_some_and(begins) && own.next().is_some_and(is_interrupt)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(schedule: &[&str]) -> String {
        let steps = schedule.iter().map(|step| step.parse().unwrap()).collect();
        let follow = Follow::new(steps, Strictness::Strict);
        let mut shared = Sharing::default();
        shared.insert("a.B@T0:1.x".into());
        let text = text(&RunOptions::default(), &follow, Policy::RunToBlock, &shared);
        text.lines().filter(|line| !line.starts_with("max-events")).map(|line| format!("{line}\n")).collect()
    }

    #[test]
    fn a_plan_has_a_line_for_each_thing() {
        let wanted = "warpath-jvm-plan\t1\nmodel\tsc\npolicy\trun-to-block\nfollow\tstrict\nshared\ta.B@T0:1.x\n\
                      step\tT0.1\tw\ta.B@T0:1.x\tB.java:3\nstep\tT0\t*\t2\nstep\tT0\tjoin\tT0.1\t\n";
        assert_eq!(plan(&["T0.1 w \"a.B@T0:1.x\" @B.java:3", "T0 *2", "T0 join T0.1"]), wanted);
    }

    #[test]
    fn a_region_is_one_step_and_what_was_added_none() {
        let steps = [
            "T0 init permit(T0.1)",
            "T0 sem-post permit(T0.1)",
            "T0 atomic-begin @A.java:2",
            "T0 sem-wait s @A.java:2",
            "T0 sem-wait s @A.java:2",
            "T0 atomic-end @A.java:2",
            "T0 end",
        ]
        .map(|step| step.replace("permit(T0.1)", "\"permit(T0.1)\""));
        let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
        let text = plan(&steps);
        let rest: Vec<&str> = text.lines().filter(|line| line.starts_with("step")).collect();
        let wanted =
            ["step\tT0\tsem-post\tpermit(T0.1)\t", "step\tT0\tsem-wait\ts\tA.java:2", "step\tT0\tend\t\t"];
        assert_eq!(rest, wanted);
    }
}
