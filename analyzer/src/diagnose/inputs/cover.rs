//! A condition on inputs as a few boxes, where it is that.

use warpath_solvers::term::TermId;
use warpath_trace::expr::mask;

use super::region::{Region, limits};
use super::space::Space;
use crate::diagnose::DiagnoseError;

/// A condition: a term, its negation, and the inputs that it mentions.
#[derive(Clone, Debug)]
pub(super) struct Wanted<'a> {
    pub(super) so: TermId,
    pub(super) not_so: TermId,
    pub(super) mentions: &'a [usize],
}

/// Boxes that together are the condition; `None` if more than `most` would be needed. `begin` are inputs that meet it,
/// if any are known.
pub(super) fn cover(
    space: &mut Space<'_>,
    wanted: &Wanted<'_>,
    begin: Option<Vec<u128>>,
    most: usize,
) -> Result<Option<Vec<Region>>, DiagnoseError> {
    let mut regions: Vec<Region> = Vec::new();
    let mut left = vec![wanted.so];
    let mut next = begin;
    loop {
        let point = match next.take() {
            Some(point) => point,
            None => match nearest(space, &left, wanted.mentions)? {
                Some(point) => point,
                None => break,
            },
        };
        if regions.len() == most {
            return Ok(None);
        }
        let region = grown(space, wanted, &point)?;
        let within = space.within(&region)?;
        left.push(space.not(within)?);
        regions.push(region);
    }
    needed(space, wanted, &mut regions)?;
    regions.sort();
    Ok(Some(regions))
}

/// Leaves out boxes that the others cover.
fn needed(
    space: &mut Space<'_>,
    wanted: &Wanted<'_>,
    regions: &mut Vec<Region>,
) -> Result<(), DiagnoseError> {
    let mut n = 0;
    while n < regions.len() && regions.len() > 1 {
        let mut outside = vec![wanted.so];
        for (_, other) in regions.iter().enumerate().filter(|&(other, _)| other != n) {
            let within = space.within(other)?;
            outside.push(space.not(within)?);
        }
        match space.find(&outside)? {
            Some(_) => n += 1,
            None => {
                regions.remove(n);
            }
        }
    }
    Ok(())
}

/// The inputs for which all of this holds that are nearest to 0, the first input before the second. So it does not
/// depend on who answers.
pub(super) fn nearest(
    space: &mut Space<'_>,
    all: &[TermId],
    mentions: &[usize],
) -> Result<Option<Vec<u128>>, DiagnoseError> {
    let Some(mut point) = space.find(all)? else { return Ok(None) };
    let mut region = Region { intervals: vec![None; space.inputs.len()] };
    for &input in mentions {
        let mut at = space.number(&point, input);
        if at < 0 {
            region.intervals[input] = Some((0, limits(&space.inputs[input]).1));
            if let Some(better) = found_in(space, all, &region)? {
                point = better;
                at = space.number(&point, input);
            }
        }
        // Between what is too near and what is known to do; the nearest is often 0 or its neighbour.
        let sign = if at < 0 { -1 } else { 1 };
        let (mut near, mut far) = (if at < 0 { 1 } else { 0 }, at.unsigned_abs());
        let mut first = true;
        while near < far {
            let middle = if first { near } else { near + (far - near) / 2 };
            first = false;
            let ends = [sign_times(sign, near), sign_times(sign, middle)];
            region.intervals[input] = Some((ends[0].min(ends[1]), ends[0].max(ends[1])));
            match found_in(space, all, &region)? {
                Some(better) => {
                    point = better;
                    far = space.number(&point, input).unsigned_abs();
                }
                None => near = middle + 1,
            }
        }
        let at = sign_times(sign, far);
        region.intervals[input] = Some((at, at));
    }
    for (input, value) in point.iter_mut().enumerate() {
        let is_said = region.intervals[input].map(|(at, _)| at as u128 & mask(space.inputs[input].width));
        *value = is_said.unwrap_or(0);
    }
    Ok(Some(point))
}

/// The least number has no counterpart above 0.
fn sign_times(sign: i128, size: u128) -> i128 {
    if sign < 0 { (size as i128).wrapping_neg() } else { size as i128 }
}

fn found_in(
    space: &mut Space<'_>,
    all: &[TermId],
    region: &Region,
) -> Result<Option<Vec<u128>>, DiagnoseError> {
    let mut terms = all.to_vec();
    terms.push(space.within(region)?);
    space.find(&terms)
}

/// The largest box around a point that meets the condition: inputs that do not matter first, then the ends of the
/// others, one after the other.
fn grown(space: &mut Space<'_>, wanted: &Wanted<'_>, point: &[u128]) -> Result<Region, DiagnoseError> {
    let mut region = Region { intervals: vec![None; space.inputs.len()] };
    for &input in wanted.mentions {
        let at = space.number(point, input);
        region.intervals[input] = Some((at, at));
    }
    for &input in wanted.mentions {
        let at = region.intervals[input].take();
        if space.counterexample(&region, wanted.not_so)?.is_some() {
            region.intervals[input] = at;
        }
    }
    for &input in wanted.mentions {
        for upwards in [true, false] {
            if region.intervals[input].is_some() {
                extend(space, wanted, &mut region, input, upwards)?;
            }
        }
    }
    Ok(region)
}

/// Moves one end of an interval as far as the condition allows.
fn extend(
    space: &mut Space<'_>,
    wanted: &Wanted<'_>,
    region: &mut Region,
    input: usize,
    upwards: bool,
) -> Result<(), DiagnoseError> {
    let Some((low, high)) = region.intervals[input] else { return Ok(()) };
    let (least, most) = limits(&space.inputs[input]);
    let to = |end: i128| Some(if upwards { (low, end) } else { (end, high) });
    // The end that is known to do, and the one that may yet do; the last value or the next are the likely ones.
    let (mut good, mut may) = if upwards { (high, most) } else { (low, least) };
    let mut tries = 0;
    while good != may {
        let end = match (tries, upwards) {
            (0, _) => may,
            (1, true) => good + 1,
            (1, false) => good - 1,
            // The middle, away from what is good, without overflow.
            (_, true) => may - (may.abs_diff(good) / 2) as i128,
            (_, false) => may + (may.abs_diff(good) / 2) as i128,
        };
        tries += 1;
        region.intervals[input] = to(end);
        match space.counterexample(region, wanted.not_so)? {
            None => good = end,
            Some(bad) => {
                let bad = space.number(&bad, input);
                may = if upwards { bad - 1 } else { bad + 1 };
            }
        }
    }
    region.intervals[input] = to(good);
    Ok(())
}

/// The smallest box that has all inputs for which the condition holds.
pub(super) fn hull(space: &mut Space<'_>, wanted: &Wanted<'_>) -> Result<Region, DiagnoseError> {
    let mut hull = Region { intervals: vec![None; space.inputs.len()] };
    for &input in wanted.mentions {
        let (least, most) = limits(&space.inputs[input]);
        let Some(point) = space.find(&[wanted.so])? else { continue };
        let at = space.number(&point, input);
        let mut ends = [at, at];
        for upwards in [true, false] {
            // Beyond `beyond` there is nothing; `known` is there.
            let (mut known, mut beyond) = (at, if upwards { most } else { least });
            while known != beyond {
                let half = (known.abs_diff(beyond) / 2) as i128;
                let from = if upwards { beyond - half } else { beyond + half };
                let mut region = Region { intervals: vec![None; space.inputs.len()] };
                region.intervals[input] = Some(if upwards { (from, beyond) } else { (beyond, from) });
                match found_in(space, &[wanted.so], &region)? {
                    Some(there) => known = space.number(&there, input),
                    None => beyond = if upwards { from - 1 } else { from + 1 },
                }
            }
            ends[usize::from(upwards)] = known;
        }
        if ends != [least, most] {
            hull.intervals[input] = Some((ends[0], ends[1]));
        }
    }
    Ok(hull)
}
