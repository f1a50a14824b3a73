//! Events and orderings in words.

use warpath_analyzer::diagnose::{Cause, Occurrence, Occurrences, Ordering};
use warpath_analyzer::model::Forest;
use warpath_trace::event::Verb;
use warpath_trace::header::MemoryModel;
use warpath_trace::si::Expected;

use crate::present::file_and_line;

/// The word that traces have for it: `r`, `w`, `lock`.
pub(super) fn word(verb: Verb) -> String {
    Expected { verb, location: None, place: None }.to_string()
}

/// `sc`, `tso` or `pso`.
pub(super) fn model(model: MemoryModel) -> String {
    let name = match model {
        MemoryModel::Sc => "sc",
        MemoryModel::Tso => "tso",
        MemoryModel::Pso => "pso",
    };
    name.to_owned()
}

/// What a thread does, as the predicate of a sentence: "writes `x`", "locks `l`".
fn does(verb: Verb, object: &str) -> String {
    let what = if object.is_empty() { String::new() } else { format!(" `{object}`") };
    let verb = match verb {
        Verb::Read => "reads",
        Verb::Write => "writes",
        Verb::Rmw => "updates",
        Verb::Lock | Verb::WrLock => "locks",
        Verb::RdLock => "locks (to read)",
        Verb::Unlock | Verb::RdUnlock | Verb::WrUnlock => "unlocks",
        Verb::CondWait | Verb::FutexWait => "begins to wait on",
        Verb::CondWake | Verb::FutexResume => "goes on behind its wait on",
        Verb::Signal | Verb::FutexWake | Verb::FutexRequeue => "wakes a waiter of",
        Verb::Broadcast => "wakes all waiters of",
        Verb::SemWait => "takes a unit of",
        Verb::SemPost => "gives a unit to",
        Verb::SemValue => "counts the units of",
        Verb::BarrierArrive => "arrives at",
        Verb::Once => "comes to",
        Verb::Free => "frees",
        other => return format!("does `{}`{what}", word(other)),
    };
    format!("{verb}{what}")
}

/// "second ", "3rd ", …; nothing for the first.
fn time(nth: u32) -> String {
    match nth {
        0 => String::new(),
        1 => " for the second time".to_owned(),
        2 => " for the third time".to_owned(),
        nth => format!(" for the {}th time", nth + 1),
    }
}

/// `m.c:38` of `src/m.c:38:9`.
pub(super) fn short_place(place: &str) -> String {
    match file_and_line(place) {
        Some((file, line)) => format!("{}:{line}", file.rsplit('/').next().unwrap_or(file)),
        None => place.to_owned(),
    }
}

/// "T0.1 writes `x` (m.c:38)".
pub(super) fn side(forest: &Forest, occurrence: &Occurrence) -> String {
    let place = short_place(&occurrence.at);
    let place = if place.is_empty() { place } else { format!(" ({place})") };
    format!(
        "{} {}{}{place}",
        forest.key(occurrence.tree),
        does(occurrence.verb, &occurrence.object),
        time(occurrence.nth)
    )
}

/// "T0.1 writes `x` (m.c:38) before T0.2 reads it (m.c:40)".
pub(super) fn ordering(forest: &Forest, occurrences: &Occurrences, ordering: &Ordering) -> String {
    let (first, second) = (occurrences.get(ordering.first), occurrences.get(ordering.second));
    let mut later = side(forest, second);
    if !first.object.is_empty() && first.object == second.object {
        later = later.replacen(&format!("`{}`", second.object), "it", 1);
    }
    format!("{} before {later}", side(forest, first))
}

/// All orderings of a cause.
pub(super) fn cause(forest: &Forest, occurrences: &Occurrences, cause: &Cause) -> String {
    let parts: Vec<String> = cause.orderings.iter().map(|one| ordering(forest, occurrences, one)).collect();
    match parts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{}, and {last}", rest.join(", ")),
        None => String::new(),
    }
}
