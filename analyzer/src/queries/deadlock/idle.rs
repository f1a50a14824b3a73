//! Semaphores and barriers at the end of an execution prefix: is a unit left, is the round complete?

use warpath_solvers::term::{TermError, TermId};
use warpath_trace::event::{Op, WaitResult};
use warpath_trace::ids::LocationId;

use crate::encode::Encoding;
use crate::model::{Forest, NodeId};

/// The events that change a semaphore's count or arrive at a barrier.
pub(super) fn uses(forest: &Forest, object: LocationId) -> impl Iterator<Item = NodeId> + '_ {
    forest.ids().filter(move |&id| match forest.node(id).op {
        Op::SemPost { semaphore } | Op::SemWait { semaphore, result: WaitResult::Done, .. } => {
            semaphore == object
        }
        Op::BarrierArrive { barrier } => barrier == object,
        _ => false,
    })
}

/// No unit is left.
pub(super) fn empty(encoding: &mut Encoding<'_>, semaphore: LocationId) -> Result<TermId, TermError> {
    let forest = encoding.forest;
    let (initial, maximum) = forest.semaphore(semaphore);
    let (mut given, mut taken) = (Vec::new(), Vec::new());
    for id in uses(forest, semaphore).filter(|&id| encoding.has(id)).collect::<Vec<_>>() {
        let en = encoding.en(id)?;
        match forest.node(id).op {
            Op::SemPost { .. } if maximum.is_some() => {
                let kept = encoding.kept(id)?;
                given.push(encoding.terms.and(&[en, kept])?);
            }
            Op::SemPost { .. } => given.push(en),
            _ => taken.push(en),
        }
    }
    let limit = u64::from(initial) + (given.len() + taken.len()) as u64;
    let given = encoding.count(initial, &given, limit)?;
    let taken = encoding.count(0, &taken, limit)?;
    encoding.terms.eq(given, taken)
}

/// Fewer than all have arrived in the round in which the thread that stands before `leave` has.
pub(super) fn incomplete(
    encoding: &mut Encoding<'_>,
    barrier: LocationId,
    leave: NodeId,
) -> Result<TermId, TermError> {
    let forest = encoding.forest;
    let Some((own, _)) = forest.node(leave).parent else { return Ok(encoding.terms.bool(false)) };
    let arrivals: Vec<NodeId> = uses(forest, barrier).filter(|&id| encoding.has(id)).collect();
    let parties = encoding.parties(barrier);
    let arrived: Vec<TermId> = arrivals.iter().map(|&id| encoding.en(id)).collect::<Result<_, _>>()?;
    let rounds = (arrivals.len() as u32).div_ceil(parties);
    let mut ways = Vec::new();
    for round in 0..rounds {
        let here = encoding.arrives_in_round(own, &arrivals, round, parties)?;
        let number = (round + 1).saturating_mul(parties);
        let count = encoding.count(0, &arrived, number.into())?;
        let full = encoding.count_at_least(count, number)?;
        let not_full = encoding.terms.not(full)?;
        ways.push(encoding.terms.and(&[here, not_full])?);
    }
    encoding.terms.or(&ways)
}
