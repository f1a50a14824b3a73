//! Several open ends in one execution, best effort: fewer runs are then needed to see them all.
//!
//! One end after the other is added to what the execution must reach; one that cannot be added, or about which the
//! solver gives up, is left for another execution. An end that the last answer happens to reach costs no question.

use warpath_solvers::term::{Evaluator, MissingConstant, TermError, Terms};
use warpath_solvers::{Query, Reason, Smt};

use super::ask::{Question, Verdict, under};
use super::open_end::OpenEnd;
use crate::encode::{Encoding, Options};
use crate::model::{Forest, NodeId};

/// Looks for an execution that reaches as many of these ends as it can get, and answers which those are, ascending;
/// none, if it is not possible or not known to be. At most `questions` are asked. Ends that are not in the forest
/// yet, such as another ending of a wait, are left out: each needs a forest of its own.
pub fn reach_several(
    forest: &Forest,
    ends: &[OpenEnd],
    options: Options,
    smt: &mut dyn Smt,
    query: &Query,
    questions: usize,
) -> Result<(Verdict, Vec<usize>), TermError> {
    let placed = ends.iter().enumerate().map(|(n, end)| (n, end, end.place(forest)));
    let known: Vec<(usize, &OpenEnd, NodeId)> =
        placed.filter_map(|(n, end, (grown, node))| grown.is_none().then_some((n, end, node))).collect();
    let (mut cone, mut values) = (Vec::new(), Vec::new());
    for &(_, end, node) in &known {
        let (of_end, of_values) = end.cone(forest, node);
        cone.extend(of_end);
        values.extend(of_values);
    }
    let encoding = Encoding::in_arena(forest, options, &cone, &values, Terms::new())?;
    let described =
        format!("Can several of {} open ends be reached at once? ({})", known.len(), under(&options));
    let mut targets = Vec::new();
    let (mut question, switches) = Question::switched(encoding, described, |encoding| {
        for &(_, end, node) in &known {
            targets.push(end.target(encoding, node)?);
        }
        Ok(targets.clone())
    })?;
    smt.push();
    question.assert_whole(smt);
    let mut best = Verdict::Impossible;
    let mut holds = vec![false; known.len()];
    let mut wanted = Vec::new();
    let mut asked = 0;
    for (k, &switch) in switches.iter().enumerate() {
        wanted.push(switch);
        if holds[k] {
            // It stays so.
            continue;
        }
        asked += 1;
        let answer = match asked <= questions {
            true => question.solve_asserted(smt, &query.clone().assuming(wanted.clone()))?,
            false => (Verdict::Unknown(Reason::Interrupted), None),
        };
        match answer {
            (Verdict::Possible(found), Some(model)) => {
                let mut evaluator =
                    Evaluator::new(&question.encoding.terms, &model).missing(MissingConstant::Default);
                for (holds, &target) in holds.iter_mut().zip(&targets) {
                    *holds = evaluator.value(target).is_ok_and(|value| value.as_bool() == Some(true));
                }
                best = Verdict::Possible(found);
            }
            (bug @ Verdict::Bug(_), _) => {
                (best, holds) = (bug, Vec::new());
                break;
            }
            (answer, _) => {
                wanted.pop();
                if matches!((&answer, &best), (Verdict::Unknown(_), Verdict::Impossible)) {
                    best = answer;
                }
            }
        }
    }
    smt.pop().expect("the level was pushed here");
    let reached = known.iter().zip(&holds).filter(|(_, holds)| **holds).map(|(&(n, ..), _)| n).collect();
    Ok((best, reached))
}
