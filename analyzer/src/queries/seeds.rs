//! **Seeds** (Maximal Causality Reduction): schedules in which one read of a recorded run finds another value.
//!
//! All that is known is the one run: whatever happens before the read happens with the values it had there. A run
//! that was made from a seed keeps what the seed was made of: the events of the seed happen with the same values in
//! every seed that comes of it, in whatever order.

use std::time::Instant;

use warpath_solvers::term::{Sort, TermError, TermId, Terms};
use warpath_solvers::{Query, Reason, Smt};
use warpath_trace::event::Op;

use super::ask::{Question, Verdict, under};
use super::manifest::Manifest;
use super::open_end::{OpenEnd, Want, open_ends};
use crate::answer::{Execution, Final, Mismatch};
use crate::encode::{Encoding, Options};
use crate::model::{Forest, NodeId, Outcome};

/// How far a thread must come, and how its last event goes on.
pub type Keep = (NodeId, Outcome);

/// A schedule in which a read finds something new.
#[derive(Debug)]
pub struct Seed {
    /// Where: the read, or the event before the update.
    pub end: OpenEnd,
    /// What it finds.
    pub value: u128,
    /// The schedule, up to the read or further.
    pub execution: Execution,
    /// What it leaves.
    pub leaves: Final,
}

/// What came of looking for seeds.
#[derive(Debug, Default)]
pub struct NewSeeds {
    /// One for each read and new value.
    pub seeds: Vec<Seed>,
    /// Reads that the solver did not answer for.
    pub unknown: Vec<(OpenEnd, Reason)>,
    /// An answer that cannot be executed: a bug of ours.
    pub mismatch: Option<Mismatch>,
}

/// The reads of one run that are to find something new.
#[derive(Clone, Debug)]
pub struct SeedSearch<'a> {
    /// Of one run, recorded with values only.
    pub forest: &'a Forest,
    /// What must stay: reads that are kept find what they found.
    pub kept: &'a [Keep],
    /// The formula's.
    pub options: Options,
    /// For each question.
    pub query: Query,
    /// For all questions together; when it is over, the rest is left out.
    pub until: Option<Instant>,
}

impl SeedSearch<'_> {
    /// Looks for a seed for each read and each value that it did not find.
    pub fn find(&self, smt: &mut dyn Smt) -> Result<NewSeeds, TermError> {
        let mut found = NewSeeds::default();
        let (reads, updates): (Vec<OpenEnd>, Vec<OpenEnd>) =
            ends(self.forest, self.kept).into_iter().partition(OpenEnd::is_in_forest);
        // The formula alone takes its time.
        if !reads.is_empty() && self.next().is_some() {
            self.all_reads(&reads, smt, &mut found)?;
        }
        for update in updates {
            if found.mismatch.is_none() {
                self.update(update, smt, &mut found)?;
            }
        }
        Ok(found)
    }

    /// The questions that [`find`](Self::find) begins with, each for itself.
    pub fn scripts(&self) -> Vec<(String, Manifest)> {
        let script = |end: &OpenEnd| {
            let (grown, node) = end.place(self.forest);
            self.alone(grown.as_ref().unwrap_or(self.forest), end, node)?.script()
        };
        ends(self.forest, self.kept).iter().filter_map(|end| script(end).ok()).collect()
    }

    /// The next question's limits; none if the time is over.
    fn next(&self) -> Option<Query> {
        let Some(until) = self.until else { return Some(self.query.clone()) };
        let left = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
        let timeout = self.query.timeout.map_or(left, |timeout| timeout.min(left));
        Some(Query { timeout: Some(timeout), ..self.query.clone() })
    }

    /// All reads on one formula.
    fn all_reads(&self, reads: &[OpenEnd], smt: &mut dyn Smt, found: &mut NewSeeds) -> Result<(), TermError> {
        let kept = self.kept.iter().map(|keep| keep.0);
        let cone: Vec<NodeId> = reads.iter().map(|end| end.node).chain(kept).collect();
        let described =
            format!("Can one of {} reads find something new? ({})", reads.len(), under(&self.options));
        let encoding = Encoding::new(self.forest, self.options, &cone)?;
        let mut switches = Vec::new();
        let mut question = Question::of(encoding, described, |encoding| {
            let mut targets = keep(encoding, self.kept)?;
            for (n, end) in reads.iter().enumerate() {
                let switch = encoding.terms.constant(&format!("asked({n})"), Sort::Bool)?;
                let target = end.target(encoding, end.node)?;
                targets.push(encoding.terms.implies(switch, target)?);
                switches.push(switch);
            }
            Ok(targets)
        })?;
        smt.push();
        question.assert_whole(smt);
        let mut asked = Ok(());
        for (end, &switch) in reads.iter().zip(&switches) {
            asked = self.read(&mut question, end, switch, smt, found);
            if asked.is_err() || found.mismatch.is_some() {
                break;
            }
        }
        smt.pop().expect("the level was pushed here");
        asked
    }

    /// All new values of a read, one after the other.
    fn read(
        &self,
        question: &mut Question<'_>,
        end: &OpenEnd,
        switch: TermId,
        smt: &mut dyn Smt,
        found: &mut NewSeeds,
    ) -> Result<(), TermError> {
        let mut assumed = vec![switch];
        while let Some(query) = self.next() {
            let (verdict, _) = question.solve_asserted(smt, &query.assuming(assumed.clone()))?;
            let Some(value) = found.take(end, end.node, verdict) else { return Ok(()) };
            let Some(same) = question.encoding.outcome(end.node, Outcome::Value(value))? else {
                return Ok(());
            };
            // What it has found does not matter to the other reads.
            let terms = &mut question.encoding.terms;
            let name = format!("new({},{value})", question.encoding.forest.name(end.node));
            let other = terms.constant(&name, Sort::Bool)?;
            let not_same = terms.not(same)?;
            let clause = terms.implies(other, not_same)?;
            smt.assert(terms, clause).expect("a clause is Boolean");
            assumed.push(other);
        }
        Ok(())
    }

    /// All new values that an update finds. Each is a node of its own, so each is a question of its own.
    fn update(&self, mut end: OpenEnd, smt: &mut dyn Smt, found: &mut NewSeeds) -> Result<(), TermError> {
        while let Some(query) = self.next() {
            let (grown, node) = end.place(self.forest);
            let mut question = self.alone(grown.as_ref().unwrap_or(self.forest), &end, node)?;
            let verdict = question.solve(smt, &query)?;
            let Some(value) = found.take(&end, node, verdict) else { return Ok(()) };
            let Want::OtherUpdate { seen, .. } = &mut end.want else { return Ok(()) };
            seen.push(value);
        }
        Ok(())
    }

    /// The question about one read, which is at `node`.
    fn alone<'f>(&self, forest: &'f Forest, end: &OpenEnd, node: NodeId) -> Result<Question<'f>, TermError> {
        let (mut cone, values) = end.cone(forest, node);
        cone.extend(self.kept.iter().map(|keep| keep.0));
        let described = end.describe(forest, &self.options);
        let encoding = Encoding::in_arena(forest, self.options, &cone, &values, Terms::new())?;
        Question::of(encoding, described, |encoding| {
            let mut targets = keep(encoding, self.kept)?;
            targets.push(end.target(encoding, node)?);
            Ok(targets)
        })
    }
}

impl NewSeeds {
    /// Notes an answer; what the read at `node` finds, if there is a seed.
    fn take(&mut self, end: &OpenEnd, node: NodeId, verdict: Verdict) -> Option<u128> {
        match verdict {
            Verdict::Possible(found) => {
                let (execution, leaves) = *found;
                let value = *leaves.found.get(&node)?;
                self.seeds.push(Seed { end: end.clone(), value, execution, leaves });
                return Some(value);
            }
            Verdict::Impossible => {}
            Verdict::Unknown(reason) => self.unknown.push((end.clone(), reason)),
            Verdict::Bug(bug) => self.mismatch = Some(bug.1),
        }
        None
    }
}

/// What is kept is executed and goes on as it did.
fn keep(encoding: &mut Encoding<'_>, kept: &[Keep]) -> Result<Vec<TermId>, TermError> {
    let mut targets = Vec::new();
    for &(node, outcome) in kept {
        targets.push(encoding.en(node)?);
        targets.extend(encoding.outcome(node, outcome)?);
    }
    Ok(targets)
}

/// The reads and updates that are not kept.
fn ends(forest: &Forest, kept: &[Keep]) -> Vec<OpenEnd> {
    let is_kept = |tree, depth| {
        kept.iter().any(|&(last, _)| forest.node(last).tree == tree && depth <= forest.node(last).depth)
    };
    let reads = |end: &OpenEnd| {
        let node = forest.node(end.node);
        match end.want {
            Want::OtherThan(_) => {
                matches!(node.op, Op::Read { .. } | Op::AtomicRead { .. }) && !is_kept(node.tree, node.depth)
            }
            Want::OtherUpdate { .. } => !is_kept(node.tree, node.depth + 1),
            _ => false,
        }
    };
    open_ends(forest).into_iter().filter(reads).collect()
}
