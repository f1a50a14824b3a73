//! Atomicity violations.

use super::checker::{CheckError, Checker, What};
use super::finding::{Involved, verb};
use super::property::Kind;
use crate::answer::{Execution, Final};
use crate::model::NodeId;
use crate::queries::atomicity::{Interrupted, interruptions, which};
use crate::queries::survey::Survey;

pub(super) fn check(checker: &mut Checker<'_, '_>) -> Result<(), CheckError> {
    let found = interruptions(&checker.survey, checker.limit());
    checker.statistics.candidates = found.all;
    checker.statistics.filter("common lock", found.locked);
    checker.statistics.filter("must-order", found.ordered);
    checker.ask_groups(&found.groups, &Interrupted, describe)
}

fn describe(survey: &Survey<'_>, execution: &Execution, _: &Final, triples: &[[NodeId; 3]]) -> What {
    let found = which(execution, triples).expect("the question says that some remote access is between");
    let forest = survey.forest;
    let verb = |id: NodeId| verb(&forest.node(id).op);
    let [first, remote, second] = found;
    What {
        kind: Kind::AtomicityViolation,
        storage: survey.storage(first),
        summary: format!(
            "atomicity violation: {} comes between {} and {}",
            forest.place(remote),
            forest.place(first),
            forest.place(second)
        ),
        reason: format!(
            "no serial order explains {}, {} by {}, {}; the schedule has it so",
            verb(first),
            verb(remote),
            forest.key(forest.node(remote).tree),
            verb(second)
        ),
        events: vec![
            Involved::new(forest, first, format!("first {}", verb(first))),
            Involved::new(forest, remote, format!("{} in between", verb(remote))),
            Involved::new(forest, second, format!("second {}", verb(second))),
        ],
    }
}
