//! The forest of a window: settled nodes first, then the window's events.

use std::collections::{HashMap, HashSet};

use warpath_trace::event::{Event, OnceStep, Op, Ref};
use warpath_trace::expr::{ExprError, Node as Expr, Sort};
use warpath_trace::header::Values;
use warpath_trace::ids::{ExprId, InputId, LocationId, SourceId, StringId, ThreadIx};

use super::recorded::Recorded;
use super::start::Start;
use super::state::Settled;
use crate::model::{
    Before, Forest, InputVar, Moment, Node, NodeId, Outcome, Reads, Run, TreeIx, has_node, split,
};

/// Builds the forest of a window. Names and places of its nodes are those of the whole trace.
pub(super) fn forest_of(recorded: &Recorded<'_>, start: &Start) -> Forest {
    let mut planting = Planting::new(recorded, start);
    for event in &start.settled {
        planting.settle(*event);
    }
    planting.forest.settle();
    let events = &start.window.events;
    let steps = &recorded.steps[events.start as usize..events.end as usize];
    for (&(thread, index), position) in steps.iter().zip(events.start..) {
        planting.event(thread, index, position);
    }
    // Threads that wait for ever still do.
    for &(thread, _, pending) in &start.threads {
        if let Some(index) = pending {
            planting.event(thread, index, events.end);
        }
    }
    planting.finish(start)
}

/// Where a thread stands while the forest is built.
#[derive(Clone, Copy)]
struct Stand {
    tree: TreeIx,
    /// The last node and how control went on from there.
    last: Option<(NodeId, Outcome)>,
    depth: u32,
}

struct Planting<'r, 't> {
    recorded: &'r Recorded<'t>,
    /// Where the window begins.
    begin: u32,
    forest: Forest,
    threads: HashMap<ThreadIx, Stand>,
    inputs: HashMap<InputId, InputId>,
    exprs: HashMap<ExprId, ExprId>,
    nodes: HashMap<(ThreadIx, u32), NodeId>,
    reads: Reads,
    run: Run,
    guarded: HashSet<NodeId>,
}

impl<'r, 't> Planting<'r, 't> {
    fn new(recorded: &'r Recorded<'t>, start: &Start) -> Self {
        let trace = recorded.trace;
        let mut forest = Forest::new();
        if let Some(monitors) = &recorded.monitors {
            let ids = monitors.iter().map(|&mutex| forest.places.admit_location(&trace.tables, mutex));
            let ids: Vec<LocationId> = ids.collect();
            forest.leave_unseen(ids);
        }
        let mut threads = HashMap::new();
        for &(thread, depth, _) in &start.threads {
            let tree = forest.tree_for(trace.tables.key(thread));
            threads.insert(thread, Stand { tree, last: None, depth });
        }
        for &(location, stored) in &start.storage {
            let id = forest.places.admit_location(&trace.tables, location);
            forest.places.set_initial(id, stored.value);
        }
        for (object, kinds) in &start.kinds {
            if !kinds.is_empty() {
                let id = forest.places.admit_location(&trace.tables, *object);
                forest.was_made(id, kinds.clone());
            }
        }
        Planting {
            recorded,
            begin: start.window.events.start,
            forest,
            threads,
            inputs: HashMap::new(),
            exprs: HashMap::new(),
            nodes: HashMap::new(),
            reads: match trace.header.values {
                Values::Symbolic => Reads::Free,
                Values::Pinned => Reads::Pinned,
            },
            run: Run::default(),
            guarded: HashSet::new(),
        }
    }

    /// Adds a settled node behind those of its thread.
    fn settle(&mut self, event: Settled) {
        let mut op = event.op;
        self.localise(event.thread, event.index, &mut op);
        let (op, outcome) = split(op, self.reads);
        let node = self.add(event.thread, event.index, op, event.position, event.depth);
        self.stand(event.thread).last = Some((node, outcome));
    }

    fn event(&mut self, thread: ThreadIx, index: u32, position: u32) {
        let mut op = self.recorded.event(thread, index).op;
        if !has_node(&op) {
            if let Op::Commit { write } = op
                && let Some(&write) = self.nodes.get(&(thread, write))
            {
                self.run.steps.push(Moment::Commit(write));
            }
            return;
        }
        let pending = op.is_pending();
        if let Op::Once { once, step: OnceStep::Pending } = op {
            op = Op::Once { once, step: OnceStep::Seen };
        }
        // The node's id is needed before the node: a read-modify-write refers to what it reads itself.
        self.nodes.insert((thread, index), NodeId(self.forest.nodes().len() as u32));
        self.localise(thread, index, &mut op);
        let executed = op;
        let (op, outcome) = split(op, self.reads);
        let observed = if pending { u32::MAX } else { position };
        let depth = self.stand(thread).depth;
        let node = self.add(thread, index, op, observed, depth);
        if pending {
            return;
        }
        let stand = self.stand(thread);
        stand.last = Some((node, outcome));
        stand.depth += 1;
        self.record(thread, index, node, &executed);
    }

    /// Notes that the run executed a node, and what belongs to this run alone.
    fn record(&mut self, thread: ThreadIx, index: u32, node: NodeId, op: &Op) {
        self.run.steps.push(Moment::Event(node));
        if let Op::Input { input, value } = *op {
            self.run.inputs[input.index()] = value;
        }
        if let (Some(location), Some(value)) = (op.read_location(), op.read_value()) {
            if self.forest.places.location(location).initial.is_none() {
                self.run.unexplained.push((node, value));
            }
            if self.recorded.guarded.contains(&(thread, index)) {
                self.guarded.insert(node);
            }
        }
    }

    fn stand(&mut self, thread: ThreadIx) -> &mut Stand {
        self.threads.get_mut(&thread).expect("a window's start names all threads that take part")
    }

    fn add(&mut self, thread: ThreadIx, index: u32, op: Op, observed: u32, depth: u32) -> NodeId {
        let Stand { tree, last, .. } = *self.stand(thread);
        let event = self.recorded.event(thread, index);
        let at = self.recorded.trace.tables.source_name(event.at);
        let pinned = self.reads == Reads::Pinned;
        let found = event.op.read_value();
        self.forest.add_node(Node { pinned, observed, found, depth, ..Node::unseen(tree, last, op, at) })
    }

    fn finish(mut self, start: &Start) -> Forest {
        for stand in self.threads.values() {
            if let Some((node, outcome)) = stand.last {
                self.forest.stopped(node, outcome);
            }
        }
        let written = start.storage.iter().filter(|(_, stored)| stored.written);
        let written = written
            .map(|&(location, _)| self.forest.places.admit_location(&self.recorded.trace.tables, location));
        let before = Before { written: written.collect(), guarded: self.guarded };
        // With buffers that are flushed at the start, the run from there on is not the recorded one.
        let run = start.unflushed.is_empty().then_some(self.run);
        self.forest.complete(before, run);
        self.forest
    }

    /// Replaces the trace's ids by the forest's. Strings are not kept apart: they say nothing about control.
    fn localise(&mut self, thread: ThreadIx, index: u32, op: &mut Op) {
        let tables = &self.recorded.trace.tables;
        let mut event = Event { op: *op, at: SourceId::UNKNOWN };
        let result: Result<(), ExprError> = event.try_refs(|reference| {
            match reference {
                Ref::Thread(id) => *id = ThreadIx(self.stand(*id).tree.0),
                Ref::Data(id) | Ref::Sync(id) => *id = self.location(*id),
                Ref::Object(id) => *id = self.forest.places.admit_object(tables, *id),
                Ref::Input(id) => *id = self.input(*id),
                Ref::Expr(id) => *id = self.expr(thread, *id)?,
                Ref::String(id) => *id = StringId::EMPTY,
                Ref::Source(_) => {}
            }
            Ok(())
        });
        debug_assert!(result.is_ok(), "event {index}: {result:?}");
        result.expect("a trace that was checked has good expressions, and so has the forest");
        *op = event.op;
    }

    fn location(&mut self, id: LocationId) -> LocationId {
        self.forest.places.admit_location(&self.recorded.trace.tables, id)
    }

    fn input(&mut self, id: InputId) -> InputId {
        if let Some(&known) = self.inputs.get(&id) {
            return known;
        }
        let tables = &self.recorded.trace.tables;
        let entry = &tables.inputs()[id.index()];
        let name = tables.text(entry.name).into_owned();
        let here = self.forest.input_for(InputVar { name, nth: entry.nth, width: entry.width });
        self.inputs.insert(id, here);
        self.run.inputs.resize(self.forest.inputs().len(), 0);
        here
    }

    /// The forest's expression for one of the trace's: what is about the time before the window is what it was.
    fn expr(&mut self, thread: ThreadIx, root: ExprId) -> Result<ExprId, ExprError> {
        let from = &self.recorded.trace.tables.exprs;
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.exprs.contains_key(&id) {
                stack.pop();
                continue;
            }
            let node = match self.recorded.fixed(id, self.begin) {
                Some(value) => match from.sort(id) {
                    Sort::Bool => Expr::Bool(value != 0),
                    Sort::Bits(width) => Expr::Const { width, value },
                },
                None => {
                    let node = from.node(id);
                    let waiting = stack.len();
                    stack.extend(node.operands().filter(|operand| !self.exprs.contains_key(operand)));
                    if stack.len() > waiting {
                        continue;
                    }
                    self.moved(thread, node)
                }
            };
            let here = self.forest.exprs.simplified(node)?;
            self.exprs.insert(id, here);
            stack.pop();
        }
        Ok(self.exprs[&root])
    }

    /// A node of an expression whose operands have been moved here.
    fn moved(&mut self, thread: ThreadIx, node: Expr) -> Expr {
        match node {
            Expr::Input { input, width } => Expr::Input { input: self.input(input), width },
            Expr::Read { event, width, .. } => Expr::Read {
                thread: ThreadIx(self.stand(thread).tree.0),
                event: self.nodes[&(thread, event)].0,
                width,
            },
            other => other.map_operands(|operand| self.exprs[&operand]),
        }
    }
}
