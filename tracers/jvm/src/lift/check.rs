//! Do the expressions say what the run says? A test of the adapter, and a mode of it.

use warpath_trace::event::Op;
use warpath_trace::expr::{Evaluator, Leaf};
use warpath_trace::ids::ExprId;
use warpath_trace::trace::Trace;

/// An expression that does not have the value that was recorded: a fault of the adapter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "event {event} of {thread} ({place}): expression e{expr} is {expected:#x}, the program has {found:#x}"
)]
pub struct CheckError {
    /// The thread's key.
    pub thread: String,
    /// The event's index.
    pub event: usize,
    /// Where in the program.
    pub place: String,
    /// The expression.
    pub expr: u32,
    /// Its value under the inputs and reads of the run; all ones if a leaf has none.
    pub expected: u128,
    /// What the program had.
    pub found: u128,
}

/// Evaluates every expression of a trace with its inputs and reads, and compares with what was recorded.
pub fn check_expressions(trace: &Trace) -> Result<(), CheckError> {
    let mut inputs = vec![None; trace.tables.inputs().len()];
    for event in trace.threads.iter().flatten() {
        if let Op::Input { input, value } = event.op {
            inputs[input.index()] = Some(value);
        }
    }
    let leaves = |leaf: Leaf| match leaf {
        Leaf::Input(input) => inputs.get(input.index()).copied().flatten(),
        Leaf::Read(thread, event) => trace.event(thread, event).and_then(|event| event.op.read_value()),
    };
    let mut evaluator = Evaluator::new(&trace.tables.exprs, leaves);
    for (thread, events) in trace.threads.iter().enumerate() {
        for (n, event) in events.iter().enumerate() {
            for (expr, found) in claims(&event.op) {
                let expected = evaluator.value(expr).unwrap_or(u128::MAX);
                if expected != found {
                    return Err(CheckError {
                        thread: trace.tables.keys()[thread].to_string(),
                        event: n,
                        place: trace.tables.source_name(event.at),
                        expr: expr.0,
                        expected,
                        found,
                    });
                }
            }
        }
    }
    Ok(())
}

/// Expressions of an event, and the values that they should have.
fn claims(op: &Op) -> Vec<(ExprId, u128)> {
    let mut claims = Vec::new();
    if let Some((_, datum)) = op.written() {
        claims.extend(datum.expr.map(|expr| (expr, datum.value)));
    }
    match *op {
        Op::Branch { condition, taken } => claims.push((condition, taken.into())),
        Op::Switch { on: expr, value } | Op::Concretise { expr, value, .. } => claims.push((expr, value)),
        Op::Assume { condition: Some(condition), holds }
        | Op::Assert { condition: Some(condition), holds, .. } => claims.push((condition, holds.into())),
        _ => {}
    }
    claims
}
