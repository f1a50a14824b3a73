//! One step beyond what has been seen: which open ends can be reached by executions that otherwise decide only
//! as some run did. That is exactly what the formula of a forest claims to know.

use std::collections::BTreeSet;

use warpath_analyzer::model::{Forest, Outcome};
use warpath_analyzer::queries::{OpenEnd, Want, open_ends};
use warpath_solvers::Smt;
use warpath_trace::event::Op;

use super::read_off::{decided, ending, histories, history};
use super::{Explored, Trouble};
use crate::oracle::brute::{Limits, enumerate};
use crate::oracle::decision::Decision;
use crate::oracle::program::{ThreadNr, key};

/// Does the end only say that a run was cut off? What lies behind it is not known to the forest, but is no decision.
fn is_cut(forest: &Forest, end: &OpenEnd) -> bool {
    let assumes = matches!(forest.node(end.node).op, Op::Assume { .. });
    assumes || matches!(end.want, Want::Further(_) | Want::Start(_) | Want::Executed)
}

/// The decisions that would be new at an end.
fn new_decisions(forest: &Forest, end: &OpenEnd, among: &BTreeSet<Vec<Decision>>) -> BTreeSet<Vec<Decision>> {
    let node = forest.node(end.node);
    let mut so_far = history(forest, end.node);
    let is_new: Box<dyn Fn(Decision) -> bool> = match &end.want {
        Want::Held(held) => {
            let wanted = decided(node, Outcome::Held(*held));
            Box::new(move |decision| Some(decision) == wanted)
        }
        Want::OtherThan(_) => Box::new(|_| true),
        Want::OtherUpdate { outcome, .. } | Want::OtherCount { outcome, .. } => {
            so_far.extend(decided(node, *outcome));
            Box::new(|_| true)
        }
        Want::Ending { outcome, .. } => {
            so_far.extend(decided(node, *outcome));
            let (grown, place) = end.place(forest);
            let wanted = grown.as_ref().and_then(|grown| ending(grown.node(place)));
            Box::new(move |decision| Some(decision) == wanted)
        }
        Want::Further(_) | Want::Start(_) | Want::Executed => Box::new(|_| false),
    };
    let here = among.iter().filter(|sequence| match sequence.split_last() {
        Some((&last, before)) => before == so_far && is_new(last),
        None => false,
    });
    here.cloned().collect()
}

/// Asks every open end and compares with an enumeration that stays within what was seen. Says what differs;
/// `Ok(None)` if there are too many states.
pub fn compare_ends(
    explored: &mut Explored<'_>,
    limits: &Limits,
    open: &mut dyn FnMut() -> Box<dyn Smt>,
) -> Result<Option<usize>, Trouble> {
    explored.close(is_cut, open)?;
    let seen = histories(explored.program, &explored.forest);
    let limits = Limits { within: Some(seen.clone()), ..limits.clone() };
    let Ok(truth) = enumerate(explored.program, explored.options.model, &limits) else { return Ok(None) };
    let beyond = truth.histories.iter().zip(&seen);
    let mut beyond: Vec<BTreeSet<Vec<Decision>>> =
        beyond.map(|(all, seen)| all.difference(seen).cloned().collect()).collect();
    let mut asked = 0;
    for end in open_ends(&explored.forest) {
        if is_cut(&explored.forest, &end) {
            continue;
        }
        asked += 1;
        let tree = end.thread(&explored.forest);
        let nr = (0..beyond.len()).find(|&nr: &ThreadNr| key(nr) == *explored.forest.key(tree));
        let expected = &mut beyond[nr.expect("every thread is one of the program's")];
        let here = new_decisions(&explored.forest, &end, expected);
        let possible = explored.ask(&end, open)?.is_some();
        if possible == here.is_empty() {
            let verb = if possible { "was said to be possible" } else { "was not found" };
            return Err(Trouble::Ours(format!("{end:?} {verb}; possible: {here:?}")));
        }
        expected.retain(|sequence| !here.contains(sequence));
    }
    match beyond.iter().flatten().next() {
        Some(missed) => Err(Trouble::Ours(format!("no open end asks for {missed:?}"))),
        None => Ok(Some(asked)),
    }
}
