//! Who accessed what in any run: two threads may share a location that no single run has shown both of them at.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use warpath_trace::thread::ThreadKey;

use super::kept::{KeptRun, KeptRuns, Remains};
use super::sharing::Sharing;
use crate::lift::Usage;

/// Who accessed what in any run of a program, also if several instances of it run at the same time; and the runs.
#[derive(Clone, Default)]
pub struct Together {
    accesses: Arc<Mutex<FxHashMap<String, Known>>>,
    runs: Arc<Mutex<KeptRuns>>,
}

/// One thread is all that is needed to know: with a second one the location is shared, or only read.
#[derive(Clone, Debug)]
struct Known {
    first: ThreadKey,
    several: bool,
    written: bool,
}

impl Together {
    /// Adds the accesses of a run. Answers the locations that are accessed by two threads, one of them writing.
    pub(crate) fn add(&self, usage: Usage) -> Sharing {
        // Notes are added one by one; whoever stopped in the middle has left good ones.
        let mut known = self.accesses.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = Sharing::default();
        for (location, thread, writes) in usage {
            let note = known.entry(location.clone()).or_insert_with(|| Known {
                first: thread.clone(),
                several: false,
                written: false,
            });
            note.several |= note.first != thread;
            note.written |= writes;
            if note.several && note.written {
                found.insert(location);
            }
        }
        found
    }

    /// Keeps a run, if there is room.
    pub(super) fn keep(&self, remains: &Remains) -> Option<KeptRun> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).keep(remains)
    }

    /// A run that was kept, if it still is.
    pub(super) fn kept(&self, run: KeptRun) -> Option<Remains> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).get(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_looked_at_together() {
        let key = |text: &str| text.parse::<ThreadKey>().unwrap();
        let together = Together::default();
        assert!(
            together.add(vec![("x".into(), key("T0.0"), true), ("y".into(), key("T0.0"), false)]).is_empty()
        );
        let found = together.add(vec![("x".into(), key("T0.1"), false), ("y".into(), key("T0.1"), false)]);
        assert_eq!(found.locations().collect::<Vec<_>>(), ["x"]);
        assert!(together.add(vec![("z".into(), key("T0"), true), ("z".into(), key("T0"), false)]).is_empty());
    }
}
