//! Deadlocks.

use super::checker::{Answered, CheckError, Checker, MainEnd, What};
use super::finding::Involved;
use super::property::Kind;
use crate::model::NodeId;
use crate::queries::deadlock::{DeadlockOptions, Need, Wait, Waits, deadlock, holds, not_followed};
use crate::queries::survey::Survey;

/// After so many different deadlocks the search for more stops.
const MOST_FINDINGS: usize = 64;

pub(super) fn check(checker: &mut Checker<'_, '_>) -> Result<(), CheckError> {
    let formula = checker.options.formula;
    let main_ends = checker.options.main_end == MainEnd::LeavesThreads;
    let waits = Waits::of(&checker.survey, main_ends, formula.spurious_wakeups);
    checker.statistics.candidates = waits.all;
    checker.statistics.filter("lock order", waits.all - waits.left.len() as u64);
    for queue in not_followed(&checker.survey, &waits.left) {
        checker.not_asked(
            format!("Can a wait for {} last for ever?", checker.survey.location(queue)),
            "too many events wait on it and wake, or they are moved to another queue".to_owned(),
        );
    }
    let mut known: Vec<Vec<String>> = checker.known().cloned().collect();
    known.iter_mut().for_each(Vec::dedup);
    let before = known.len();
    while !waits.left.is_empty() && known.len() < before + MOST_FINDINGS {
        let options = DeadlockOptions { formula, main_ends };
        let mut asked = deadlock(&checker.survey, options, &waits.left, &known)?;
        let Answered::Yes { execution, model, .. } = checker.ask(&mut asked.question)? else { break };
        let model = model.expect("a question of its own comes with its model");
        let circle = circle(&checker.survey, &asked.blocked(&model));
        let what = describe(&checker.survey, &circle);
        let mut places: Vec<String> = what.events.iter().map(|event| event.place.clone()).collect();
        places.sort_unstable();
        places.dedup();
        checker.found(&execution, what, |_| asked.question.script())?;
        known.push(places);
    }
    if known.len() == before + MOST_FINDINGS {
        checker.not_asked(
            "Are there more deadlocks?".to_owned(),
            format!("the search stops after {MOST_FINDINGS} different ones"),
        );
    }
    Ok(())
}

/// A wait of a circle and the wait of the thread it waits for; `None` if it waits for anybody.
struct Step {
    wait: Wait,
    on: Option<NodeId>,
}

/// Threads that wait for each other; or one that waits for anybody, when nobody is left.
fn circle(survey: &Survey<'_>, blocked: &[Wait]) -> Vec<Step> {
    let mut path: Vec<Step> = Vec::new();
    let mut current = blocked.first().copied();
    while let Some(wait) = current {
        if let Some(start) = path.iter().position(|step| step.wait.node == wait.node) {
            path.drain(..start);
            return path;
        }
        let on = blocked.iter().copied().find(|other| is_waited_for(survey, wait, *other));
        if on.is_none() {
            path.clear();
        }
        path.push(Step { wait, on: on.map(|on| on.node) });
        current = on;
    }
    path
}

/// Does the thread of `other` have what `wait` needs?
fn is_waited_for(survey: &Survey<'_>, wait: Wait, other: Wait) -> bool {
    let tree = |node| survey.forest.node(node).tree;
    match wait.need {
        Need::Object(object, mode) => holds(survey, other.node, object, mode.into()),
        Need::End(child) => tree(other.node) == child,
        Need::Wake { mutex: Some(mutex), .. } => {
            tree(other.node) != tree(wait.node)
                && holds(survey, other.node, mutex, warpath_trace::event::RwMode::Write)
        }
        _ => false,
    }
}

fn describe(survey: &Survey<'_>, circle: &[Step]) -> What {
    let forest = survey.forest;
    let thread = |id: NodeId| forest.key(forest.node(id).tree);
    let mut events = Vec::new();
    for Step { wait, on } in circle {
        let need = match wait.need {
            Need::Object(object, _) => survey.location(object).to_owned(),
            Need::End(child) => format!("the end of {}", forest.key(child)),
            Need::Wake { mutex: Some(mutex), .. } if on.is_some() => survey.location(mutex).to_owned(),
            Need::Wake { queue, .. } => format!("a wake of {}", survey.location(queue)),
            Need::Unit(semaphore) => format!("a unit of {}", survey.location(semaphore)),
            Need::Round(barrier) => format!("the others at {}", survey.location(barrier)),
        };
        let role = match (on, wait.need) {
            (Some(_), Need::End(_)) => format!("waits for {need}"),
            (Some(on), _) => format!("waits for {need}, which {} has", thread(*on)),
            (None, Need::Object(..)) => format!("waits for {need}, whose holder has ended"),
            (None, _) => format!("waits for {need}, and nobody is left to help"),
        };
        events.push(Involved::new(forest, wait.node, role));
    }
    let threads: Vec<String> = circle.iter().map(|step| thread(step.wait.node).to_string()).collect();
    let places: Vec<String> = circle.iter().map(|step| forest.place(step.wait.node)).collect();
    let (summary, reason) = match circle {
        [Step { wait, on: Some(on) }] if wait.node == *on => (
            format!("deadlock: {} waits for itself at {}", threads[0], places[0]),
            "the thread holds the lock already; the schedule leads there".to_owned(),
        ),
        [Step { on: None, .. }] => (
            format!("deadlock: {} waits for ever at {}", threads[0], places[0]),
            "the schedule leads to a state in which every other thread has ended or waits for ever, too"
                .to_owned(),
        ),
        _ => (
            format!("deadlock of {}: {}", threads.join(", "), places.join(", ")),
            format!(
                "each of the {} waits for what the next one has; the schedule takes each to its wait",
                circle.len()
            ),
        ),
    };
    What { kind: Kind::Deadlock, storage: None, summary, reason, events }
}
