//! Thread trees and the forest they make.
//!
//! Given its branch history, a thread's next visible event is determined; only values vary. So all observed
//! runs of a thread merge into one tree: a node per event, several children where control depended on a
//! symbolic value or on how a wait ended. One recorded trace is a forest whose trees are chains.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use warpath_trace::event::{Op, SyncKind};
use warpath_trace::expr::ExprPool;
use warpath_trace::ids::LocationId;
use warpath_trace::thread::ThreadKey;

use super::before::Before;
use super::facts::Facts;
use super::identity::Places;
use super::idle::IdleTurns;
use super::run::Run;
use super::seats::Seats;

/// A node of the forest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// Position in [`Forest::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A thread tree of the forest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TreeIx(pub u32);

impl TreeIx {
    /// Position in [`Forest::keys`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How control went on behind a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// There was nothing to decide.
    Next,
    /// A condition held, or did not.
    Held(bool),
    /// A value was this.
    Value(u128),
}

/// A child and the outcome that leads to it. Several children of one outcome are alternatives that differ
/// in how a wait ended; at most one of them is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child {
    /// The outcome of the parent.
    pub outcome: Outcome,
    /// The child.
    pub node: NodeId,
}

/// One event of a thread, on one path of its tree.
#[derive(Clone, Debug)]
pub struct Node {
    /// The thread.
    pub tree: TreeIx,
    /// The event before it and how control went on from there.
    pub parent: Option<(NodeId, Outcome)>,
    /// What it does, without the values of any one run: see the `normal` module. Ids are those of the
    /// forest: threads are trees, locations and objects those of [`Forest::places`], reads are nodes.
    pub op: Op,
    /// Do reads here decide by their value, because the trace has no branch events? Then the outcome of a read
    /// is its value; a read-modify-write has the value it read, and the one it wrote, in `op`.
    pub pinned: bool,
    /// Where in the program, for people.
    pub at: String,
    /// The function it is in; empty if not known.
    pub function: String,
    /// Is that in the standard library of the program's language?
    pub standard: bool,
    /// What comes next.
    pub children: Vec<Child>,
    /// Outcomes that were seen but have no event behind them: the thread stopped there.
    pub stops: Vec<Outcome>,
    /// When it was first observed: its position in the first run that had it. The solver is told to look near
    /// that order first; it stays, so that what a solver was told of it does.
    pub observed: u32,
    /// What it found when it was first observed, if it reads. The solver is told to try that first.
    pub found: Option<u128>,
    /// How many nodes lie between it and the root.
    pub depth: u32,
    /// Which of the nodes of its tree at that depth, by first sight.
    pub rank: u32,
}

impl Node {
    /// An event that nothing is known to follow, and that no run has had yet.
    pub(crate) fn unseen(tree: TreeIx, parent: Option<(NodeId, Outcome)>, op: Op, at: String) -> Node {
        Node {
            tree,
            parent,
            op,
            pinned: false,
            at,
            function: String::new(),
            standard: false,
            children: Vec::new(),
            stops: Vec::new(),
            observed: u32::MAX,
            found: None,
            depth: 0,
            rank: 0,
        }
    }
}

/// An input of the program, the same in every run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InputVar {
    /// Its name.
    pub name: String,
    /// Which of that name.
    pub nth: u32,
    /// Its width in bits.
    pub width: u8,
}

/// All that was observed, as trees.
#[derive(Clone, Debug, Default)]
pub struct Forest {
    pub(super) keys: Vec<ThreadKey>,
    pub(super) by_key: HashMap<ThreadKey, TreeIx>,
    pub(super) roots: Vec<Option<NodeId>>,
    pub(super) nodes: Vec<Node>,
    pub(super) ranks: HashMap<(TreeIx, u32), u32>,
    /// Per tree, the events that start its thread, and those that end it; both ascending.
    pub(super) forks: Vec<Vec<NodeId>>,
    pub(super) ends: Vec<Vec<NodeId>>,
    /// What synchronisation objects were made as, by first sight.
    kinds: HashMap<LocationId, Vec<SyncKind>>,
    pub(super) inputs: Vec<InputVar>,
    pub(super) input_ids: HashMap<InputVar, u32>,
    /// The inputs of the only executions that are of interest, by name and number; the others are 0. `None`: any.
    fixed: Option<Arc<HashMap<(String, u32), u128>>>,
    /// Objects and locations.
    pub places: Places,
    /// Expressions; a read is named by its tree and node.
    pub exprs: ExprPool,
    /// How many traces were merged.
    pub traces: u32,
    /// If they leave out what was read and written: the mutexes of which that matters.
    monitors: Option<HashSet<LocationId>>,
    /// The latest of them, as a run through the trees.
    pub(super) run: Option<Run>,
    /// Turns of waiting loops.
    pub(super) idle: IdleTurns,
    /// How many nodes are settled; they have the lowest ids.
    pub(super) settled: u32,
    /// For the forest of a window: what went before it, beyond the settled nodes.
    before: Before,
    /// The seats of the events merged so far.
    pub(super) seats: Arc<Seats>,
    /// What has been worked out from the rest.
    pub(super) facts: Facts,
}

impl Forest {
    /// Nothing observed yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The keys of the threads; the index is the [`TreeIx`].
    pub fn keys(&self) -> &[ThreadKey] {
        &self.keys
    }

    /// The key of a thread.
    pub fn key(&self, tree: TreeIx) -> &ThreadKey {
        &self.keys[tree.index()]
    }

    /// The tree of a key.
    pub fn tree(&self, key: &ThreadKey) -> Option<TreeIx> {
        self.by_key.get(key).copied()
    }

    /// The first event of a thread, if one was seen.
    pub fn root(&self, tree: TreeIx) -> Option<NodeId> {
        self.roots[tree.index()]
    }

    /// All nodes; the index is the [`NodeId`], and parents come before children.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The events that start a thread; none for one that nobody forks.
    pub fn forks(&self, tree: TreeIx) -> &[NodeId] {
        &self.forks[tree.index()]
    }

    /// The events that end a thread.
    pub fn ends(&self, tree: TreeIx) -> &[NodeId] {
        &self.ends[tree.index()]
    }

    /// What a synchronisation object was made as, each time one was.
    pub fn kinds(&self, object: LocationId) -> &[SyncKind] {
        self.kinds.get(&object).map_or(&[], |kinds| &kinds[..])
    }

    /// Every synchronisation object that was made, and what it was made as the first time.
    pub(crate) fn made(&self) -> impl Iterator<Item = (LocationId, SyncKind)> + '_ {
        self.kinds.iter().filter_map(|(&object, kinds)| Some((object, *kinds.first()?)))
    }

    /// Has the event happened before the window begins that this forest is about? Settled events are executed in
    /// every execution, before all others, in the order of their ids.
    pub fn is_settled(&self, id: NodeId) -> bool {
        id.0 < self.settled
    }

    /// The settled events, in the order in which they happened. None in a forest of whole traces.
    pub fn settled(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.settled).map(NodeId)
    }

    /// What went before the window that this forest is about, beyond its settled events.
    pub(crate) fn before(&self) -> &Before {
        &self.before
    }

    /// Begins a window: the nodes so far are settled.
    pub(crate) fn settle(&mut self) {
        self.changes();
        self.settled = self.nodes.len() as u32;
    }

    /// Ends a window: what else went before it, and the run that it is a part of, if that is the recorded one.
    pub(crate) fn complete(&mut self, before: Before, run: Option<Run>) {
        self.changes();
        self.before = before;
        self.run = run;
        self.traces = 1;
    }

    /// Notes that a thread was seen to do nothing more behind this outcome.
    pub(crate) fn stopped(&mut self, node: NodeId, outcome: Outcome) {
        let stops = &mut self.nodes[node.index()].stops;
        if !stops.contains(&outcome) {
            stops.push(outcome);
        }
    }

    /// Says what a synchronisation object was made as, outside of what this forest shows.
    pub(crate) fn was_made(&mut self, object: LocationId, kinds: Vec<SyncKind>) {
        self.kinds.insert(object, kinds);
    }

    /// Initial units of a semaphore, and how many it holds at most.
    pub(crate) fn semaphore(&self, object: LocationId) -> (u32, Option<u32>) {
        let made = self.kinds(object).iter().find_map(|kind| match *kind {
            SyncKind::Semaphore { initial, maximum } => Some((initial, maximum)),
            _ => None,
        });
        made.unwrap_or((0, None))
    }

    /// Do the traces leave out what threads read and wrote? Then what a thread does in a critical section, and behind
    /// it, may depend on who was there before.
    pub fn is_memory_unseen(&self) -> bool {
        self.monitors.is_some()
    }

    /// Is this a mutex of which it matters that what it protects was not recorded?
    pub(crate) fn protects_unseen(&self, mutex: LocationId) -> bool {
        self.monitors.as_ref().is_some_and(|monitors| monitors.contains(&mutex))
    }

    /// Says that memory was left out, and of which mutexes that matters.
    pub(crate) fn leave_unseen(&mut self, monitors: impl IntoIterator<Item = LocationId>) {
        self.changes();
        self.monitors.get_or_insert_default().extend(monitors);
    }

    /// The run of the latest trace merged; `None` if nobody knows in which order its events happened.
    pub fn run(&self) -> Option<&Run> {
        self.run.as_ref()
    }

    /// All node ids.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// All trees.
    pub fn trees(&self) -> impl Iterator<Item = TreeIx> + use<> {
        (0..self.keys.len() as u32).map(TreeIx)
    }

    /// The inputs; the index is the id that expressions use.
    pub fn inputs(&self) -> &[InputVar] {
        &self.inputs
    }

    /// Is about executions with these inputs alone from now on; one that is not among them is 0.
    pub fn fix_inputs(&mut self, inputs: impl IntoIterator<Item = (InputVar, u128)>) {
        self.changes();
        let inputs = inputs.into_iter().map(|(input, value)| ((input.name, input.nth), value));
        self.fixed = Some(Arc::new(inputs.collect()));
    }

    /// The value of an input, if only executions with that value are of interest.
    pub fn fixed_input(&self, input: &InputVar) -> Option<u128> {
        let fixed = self.fixed.as_ref()?;
        let value = fixed.get(&(input.name.clone(), input.nth)).copied().unwrap_or(0);
        let bits = u32::from(input.width).min(128);
        Some(value & u128::MAX.checked_shr(128 - bits).unwrap_or(0))
    }

    /// The node and those above it, from the node up.
    pub fn path_up(&self, from: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(from), |&node| self.node(node).parent.map(|(parent, _)| parent))
    }

    /// A short name for a node: thread key and position, and a number where the tree has several there.
    pub fn name(&self, id: NodeId) -> String {
        let node = self.node(id);
        match node.rank {
            0 => format!("{}#{}", self.key(node.tree), node.depth),
            rank => format!("{}#{}~{rank}", self.key(node.tree), node.depth),
        }
    }

    /// The node's position for people, else its name.
    pub fn place(&self, id: NodeId) -> String {
        let at = &self.node(id).at;
        if at.is_empty() { self.name(id) } else { at.clone() }
    }

    pub(crate) fn add_node(&mut self, mut node: Node) -> NodeId {
        self.changes();
        let id = NodeId(self.nodes.len() as u32);
        let rank = self.ranks.entry((node.tree, node.depth)).or_insert(0);
        node.rank = *rank;
        *rank += 1;
        match node.op {
            Op::Fork { child } => self.forks[child.index()].push(id),
            Op::End => self.ends[node.tree.index()].push(id),
            Op::SyncInit { object, kind } => self.kinds.entry(object).or_default().push(kind),
            _ => {}
        }
        match node.parent {
            Some((parent, outcome)) => self.nodes[parent.index()].children.push(Child { outcome, node: id }),
            None => self.roots[node.tree.index()] = Some(id),
        }
        self.nodes.push(node);
        id
    }
}
