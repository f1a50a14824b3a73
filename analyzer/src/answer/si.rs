//! An execution as a schedule+input file.

use warpath_trace::event::{Op, Verb};
use warpath_trace::header::MemoryModel;
use warpath_trace::order::ordered_location;
use warpath_trace::si::{Expected, InputValue, Si, Step, Visible};

use super::execution::Execution;
use crate::encode::Point;
use crate::model::{Forest, NodeId};

impl Execution {
    /// The file that makes a replay driver run this.
    pub fn si(&self, forest: &Forest, model: MemoryModel) -> Si {
        let mut si = Si::new(model);
        for &point in &self.steps {
            let node = forest.node(point.node());
            let expected = match point {
                Point::Issue(id) if node.op.is_visible() => expected(forest, id),
                Point::Issue(_) => continue,
                Point::Commit(id) => Expected { verb: Verb::Commit, place: None, ..expected(forest, id) },
            };
            si.schedule.push(Step { thread: forest.key(node.tree).clone(), what: Visible::Event(expected) });
        }
        for (input, &value) in forest.inputs().iter().zip(&self.inputs) {
            si.inputs.push(InputValue {
                name: input.name.clone(),
                nth: input.nth,
                width: input.width,
                value,
            });
        }
        si
    }
}

fn expected(forest: &Forest, id: NodeId) -> Expected {
    let node = forest.node(id);
    let location = match node.op {
        Op::Fork { child } | Op::Join { child, .. } | Op::Detach { child } => {
            Some(forest.keys()[child.index()].to_string())
        }
        op => ordered_location(&op).map(|location| forest.places.location(location).name.clone()),
    };
    let place = (!node.at.is_empty()).then(|| node.at.clone());
    Expected { verb: node.op.verb(), location, place }
}
