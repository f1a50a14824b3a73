//! Several open ends in one execution, best effort: fewer runs are then needed to see them all.
//!
//! One end after the other is added to what the execution must reach; one that cannot be added, or about which the
//! solver gives up, is left for another execution. An end that the last answer happens to reach costs no question.

use warpath_solvers::term::{Evaluator, MissingConstant, Sort, TermError, Terms};
use warpath_solvers::{Query, Smt};

use super::ask::{Question, Verdict, under};
use super::open_end::OpenEnd;
use crate::answer::{Execution, Final};
use crate::encode::{Encoding, Options};
use crate::model::Forest;

/// An execution that reaches several open ends.
#[derive(Debug)]
pub struct Several {
    /// The execution; the reference interpreter has executed it.
    pub execution: Execution,
    /// Where it ends.
    pub end: Final,
    /// Which of the ends asked about it reaches, ascending.
    pub reached: Vec<usize>,
}

/// Looks for an execution that reaches as many of these ends as it can get; `None` if it gets none. At most `questions`
/// are asked. Ends that are not in the forest yet, such as another ending of a wait, are left out: each needs a
/// forest of its own.
pub fn reach_several(
    forest: &Forest,
    ends: &[OpenEnd],
    options: Options,
    smt: &mut dyn Smt,
    query: &Query,
    questions: usize,
) -> Result<Result<Option<Several>, Verdict>, TermError> {
    let known: Vec<usize> = (0..ends.len()).filter(|&n| ends[n].place(forest).0.is_none()).collect();
    let (mut cone, mut values) = (Vec::new(), Vec::new());
    for &n in &known {
        let (of_end, of_values) = ends[n].cone(forest, ends[n].place(forest).1);
        cone.extend(of_end);
        values.extend(of_values);
    }
    let encoding = Encoding::in_arena(forest, options, &cone, &values, Terms::new())?;
    let described =
        format!("Can several of {} open ends be reached at once? ({})", known.len(), under(&options));
    let (mut targets, mut switches) = (Vec::new(), Vec::new());
    let mut question = Question::of(encoding, described, |encoding| {
        let mut switched = Vec::new();
        for &n in &known {
            let target = ends[n].target(encoding, ends[n].place(forest).1)?;
            let switch = encoding.terms.constant(&format!("wanted({n})"), Sort::Bool)?;
            switched.push(encoding.terms.implies(switch, target)?);
            targets.push(target);
            switches.push(switch);
        }
        Ok(switched)
    })?;
    smt.push();
    question.assert_whole(smt);
    let mut wanted = Vec::new();
    let mut best: Option<Several> = None;
    let mut holds = vec![false; known.len()];
    let mut asked = 0;
    let mut bug = None;
    for k in 0..known.len() {
        if !holds[k] {
            if asked == questions {
                continue;
            }
            asked += 1;
            wanted.push(switches[k]);
            let attempt = query.clone().assuming(wanted.clone());
            match question.solve_asserted(smt, &attempt)? {
                (Verdict::Possible(found), Some(model)) => {
                    let terms = &question.encoding.terms;
                    let mut evaluator = Evaluator::new(terms, &model).missing(MissingConstant::Default);
                    for (holds, &target) in holds.iter_mut().zip(&targets) {
                        *holds = evaluator.value(target).is_ok_and(|value| value.as_bool() == Some(true));
                    }
                    let (execution, end) = *found;
                    best = Some(Several { execution, end, reached: Vec::new() });
                }
                (Verdict::Bug(found), _) => {
                    bug = Some(Verdict::Bug(found));
                    break;
                }
                _ => {
                    wanted.pop();
                }
            }
        } else {
            // It stays so.
            wanted.push(switches[k]);
        }
    }
    smt.pop().expect("the level was pushed here");
    if let Some(bug) = bug {
        return Ok(Err(bug));
    }
    if let Some(best) = &mut best {
        best.reached = known.iter().zip(&holds).filter(|(_, holds)| **holds).map(|(&n, _)| n).collect();
    }
    Ok(Ok(best))
}
