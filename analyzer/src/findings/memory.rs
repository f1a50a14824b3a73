//! Uses after free and double frees.

use warpath_trace::event::Op;

use super::checker::{CheckError, Checker, What};
use super::finding::Involved;
use super::property::Kind;
use crate::answer::{Execution, Final};
use crate::model::NodeId;
use crate::queries::memory::{UseAfterFree, uses_of_freed, which};
use crate::queries::survey::Survey;

pub(super) fn check(checker: &mut Checker<'_, '_>) -> Result<(), CheckError> {
    let uses = uses_of_freed(&checker.survey, checker.limit());
    checker.statistics.candidates = uses.pairs;
    checker.statistics.filter("must-order", uses.ordered);
    checker.ask_groups(&uses.groups, &UseAfterFree, describe)
}

fn describe(survey: &Survey<'_>, execution: &Execution, _: &Final, pairs: &[[NodeId; 2]]) -> What {
    let [free, used] = which(survey, execution, pairs).expect("the question says that some pair is so");
    let forest = survey.forest;
    let (kind, role) = match forest.node(used).op {
        Op::Free { .. } => (Kind::DoubleFree, "gives it back again"),
        _ => (Kind::UseAfterFree, "uses it"),
    };
    let storage = match forest.node(free).op {
        Op::Free { object } => forest.places.objects()[object.index()].name.clone(),
        _ => String::new(),
    };
    let storage = if storage.is_empty() { "storage".to_owned() } else { storage };
    What {
        kind,
        storage: Some(storage.clone()),
        summary: format!(
            "{} of {storage}: freed at {}, then {}",
            kind.name(),
            forest.place(free),
            forest.place(used)
        ),
        reason: "nothing keeps the free from coming first; the schedule has it so".to_owned(),
        events: vec![
            Involved::new(forest, free, format!("gives {storage} back")),
            Involved::new(forest, used, role),
        ],
    }
}
