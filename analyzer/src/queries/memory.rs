//! **Use after free** and **double free**: storage is given back, and then used or given back again, with no
//! allocation of it in between.

use std::collections::{BTreeMap, HashMap};

use warpath_solvers::term::{TermError, TermId};
use warpath_trace::event::Op;
use warpath_trace::ids::ObjectId;

use super::ask::{Question, under};
use super::groups::{Group, in_order};
use super::survey::Survey;
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
    for id in forest.ids() {
        match forest.node(id).op {
            Op::Free { object } => {
                let life = lives.entry(object).or_default();
                life.frees.push(id);
                life.uses.push(id);
            }
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

/// Can one of these uses come after its free?
pub(crate) fn use_after_free<'f>(
    survey: &Survey<'f>,
    options: Options,
    pairs: &[[NodeId; 2]],
) -> Result<Question<'f>, TermError> {
    let forest = survey.forest;
    let mut cone: Vec<NodeId> = pairs.iter().flatten().copied().collect();
    cone.extend(pairs.iter().flat_map(|&[free, _]| allocations(survey, free)));
    let [free, used] = pairs[0];
    let described = format!(
        "Can {} use at {} what {} gave back at {}? ({})",
        forest.key(forest.node(used).tree),
        forest.place(used),
        forest.key(forest.node(free).tree),
        forest.place(free),
        under(&options)
    );
    Question::new(forest, options, &cone, described, |encoding| {
        let mut ways = Vec::new();
        for &[free, used] in pairs {
            ways.push(used_after(survey, encoding, free, used)?);
        }
        Ok(vec![encoding.terms.or(&ways)?])
    })
}

/// `en(f) ∧ en(u) ∧ o(f) < o(u)`, and no allocation between.
fn used_after(
    survey: &Survey<'_>,
    encoding: &mut Encoding<'_>,
    free: NodeId,
    used: NodeId,
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

/// Allocations of what is freed that need not come before.
fn allocations(survey: &Survey<'_>, free: NodeId) -> Vec<NodeId> {
    let forest = survey.forest;
    let Op::Free { object: freed } = forest.node(free).op else { return Vec::new() };
    let is_allocation =
        |id: &NodeId| matches!(forest.node(*id).op, Op::Alloc { object, .. } if object == freed);
    forest.ids().filter(is_allocation).filter(|&id| !survey.must.before(id, free)).collect()
}

/// Which of the pairs an execution has.
pub(crate) fn which(execution: &Execution, pairs: &[[NodeId; 2]]) -> Option<[NodeId; 2]> {
    let moments: HashMap<Point, usize> =
        execution.steps.iter().enumerate().map(|(moment, &point)| (point, moment)).collect();
    let moment = |id| moments.get(&Point::Issue(id)).copied();
    let comes_after = |&[free, used]: &[NodeId; 2]| match (moment(free), moment(used)) {
        (Some(free), Some(used)) => free < used,
        _ => false,
    };
    pairs.iter().copied().find(comes_after)
}
