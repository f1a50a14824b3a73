//! Executes the schedule of an SI file on the forest of the whole trace.

use std::collections::BTreeMap;

use warpath_analyzer::answer::{Execution, Final, Reference};
use warpath_analyzer::encode::{Options, Point};
use warpath_analyzer::findings::{Finding, Kind};
use warpath_analyzer::model::{Forest, NodeId, Outcome, TreeIx};
use warpath_trace::event::{MemoryOrder, Op, Verb};
use warpath_trace::header::MemoryModel;
use warpath_trace::si::{Expected, Si, Visible};

/// Where each thread of a forest of chains stands, and what it has in its store buffer.
struct Walk<'f> {
    forest: &'f Forest,
    model: MemoryModel,
    at: BTreeMap<TreeIx, NodeId>,
    buffered: BTreeMap<TreeIx, Vec<NodeId>>,
    steps: Vec<Point>,
}

impl Walk<'_> {
    fn next(&self, tree: TreeIx) -> Result<NodeId, String> {
        let next = match self.at.get(&tree) {
            Some(&at) => self.forest.node(at).children.first().map(|child| child.node),
            None => self.forest.root(tree),
        };
        next.ok_or_else(|| format!("{} has no further event", self.forest.key(tree)))
    }

    /// Goes on to the thread's next visible event.
    fn visible(&mut self, tree: TreeIx) -> Result<NodeId, String> {
        loop {
            let id = self.next(tree)?;
            self.at.insert(tree, id);
            self.steps.push(Point::Issue(id));
            let op = &self.forest.node(id).op;
            if is_buffered(self.model, op) {
                self.buffered.entry(tree).or_default().push(id);
            }
            if op.is_visible() {
                return Ok(id);
            }
        }
    }

    fn commit(&mut self, tree: TreeIx, location: &Option<String>) -> Result<(), String> {
        let buffer = self.buffered.entry(tree).or_default();
        let name = |id: NodeId| {
            self.forest.node(id).op.written().map(|(id, _)| &self.forest.places.location(id).name)
        };
        let at = buffer.iter().position(|&id| name(id) == location.as_ref());
        let write = buffer.remove(at.ok_or_else(|| format!("nothing to commit to {location:?}"))?);
        self.steps.push(Point::Commit(write));
        Ok(())
    }
}

fn is_buffered(model: MemoryModel, op: &Op) -> bool {
    model != MemoryModel::Sc
        && match op {
            Op::Write { .. } => true,
            Op::AtomicWrite { order, .. } => *order != MemoryOrder::SeqCst,
            _ => false,
        }
}

/// The execution of an SI file, up to the last thing that is not visible behind its last step.
pub fn replayed(forest: &Forest, si: &Si) -> Result<(Execution, Final), String> {
    let (at, buffered) = (BTreeMap::new(), BTreeMap::new());
    let mut walk = Walk { forest, model: si.model, at, buffered, steps: Vec::new() };
    for step in &si.schedule {
        let tree = forest.tree(&step.thread).ok_or_else(|| format!("no thread {}", step.thread))?;
        match &step.what {
            Visible::Any(count) => {
                for _ in 0..*count {
                    walk.visible(tree)?;
                }
            }
            Visible::Event(Expected { verb: Verb::Commit, location, .. }) => walk.commit(tree, location)?,
            Visible::Event(expected) => {
                let id = walk.visible(tree)?;
                let found = forest.node(id).op.verb();
                if found != expected.verb {
                    return Err(format!("{step} is {found:?} in the trace"));
                }
            }
        }
    }
    let value = |name: &str, nth: u32| {
        si.inputs.iter().find(|input| input.name == name && input.nth == nth).map_or(0, |input| input.value)
    };
    let inputs = forest.inputs().iter().map(|input| value(&input.name, input.nth)).collect();
    let mut execution = Execution { steps: walk.steps, inputs, initials: Vec::new() };
    let mut end = run(forest, si.model, &execution)?;
    let mut refused: Vec<NodeId> = Vec::new();
    loop {
        let silent = end.ends.values().find_map(|&(node, outcome)| {
            let children = &forest.node(node).children;
            let next = children.iter().find(|child| child.outcome == outcome)?.node;
            let silent = !forest.node(next).op.is_visible() && !refused.contains(&next);
            silent.then_some(next)
        });
        let Some(next) = silent else { return Ok((execution, end)) };
        execution.steps.push(Point::Issue(next));
        match run(forest, si.model, &execution) {
            Ok(further) => end = further,
            // An assumption that does not hold here.
            Err(_) => {
                execution.steps.pop();
                refused.push(next);
            }
        }
    }
}

pub fn run(forest: &Forest, model: MemoryModel, execution: &Execution) -> Result<Final, String> {
    let options = Options { model, ..Options::default() };
    Reference::run(forest, &options, execution).map_err(|error| error.to_string())
}

/// Does the execution end where the finding says?
pub fn shows(forest: &Forest, finding: &Finding, execution: &Execution, end: &Final) -> Result<(), String> {
    let node = |name: &str| {
        forest
            .ids()
            .find(|&id| forest.name(id) == name)
            .ok_or_else(|| format!("the trace has no event {name}"))
    };
    let nodes: Vec<NodeId> =
        finding.events.iter().map(|event| node(&event.event)).collect::<Result<_, _>>()?;
    let moment = |id: NodeId| execution.steps.iter().rposition(|point| point.node() == id);
    let pending = |&id: &NodeId| end.ends.get(&forest.node(id).tree).copied() == forest.node(id).parent;
    let right = match finding.kind {
        Kind::DataRace | Kind::Deadlock => nodes.iter().all(pending),
        Kind::AssertionFailure => {
            // The failure may be an event of its own behind it.
            nodes.iter().all(|&id| {
                let (last, outcome) = end.ends[&forest.node(id).tree];
                let failed = Some((id, Outcome::Held(false)));
                Some((last, outcome)) == failed || forest.node(last).parent == failed
            })
        }
        Kind::UseAfterFree | Kind::DoubleFree => {
            moment(nodes[0]).is_some() && moment(nodes[0]) < moment(nodes[1])
        }
        Kind::AtomicityViolation => {
            let [first, remote, second] = [moment(nodes[0]), moment(nodes[1]), moment(nodes[2])];
            first.is_some() && first < remote && remote < second
        }
        Kind::OrderViolation => {
            let write = moment(nodes[1]);
            moment(nodes[0]).is_some() && (write.is_none() || moment(nodes[0]) < write)
        }
        _ => true,
    };
    match right {
        true => Ok(()),
        false => Err(format!("the schedule does not end in {}", finding.summary)),
    }
}
