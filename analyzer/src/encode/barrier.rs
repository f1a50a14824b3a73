//! **Barrier.** Leaving needs all arrivals of that round: with `n` parties, the arrivals number `k·n` to
//! `k·n + n - 1` make round `k`.

use warpath_solvers::term::{TermError, TermId};
use warpath_trace::event::{Op, SyncKind, WaitResult};
use warpath_trace::ids::LocationId;

use super::{About, Encoding};
use crate::model::NodeId;

impl Encoding<'_> {
    pub(super) fn barriers(&mut self, barrier: LocationId) -> Result<(), TermError> {
        let nodes = self.on(barrier);
        let arrivals: Vec<NodeId> =
            nodes.iter().copied().filter(|&id| matches!(self.op(id), Op::BarrierArrive { .. })).collect();
        if arrivals.is_empty() {
            return Ok(());
        }
        let parties = self.parties(barrier);
        let rounds = (arrivals.len() as u32).div_ceil(parties);
        let mut serial = Vec::new();
        for &leave in &nodes {
            let Op::BarrierLeave { serial: is_serial, result: WaitResult::Done, .. } = self.op(leave) else {
                continue;
            };
            let is_arrival = |id: NodeId| matches!(self.forest.node(id).op, Op::BarrierArrive { .. });
            let Some(own) = self.object_trees.last_above(barrier, leave, is_arrival) else { continue };
            let mut ways = Vec::new();
            let mut in_round = Vec::new();
            for round in 0..rounds {
                let here = self.arrives_in_round(own, &arrivals, round, parties)?;
                let full = self.arrived(leave, &arrivals, (round + 1) * parties)?;
                ways.push(self.terms.and(&[here, full])?);
                in_round.push(here);
            }
            let way = self.terms.or(&ways)?;
            let en = self.en(leave)?;
            self.require(About::Barrier(leave), en, way)?;
            if is_serial {
                serial.push((leave, in_round));
            }
        }
        self.one_serial(&serial)
    }

    /// How many make a round.
    pub(crate) fn parties(&self, barrier: LocationId) -> u32 {
        let parties = self.forest.kinds(barrier).iter().find_map(|kind| match *kind {
            SyncKind::Barrier { parties } => Some(parties),
            _ => None,
        });
        parties.unwrap_or(1).max(1)
    }

    /// At least so many have arrived before `id`.
    fn arrived(&mut self, id: NodeId, arrivals: &[NodeId], number: u32) -> Result<TermId, TermError> {
        let mut before = Vec::new();
        for &arrival in arrivals {
            before.push(self.done_before(arrival, id)?);
        }
        let count = self.count(0, &before, number.into())?;
        self.count_at_least(count, number)
    }

    /// The arrival is one of this round.
    pub(crate) fn arrives_in_round(
        &mut self,
        own: NodeId,
        arrivals: &[NodeId],
        round: u32,
        parties: u32,
    ) -> Result<TermId, TermError> {
        let others: Vec<NodeId> = arrivals.iter().copied().filter(|&arrival| arrival != own).collect();
        let enough = self.arrived(own, &others, round * parties)?;
        let too_many = self.arrived(own, &others, (round + 1) * parties)?;
        let not_later = self.terms.not(too_many)?;
        self.terms.and(&[enough, not_later])
    }

    /// One thread of a round is told that it is the serial one.
    fn one_serial(&mut self, serial: &[(NodeId, Vec<TermId>)]) -> Result<(), TermError> {
        for (n, (b, b_rounds)) in serial.iter().enumerate() {
            for (a, a_rounds) in &serial[..n] {
                if !self.must.compatible(*a, *b) {
                    continue;
                }
                let both = [self.en(*a)?, self.en(*b)?];
                let both = self.terms.and(&both)?;
                for (&here, &there) in a_rounds.iter().zip(b_rounds) {
                    let same = self.terms.and(&[both, here, there])?;
                    let term = self.terms.not(same)?;
                    self.constrain(About::Barrier(*b), term);
                }
            }
        }
        Ok(())
    }
}
