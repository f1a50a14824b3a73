//! Data races.

use super::checker::{CheckError, Checker, What};
use super::finding::{Involved, verb};
use super::property::Kind;
use crate::answer::{Execution, Final};
use crate::model::NodeId;
use crate::queries::pending::is_pending;
use crate::queries::race::{Race, RaceGroups, first_common_cell};
use crate::queries::survey::Survey;

pub(super) fn check(checker: &mut Checker<'_, '_>) -> Result<(), CheckError> {
    let mut groups = RaceGroups::of(&checker.survey);
    let listed = groups.groups(&checker.survey, checker.limit());
    checker.statistics.candidates = groups.filter.pairs;
    checker.statistics.filter("common lock", groups.filter.locked);
    checker.statistics.filter("must-order", groups.filter.ordered);
    checker.statistics.filter("atomic region", groups.filter.in_region);
    checker.ask_groups(&listed, &Race, describe)
}

fn describe(survey: &Survey<'_>, _: &Execution, end: &Final, pairs: &[[NodeId; 2]]) -> What {
    let is_next = |id: NodeId| is_pending(survey.forest, end, id);
    let adjacent = pairs.iter().find(|&&[a, b]| is_next(a) && is_next(b));
    let &[a, b] = adjacent.expect("the question says that some pair is pending");
    let forest = survey.forest;
    let cell = first_common_cell(survey, a, b);
    let storage = cell.map_or("storage", |cell| &survey.cells.cell(cell).name).to_owned();
    let event = |id: NodeId| Involved::new(forest, id, format!("{}s {storage}", verb(&forest.node(id).op)));
    let reason = match (survey.held(a).is_empty(), survey.held(b).is_empty()) {
        (true, true) => "neither holds a lock; the schedule makes them adjacent",
        (false, false) => "both hold no common lock; the schedule makes them adjacent",
        _ => "only one of them holds a lock; the schedule makes them adjacent",
    };
    What {
        kind: Kind::DataRace,
        storage: Some(storage.clone()),
        summary: format!("data race on {storage}: {} and {}", forest.place(a), forest.place(b)),
        reason: reason.to_owned(),
        events: vec![event(a), event(b)],
    }
}
