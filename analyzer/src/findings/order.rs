//! Order violations.

use super::checker::{CheckError, Checker, What};
use super::finding::Involved;
use super::property::Kind;
use crate::answer::{Execution, Final};
use crate::model::NodeId;
use crate::queries::order::{TooEarly, early_reads};
use crate::queries::survey::Survey;

pub(super) fn check(checker: &mut Checker<'_, '_>) -> Result<(), CheckError> {
    let found = early_reads(&checker.survey, checker.limit());
    checker.statistics.candidates = found.all;
    checker.statistics.filter("must-order", found.ordered);
    checker.statistics.filter("guarded by a branch", found.guarded);
    checker.ask_groups(&found.groups, &TooEarly, describe)
}

fn describe(survey: &Survey<'_>, execution: &Execution, _: &Final, pairs: &[[NodeId; 2]]) -> What {
    // The last step of a write that is buffered is its commit.
    let moment = |id: NodeId| execution.steps.iter().rposition(|step| step.node() == id);
    let early = |&&[read, write]: &&[NodeId; 2]| match (moment(read), moment(write)) {
        (Some(read), Some(write)) => read < write,
        (read, None) => read.is_some(),
        (None, Some(_)) => false,
    };
    let &[read, write] = pairs.iter().find(early).expect("the question says that some read is early");
    let forest = survey.forest;
    What {
        kind: Kind::OrderViolation,
        storage: survey.storage(read),
        summary: format!("order violation: read at {} before the write at {}", forest.place(read), forest.place(write)),
        reason: "nothing makes the read wait for the write, and no branch looks whether it has come; the schedule has the read first"
            .to_owned(),
        events: vec![
            Involved::new(forest, read, "reads too early"),
            Involved::new(forest, write, "should have come first"),
        ],
    }
}
