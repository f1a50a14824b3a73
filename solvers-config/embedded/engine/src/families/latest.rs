//! Reads, which see the latest of the writes before them.

use super::{Guards, Instance, Part};
use crate::order::Node;
use crate::sat::Lit;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Write {
    pub(crate) seen: Lit,
    pub(crate) done: Lit,
    pub(crate) at: Node,
}

#[derive(Debug)]
pub(crate) struct Latest {
    pub(crate) guards: Guards,
    pub(crate) read: Node,
    /// What was there first is seen.
    pub(crate) first: Lit,
    pub(crate) writes: Vec<Write>,
}

impl Latest {
    /// What is said at once: what is seen is done, and before the read.
    pub(super) fn at_once(&self, instances: &mut Vec<Instance>) {
        for write in &self.writes {
            for then in [Part::Is(write.done), Part::Before(write.at, self.read)] {
                instances.push(self.guards.clause([Part::Is(!write.seen), then]));
            }
        }
        // No two are seen; that the last, which is the likeliest, excludes the others saves deciding upon them.
        if let Some((last, others)) = self.writes.split_last() {
            for other in others.iter().map(|write| write.seen).chain([self.first]) {
                instances.push(self.guards.clause([Part::Is(!last.seen), Part::Is(!other)]));
            }
        }
    }

    pub(super) fn violated(
        &self,
        holds: &dyn Fn(Lit) -> bool,
        moment: &dyn Fn(Node) -> i64,
        instances: &mut Vec<Instance>,
    ) {
        let read = moment(self.read);
        if holds(self.first) {
            for other in self.writes.iter().filter(|write| holds(write.done) && moment(write.at) <= read) {
                let parts = [Part::Is(!self.first), Part::Is(!other.done), Part::Before(self.read, other.at)];
                instances.push(self.guards.clause(parts));
            }
        }
        for (n, seen) in self.writes.iter().enumerate().filter(|(_, write)| holds(write.seen)) {
            let since = moment(seen.at);
            if since >= read {
                // Only where several may be at one moment.
                instances.push(self.guards.clause([Part::Is(!seen.seen), Part::Before(seen.at, self.read)]));
            }
            for (m, other) in self.writes.iter().enumerate() {
                if m == n || !holds(other.done) || !(since..=read).contains(&moment(other.at)) {
                    continue;
                }
                instances.push(self.guards.clause([
                    Part::Is(!seen.seen),
                    Part::Is(!other.done),
                    Part::Before(other.at, seen.at),
                    Part::Before(self.read, other.at),
                ]));
            }
        }
    }
}
