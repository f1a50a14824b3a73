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

/// What came of asking for several open ends. Ends are named by their position in the question.
#[derive(Debug)]
pub struct Several {
    /// An execution that reaches some of them; impossible if none can be reached, unknown if none is known to be.
    pub verdict: Verdict,
    /// Those that it reaches, ascending.
    pub reached: Vec<usize>,
    /// Those that no execution reaches, whatever else it does.
    pub impossible: Vec<usize>,
    /// Those about which nothing is known although they were asked for alone, and why.
    pub unknown: Vec<(usize, Reason)>,
}

/// Looks for an execution that reaches as many of these ends as it can get. At most `questions` are asked. Ends that
/// are not in the forest yet, such as another ending of a wait, are left out: each needs a forest of its own.
pub fn reach_several(
    forest: &Forest,
    ends: &[OpenEnd],
    options: Options,
    smt: &mut dyn Smt,
    query: &Query,
    questions: usize,
) -> Result<Several, TermError> {
    let placed = ends.iter().enumerate().filter(|(_, end)| end.is_in_forest());
    let known: Vec<(usize, &OpenEnd, NodeId)> = placed.map(|(n, end)| (n, end, end.node)).collect();
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
    let mut several = Several {
        verdict: Verdict::Impossible,
        reached: Vec::new(),
        impossible: Vec::new(),
        unknown: Vec::new(),
    };
    let mut holds = vec![false; known.len()];
    let mut wanted = Vec::new();
    let mut asked = 0;
    for (k, &switch) in switches.iter().enumerate() {
        let alone = wanted.is_empty();
        wanted.push(switch);
        if holds[k] {
            // It stays so.
            continue;
        }
        if asked == questions {
            wanted.pop();
            continue;
        }
        asked += 1;
        match question.solve_asserted(smt, &query.clone().assuming(wanted.clone()))? {
            (Verdict::Possible(found), Some(model)) => {
                let mut evaluator =
                    Evaluator::new(&question.encoding.terms, &model).missing(MissingConstant::Default);
                for (holds, &target) in holds.iter_mut().zip(&targets) {
                    *holds = evaluator.value(target).is_ok_and(|value| value.as_bool() == Some(true));
                }
                several.verdict = Verdict::Possible(found);
            }
            (bug @ Verdict::Bug(_), _) => {
                several.verdict = bug;
                holds.clear();
                break;
            }
            (answer, _) => {
                wanted.pop();
                match answer {
                    Verdict::Impossible if alone => several.impossible.push(known[k].0),
                    Verdict::Unknown(reason) if alone => {
                        several.unknown.push((known[k].0, reason.clone()));
                        if matches!(several.verdict, Verdict::Impossible) {
                            several.verdict = Verdict::Unknown(reason);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    smt.pop().expect("the level was pushed here");
    several.reached = known.iter().zip(&holds).filter(|(_, holds)| **holds).map(|(&(n, ..), _)| n).collect();
    Ok(several)
}
