//! Maximal Causality Reduction (MCR): a new value for one read at a time, with the inputs of a plain run.
//!
//! From each run come its *seeds*: for each read and each value that it could have found instead, with all that came
//! before as it was, a schedule up to there. Each is run, and its run has seeds of its own. As in the authors' tool,
//! seeds are taken first in, first out; what a seed was made of stays as it is in the seeds of its run; and a seed of
//! which the threads come to where they come in an earlier one is not run again.
//!
//! Where it is not what the slides show: an order of the kept events is not kept, only what they found; and when no
//! seed is left, the forest of all runs is asked for what they have missed (waits that can end otherwise, reads that
//! two runs together make possible). Only with that answered does the search know that nothing is left.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::sync::Arc;

use warpath_solvers::term::TermError;
use warpath_trace::header::Values;
use warpath_trace::si::Step;
use warpath_trace::thread::ThreadKey;

use super::ExploreError;
use super::explorer::{Came, Explorer, Merged};
use super::runner::{Ended, Free, KeptRun, Request, Runner};
use crate::model::{Forest, NodeId, Outcome};
use crate::queries::{Keep, NewSeeds, Seed, SeedSearch, Want};

/// The bound that all runs have.
const PLAIN_INPUTS: &str = "the inputs of a plain run (--strategy mcr)";
/// Seeds that are run together.
const TOGETHER: usize = 8;

/// A run to be made.
#[derive(Clone, Debug, Default)]
struct Planned {
    schedule: Vec<Step>,
    /// The thread whose read finds something new.
    then: Option<ThreadKey>,
    /// How many events of each thread the schedule has.
    kept: BTreeMap<ThreadKey, usize>,
    /// The run, if it was made before.
    again: Option<KeptRun>,
}

/// Where threads stand, in the forest of all runs: the last event, how it goes on, and the value that an update behind
/// it finds.
type Cut = BTreeSet<(NodeId, Outcome, Option<u128>)>;

/// Where the search stands.
#[derive(Default)]
struct Search {
    queue: VecDeque<Planned>,
    /// Of the seeds so far.
    cuts: HashSet<Cut>,
    /// Of the runs so far, in the end.
    paths: HashSet<Cut>,
}

/// The forest of one run, and what of it is kept.
struct Seedbed {
    alone: Forest,
    kept: Vec<Keep>,
    /// The same nodes in the forest of all runs.
    among_all: Vec<Option<NodeId>>,
}

impl Explorer<'_, '_, '_> {
    /// Until no seed is left, and then until the forest has nothing left; whether that came to be, and how many
    /// different runs there were.
    pub(super) fn explore_mcr(&mut self) -> Result<(bool, usize), ExploreError> {
        self.values = Values::Pinned;
        if self.options.earlier.is_some() {
            self.first()?;
        }
        let mut search = Search::begin(None);
        while !search.queue.is_empty() && !self.is_over() {
            self.progress(search.queue.len());
            let planned: Vec<Planned> =
                search.queue.drain(..search.queue.len().min(TOGETHER).min(self.runs_left())).collect();
            let request = |planned: &Planned| Request {
                schedule: planned.schedule.clone(),
                then: planned.then.clone(),
                again: planned.again,
                ..Request::free(Free::RunToBlock, Values::Pinned)
            };
            match self.run(planned.iter().map(request).collect())? {
                // Events are not what they were.
                Came::Renewed => search = Search::begin(self.first_kept()),
                Came::Merged(merged) => self.sow(&mut search, &planned, &merged)?,
            }
        }
        if search.queue.is_empty() {
            let runs = self.statistics.executions;
            self.observer
                .remark(&format!("no seed is left after {runs} executions; asking for what they missed"));
        }
        let exhausted = self.exhaust()?;
        if !self.forest.inputs().is_empty() {
            self.bounds_hit.insert(PLAIN_INPUTS.to_owned());
        }
        Ok((exhausted, search.paths.len()))
    }

    /// Looks for the seeds of runs.
    fn sow(
        &mut self,
        search: &mut Search,
        planned: &[Planned],
        merged: &[Merged],
    ) -> Result<(), ExploreError> {
        let mut beds = Vec::new();
        let mut jobs = Vec::new();
        for (planned, merged) in planned.iter().zip(merged) {
            match Seedbed::of(planned, merged) {
                // The failure came before the end of the schedule: there is nothing behind it.
                Err(_) if matches!(merged.observed.ended, Ended::Failed(_)) => {}
                Ok(bed) => {
                    search.paths.insert(bed.path());
                    let bed = Arc::new(bed);
                    beds.push(Arc::clone(&bed));
                    let (options, scripts) = (self.options.formula, self.options.scripts);
                    let (query, until) = (self.query(), self.until());
                    let mut lane = self.lane()?;
                    jobs.push(move |_: &mut dyn Runner| {
                        let before = lane.smt.statistics();
                        let search =
                            SeedSearch { forest: &bed.alone, kept: &bed.kept, options, query, until };
                        let found = search.find(&mut *lane.smt);
                        let asked = if scripts { search.scripts() } else { Vec::new() };
                        let after = lane.smt.statistics();
                        (lane, found, asked, (before, after))
                    });
                }
                Err(why) => {
                    self.doubts.insert(why);
                }
            }
        }
        let mut lanes = Vec::new();
        let mut all: Vec<Result<NewSeeds, TermError>> = Vec::new();
        for (lane, found, asked, (before, after)) in self.team.all(jobs)? {
            lanes.push(lane);
            self.statistics.asked(&before, &after);
            for (script, manifest) in &asked {
                self.observer.asked(script, manifest);
            }
            all.push(found);
        }
        self.put_back(lanes);
        for (bed, found) in beds.iter().zip(all) {
            let found = found?;
            if let Some(mismatch) = found.mismatch {
                return Err(ExploreError::Bug { mismatch: Box::new(mismatch) });
            }
            for (end, reason) in &found.unknown {
                let question = end.describe(&bed.alone, &self.options.formula);
                self.doubts.insert(format!("{question} no answer ({reason})"));
            }
            for seed in &found.seeds {
                if search.cuts.insert(bed.cut(seed)) {
                    let si = seed.execution.si(&bed.alone_with(seed), self.options.formula.model);
                    search.queue.push_back(Planned {
                        schedule: si.schedule,
                        then: Some(bed.alone.key(seed.end.thread(&bed.alone)).clone()),
                        kept: bed.lengths(seed),
                        again: None,
                    });
                }
            }
        }
        Ok(())
    }
}

impl Search {
    /// With the run that has no schedule.
    fn begin(again: Option<KeptRun>) -> Search {
        let plain = Planned { again, ..Planned::default() };
        Search { queue: VecDeque::from([plain]), ..Search::default() }
    }
}

impl Seedbed {
    /// Of a run; why not, if it is not the run that was planned.
    fn of(planned: &Planned, merged: &Merged) -> Result<Seedbed, String> {
        if let Ended::Diverged(how) = &merged.observed.ended {
            return Err(format!("a seed could not be followed ({how})"));
        }
        let mut alone = Forest::new();
        let paths = alone
            .merge(&merged.observed.trace)
            .map_err(|divergence| format!("a run contradicts itself ({divergence})"))?;
        let mut among_all = vec![None; alone.nodes().len()];
        for (here, there) in paths.iter().zip(&merged.paths) {
            for (here, there) in here.iter().zip(there) {
                if let Some(known) = among_all.get_mut(here.index()) {
                    *known = Some(*there);
                }
            }
        }
        let mut kept = Vec::new();
        for (key, &count) in &planned.kept {
            let chain = alone.tree(key).map(|tree| chain(&alone, tree)).unwrap_or_default();
            let Some(&last) = count.checked_sub(1).and_then(|last| chain.get(last)) else {
                return Err(format!("a seed was not followed by {key}"));
            };
            kept.push((last, goes_on(&alone, last)));
        }
        Ok(Seedbed { alone, kept, among_all })
    }

    fn among_all(&self, node: NodeId) -> NodeId {
        self.among_all.get(node.index()).copied().flatten().unwrap_or(node)
    }

    /// Where the threads of the run end.
    fn path(&self) -> Cut {
        let last = self.alone.trees().filter_map(|tree| chain(&self.alone, tree).last().copied());
        last.map(|last| (self.among_all(last), goes_on(&self.alone, last), None)).collect()
    }

    /// Where the threads of a seed end.
    fn cut(&self, seed: &Seed) -> Cut {
        let ends = seed.leaves.ends.values().map(|&(node, outcome)| match &seed.end.want {
            Want::OtherUpdate { outcome, .. } if node.index() >= self.alone.nodes().len() => {
                (self.among_all(seed.end.node), *outcome, Some(seed.value))
            }
            _ => (self.among_all(node), outcome, None),
        });
        ends.collect()
    }

    /// How many events of each thread a seed has.
    fn lengths(&self, seed: &Seed) -> BTreeMap<ThreadKey, usize> {
        let lengths = seed.leaves.ends.iter().map(|(&tree, &(node, _))| {
            let depth = match self.alone.nodes().get(node.index()) {
                Some(node) => node.depth,
                None => self.alone.node(seed.end.node).depth + 1,
            };
            (self.alone.key(tree).clone(), depth as usize + 1)
        });
        lengths.collect()
    }

    /// The forest that the nodes of a seed are of.
    fn alone_with(&self, seed: &Seed) -> std::borrow::Cow<'_, Forest> {
        match seed.end.place(&self.alone).0 {
            Some(grown) => std::borrow::Cow::Owned(grown),
            None => std::borrow::Cow::Borrowed(&self.alone),
        }
    }
}

/// The events of a thread that has one path, and that were executed.
fn chain(forest: &Forest, tree: crate::model::TreeIx) -> Vec<NodeId> {
    let next = |&id: &NodeId| forest.node(id).children.first().map(|child| child.node);
    let executed = |id: &NodeId| forest.node(*id).observed != u32::MAX;
    std::iter::successors(forest.root(tree), next).take_while(executed).collect()
}

/// How an event of the run went on.
fn goes_on(forest: &Forest, id: NodeId) -> Outcome {
    let node = forest.node(id);
    let child = node.children.first().map(|child| child.outcome);
    child.or(node.stops.first().copied()).unwrap_or(Outcome::Next)
}
