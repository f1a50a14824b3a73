//! A recorded run, indexed once for all of its windows.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use warpath_trace::event::{Event, Op, Ref, SyncKind};
use warpath_trace::expr::{Evaluator, ExprPool, Leaf};
use warpath_trace::header::MemoryModel;
use warpath_trace::ids::{ExprId, InputId, LocationId, ThreadIx};
use warpath_trace::trace::Trace;

use super::error::WindowError;
use crate::model::monitors;

/// A position that never comes.
const NEVER: u32 = u32::MAX;

/// A trace, the order of its events, and what each of its expressions came to in the run.
#[derive(Debug)]
pub struct Recorded<'t> {
    pub(super) trace: &'t Trace,
    /// The memory model of the windows' executions.
    pub(super) model: MemoryModel,
    /// The events in the observed order: thread and index within it.
    pub(super) steps: Vec<(ThreadIx, u32)>,
    /// What each synchronisation object was made as, each time one was.
    pub(super) kinds: HashMap<LocationId, Vec<SyncKind>>,
    /// Reads on which a branch depends.
    pub(super) guarded: HashSet<(ThreadIx, u32)>,
    /// If memory was not recorded: the mutexes of which that matters, ascending.
    pub(super) monitors: Option<Vec<LocationId>>,
    /// Futex words between which waiters are moved: for each, the one that stands for all connected with it.
    pub(super) families: HashMap<LocationId, LocationId>,
    /// Atomic regions, from the event that begins one to the one that ends it.
    regions: Vec<RangeInclusive<u32>>,
    /// Per expression: the position of the latest read or input below it; [`NEVER`] if it has no value.
    latest: Vec<u32>,
    /// Per expression: its value in the run.
    values: Vec<u128>,
}

fn sorted(locations: HashSet<LocationId>) -> Vec<LocationId> {
    let mut locations: Vec<LocationId> = locations.into_iter().collect();
    locations.sort_unstable();
    locations
}

impl<'t> Recorded<'t> {
    /// Indexes a trace whose windows are to be looked at under this memory model.
    pub fn of(trace: &'t Trace, model: MemoryModel) -> Result<Recorded<'t>, WindowError> {
        if weakness(trace.header.model) > weakness(model) {
            return Err(WindowError::Model { recorded: trace.header.model, asked: model });
        }
        let mut positions: Vec<Vec<u32>> =
            trace.threads.iter().map(|events| vec![NEVER; events.len()]).collect();
        let mut steps = Vec::new();
        let mut kinds: HashMap<LocationId, Vec<SyncKind>> = HashMap::new();
        let mut inputs: HashMap<InputId, (u32, u128)> = HashMap::new();
        let mut regions = Vec::new();
        let mut families = HashMap::new();
        let mut region: Option<(ThreadIx, u32)> = None;
        for (position, (thread, index, event)) in (0u32..).zip(trace.in_order()?) {
            positions[thread.index()][index as usize] = position;
            steps.push((thread, index));
            match event.op {
                Op::SyncInit { object, kind } => kinds.entry(object).or_default().push(kind),
                Op::Input { input, value } => {
                    inputs.entry(input).or_insert((position, value));
                }
                Op::FutexRequeue { from, to, .. } => connect(&mut families, from, to),
                Op::AtomicBegin => {
                    region.get_or_insert((thread, position));
                }
                Op::AtomicEnd => {
                    if let Some((_, begin)) = region.take_if(|(owner, _)| *owner == thread) {
                        regions.push(begin..=position);
                    }
                }
                _ => {}
            }
        }
        regions.extend(region.map(|(_, begin)| begin..=NEVER));
        let mut recorded = Recorded {
            trace,
            model,
            steps,
            kinds,
            families,
            regions,
            monitors: monitors(trace).map(sorted),
            guarded: HashSet::new(),
            latest: Vec::new(),
            values: Vec::new(),
        };
        recorded.evaluate(&positions, &inputs);
        recorded.check_inputs()?;
        recorded.find_guarded();
        Ok(recorded)
    }

    /// How many events have a place in the observed order.
    pub fn events(&self) -> u32 {
        self.steps.len() as u32
    }

    /// Where a window that is to begin at a position begins. With writes in store buffers that is not inside an atomic
    /// region: they are flushed at the start, and nothing of another thread happens in a region.
    pub(super) fn begin(&self, position: u32) -> u32 {
        if self.trace.header.model == MemoryModel::Sc {
            return position;
        }
        let earlier = self.regions.partition_point(|region| *region.start() < position);
        let last = self.regions[..earlier].last().filter(|region| *region.end() >= position);
        last.map_or(position, |region| *region.start())
    }

    pub(super) fn event(&self, thread: ThreadIx, index: u32) -> &'t Event {
        &self.trace.threads[thread.index()][index as usize]
    }

    /// The value of an expression that is about what happened before `position` only.
    pub(super) fn fixed(&self, expr: ExprId, position: u32) -> Option<u128> {
        (self.latest[expr.index()] < position).then(|| self.values[expr.index()])
    }

    /// Values of all expressions; operands have lower ids than what is made of them.
    fn evaluate(&mut self, positions: &[Vec<u32>], inputs: &HashMap<InputId, (u32, u128)>) {
        let trace = self.trace;
        let pool = &trace.tables.exprs;
        let read = |thread: ThreadIx, event: u32| {
            let value = trace.event(thread, event)?.op.read_value()?;
            Some((positions[thread.index()][event as usize], value))
        };
        let of = |leaf: Leaf| match leaf {
            Leaf::Input(input) => inputs.get(&input).copied(),
            Leaf::Read(thread, event) => read(thread, event),
        };
        let mut evaluator = Evaluator::new(pool, |leaf| of(leaf).map(|(_, value)| value));
        for (n, node) in pool.nodes().iter().enumerate() {
            // Constants have a value from the start. Whether they count as fixed makes no difference.
            let latest = match node.leaf() {
                Some(leaf) => of(leaf).map_or(NEVER, |(position, _)| position),
                None => node.operands().map(|operand| self.latest[operand.index()]).max().unwrap_or(0),
            };
            let value = match latest {
                NEVER => 0,
                _ => evaluator.value(ExprId::from(n)).unwrap_or(0),
            };
            self.latest.push(latest);
            self.values.push(value);
        }
    }

    /// Does the trace say which value every input had that an event's expressions speak of?
    fn check_inputs(&self) -> Result<(), WindowError> {
        for &(thread, index) in &self.steps {
            let mut event = *self.event(thread, index);
            event.try_refs(|reference| match reference {
                Ref::Expr(&mut expr) if self.latest[expr.index()] == NEVER => {
                    Err(WindowError::InputValue(self.unknown_input(expr)))
                }
                _ => Ok(()),
            })?;
        }
        Ok(())
    }

    /// The name of an input below an expression that has no value.
    fn unknown_input(&self, mut expr: ExprId) -> String {
        let tables = &self.trace.tables;
        loop {
            let node = tables.exprs.node(expr);
            if let Some(Leaf::Input(input)) = node.leaf() {
                return tables.text(tables.inputs()[input.index()].name).into_owned();
            }
            match node.operands().find(|operand| self.latest[operand.index()] == NEVER) {
                Some(operand) => expr = operand,
                // Reads have values: the trace was checked.
                None => return String::new(),
            }
        }
    }

    /// Every read that some branch of its thread depends on, when what can be simplified has been: a forest's
    /// expressions are, and a window should not know of more guards than the whole trace has.
    fn find_guarded(&mut self) {
        let mut pool = ExprPool::new();
        let mut simple: Vec<Option<ExprId>> = Vec::new();
        for &node in self.trace.tables.exprs.nodes() {
            let known = node.operands().all(|operand| simple[operand.index()].is_some());
            let moved = known.then(|| {
                node.map_operands(|operand| simple[operand.index()].expect("all operands are known"))
            });
            simple.push(moved.and_then(|node| pool.simplified(node).ok()));
        }
        let mut seen = HashSet::new();
        let mut stack: Vec<ExprId> = Vec::new();
        for event in self.trace.threads.iter().flatten() {
            let (Op::Branch { condition: expr, .. } | Op::Switch { on: expr, .. }) = event.op else {
                continue;
            };
            stack.extend(simple[expr.index()]);
            while let Some(expr) = stack.pop() {
                if !seen.insert(expr) {
                    continue;
                }
                let node = pool.node(expr);
                if let Some(Leaf::Read(thread, event)) = node.leaf() {
                    self.guarded.insert((thread, event));
                }
                stack.extend(node.operands());
            }
        }
    }
}

/// Notes that waiters are moved from one word to the other.
fn connect(families: &mut HashMap<LocationId, LocationId>, a: LocationId, b: LocationId) {
    let [a, b] = [a, b].map(|word| *families.entry(word).or_insert(word));
    if a != b {
        families.values_mut().filter(|family| **family == b).for_each(|family| *family = a);
    }
}

/// Every run of a model is one of each weaker model.
fn weakness(model: MemoryModel) -> u32 {
    match model {
        MemoryModel::Sc => 0,
        MemoryModel::Tso => 1,
        MemoryModel::Pso => 2,
    }
}
