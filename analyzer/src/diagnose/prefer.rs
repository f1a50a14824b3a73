//! Which orderings are preferred where several would do: those near the failure, of the program itself.

use std::cmp::Reverse;
use std::collections::HashMap;

use warpath_trace::event::FailureKind;

use super::occurrence::{OccurrenceId, Occurrences};
use super::ordering::Ordering;
use crate::encode::{Options, Point, is_buffered};
use crate::model::{Forest, Moment, NodeId, Run};

/// When the occurrences of one execution took effect.
#[derive(Clone, Debug, Default)]
pub(super) struct Moments {
    at: HashMap<OccurrenceId, usize>,
}

impl Moments {
    /// Of the recorded run.
    pub(super) fn of_run(
        forest: &Forest,
        options: &Options,
        occurrences: &Occurrences,
        run: &Run,
    ) -> Moments {
        let points = run.steps.iter().map(|step| match *step {
            Moment::Event(id) => Point::Issue(id),
            Moment::Commit(id) => Point::Commit(id),
        });
        Moments::of(forest, options, occurrences, points)
    }

    fn of(
        forest: &Forest,
        options: &Options,
        occurrences: &Occurrences,
        points: impl Iterator<Item = Point>,
    ) -> Moments {
        let mut at = HashMap::new();
        let waits_in_buffer = |id: NodeId| is_buffered(options.model, &forest.node(id).op);
        for (moment, point) in points.enumerate() {
            let Some(occurrence) = occurrences.of_node(point.node()) else { continue };
            match point {
                // Until it leaves the buffer nobody else has seen it.
                Point::Issue(id) if waits_in_buffer(id) => {
                    at.entry(occurrence).or_insert(usize::MAX);
                }
                Point::Issue(_) | Point::Commit(_) => {
                    at.insert(occurrence, moment);
                }
            }
        }
        Moments { at }
    }

    /// When it took effect; `None` if it did not happen.
    pub(super) fn get(&self, id: OccurrenceId) -> Option<usize> {
        self.at.get(&id).copied()
    }

    /// Does the first of the two happen, and the second not before it?
    pub(super) fn has(&self, ordering: Ordering) -> bool {
        match (self.get(ordering.first), self.get(ordering.second)) {
            (Some(first), Some(second)) => first < second,
            (Some(_), None) => true,
            _ => false,
        }
    }
}

/// The orderings by preference, each pair both ways round: as in the failing run first.
pub(super) fn by_preference(
    forest: &Forest,
    occurrences: &Occurrences,
    kind: FailureKind,
    run: &Moments,
    pairs: Vec<Ordering>,
) -> Vec<Ordering> {
    let about_locks = matches!(kind, FailureKind::Deadlock | FailureKind::Livelock);
    let key = |pair: &Ordering| {
        let (a, b) = (occurrences.get(pair.first), occurrences.get(pair.second));
        let foreign = [a, b].iter().filter(|side| forest.node(side.nodes[0]).standard).count();
        let accesses = |id: NodeId| {
            let op = &forest.node(id).op;
            op.read_location().is_some() || op.written().is_some()
        };
        let off_topic = (accesses(a.nodes[0]) && accesses(b.nodes[0])) == about_locks;
        let moments = [run.get(pair.first), run.get(pair.second)];
        let happened = moments.iter().flatten().count();
        let latest = moments.iter().flatten().max().copied();
        let earliest = moments.iter().flatten().min().copied();
        (foreign, off_topic, Reverse(happened), Reverse(latest), Reverse(earliest), *pair)
    };
    let mut sorted = pairs;
    sorted.sort_by_cached_key(key);
    let both = |pair: Ordering| match run.has(pair.reversed()) {
        true => [pair.reversed(), pair],
        false => [pair, pair.reversed()],
    };
    sorted.into_iter().flat_map(both).collect()
}
