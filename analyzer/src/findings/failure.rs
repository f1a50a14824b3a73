//! Assertions that can fail, and crashes.

use std::collections::HashSet;

use warpath_trace::event::{FailureKind, Op};

use super::checker::{Answered, CheckError, Checker, What};
use super::finding::Involved;
use super::property::{Kind, Property};
use crate::model::{Forest, NodeId};
use crate::queries::assertion::{Failing, failure, failures};

pub(super) fn check(checker: &mut Checker<'_, '_>, property: Property) -> Result<(), CheckError> {
    let forest = checker.survey.forest;
    // What was found at a position is not asked about there again.
    let mut done: HashSet<(Kind, String)> = HashSet::new();
    for (id, failing) in failures(forest) {
        let wanted = checker.options.recorded || failing != Failing::Recorded;
        if property_of(forest, id, failing) != property || !wanted {
            continue;
        }
        checker.statistics.candidates += 1;
        let kind = kind(forest, id, failing);
        if done.contains(&(kind, forest.place(id))) {
            checker.statistics.filter("found at that position", 1);
        } else if checker.is_known(&[id]) {
            checker.statistics.filter("known from before", 1);
        } else if ask(checker, id, failing, kind)? {
            done.insert((kind, forest.place(id)));
        }
    }
    Ok(())
}

fn property_of(forest: &Forest, id: NodeId, failing: Failing) -> Property {
    match (failing, forest.node(id).op) {
        (Failing::Assertion, _) | (Failing::Recorded, Op::Failure { kind: FailureKind::Assertion, .. }) => {
            Property::Assertion
        }
        (
            Failing::Recorded,
            Op::Failure { kind: FailureKind::UseAfterFree | FailureKind::DoubleFree, .. },
        ) => Property::UseAfterFree,
        _ => Property::Crash,
    }
}

fn kind(forest: &Forest, id: NodeId, failing: Failing) -> Kind {
    match (failing, forest.node(id).op) {
        (Failing::Assertion, _) | (Failing::Recorded, Op::Failure { kind: FailureKind::Assertion, .. }) => {
            Kind::AssertionFailure
        }
        (Failing::NullAddress, _)
        | (Failing::Recorded, Op::Failure { kind: FailureKind::NullDereference, .. }) => {
            Kind::NullDereference
        }
        (Failing::ZeroDivisor, _) => Kind::DivisionByZero,
        (Failing::Recorded, Op::Failure { kind: FailureKind::UseAfterFree, .. }) => Kind::UseAfterFree,
        (Failing::Recorded, Op::Failure { kind: FailureKind::DoubleFree, .. }) => Kind::DoubleFree,
        (Failing::Recorded, _) => Kind::Failure,
    }
}

fn ask(checker: &mut Checker<'_, '_>, id: NodeId, failing: Failing, kind: Kind) -> Result<bool, CheckError> {
    let mut question = failure(&checker.survey, checker.options.formula, id, failing)?;
    let Answered::Yes { execution, .. } = checker.ask(&mut question)? else { return Ok(false) };
    let forest = checker.survey.forest;
    let (role, reason) = match failing {
        Failing::Assertion => (
            "does not hold",
            "the schedule and the inputs lead to the assertion with a condition that is false",
        ),
        Failing::NullAddress => ("is null", "the schedule and the inputs make the address null"),
        Failing::ZeroDivisor => ("is zero", "the schedule and the inputs make the divisor zero"),
        Failing::Recorded => ("fails", "a recorded run failed here; the schedule and the inputs lead there"),
    };
    let what = What {
        kind,
        storage: None,
        summary: format!("{} at {}", kind.name(), forest.place(id)),
        reason: reason.to_owned(),
        events: vec![Involved::new(forest, id, role)],
    };
    checker.found(&execution, what, |_| question.script())?;
    Ok(true)
}
