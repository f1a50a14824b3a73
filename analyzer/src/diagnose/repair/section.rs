//! Times that a thread goes through a region: from its first event there to where it leaves.

use std::collections::{BTreeMap, BTreeSet};

use warpath_trace::event::{Op, Verb};
use warpath_trace::repair::Region;

use super::spot::spot_of;
use crate::model::{Forest, NodeId};

/// One time that a thread is in a region, on all paths that it can take there.
#[derive(Clone, Debug)]
pub(super) struct Section {
    /// Its first event.
    pub(super) first: NodeId,
    /// All its events, the first included; ascending.
    pub(super) events: Vec<NodeId>,
}

/// Where an event is, seen from a region.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// At one of its lines.
    Inside,
    /// In the same function, at another line.
    Beside,
    /// In another function: it may be called from the region, or call it.
    Elsewhere,
}

/// What a thread does at one place of the source: turns of a loop, and calls of a function, begin with the same.
type Step<'f> = (&'f str, Verb);

fn step(forest: &Forest, id: NodeId) -> Step<'_> {
    (&forest.node(id).at, forest.node(id).op.verb())
}

/// Every time that a thread goes through the region. Calls from its lines are part of it; where its first event comes
/// again, the next turn of a loop begins, and so the next section.
pub(super) fn sections(forest: &Forest, region: &Region) -> Vec<Section> {
    let side = |id: NodeId| match spot_of(forest, id) {
        // They are put down to the start routine's first line, which is executed between them.
        _ if matches!(forest.node(id).op, Op::Begin | Op::End) => Side::Elsewhere,
        Some(spot) if region.has(&spot) => Side::Inside,
        Some(spot) if region.is_beside(&spot) => Side::Beside,
        _ => Side::Elsewhere,
    };
    let sides: Vec<Side> = forest.ids().map(side).collect();
    let side = |id: NodeId| sides[id.index()];
    let entries = entries(forest, &sides);
    let mut returns: BTreeMap<Step<'_>, Vec<bool>> = BTreeMap::new();
    let mut at: BTreeMap<NodeId, usize> = BTreeMap::new();
    let mut sections: Vec<Section> = Vec::new();
    for id in forest.ids() {
        let parent = forest.node(id).parent.and_then(|(parent, _)| at.get(&parent).copied());
        let goes_on = parent.filter(|&section| {
            let first = step(forest, sections[section].first);
            match side(id) {
                Side::Inside => step(forest, id) != first,
                Side::Beside => false,
                Side::Elsewhere => {
                    let returns =
                        returns.entry(first).or_insert_with(|| returning(forest, &sides, &entries, first));
                    returns[id.index()]
                }
            }
        });
        match goes_on {
            Some(section) => {
                sections[section].events.push(id);
                at.insert(id, section);
            }
            None if side(id) == Side::Inside => {
                at.insert(id, sections.len());
                sections.push(Section { first: id, events: vec![id] });
            }
            None => {}
        }
    }
    sections
}

/// What threads begin with when they come to the region from beside it, or for the first time.
fn entries<'f>(forest: &'f Forest, sides: &[Side]) -> BTreeSet<Step<'f>> {
    // Of each event, where the last one was that was not elsewhere, itself included.
    let mut last = vec![Side::Beside; sides.len()];
    let mut entries = BTreeSet::new();
    for id in forest.ids() {
        let before = forest.node(id).parent.map_or(Side::Beside, |(parent, _)| last[parent.index()]);
        let own = sides[id.index()];
        if own == Side::Inside && before == Side::Beside {
            entries.insert(step(forest, id));
        }
        last[id.index()] = if own == Side::Elsewhere { before } else { own };
    }
    entries
}

/// Of each event, whether control comes back into a section that began with this step before it goes on beside it. Who
/// comes to where sections begin has not come back: a caller of the region has called it again.
fn returning(forest: &Forest, sides: &[Side], entries: &BTreeSet<Step<'_>>, first: Step<'_>) -> Vec<bool> {
    let mut returns = vec![false; sides.len()];
    for id in forest.ids().collect::<Vec<_>>().into_iter().rev() {
        let back = |child: NodeId| match sides[child.index()] {
            Side::Inside => step(forest, child) != first && !entries.contains(&step(forest, child)),
            Side::Beside => false,
            Side::Elsewhere => returns[child.index()],
        };
        returns[id.index()] = forest.node(id).children.iter().any(|child| back(child.node));
    }
    returns
}

/// All that the thread of this key does, from its beginning to its end.
pub(super) fn whole(forest: &Forest, key: &str) -> Option<Section> {
    let tree = forest.trees().find(|&tree| forest.key(tree).to_string() == key)?;
    let first = forest.root(tree)?;
    let own = forest.ids().filter(|&id| forest.node(id).tree == tree);
    Some(Section { first, events: own.collect() })
}
