//! The execution that a model describes: which events happen, in which order, with which inputs.

use std::collections::HashSet;

use warpath_solvers::term::{Model, Value};
use warpath_trace::event::{Op, WaitResult};

use crate::encode::{Encoding, OrderSort, Point, drains};
use crate::model::{Forest, NodeId, TreeIx};

/// Events and commits in order, and the inputs. Events that no constraint mentions stand as early as program
/// order, forks and joins allow. Settled events are not listed: they come before the first step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// What happens, one after the other.
    pub steps: Vec<Point>,
    /// The value of each input of the forest; those that the solver left open are 0.
    pub inputs: Vec<u128>,
    /// Values of storage before the first event that the solver chose, because no trace knew them: cell by id.
    pub initials: Vec<(u32, u128)>,
}

impl Execution {
    /// Reads it off a model of the encoding.
    pub fn of(encoding: &mut Encoding<'_>, model: &Model) -> Execution {
        let forest = encoding.forest;
        let enabled = executed(encoding, model);
        let mentioned = moments(encoding, model, &enabled);
        let mut line_up =
            LineUp { encoding, forest, enabled: &enabled, done: HashSet::new(), steps: Vec::new() };
        line_up.done.extend(forest.settled().map(Point::Issue));
        for point in mentioned {
            line_up.point(point);
        }
        for id in forest.ids().filter(|id| enabled[id.index()]) {
            line_up.point(Point::Issue(id));
        }
        let mut steps = line_up.steps;
        leave_buffered(forest, &mut steps);
        Execution { steps, inputs: inputs(encoding, model), initials: initials(encoding, model) }
    }
}

/// Takes out the commits behind a region of another thread that does not end: they do not happen any more.
fn leave_buffered(forest: &Forest, steps: &mut Vec<Point>) {
    let settled = forest.settled().map(|id| forest.node(id));
    let mut region: Option<TreeIx> =
        settled.filter(|node| matches!(node.op, Op::AtomicBegin)).map(|node| node.tree).next();
    steps.retain(|&point| {
        let node = forest.node(point.node());
        match (point, node.op) {
            (Point::Issue(_), Op::AtomicBegin) => region = Some(node.tree),
            (Point::Issue(_), Op::AtomicEnd) => region = None,
            (Point::Commit(_), _) => return region.is_none_or(|inside| inside == node.tree),
            _ => {}
        }
        true
    });
}

/// Which events of the forest a model executes.
pub(crate) fn executed(encoding: &mut Encoding<'_>, model: &Model) -> Vec<bool> {
    let forest = encoding.forest;
    let executed = |id| {
        let is_true = |en| model.get(en).and_then(|value| value.as_bool()) == Some(true);
        forest.is_settled(id) || (encoding.has(id) && encoding.en(id).is_ok_and(is_true))
    };
    forest.ids().map(executed).collect()
}

/// The executed points that a constraint mentions, in the order of a model.
fn moments(encoding: &mut Encoding<'_>, model: &Model, executed: &[bool]) -> Vec<Point> {
    if encoding.order_sort() == OrderSort::Pairs {
        return encoding.lined_up(model, executed);
    }
    let here = encoding.forest.ids().filter(|id| executed[id.index()]);
    let points = here.flat_map(|id| [Point::Issue(id), Point::Commit(id)]);
    // Equal moments count as observed, of the seats that the formula compares.
    let mut mentioned: Vec<(u128, (u64, Point), Point)> = points
        .filter_map(|point| Some((point, encoding.moment(point)?)))
        .map(|(point, term)| {
            let moment = match model.get(term) {
                Some(Value::Bits { value, .. }) => value,
                // Shifted, so that negative numbers come first.
                Some(Value::Int(value)) => (value as u128) ^ (1 << 127),
                _ => 0,
            };
            (moment, encoding.observed(encoding.seat_point(point)), point)
        })
        .collect();
    mentioned.sort();
    mentioned.into_iter().map(|(.., point)| point).collect()
}

fn inputs(encoding: &mut Encoding<'_>, model: &Model) -> Vec<u128> {
    let count = encoding.forest.inputs().len() as u32;
    let value = |encoding: &mut Encoding<'_>, input: u32| {
        let forest = encoding.forest;
        if let Some(fixed) = forest.fixed_input(&forest.inputs()[input as usize]) {
            return Some(fixed);
        }
        let term = encoding.input(input).ok()?;
        model.get(term)?.as_bits()
    };
    (0..count).map(|input| value(encoding, input).unwrap_or(0)).collect()
}

fn initials(encoding: &mut Encoding<'_>, model: &Model) -> Vec<(u32, u128)> {
    let unknown: Vec<u32> = encoding
        .cells
        .all()
        .iter()
        .zip(0u32..)
        .filter(|(cell, _)| cell.initial.is_none())
        .map(|(_, id)| id)
        .collect();
    unknown
        .into_iter()
        .filter_map(|id| {
            let name = encoding.initial_name(crate::model::CellId(id));
            let term = encoding.terms.find_constant(&name)?;
            Some((id, model.get(term)?.as_bits()?))
        })
        .collect()
}

/// Puts points into a row, each after everything that must come before it.
struct LineUp<'a, 'f> {
    encoding: &'a Encoding<'f>,
    forest: &'f Forest,
    enabled: &'a [bool],
    done: HashSet<Point>,
    steps: Vec<Point>,
}

impl LineUp<'_, '_> {
    fn point(&mut self, point: Point) {
        // A stack, not recursion: chains of events that nobody mentions can be long. Each point is looked at
        // twice: when what it needs is put on top of it, and when that is done.
        let mut stack = vec![(point, false)];
        while let Some((point, needs_done)) = stack.pop() {
            if self.done.contains(&point) {
                continue;
            }
            if needs_done {
                self.done.insert(point);
                self.steps.push(point);
                continue;
            }
            stack.push((point, true));
            let missing = self.needs(point).into_iter().filter(|need| !self.done.contains(need));
            stack.extend(missing.map(|need| (need, false)));
        }
    }

    /// What must directly come before a point.
    fn needs(&self, point: Point) -> Vec<Point> {
        let id = point.node();
        let node = self.forest.node(id);
        match point {
            Point::Issue(_) => {
                let mut needs: Vec<Point> =
                    node.parent.iter().map(|&(parent, _)| Point::Issue(parent)).collect();
                if node.parent.is_none() {
                    needs.extend(self.executed(self.forest.forks(node.tree)).take(1));
                }
                if let Op::Join { child, result: WaitResult::Done, .. } = node.op {
                    needs.extend(self.executed(self.forest.ends(TreeIx(child.0))));
                }
                let last = self.encoding.must.newly_before(self.forest, id);
                needs.extend(self.executed(&last));
                if drains(&node.op) {
                    needs.extend(self.commits_above(id));
                }
                needs
            }
            Point::Commit(_) => {
                let mut needs = vec![Point::Issue(id)];
                let earlier = self.commits_above(id);
                needs.extend(earlier.filter(|&other| self.encoding.must_precede(other, point)));
                needs
            }
        }
    }

    fn executed<'n>(&'n self, nodes: &'n [NodeId]) -> impl Iterator<Item = Point> + 'n {
        nodes.iter().copied().filter(|id| self.enabled[id.index()]).map(Point::Issue)
    }

    /// Commits of the writes above, down from the last drain.
    fn commits_above(&self, id: NodeId) -> impl Iterator<Item = Point> + '_ {
        let above = self.forest.path_up(id).skip(1);
        let undrained = above.take_while(|&above| !drains(&self.forest.node(above).op));
        undrained.filter(|&above| self.encoding.is_buffered(above)).map(Point::Commit)
    }
}
