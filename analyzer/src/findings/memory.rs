//! Uses after free and double frees.

use warpath_trace::event::Op;

use super::checker::{Answered, CheckError, Checker, What};
use super::finding::Involved;
use super::property::Kind;
use crate::model::NodeId;
use crate::queries::memory::{use_after_free, uses_of_freed, which};

pub(super) fn check(checker: &mut Checker<'_, '_>) -> Result<(), CheckError> {
    let uses = uses_of_freed(&checker.survey, checker.limit());
    checker.statistics.candidates = uses.pairs;
    checker.statistics.filter("must-order", uses.ordered);
    checker.ask_groups(uses.groups, ask)
}

fn ask(checker: &mut Checker<'_, '_>, pairs: &[[NodeId; 2]]) -> Result<bool, CheckError> {
    let mut question = use_after_free(&checker.survey, checker.options.formula, pairs)?;
    let Answered::Yes { execution, .. } = checker.ask(&mut question)? else { return Ok(false) };
    let [free, used] = which(&execution, pairs).expect("the question says that some pair is in that order");
    let forest = checker.survey.forest;
    let (kind, role) = match forest.node(used).op {
        Op::Free { .. } => (Kind::DoubleFree, "gives it back again"),
        _ => (Kind::UseAfterFree, "uses it"),
    };
    let storage = match forest.node(free).op {
        Op::Free { object } => forest.places.objects()[object.index()].name.clone(),
        _ => String::new(),
    };
    let storage = if storage.is_empty() { "storage".to_owned() } else { storage };
    let what = What {
        kind,
        summary: format!(
            "{} of {storage}: freed at {}, then {}",
            kind.name(),
            forest.place(free),
            forest.place(used)
        ),
        reason: "nothing keeps the free from coming first; the schedule below has it so".to_owned(),
        events: vec![
            Involved::new(forest, free, format!("gives {storage} back")),
            Involved::new(forest, used, role),
        ],
    };
    checker.found(&mut question, &execution, what)?;
    Ok(true)
}
