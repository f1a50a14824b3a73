//! Candidates at the same positions in the program: what is found for one of them is the finding for all, so
//! they are asked about together.

use super::survey::Survey;
use crate::model::NodeId;

/// Sets of events, at the same positions, that may violate a property together.
#[derive(Clone, Debug)]
pub(crate) struct Group<const N: usize> {
    /// Nearest in the observed run first: what was near can most likely be made adjacent.
    pub(crate) members: Vec<[NodeId; N]>,
    /// How many there are beyond the limit.
    pub(crate) left_out: u64,
}

impl<const N: usize> Default for Group<N> {
    fn default() -> Self {
        Group { members: Vec::new(), left_out: 0 }
    }
}

impl<const N: usize> Group<N> {
    /// Adds a candidate; of more than `limit`, the nearest are kept.
    pub(crate) fn add(&mut self, survey: &Survey<'_>, member: [NodeId; N], limit: usize) {
        self.members.push(member);
        if self.members.len() >= limit.saturating_mul(2) {
            self.keep_nearest(survey, limit);
        }
    }

    /// Sorts and cuts.
    pub(crate) fn keep_nearest(&mut self, survey: &Survey<'_>, limit: usize) {
        let moment = |id: NodeId| survey.forest.node(id).observed;
        self.members.sort_by_cached_key(|member| {
            let first = member.iter().map(|&id| moment(id)).min().unwrap_or(0);
            let last = member.iter().map(|&id| moment(id)).max().unwrap_or(0);
            (last - first, *member)
        });
        self.left_out += self.members.len().saturating_sub(limit) as u64;
        self.members.truncate(limit);
    }
}

/// All groups that have members, by their first one.
pub(crate) fn in_order<const N: usize>(
    survey: &Survey<'_>,
    groups: impl IntoIterator<Item = Group<N>>,
    limit: usize,
) -> Vec<Group<N>> {
    let mut all: Vec<Group<N>> = groups.into_iter().filter(|group| !group.members.is_empty()).collect();
    all.iter_mut().for_each(|group| group.keep_nearest(survey, limit));
    all.sort_by_cached_key(|group| group.members.iter().copied().min());
    all
}
