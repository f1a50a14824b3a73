//! Times that a thread goes through a region: from its first event there to where it leaves.

use std::collections::BTreeMap;

use super::spot::{Region, Spot};
use crate::model::{Forest, NodeId};

/// One time that a thread is in a region, on all paths that it can take there.
#[derive(Clone, Debug)]
pub(super) struct Section {
    /// Its first event.
    pub(super) first: NodeId,
    /// All its events, the first included; ascending.
    pub(super) events: Vec<NodeId>,
}

/// Every time that a thread goes through the region. Calls from its lines are part of it; where its first event comes
/// again, the next turn of a loop begins, and so the next section. What a thread did before it came to the region and does
/// again before the next turn belongs to the loop, not to the region.
pub(super) fn sections(forest: &Forest, region: &Region) -> Vec<Section> {
    let spots: Vec<Option<Spot>> = forest.ids().map(|id| Spot::of(forest, id)).collect();
    let inside = |id: NodeId| spots[id.index()].as_ref().is_some_and(|spot| region.has(spot));
    let beside = |id: NodeId| spots[id.index()].as_ref().is_some_and(|spot| region.is_beside(spot));
    // Does control come back into the region before it goes on beside it?
    let mut comes_back = vec![false; forest.nodes().len()];
    for id in forest.ids().collect::<Vec<_>>().into_iter().rev() {
        let back = |child: NodeId| inside(child) || (!beside(child) && comes_back[child.index()]);
        comes_back[id.index()] = forest.node(id).children.iter().any(|child| back(child.node));
    }
    let again = |first: NodeId, id: NodeId| {
        let (first, node) = (forest.node(first), forest.node(id));
        first.at == node.at && first.op.verb() == node.op.verb()
    };
    let elsewhere = |id: NodeId| !inside(id) && !beside(id);
    // Does an event that is neither in the region nor beside it lead to the next turn, as it led to the first?
    let leads_to_next = |first: NodeId, id: NodeId| {
        let same = |other: NodeId| {
            let (other, node) = (forest.node(other), forest.node(id));
            other.at == node.at && other.op.verb() == node.op.verb()
        };
        let led_here = forest.path_up(first).skip(1).any(|above| elsewhere(above) && same(above));
        let mut open = vec![id];
        let mut only_again = true;
        while let Some(id) = open.pop().filter(|_| led_here && only_again) {
            match elsewhere(id) {
                true => open.extend(forest.node(id).children.iter().map(|child| child.node)),
                false => only_again = beside(id) && !inside(id) || again(first, id),
            }
        }
        led_here && only_again
    };
    let mut at: BTreeMap<NodeId, usize> = BTreeMap::new();
    let mut sections: Vec<Section> = Vec::new();
    for id in forest.ids() {
        let parent = forest.node(id).parent.and_then(|(parent, _)| at.get(&parent).copied());
        let goes_on = parent.filter(|&section| match inside(id) {
            true => !again(sections[section].first, id),
            false => !beside(id) && comes_back[id.index()] && !leads_to_next(sections[section].first, id),
        });
        match goes_on {
            Some(section) => {
                sections[section].events.push(id);
                at.insert(id, section);
            }
            None if inside(id) => {
                at.insert(id, sections.len());
                sections.push(Section { first: id, events: vec![id] });
            }
            None => {}
        }
    }
    sections
}

/// All that the thread of this key does, from its beginning to its end.
pub(super) fn whole(forest: &Forest, key: &str) -> Option<Section> {
    let tree = forest.trees().find(|&tree| forest.key(tree).to_string() == key)?;
    let first = forest.root(tree)?;
    let own = forest.ids().filter(|&id| forest.node(id).tree == tree);
    Some(Section { first, events: own.collect() })
}
