//! Violations that the observed run shows by itself: some of its events, in the order in which they were observed or
//! nearly so.
//!
//! Two events that were far apart are both pending behind the smallest part of the run that leads to each of them,
//! if neither is in that part. The part is closed under what its steps need (`needs`), and of the acquisitions of
//! a lock in it, all but the last are given back (`part`). Finding it takes time linear in the run, where a solver
//! searches. Where that fails, `forward` tries other orders.
//!
//! The part is the *sync-preserving* prefix of Mathur, Pavlogiannis and Viswanathan ("Optimal prediction of
//! synchronization-preserving races", POPL 2021). It deviates where the trace says more: a read has to find what
//! it found only if a decision of that part depends on it, and there is all other synchronisation besides locks.
//! What is found this way is possible; what is not may be possible all the same, in another order or with other
//! inputs. Each is executed by the reference interpreter, as if a solver had said it.

mod blame;
mod forward;
mod needs;
mod part;
mod rows;
mod sections;
mod values;

use std::collections::HashSet;
use std::sync::Arc;

use warpath_trace::event::Op;
use warpath_trace::header::MemoryModel;

use crate::answer::{Execution, Reference};
use crate::encode::{Options, Point, is_buffered};
use crate::model::{Cells, Forest, Moment, NodeId, Outcome, Run, part as part_of};
use forward::{Forward, Found};
use needs::Needs;
use part::{Part, Stand};
use rows::RowId;
use values::{Values, World};

/// A run that needs more numbers than this (its steps × its threads) is not looked at: memory.
const MOST_NUMBERS: usize = 1 << 28;

/// How often a part of the run is executed and extended, before it is given up.
const MOST_REHEARSALS: usize = 64;

/// How often threads start on their way, before they are given up.
const MOST_STARTS: usize = 16;

/// The observed run, made ready for questions.
#[derive(Debug)]
pub(crate) struct Observed<'f> {
    forest: &'f Forest,
    cells: Arc<Cells>,
    model: MemoryModel,
    /// The run as an execution under the memory model asked about, with the settled events in front.
    run: Execution,
    needs: Needs,
    /// Per node: the step that executed it.
    executed: Vec<Option<u32>>,
    observed: Found,
    /// Kept from question to question for their memory.
    part: Part,
    values: Values,
}

impl<'f> Observed<'f> {
    /// The forest's latest run, as far as it can be executed under the memory model; `None` if there is none.
    pub(crate) fn of(forest: &'f Forest, options: &Options) -> Option<Observed<'f>> {
        let run = forest.run()?;
        let cells = forest.cells();
        // The interpreter does not follow who is moved to another futex word, so it would not refuse a wrong guess.
        if forest.nodes().iter().any(|node| matches!(node.op, Op::FutexRequeue { .. })) {
            return None;
        }
        let mut execution = Execution {
            steps: steps(forest, run, options.model),
            inputs: run.inputs.clone(),
            initials: initials(forest, cells, run),
        };
        let size = (execution.steps.len() + forest.exprs.len()).checked_mul(4 * forest.keys().len());
        size.filter(|&size| size <= MOST_NUMBERS)?;
        // A run of a weaker model may stop fitting, and a trace may contradict itself.
        let whole = Reference::run(forest, options, &execution);
        if let Err(mismatch) = whole {
            execution.steps.truncate(mismatch.step);
        }
        let mut executed = vec![None; forest.nodes().len()];
        for (position, &point) in (0u32..).zip(&execution.steps) {
            if let Point::Issue(id) = point {
                executed[id.index()] = Some(position);
            }
        }
        let needs = Needs::of(forest, cells, options.model, &execution.steps);
        let mut values = Values::default();
        let world = World { forest, cells, model: options.model, inputs: &execution.inputs };
        values.reset(world, &execution);
        for &point in &execution.steps {
            values.step(world, point)?;
        }
        Some(Observed {
            forest,
            cells: Arc::clone(cells),
            model: options.model,
            part: Part { reach: needs.settled.clone() },
            needs,
            run: execution,
            executed,
            observed: Found { read: values.found().to_vec(), written: values.written().to_vec() },
            values,
        })
    }

    /// An execution behind which both events are pending. First the part of the run in which all decisions are sure
    /// to come out as observed; then what is left of it if they may do so with other values; then other orders.
    pub(crate) fn both_pending(&mut self, [a, b]: [NodeId; 2]) -> Option<Execution> {
        let stands = [self.stand(a)?, self.stand(b)?];
        self.for_sure(&stands).or_else(|| self.rehearse(&stands)).or_else(|| self.go_forward(&stands))
    }

    /// Where the run has the event next.
    fn stand(&self, id: NodeId) -> Option<Stand> {
        let node = self.forest.node(id);
        let thread = &self.needs.threads[node.tree.index()];
        let behind = match node.parent {
            Some((parent, _)) => Some(self.executed[parent.index()]?),
            None => None,
        };
        let forked = behind.is_some()
            || self.needs.fork[node.tree.index()].is_some()
            || self.forest.forks(node.tree).is_empty();
        let done = behind.map_or(0, |behind| self.needs.index[behind as usize] + 1);
        let is_event = |&&position: &&u32| matches!(self.run.steps[position as usize], Point::Issue(_));
        let limit = match thread[done as usize..].iter().find(is_event) {
            Some(&next) => {
                let goes_there = self.forest.node(self.run.steps[next as usize].node()).parent == node.parent;
                goes_there.then(|| self.needs.index[next as usize])?
            }
            // Nobody knows how control would have gone on.
            None if node.parent.is_some_and(|(_, outcome)| outcome != Outcome::Next) => return None,
            None => thread.len() as u32,
        };
        forked.then_some(Stand { tree: node.tree, behind, done, limit })
    }

    /// The part that leads there with all decisions as observed for sure.
    fn for_sure(&mut self, stands: &[Stand; 2]) -> Option<Execution> {
        let Observed { needs, part, .. } = self;
        part.reach.copy_from_slice(&needs.settled);
        for stand in stands {
            match stand.behind {
                Some(behind) => {
                    part.raise(needs, needs.sure[behind as usize]);
                    part.raise(needs, needs.decision[behind as usize]);
                }
                None => {
                    let fork = needs.fork[stand.tree.index()].map(|fork| needs.sure[fork as usize]);
                    fork.into_iter().for_each(|row| part.raise(needs, row));
                }
            }
        }
        part.close(needs, &needs.sure, stands).then(|| self.execution(self.in_order()))
    }

    /// The smallest part that leads there whatever values there are, and then what it takes for each decision that
    /// comes out differently.
    fn rehearse(&mut self, stands: &[Stand; 2]) -> Option<Execution> {
        let Observed { needs, part, .. } = self;
        part.reach.copy_from_slice(&needs.settled);
        for stand in stands {
            let last = stand.behind.or(needs.fork[stand.tree.index()]);
            last.into_iter().for_each(|last| part.raise(needs, needs.step[last as usize]));
        }
        for _ in 0..MOST_REHEARSALS {
            let Observed { needs, part, .. } = self;
            if !part.close(needs, &needs.step, stands) {
                return None;
            }
            let line = self.in_order();
            let Err(missing) = self.play(&line, stands) else { return Some(self.execution(line)) };
            if self.part.has(&self.needs, missing) {
                return None;
            }
            self.part.raise(&self.needs, missing);
        }
        None
    }

    /// Lets the threads go on until both stand there, in an order as near to the observed one as values and locks
    /// allow.
    fn go_forward(&mut self, stands: &[Stand; 2]) -> Option<Execution> {
        let Observed { forest, cells, model, run, needs, observed, values, .. } = self;
        let world = World { forest, cells, model: *model, inputs: &run.inputs };
        let mut fixed = HashSet::new();
        for _ in 0..MOST_STARTS {
            match Forward::new(world, run, needs, values, stands, observed, &fixed).go() {
                Ok(line) => return Some(self.execution(line)),
                Err(blamed) => {
                    let known = fixed.len();
                    fixed.extend(blamed);
                    if fixed.len() == known {
                        return None;
                    }
                }
            }
        }
        None
    }

    /// Executes steps in this order. The first decision that comes out differently answers what makes it come out
    /// as observed.
    fn play(&mut self, line: &[u32], stands: &[Stand; 2]) -> Result<(), RowId> {
        let Observed { forest, cells, model, run, needs, executed, values, .. } = self;
        let world = World { forest, cells, model: *model, inputs: &run.inputs };
        values.reset(world, run);
        let decision = |id: NodeId| {
            executed[id.index()].map_or(rows::Rows::NOTHING, |position| needs.decision[position as usize])
        };
        for &position in line {
            let point = run.steps[position as usize];
            if let (Point::Issue(id), Some((parent, outcome))) = (point, forest.node(point.node()).parent)
                && !forest.is_settled(id)
                && !values.goes_on(world, parent, outcome)
            {
                return Err(decision(parent));
            }
            values.step(world, point).ok_or(needs.value[position as usize])?;
        }
        for stand in stands {
            let next = needs.threads[stand.tree.index()].get(stand.limit as usize);
            let next = next.map(|&next| run.steps[next as usize].node());
            if let Some((parent, outcome)) = next.and_then(|next| forest.node(next).parent)
                && !values.goes_on(world, parent, outcome)
            {
                return Err(decision(parent));
            }
        }
        Ok(())
    }

    /// The steps that take part, as observed.
    fn in_order(&self) -> Vec<u32> {
        let takes_part = |&position: &u32| {
            let tree = self.forest.node(self.run.steps[position as usize].node()).tree;
            self.needs.index[position as usize] < self.part.reach[tree.index()]
        };
        (0..self.run.steps.len() as u32).filter(takes_part).collect()
    }

    fn execution(&self, line: Vec<u32>) -> Execution {
        let steps = line.into_iter().map(|position| self.run.steps[position as usize]);
        Execution {
            steps: steps.filter(|point| !self.forest.is_settled(point.node())).collect(),
            inputs: self.run.inputs.clone(),
            initials: self.run.initials.clone(),
        }
    }
}

/// The run's steps under a memory model, the settled ones first. A run recorded under sequential consistency is one of every model: each
/// write takes effect at once.
fn steps(forest: &Forest, run: &Run, model: MemoryModel) -> Vec<Point> {
    let has_commits = run.steps.iter().any(|step| matches!(step, Moment::Commit(_)));
    let mut steps: Vec<Point> = forest.settled().map(Point::Issue).collect();
    for &step in &run.steps {
        match step {
            Moment::Event(id) | Moment::Commit(id) if forest.is_settled(id) => {}
            Moment::Event(id) => {
                steps.push(Point::Issue(id));
                if !has_commits && is_buffered(model, &forest.node(id).op) {
                    steps.push(Point::Commit(id));
                }
            }
            Moment::Commit(id) if is_buffered(model, &forest.node(id).op) => steps.push(Point::Commit(id)),
            Moment::Commit(_) => {}
        }
    }
    steps
}

/// What storage held before the first event, where no trace says so but a read of the run found it.
fn initials(forest: &Forest, cells: &Cells, run: &Run) -> Vec<(u32, u128)> {
    let mut unexplained = run.unexplained.iter().peekable();
    let mut known: Vec<bool> = cells.all().iter().map(|cell| cell.initial.is_some()).collect();
    let mut initials = Vec::new();
    for &step in &run.steps {
        let Moment::Event(id) = step else { continue };
        let op = &forest.node(id).op;
        let value = unexplained.next_if(|(node, _)| *node == id).map(|&(_, value)| value);
        if let (Some(location), Some(value)) = (op.read_location(), value) {
            let start = forest.places.location(location).offset;
            for &cell in cells.row(location) {
                let entry = cells.cell(cell);
                if !std::mem::replace(&mut known[cell.0 as usize], true) {
                    initials.push((cell.0, part_of(value, entry.offset - start, entry.size.into())));
                }
            }
        }
        for &cell in op.written().map_or(&[][..], |(location, _)| cells.row(location)) {
            known[cell.0 as usize] = true;
        }
    }
    initials
}
