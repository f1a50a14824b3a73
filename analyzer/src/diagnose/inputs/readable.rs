//! Makes a condition readable: the shortest exact way of saying it that there is, else one that is only necessary.

use std::collections::BTreeSet;

use warpath_solvers::term::TermId;
use warpath_trace::expr::{ExprPool, Leaf};
use warpath_trace::ids::ExprId;

use super::condition::Shape;
use super::cover::{Wanted, cover, hull, nearest};
use super::region::Region;
use super::space::Space;
use super::words;
use crate::diagnose::DiagnoseError;

/// More boxes than that nobody reads.
const MOST_REGIONS: usize = 4;

/// More boxes than that are not left out.
const MOST_EXCEPT: usize = 2;

/// Expressions that are longer are not shown if there is anything else to say.
const LONGEST: usize = 160;

/// A condition as it is shown, and inputs that do not meet it.
pub(super) struct Readable {
    pub(super) shape: Shape,
    pub(super) spared: Vec<Vec<u128>>,
}

/// The inputs that expressions mention, ascending.
pub(super) fn mentioned(pool: &ExprPool, exprs: impl IntoIterator<Item = ExprId>) -> Vec<usize> {
    let mut inputs = BTreeSet::new();
    pool.visit_once(exprs, |_, node| {
        if let Some(Leaf::Input(input)) = node.leaf() {
            inputs.insert(input.index());
        }
    });
    inputs.into_iter().collect()
}

/// Says that inputs are in one of the classes. The failing run's inputs are where it begins to look.
pub(super) fn readable(
    space: &mut Space<'_>,
    pool: &ExprPool,
    classes: &[Vec<ExprId>],
    failing: &[u128],
) -> Result<Readable, DiagnoseError> {
    let mentions = mentioned(pool, classes.iter().flatten().copied());
    let mut ways = Vec::new();
    for class in classes {
        ways.push(space.all(pool, class)?);
    }
    let so = space.any(&ways)?;
    let not_so = space.not(so)?;
    let wanted = Wanted { so, not_so, mentions: &mentions };
    let mut spared = Vec::new();
    let said = said(space, (pool, classes), &wanted, failing, &mut spared);
    let shape = match said {
        Ok(shape) => shape,
        // What was found is a condition, however long.
        Err(DiagnoseError::Unanswered(_) | DiagnoseError::Late) => Shape::Expressions(classes.to_vec()),
        Err(error) => return Err(error),
    };
    Ok(Readable { shape, spared })
}

fn said(
    space: &mut Space<'_>,
    (pool, classes): (&ExprPool, &[Vec<ExprId>]),
    wanted: &Wanted<'_>,
    failing: &[u128],
    spared: &mut Vec<Vec<u128>>,
) -> Result<Shape, DiagnoseError> {
    let Some(first) = nearest(space, &[wanted.not_so], wanted.mentions)? else { return Ok(Shape::Any) };
    spared.push(first);
    spared.extend(one_other(space, wanted, failing)?);
    spared.dedup();
    let begin = in_region_of(space, wanted.so, failing)?.then(|| failing.to_vec());
    let inside = cover(space, wanted, begin, MOST_REGIONS)?;
    let other = Wanted { so: wanted.not_so, not_so: wanted.so, mentions: wanted.mentions };
    let outside = cover(space, &other, None, MOST_EXCEPT)?;
    let length = |regions: &Vec<Region>| -> usize {
        regions.iter().map(|region| region.comparisons(space.inputs)).sum()
    };
    match (inside, outside) {
        (Some(inside), Some(outside)) if length(&outside) < length(&inside) => Ok(Shape::Except(outside)),
        (Some(inside), _) => Ok(Shape::Regions(inside)),
        (None, Some(outside)) => Ok(Shape::Except(outside)),
        (None, None) => {
            let shortest = shortest(space, (pool, classes), wanted.not_so)?;
            if is_readable(space, pool, &shortest) {
                return Ok(Shape::Expressions(shortest));
            }
            let hull = hull(space, wanted)?;
            Ok(match hull.comparisons(space.inputs) {
                0 => Shape::Expressions(shortest),
                _ => Shape::Within(hull),
            })
        }
    }
}

/// Inputs of the failing run with one of them changed so that the condition is not met.
fn one_other(
    space: &mut Space<'_>,
    wanted: &Wanted<'_>,
    failing: &[u128],
) -> Result<Option<Vec<u128>>, DiagnoseError> {
    for &input in wanted.mentions {
        let mut others = point(space, wanted.mentions, failing);
        others.intervals[input] = None;
        let others = space.within(&others)?;
        if let Some(found) = nearest(space, &[wanted.not_so, others], wanted.mentions)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn point(space: &Space<'_>, mentions: &[usize], values: &[u128]) -> Region {
    let mut region = Region { intervals: vec![None; space.inputs.len()] };
    for &input in mentions {
        let at = space.number(values, input);
        region.intervals[input] = Some((at, at));
    }
    region
}

fn in_region_of(space: &mut Space<'_>, so: TermId, values: &[u128]) -> Result<bool, DiagnoseError> {
    let all: Vec<usize> = (0..space.inputs.len()).collect();
    let here = point(space, &all, values);
    let here = space.within(&here)?;
    Ok(space.find(&[so, here])?.is_some())
}

/// The classes without what can be left out of them, and without those that the others cover.
fn shortest(
    space: &mut Space<'_>,
    (pool, classes): (&ExprPool, &[Vec<ExprId>]),
    not_so: TermId,
) -> Result<Vec<Vec<ExprId>>, DiagnoseError> {
    let mut kept: Vec<Vec<ExprId>> = Vec::new();
    let mut beyond = Vec::new();
    for class in classes {
        let whole = space.all(pool, class)?;
        let mut question = vec![whole];
        question.extend(&beyond);
        if space.find(&question)?.is_none() {
            continue;
        }
        let mut class = class.clone();
        let mut n = 0;
        while n < class.len() {
            let mut less = class.clone();
            less.remove(n);
            let term = space.all(pool, &less)?;
            match space.find(&[term, not_so])? {
                None => class = less,
                Some(_) => n += 1,
            }
        }
        let whole = space.all(pool, &class)?;
        beyond.push(space.not(whole)?);
        kept.push(class);
    }
    Ok(kept)
}

fn is_readable(space: &Space<'_>, pool: &ExprPool, classes: &[Vec<ExprId>]) -> bool {
    let mut length = 0;
    for &expr in classes.iter().flatten() {
        match words::expression(pool, space.inputs, expr) {
            Some(text) => length += text.len() + 5,
            None => return false,
        }
    }
    length <= LONGEST
}
