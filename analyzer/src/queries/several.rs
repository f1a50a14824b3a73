//! Several open ends in one execution: fewer runs are then needed to see them all, and fewer questions to rule them out.
//!
//! An open end is where a thread leaves what is known of it, so an execution reaches at most one end of each thread.
//! The first question is whether *any* of the most wanted ends can be reached: one answer rules all of them out. Then,
//! thread by thread, whether any of its ends can be reached as well.

use std::collections::{BTreeMap, BTreeSet};

use warpath_solvers::term::{Evaluator, MissingConstant, Model, TermError, TermId, Terms};
use warpath_solvers::{Query, Reason, Smt};

use super::ask::{Question, Verdict, under};
use super::interference::{Interferences, at_most, counted};
use super::open_end::OpenEnd;
use crate::encode::{Encoding, Options};
use crate::model::{Forest, TreeIx};

/// An open end and how much it is wanted: lower ranks first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Where to.
    pub end: OpenEnd,
    /// How much.
    pub rank: u8,
}

/// What came of asking for several open ends. Ends are named by their position in the question.
#[derive(Debug)]
pub struct Several {
    /// An execution that reaches some of them; impossible if none can be reached, unknown if none is known to be.
    pub verdict: Verdict,
    /// Those that it reaches, ascending.
    pub reached: Vec<usize>,
    /// Those that no execution reaches, whatever else it does.
    pub impossible: Vec<usize>,
    /// Those about which nothing is known although they were asked for, and why.
    pub unknown: Vec<(usize, Reason)>,
}

/// Threads for which an end is looked for once an execution is found.
const MOST_THREADS: usize = 16;

/// Looks for an execution that reaches as many of these ends as it can get. Ends that are not in the forest yet, such
/// as another ending of a wait, are left out: each needs a forest of its own.
pub fn reach_several(
    forest: &Forest,
    wishes: &[Wish],
    options: Options,
    smt: &mut dyn Smt,
    query: &Query,
) -> Result<Several, TermError> {
    reach_several_within(forest, wishes, options, None, smt, query)
}

/// The same with at most so many interferences; what is impossible is so within that limit.
pub fn reach_several_within(
    forest: &Forest,
    wishes: &[Wish],
    options: Options,
    most: Option<Interferences>,
    smt: &mut dyn Smt,
    query: &Query,
) -> Result<Several, TermError> {
    let options = if most.is_some() { counted(options) } else { options };
    let known = in_forest(wishes);
    let mut together = Together::new(forest, &known, options, Terms::new())?;
    let limit = most.map(|most| at_most(&mut together.question.encoding, most)).transpose()?;
    smt.push();
    together.question.assert_whole(smt);
    if let Some(limit) = limit {
        smt.assert(&together.question.encoding.terms, limit).expect("a limit is Boolean");
    }
    let several = together.search(smt, query);
    smt.pop().expect("the level was pushed here");
    several
}

/// The wishes that can be asked for together, with their positions.
pub(super) fn in_forest(wishes: &[Wish]) -> Vec<(usize, &Wish)> {
    wishes.iter().enumerate().filter(|(_, wish)| wish.end.is_in_forest()).collect()
}

/// The question about all of them.
pub(super) struct Together<'a, 'f> {
    known: &'a [(usize, &'a Wish)],
    pub(super) question: Question<'f>,
    targets: Vec<TermId>,
    /// Assuming it asks for the end.
    switches: Vec<TermId>,
    /// Assuming it asks for any end of this rank.
    by_rank: BTreeMap<u8, TermId>,
    /// Assuming it asks for any end of this thread.
    by_tree: BTreeMap<TreeIx, TermId>,
    /// The threads of the ends.
    trees: Vec<TreeIx>,
    /// Which ends the last answer reaches.
    holds: Vec<bool>,
}

impl<'a, 'f> Together<'a, 'f> {
    pub(super) fn new(
        forest: &'f Forest,
        known: &'a [(usize, &'a Wish)],
        options: Options,
        terms: Terms,
    ) -> Result<Self, TermError> {
        let (mut cone, mut values) = (Vec::new(), Vec::new());
        for (_, wish) in known {
            let (of_end, of_values) = wish.end.cone(forest, wish.end.node);
            cone.extend(of_end);
            values.extend(of_values);
        }
        let encoding = Encoding::in_arena(forest, options, &cone, &values, terms)?;
        let described =
            format!("Can several of {} open ends be reached at once? ({})", known.len(), under(&options));
        let trees: Vec<TreeIx> = known.iter().map(|(_, wish)| wish.end.thread(forest)).collect();
        let ranks: BTreeSet<u8> = known.iter().map(|(_, wish)| wish.rank).collect();
        let different: BTreeSet<TreeIx> = trees.iter().copied().collect();
        let mut targets = Vec::new();
        let (question, mut switches) = Question::switched(encoding, described, |encoding| {
            for (_, wish) in known {
                targets.push(wish.end.target(encoding, wish.end.node)?);
            }
            let mut all = targets.clone();
            let mut any = |members: Vec<TermId>| {
                all.push(encoding.terms.or(&members)?);
                Ok::<(), TermError>(())
            };
            for rank in &ranks {
                any((0..known.len()).filter(|&k| known[k].1.rank == *rank).map(|k| targets[k]).collect())?;
            }
            for tree in &different {
                any((0..known.len()).filter(|&k| trees[k] == *tree).map(|k| targets[k]).collect())?;
            }
            Ok(all)
        })?;
        let by_tree = switches.split_off(known.len() + ranks.len());
        let by_rank = switches.split_off(known.len());
        Ok(Together {
            known,
            question,
            switches,
            by_rank: ranks.into_iter().zip(by_rank).collect(),
            by_tree: different.into_iter().zip(by_tree).collect(),
            trees,
            holds: vec![false; known.len()],
            targets,
        })
    }

    /// Asks a solver that has been given the formula. What the query assumes holds all the time.
    pub(super) fn search(&mut self, smt: &mut dyn Smt, query: &Query) -> Result<Several, TermError> {
        let mut several = Several {
            verdict: Verdict::Impossible,
            reached: Vec::new(),
            impossible: Vec::new(),
            unknown: Vec::new(),
        };
        if self.begin(smt, query, &mut several)? {
            self.extend(smt, query, &mut several)?;
        }
        if matches!(several.verdict, Verdict::Possible(_)) {
            let reached = (0..self.known.len()).filter(|&k| self.holds[k]);
            several.reached = reached.map(|k| self.known[k].0).collect();
        }
        Ok(several)
    }

    /// Looks for any end, the most wanted first; whether there is one.
    fn begin(&mut self, smt: &mut dyn Smt, query: &Query, several: &mut Several) -> Result<bool, TermError> {
        for (rank, switch) in self.by_rank.clone() {
            match self.question.solve_asserted(smt, &also(query, &[switch]))? {
                (Verdict::Possible(found), Some(model)) => {
                    self.note(&model);
                    several.verdict = Verdict::Possible(found);
                    return Ok(true);
                }
                (bug @ Verdict::Bug(_), _) => {
                    several.verdict = bug;
                    return Ok(false);
                }
                (answer, _) => {
                    let members = self.known.iter().filter(|(_, wish)| wish.rank == rank).map(|&(n, _)| n);
                    if let Verdict::Unknown(reason) = answer {
                        several.unknown.extend(members.map(|n| (n, reason.clone())));
                        several.verdict = Verdict::Unknown(reason);
                    } else {
                        several.impossible.extend(members);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Looks for ends of other threads that can be reached as well.
    fn extend(&mut self, smt: &mut dyn Smt, query: &Query, several: &mut Several) -> Result<(), TermError> {
        for (tree, switch) in self.by_tree.clone().into_iter().take(MOST_THREADS) {
            let reached = |k: &usize| self.holds[*k];
            if (0..self.known.len()).filter(reached).any(|k| self.trees[k] == tree) {
                continue;
            }
            let mut wanted: Vec<TermId> =
                (0..self.known.len()).filter(reached).map(|k| self.switches[k]).collect();
            wanted.push(switch);
            match self.question.solve_asserted(smt, &also(query, &wanted))? {
                (Verdict::Possible(found), Some(model)) => {
                    self.note(&model);
                    several.verdict = Verdict::Possible(found);
                }
                (bug @ Verdict::Bug(_), _) => {
                    several.verdict = bug;
                    return Ok(());
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Notes which ends a model reaches.
    fn note(&mut self, model: &Model) {
        let terms = &self.question.encoding.terms;
        let mut evaluator = Evaluator::new(terms, model).missing(MissingConstant::Default);
        for (holds, &target) in self.holds.iter_mut().zip(&self.targets) {
            *holds = evaluator.value(target).is_ok_and(|value| value.as_bool() == Some(true));
        }
    }
}

/// The same query with more that holds.
fn also(query: &Query, more: &[TermId]) -> Query {
    let mut query = query.clone();
    query.assumptions.extend_from_slice(more);
    query
}
