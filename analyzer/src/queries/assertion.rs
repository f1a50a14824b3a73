//! **Assertions and crashes**: the failing outcome of a decision, or an event that is a failure itself.

use warpath_solvers::term::{Sort, TermError, TermId};
use warpath_trace::event::{Concretised, FailureKind, Op};

use super::ask::{Question, under};
use super::survey::Survey;
use crate::encode::{Encoding, Options};
use crate::model::{Forest, NodeId, Outcome};

/// How something can fail at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Failing {
    /// The assertion does not hold.
    Assertion,
    /// An address is zero.
    NullAddress,
    /// A divisor is zero.
    ZeroDivisor,
    /// The run that was recorded failed here.
    Recorded,
}

/// Everything in the forest that can fail, by node.
pub(crate) fn failures(forest: &Forest) -> Vec<(NodeId, Failing)> {
    let failing = |id: NodeId| {
        let node = forest.node(id);
        let seen = |outcome| {
            node.stops.contains(&outcome) || node.children.iter().any(|child| child.outcome == outcome)
        };
        match node.op {
            Op::Assert { condition: Some(_), .. } => Some(Failing::Assertion),
            Op::Assert { condition: None, .. } if seen(Outcome::Held(false)) => Some(Failing::Assertion),
            Op::Concretise { why: Concretised::Address, .. } => Some(Failing::NullAddress),
            Op::Concretise { why: Concretised::Divisor, .. } => Some(Failing::ZeroDivisor),
            Op::Failure { kind, .. } if is_wrong(kind) => Some(Failing::Recorded),
            _ => None,
        }
    };
    forest.ids().filter_map(|id| Some((id, failing(id)?))).collect()
}

/// Is it the program's own fault? Ends that came from outside, and threads that wait, are not looked at here.
fn is_wrong(kind: FailureKind) -> bool {
    !matches!(
        kind,
        FailureKind::Deadlock | FailureKind::Livelock | FailureKind::BoundReached | FailureKind::Killed(_)
    )
}

impl Failing {
    /// `en(n)` and the outcome that fails.
    fn target(self, encoding: &mut Encoding<'_>, id: NodeId) -> Result<TermId, TermError> {
        let mut parts = vec![encoding.en(id)?];
        match self {
            Failing::Assertion => parts.extend(encoding.outcome(id, Outcome::Held(false))?),
            Failing::NullAddress | Failing::ZeroDivisor => {
                if let Some(value) = encoding.decision(id)? {
                    let zero = match encoding.terms.sort(value) {
                        Sort::Bits(width) => encoding.terms.bits(0, width)?,
                        _ => encoding.terms.bool(false),
                    };
                    parts.push(encoding.terms.eq(value, zero)?);
                }
            }
            Failing::Recorded => {}
        }
        encoding.terms.and(&parts)
    }

    fn verb(self) -> &'static str {
        match self {
            Failing::Assertion => "the assertion fail",
            Failing::NullAddress => "the address be null",
            Failing::ZeroDivisor => "the divisor be zero",
            Failing::Recorded => "the recorded failure happen",
        }
    }
}

/// Can it fail there?
pub(crate) fn failure<'f>(
    survey: &Survey<'f>,
    options: Options,
    id: NodeId,
    failing: Failing,
) -> Result<Question<'f>, TermError> {
    let forest = survey.forest;
    let thread = forest.key(forest.node(id).tree);
    let described =
        format!("Can {} in {thread} at {}? ({})", failing.verb(), forest.place(id), under(&options));
    Question::new(forest, options, &[id], described, |encoding| Ok(vec![failing.target(encoding, id)?]))
}
