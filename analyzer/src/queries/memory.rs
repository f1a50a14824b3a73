//! **Use after free** and **double free**: storage is given back, and then used or given back again, with no
//! allocation of it in between.

use std::collections::{BTreeMap, HashMap};

use warpath_solvers::term::{TermError, TermId};
use warpath_trace::event::Op;
use warpath_trace::ids::ObjectId;

use super::ask::under;
use super::groups::{Group, in_order};
use super::survey::Survey;
use super::violation::Violation;
use crate::answer::Execution;
use crate::encode::{Encoding, Options, Point, sync_objects};
use crate::model::NodeId;

/// Groups of `[free, use]`, and how many pairs there are.
pub(crate) struct Uses {
    pub(crate) groups: Vec<Group<2>>,
    pub(crate) pairs: u64,
    /// Of these: the use must come first, or is on another branch.
    pub(crate) ordered: u64,
}

/// What happens to one object.
#[derive(Clone, Debug, Default)]
struct Life {
    frees: Vec<NodeId>,
    uses: Vec<NodeId>,
}

/// Every free with every later use of the same storage; other frees are uses, too.
pub(crate) fn uses_of_freed(survey: &Survey<'_>, limit: usize) -> Uses {
    let forest = survey.forest;
    let mut lives: BTreeMap<ObjectId, Life> = BTreeMap::new();
    for id in forest.ids().filter(|&id| !forest.is_settled(id)) {
        match forest.node(id).op {
            Op::Free { object } => {
                let life = lives.entry(object).or_default();
                life.frees.push(id);
                life.uses.push(id);
            }
            // To wake needs the address alone, not what is there.
            Op::FutexWake { .. } | Op::FutexRequeue { .. } | Op::FutexResume { .. } => {}
            ref op => {
                let data = op.read_location().or(op.written().map(|(location, _)| location));
                for location in data.into_iter().chain(sync_objects(op)) {
                    let life = lives.entry(forest.places.location(location).object).or_default();
                    if life.uses.last() != Some(&id) {
                        life.uses.push(id);
                    }
                }
            }
        }
    }
    let mut groups: BTreeMap<(String, String, bool), Group<2>> = BTreeMap::new();
    let (mut pairs, mut ordered) = (0, 0);
    for life in lives.values() {
        for &free in &life.frees {
            for &used in life.uses.iter().filter(|&&used| used != free) {
                pairs += 1;
                if !survey.must.compatible(free, used) || survey.must.before(used, free) {
                    ordered += 1;
                    continue;
                }
                let again = matches!(forest.node(used).op, Op::Free { .. });
                let key = (forest.place(free), forest.place(used), again);
                groups.entry(key).or_default().add(survey, [free, used], limit);
            }
        }
    }
    Uses { groups: in_order(survey, groups.into_values(), limit), pairs, ordered }
}

/// `[free, use]`: the use comes after the free, and no allocation between.
pub(crate) struct UseAfterFree;

impl Violation<2> for UseAfterFree {
    fn cone(&self, survey: &Survey<'_>, [free, used]: [NodeId; 2]) -> Vec<NodeId> {
        let mut cone = allocations(survey, free);
        cone.extend([free, used]);
        cone
    }

    /// `en(f) ∧ en(u) ∧ o(f) < o(u)`; each allocation comes before or after both.
    fn term(
        &self,
        survey: &Survey<'_>,
        encoding: &mut Encoding<'_>,
        [free, used]: [NodeId; 2],
    ) -> Result<TermId, TermError> {
        let mut parts = vec![
            encoding.en(free)?,
            encoding.en(used)?,
            encoding.before(Point::Issue(free), Point::Issue(used))?,
        ];
        for allocation in allocations(survey, free) {
            let en = encoding.en(allocation)?;
            let ways = [
                encoding.terms.not(en)?,
                encoding.before(Point::Issue(allocation), Point::Issue(free))?,
                encoding.before(Point::Issue(used), Point::Issue(allocation))?,
            ];
            parts.push(encoding.terms.or(&ways)?);
        }
        encoding.terms.and(&parts)
    }

    fn describe(&self, survey: &Survey<'_>, options: &Options, pairs: &[[NodeId; 2]]) -> String {
        let forest = survey.forest;
        let [free, used] = pairs[0];
        format!(
            "Can {} use at {} what {} gave back at {}? ({})",
            forest.key(forest.node(used).tree),
            forest.place(used),
            forest.key(forest.node(free).tree),
            forest.place(free),
            under(options)
        )
    }
}

/// Allocations of what is freed that need not come before.
fn allocations(survey: &Survey<'_>, free: NodeId) -> Vec<NodeId> {
    let forest = survey.forest;
    let Op::Free { object: freed } = forest.node(free).op else { return Vec::new() };
    let is_allocation =
        |id: &NodeId| matches!(forest.node(*id).op, Op::Alloc { object, .. } if object == freed);
    forest.ids().filter(is_allocation).filter(|&id| !survey.must.before(id, free)).collect()
}

/// Which of the pairs an execution has: the use after the free, and the storage not allocated again in between.
pub(crate) fn which(
    survey: &Survey<'_>,
    execution: &Execution,
    pairs: &[[NodeId; 2]],
) -> Option<[NodeId; 2]> {
    let forest = survey.forest;
    let issued: Vec<(NodeId, usize)> = (0..)
        .zip(&execution.steps)
        .filter(|(_, point)| matches!(point, Point::Issue(_)))
        .map(|(moment, point)| (point.node(), moment))
        .collect();
    let moments: HashMap<NodeId, usize> = issued.iter().copied().collect();
    let mut allocations: HashMap<ObjectId, Vec<usize>> = HashMap::new();
    for &(id, moment) in &issued {
        if let Op::Alloc { object, .. } = forest.node(id).op {
            allocations.entry(object).or_default().push(moment);
        }
    }
    let is_so = |&[free, used]: &[NodeId; 2]| {
        let (Some(freed), Some(used)) = (moments.get(&free), moments.get(&used)) else { return false };
        let Op::Free { object } = forest.node(free).op else { return false };
        let again = allocations.get(&object);
        freed < used && !again.into_iter().flatten().any(|moment| freed < moment && moment < used)
    };
    pairs.iter().copied().find(is_so)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Forest;

    #[test]
    fn storage_that_was_allocated_again_is_not_used_after_the_free_before() {
        let text = "warpath-trace 1\nobject heap node 4\nlocation node %node+0:4 = 0\nT0 fork T0.0\nT0 free %node\nT0 alloc %node 4\nT0 free %node\nT0.0 w node 1\noutcome exited 0\n";
        let trace = warpath_trace::text::parse(text).expect("the text is right");
        let forest = Forest::of(&trace).expect("one trace fits itself");
        let survey = Survey::of(&forest, &Options::default());
        let nodes: Vec<NodeId> = forest.ids().collect();
        let [fork, first, alloc, second, used] = nodes[..] else { panic!("{nodes:?}") };
        let pairs = [[first, used], [second, used]];
        let found = |steps: &[NodeId]| {
            let steps = steps.iter().copied().map(Point::Issue).collect();
            which(&survey, &Execution { steps, inputs: Vec::new(), initials: Vec::new() }, &pairs)
        };
        assert_eq!(found(&[fork, first, alloc, second, used]), Some([second, used]));
        assert_eq!(found(&[fork, first, used]), Some([first, used]));
        assert_eq!(found(&[fork, first, alloc, used, second]), None);
    }
}
