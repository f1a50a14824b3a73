//! Merging a trace into the forest.

use std::sync::Arc;

use warpath_trace::event::{Event, OnceStep, Op, Ref};
use warpath_trace::expr::{ExprError, ExprPool, Node as Expr};
use warpath_trace::header::{Footer, Outcome as Ran, Values};
use warpath_trace::ids::{ExprId, InputId, LocationId, ObjectId, SourceId, ThreadIx};
use warpath_trace::trace::Trace;

use super::divergence::Divergence;
use super::forest::{Forest, InputVar, Node, NodeId, Outcome, TreeIx};
use super::idle::Idle;
use super::normal::{Reads, are_alternatives, has_node, split};
use super::run::{Moment, Run};
use super::unseen::monitors;

impl Forest {
    /// A forest of one trace.
    pub fn of(trace: &Trace) -> Result<Forest, Divergence> {
        let mut forest = Forest::new();
        forest.merge(trace)?;
        Ok(forest)
    }

    /// Adds what a trace shows. Answers, per thread of the trace, the nodes of its events; an event that was
    /// still pending at the end of the trace has a node too, which was not executed.
    pub fn merge(&mut self, trace: &Trace) -> Result<Vec<Vec<NodeId>>, Divergence> {
        self.changes();
        let mut merge = Merge::new(self, trace);
        merge.fits_by_kind()?;
        // A trace whose tickets contradict each other has no order; thread by thread is as good as any.
        let (runs, observed): (Vec<_>, bool) = match trace.in_order() {
            Ok(steps) => (steps.map(|(thread, index, _)| (thread, index)).collect(), true),
            Err(_) => (trace.listing().map(|(thread, index, _)| (thread, index)).collect(), false),
        };
        for (position, (thread, index)) in runs.into_iter().enumerate() {
            merge.event(thread, index, position as u32)?;
        }
        let last = merge.last;
        let (paths, mut run) = merge.finish();
        let exited = matches!(trace.footer, Some(Footer { outcome: Ran::Exited(_), .. }));
        let alive = |events: &Vec<Event>| !matches!(events.last(), None | Some(Event { op: Op::End, .. }));
        if let Some(last) = last.filter(|_| exited && trace.threads.iter().any(alive)) {
            self.exits(last);
        }
        run.inputs.resize(self.inputs.len(), 0);
        self.run = observed.then_some(run);
        self.traces += 1;
        self.seats = Arc::clone(self.seats());
        Ok(paths)
    }
}

/// Where a thread's path stands while its trace is being merged.
#[derive(Clone, Copy)]
struct End {
    node: Option<NodeId>,
    outcome: Outcome,
}

struct Merge<'f, 't> {
    forest: &'f mut Forest,
    trace: &'t Trace,
    trees: Vec<TreeIx>,
    inputs: Vec<InputId>,
    objects: Vec<ObjectId>,
    locations: Vec<LocationId>,
    exprs: Vec<Option<ExprId>>,
    paths: Vec<Vec<NodeId>>,
    ends: Vec<End>,
    reads: Reads,
    run: Run,
    /// What happened last.
    last: Option<NodeId>,
}

impl<'f, 't> Merge<'f, 't> {
    fn new(forest: &'f mut Forest, trace: &'t Trace) -> Self {
        let (objects, locations) = forest.places.absorb(&trace.tables);
        if let Some(monitors) = monitors(trace) {
            forest.leave_unseen(monitors.into_iter().map(|mutex| locations[mutex.index()]));
        }
        let trees: Vec<TreeIx> = trace.tables.keys().iter().map(|key| forest.tree_for(key)).collect();
        let inputs = trace.tables.inputs().iter().map(|input| {
            let name = trace.tables.text(input.name).into_owned();
            forest.input_for(InputVar { name, nth: input.nth, width: input.width })
        });
        let inputs = inputs.collect();
        let threads = trace.threads.len();
        Merge {
            trace,
            trees,
            inputs,
            objects,
            locations,
            exprs: vec![None; trace.tables.exprs.len()],
            paths: vec![Vec::new(); threads],
            ends: vec![End { node: None, outcome: Outcome::Next }; threads],
            reads: match trace.header.values {
                Values::Symbolic => Reads::Free,
                Values::Pinned => Reads::Pinned,
            },
            run: Run::default(),
            last: None,
            forest,
        }
    }

    /// Does every thread decide as it did in the runs so far, by branches or by the values of its reads?
    fn fits_by_kind(&self) -> Result<(), Divergence> {
        let recorded = |pinned| if pinned { "with values only" } else { "with branch conditions" };
        let here = self.reads == Reads::Pinned;
        for (&tree, events) in self.trees.iter().zip(&self.trace.threads) {
            let known = self.forest.root(tree).map(|root| self.forest.node(root).pinned);
            if let Some(known) = known.filter(|&known| known != here && !events.is_empty()) {
                let thread = self.forest.key(tree).to_string();
                return Err(Divergence::Values { thread, found: recorded(here), known: recorded(known) });
            }
        }
        Ok(())
    }

    fn event(&mut self, thread: ThreadIx, index: u32, position: u32) -> Result<(), Divergence> {
        let Some(&event) = self.trace.event(thread, index) else { return Ok(()) };
        if !has_node(&event.op) {
            if let Op::Commit { write } = event.op
                && let Some(&write) = self.paths[thread.index()].get(write as usize)
            {
                self.run.steps.push(Moment::Commit(write));
            }
            if let Op::Await { window } = event.op {
                self.idle(thread, index, window);
            }
            self.paths[thread.index()].push(self.ends[thread.index()].node.unwrap_or(NodeId(0)));
            return Ok(());
        }
        let pending = event.op.is_pending();
        let mut event = event;
        if let Op::Once { once, step: OnceStep::Pending } = event.op {
            event.op = Op::Once { once, step: OnceStep::Seen };
        }
        // The node's id is needed before the node: a read-modify-write refers to what it reads itself.
        let siblings = self.siblings(thread);
        let own = siblings.first().copied().unwrap_or(NodeId(self.forest.nodes.len() as u32));
        self.paths[thread.index()].push(own);
        self.localise(thread, &mut event.op);
        self.paths[thread.index()].pop();
        let executed = event.op;
        let (op, outcome) = split(executed, self.reads);
        let at = self.trace.tables.source_name(event.at);
        let known = self.forest.nodes.len();
        let node = self.step(thread, index, op, at, &siblings)?;
        if node.index() >= known {
            self.forest.nodes[node.index()].standard = self.is_standard(event.at);
            self.forest.nodes[node.index()].function = self.function(event.at);
        }
        self.paths[thread.index()].push(node);
        if !pending {
            self.last = Some(node);
            self.record(node, &executed);
            let observed = &mut self.forest.nodes[node.index()].observed;
            *observed = if *observed == u32::MAX { position } else { *observed };
            self.ends[thread.index()] = End { node: Some(node), outcome };
        }
        Ok(())
    }

    /// The last so many events of a thread were an idle turn.
    fn idle(&mut self, thread: ThreadIx, index: u32, window: u32) {
        let End { node: Some(end), outcome } = self.ends[thread.index()] else { return };
        let turn = index.saturating_sub(window) as usize..index as usize;
        let events = self.trace.threads[thread.index()][turn.clone()].iter();
        let nodes = self.paths[thread.index()][turn].iter();
        let reads = events.zip(nodes).filter_map(|(event, &node)| Some((node, event.op.read_value()?)));
        let (reads, values) = reads.unzip();
        self.forest.was_idle(end, outcome, Idle { reads, values });
    }

    /// The function that a position is in; empty if not known.
    fn function(&self, at: SourceId) -> String {
        let source = self.trace.tables.sources().get(at.index());
        source.map_or_else(String::new, |source| self.trace.tables.text(source.function).into_owned())
    }

    /// Is a position in the standard library of C++ or Rust? Their functions say so by their names.
    fn is_standard(&self, at: SourceId) -> bool {
        const LIBRARIES: [&str; 4] = ["std::", "core::", "alloc::", "__gnu_cxx::"];
        let function = self.function(at);
        let name = function.trim_start_matches(['<', '&', '*']);
        LIBRARIES.iter().any(|library| name.starts_with(library))
    }

    /// Notes that the run executed a node, and what belongs to this run alone.
    fn record(&mut self, node: NodeId, op: &Op) {
        self.run.steps.push(Moment::Event(node));
        let found = &mut self.forest.nodes[node.index()].found;
        *found = found.or(op.read_value());
        if let Op::Input { input, value } = *op {
            let known = self.run.inputs.len().max(input.index() + 1);
            self.run.inputs.resize(known, 0);
            self.run.inputs[input.index()] = value;
        }
        if let (Some(location), Some(value)) = (op.read_location(), op.read_value())
            && self.forest.places.location(location).initial.is_none()
        {
            self.run.unexplained.push((node, value));
        }
    }

    /// The node of the thread's next event: one that is there, or a new one.
    fn step(
        &mut self,
        thread: ThreadIx,
        index: u32,
        op: Op,
        at: String,
        siblings: &[NodeId],
    ) -> Result<NodeId, Divergence> {
        let tree = self.trees[thread.index()];
        let End { node: parent, outcome } = self.ends[thread.index()];
        for &known in siblings {
            if self.forest.node(known).op == op {
                return Ok(known);
            }
        }
        if let Some(&known) =
            siblings.iter().find(|&&known| !are_alternatives(&self.forest.node(known).op, &op))
        {
            return Err(Divergence::Events {
                thread: self.forest.key(tree).to_string(),
                index,
                found: format!("{op:?} {at}"),
                known: format!("{:?} {}", self.forest.node(known).op, self.forest.node(known).at),
            });
        }
        let depth = parent.map_or(0, |parent| self.forest.node(parent).depth + 1);
        let parent = parent.map(|parent| (parent, outcome));
        let pinned = self.reads == Reads::Pinned;
        Ok(self.forest.add_node(Node { pinned, depth, ..Node::unseen(tree, parent, op, at) }))
    }

    /// What is known to come next in this thread.
    fn siblings(&self, thread: ThreadIx) -> Vec<NodeId> {
        let End { node: parent, outcome } = self.ends[thread.index()];
        match parent {
            Some(parent) => {
                let children = &self.forest.nodes[parent.index()].children;
                children.iter().filter(|child| child.outcome == outcome).map(|child| child.node).collect()
            }
            None => self.forest.roots[self.trees[thread.index()].index()].into_iter().collect(),
        }
    }

    /// Notes the outcomes behind which a thread did nothing more.
    fn finish(self) -> (Vec<Vec<NodeId>>, Run) {
        for End { node, outcome } in &self.ends {
            if let Some(node) = node {
                let stops = &mut self.forest.nodes[node.index()].stops;
                if !stops.contains(outcome) {
                    stops.push(*outcome);
                }
            }
        }
        (self.paths, self.run)
    }

    /// Replaces the trace's ids by the forest's. Strings are not kept apart: they say nothing about control.
    fn localise(&mut self, thread: ThreadIx, op: &mut Op) {
        let mut event = Event { op: *op, at: SourceId::UNKNOWN };
        let result: Result<(), ExprError> = event.try_refs(|reference| {
            match reference {
                Ref::Thread(id) => *id = ThreadIx(self.trees[id.index()].0),
                Ref::Data(id) | Ref::Sync(id) => *id = self.locations[id.index()],
                Ref::Object(id) => *id = self.objects[id.index()],
                Ref::Input(id) => *id = self.inputs[id.index()],
                Ref::Expr(id) => *id = self.expr(thread, *id)?,
                Ref::String(id) => *id = warpath_trace::ids::StringId::EMPTY,
                Ref::Source(_) => {}
            }
            Ok(())
        });
        result.expect("a trace that was checked has good expressions, and so has the forest");
        *op = event.op;
    }

    /// The forest's expression for one of the trace's.
    fn expr(&mut self, thread: ThreadIx, root: ExprId) -> Result<ExprId, ExprError> {
        let from: &ExprPool = &self.trace.tables.exprs;
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.exprs[id.index()].is_some() {
                stack.pop();
                continue;
            }
            let node = from.node(id);
            let waiting = stack.len();
            stack.extend(node.operands().filter(|operand| self.exprs[operand.index()].is_none()));
            if stack.len() > waiting {
                continue;
            }
            let node = match node {
                Expr::Input { input, width } => Expr::Input { input: self.inputs[input.index()], width },
                Expr::Read { event, width, .. } => Expr::Read {
                    thread: ThreadIx(self.trees[thread.index()].0),
                    event: self.paths[thread.index()][event as usize].0,
                    width,
                },
                other => other.map_operands(|operand| self.exprs[operand.index()].expect("operands first")),
            };
            self.exprs[id.index()] = Some(self.forest.exprs.simplified(node)?);
            stack.pop();
        }
        Ok(self.exprs[root.index()].expect("the loop ends when the root is done"))
    }
}

impl Forest {
    /// The program ended with this event, though threads were alive. If that is the end of a thread, it ended all
    /// others with itself: nobody can ever join it.
    fn exits(&mut self, last: NodeId) {
        let tree = self.node(last).tree;
        if self.forks(tree).is_empty() {
            // The initial thread: that its end is the program's is known.
            return;
        }
        self.ends[tree.index()].retain(|&end| end != last);
    }

    pub(crate) fn tree_for(&mut self, key: &warpath_trace::thread::ThreadKey) -> TreeIx {
        if let Some(&tree) = self.by_key.get(key) {
            return tree;
        }
        let tree = TreeIx(self.keys.len() as u32);
        self.keys.push(key.clone());
        self.by_key.insert(key.clone(), tree);
        self.roots.push(None);
        self.forks.push(Vec::new());
        self.ends.push(Vec::new());
        tree
    }

    pub(crate) fn input_for(&mut self, input: InputVar) -> InputId {
        let next = self.inputs.len() as u32;
        let id = *self.input_ids.entry(input.clone()).or_insert(next);
        if id == next {
            self.inputs.push(input);
        }
        InputId(id)
    }
}

impl Forest {
    /// Adds a node that no run has had: an ending of a wait to ask for.
    pub(crate) fn add_unseen(&mut self, parent: NodeId, outcome: Outcome, op: Op) -> NodeId {
        let above = self.node(parent);
        let sibling = above.children.iter().find(|child| child.outcome == outcome);
        let at = sibling.map_or_else(String::new, |child| self.node(child.node).at.clone());
        let (tree, depth, pinned) = (above.tree, above.depth + 1, above.pinned);
        self.add_node(Node { pinned, depth, ..Node::unseen(tree, Some((parent, outcome)), op, at) })
    }

    /// Lets a read-modify-write find any value.
    pub(crate) fn unpin(&mut self, id: NodeId) {
        self.changes();
        self.nodes[id.index()].pinned = false;
    }
}
