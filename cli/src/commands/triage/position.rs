//! When two findings of different traces are about the same code.

use crate::present::file_and_line;

/// What stands for an event in every trace: the file and the line; a module and an address without debug information;
/// and where a trace has neither, what it does to what.
pub(super) fn position(place: &str, verb: &str, what: &str) -> String {
    match file_and_line(place) {
        Some((file, line)) => format!("{file}:{line}"),
        // `T0.1#12` is the name of an event: the next run has another one there.
        None if place.is_empty() || is_event_name(place) => format!("{verb} {what}"),
        None => place.to_owned(),
    }
}

fn is_event_name(place: &str) -> bool {
    let Some((thread, number)) = place.split_once('#') else { return false };
    let number = number.split('~').next().unwrap_or_default();
    thread.starts_with('T')
        && thread[1..].split('.').all(|part| part.parse::<u32>().is_ok())
        && number.parse::<u64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_events_are_not_part_of_a_cause() {
        assert_eq!(position("src/m.c:38:9", "writes", "x"), "src/m.c:38");
        assert_eq!(position("m.c:38", "writes", "x"), "m.c:38");
        assert_eq!(position("libz.so+0x3f", "writes", "x"), "libz.so+0x3f");
        assert_eq!(position("T0.1#3", "writes", "x"), "writes x");
        assert_eq!(position("T0.1#3~2", "writes", "x"), "writes x");
        assert_eq!(position("", "writes", "x"), "writes x");
        assert_eq!(position("Thread#3", "writes", "x"), "Thread#3");
    }
}
