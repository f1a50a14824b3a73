//! Sections of time of which no two may overlap, such as those in which a lock is held.

use super::{Guards, Instance, Part};
use crate::order::Node;
use crate::sat::Lit;

/// With how many later ones a section may be found to overlap at once.
const OVERLAPS: usize = 4;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Section {
    pub(crate) entered: Lit,
    pub(crate) from: Node,
    pub(crate) left: Lit,
    pub(crate) to: Node,
}

#[derive(Debug)]
pub(crate) struct Apart {
    pub(crate) guards: Guards,
    pub(crate) sections: Vec<Section>,
    /// Which are entered, the first first.
    entered: Vec<u32>,
}

impl Apart {
    pub(crate) fn new(guards: Guards, sections: Vec<Section>) -> Apart {
        Apart { guards, sections, entered: Vec::new() }
    }

    pub(super) fn violated(
        &mut self,
        holds: &dyn Fn(Lit) -> bool,
        moment: &dyn Fn(Node) -> i64,
        instances: &mut Vec<Instance>,
    ) {
        let Self { guards, sections, entered } = self;
        let over = |a: &Section, b: &Section| holds(a.left) && moment(a.to) < moment(b.from);
        entered.clear();
        entered.extend((0..sections.len() as u32).filter(|&n| holds(sections[n as usize].entered)));
        entered.sort_unstable_by_key(|&n| (moment(sections[n as usize].from), n));
        let ordered = entered.iter().map(|&n| &sections[n as usize]);
        // A section that ends before it begins may be over before an earlier one begins.
        let odd =
            ordered.clone().any(|section| holds(section.left) && moment(section.to) < moment(section.from));
        for (n, earlier) in ordered.clone().enumerate() {
            let later = ordered.clone().skip(n + 1);
            let overlapping = later.take_while(|later| odd || !over(earlier, later));
            let violated = overlapping.filter(|later| !over(earlier, later) && !over(later, earlier));
            for later in violated.take(OVERLAPS) {
                exclude(guards, earlier, later, instances);
            }
        }
    }
}

/// Adds the clauses of `e ∧ e' → (r ∧ u < a') ∨ (r' ∧ u' < a)`.
fn exclude(guards: &Guards, a: &Section, b: &Section, instances: &mut Vec<Instance>) {
    let first = [Part::Before(a.to, b.from), Part::Is(a.left)];
    let second = [Part::Before(b.to, a.from), Part::Is(b.left)];
    for one in first {
        for other in second {
            instances.push(guards.clause([Part::Is(!a.entered), Part::Is(!b.entered), one, other]));
        }
    }
}
