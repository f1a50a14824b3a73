//! The failing schedule and the nearest passing one, side by side, with what differs marked.

use std::collections::{BTreeSet, HashMap};

use super::folding::{Piece, fold};
use super::html::Html;
use super::lanes::{Lanes, causes, details, event, short};
use super::steps::{Schedule, Step};
use super::subject::Subject;
use crate::present::diagnosis::Document;

/// Longer parts that differ are not compared event by event.
const LONGEST: usize = 2000;

/// So many events that differ are shown at once.
const MOST: usize = 60;

/// How an event of one schedule stands to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Same,
    /// There as well, at another time.
    Moved,
    /// There with another value.
    Changed,
    /// Not there.
    Only,
}

/// Both schedules.
pub(super) fn write(html: &mut Html, subject: &Subject, document: &Document, lanes: &Lanes<'_>) {
    let Some(passing) = document.passing.as_ref().filter(|passing| !passing.is_empty()) else { return };
    let passing = Schedule::of(passing);
    let failing = &subject.failing;
    let marks = compared(&failing.steps, &passing.steps);
    let sides = || causes(subject).iter().take(1).flat_map(|cause| &cause.orderings);
    let both = || sides().flat_map(|ordering| [&ordering.first, &ordering.second]);
    html.leaf("h3", &[], "The same program, failing and passing");
    html.element("p", &[("class", "legend")], |html| {
        html.leaf("span", &[("class", "moved")], "at another time");
        html.leaf("span", &[("class", "changed")], "another value");
        html.leaf("span", &[("class", "only")], "only here");
    });
    html.open("div", &[("class", "compare")]);
    let failing_sides: BTreeSet<usize> = both().filter_map(|side| side.failing).collect();
    column(html, "Fails", failing, &marks.0, &failing_sides, lanes);
    let passing_sides: BTreeSet<usize> = both().filter_map(|side| side.passing).collect();
    column(html, "Passes", &passing, &marks.1, &passing_sides, lanes);
    html.close("div");
}

fn column(
    html: &mut Html,
    title: &'static str,
    schedule: &Schedule,
    marks: &[Standing],
    sides: &BTreeSet<usize>,
    lanes: &Lanes<'_>,
) {
    let class = if title == "Fails" { "fails" } else { "passes" };
    html.open("section", &[("class", class)]).leaf("h4", &[], title).open("ol", &[]);
    let differs = |at: &usize| marks[*at] != Standing::Same;
    let mut shown: BTreeSet<usize> = sides.clone();
    shown.extend((0..schedule.steps.len()).filter(differs).take(MOST));
    let item = |html: &mut Html, at: usize| {
        let step = &schedule.steps[at];
        let class = match marks[at] {
            Standing::Same => "same",
            Standing::Moved => "moved",
            Standing::Changed => "changed",
            Standing::Only => "only",
        };
        html.open("li", &[("class", class), ("title", &details(step))]);
        let chip = format!("chip t{}", lanes.colour(&step.thread));
        html.leaf("span", &[("class", &chip)], &step.thread).text(" ");
        event(html, step, &short(&step.place));
        html.close("li");
    };
    for piece in fold(schedule.steps.len(), &shown) {
        match piece {
            Piece::Shown(at) => item(html, at),
            Piece::Folded(range) => {
                html.open("li", &[("class", "gap")]).open("details", &[("open", "")]);
                let differing = match range.clone().filter(differs).count() {
                    0 => "the same".to_owned(),
                    some => format!("{some} of them differ"),
                };
                let summary = format!("… {} events, {differing}", range.len());
                html.leaf("summary", &[], &summary).open("ol", &[]);
                range.for_each(|at| item(html, at));
                html.close("ol").close("details").close("li");
            }
            Piece::LeftOut(count) => {
                html.leaf("li", &[("class", "gap")], &format!("{count} events are not on this page"));
            }
        }
    }
    html.close("ol").close("section");
}

/// How each event of either schedule stands to the other.
fn compared(one: &[Step], other: &[Step]) -> (Vec<Standing>, Vec<Standing>) {
    let (names, others) = (names(one), names(other));
    let mut marks = (vec![Standing::Only; one.len()], vec![Standing::Only; other.len()]);
    let there: HashMap<&Name<'_>, usize> = others.iter().enumerate().map(|(n, name)| (name, n)).collect();
    for (at, name) in names.iter().enumerate() {
        if let Some(&twin) = there.get(name) {
            (marks.0[at], marks.1[twin]) = (Standing::Moved, Standing::Moved);
        }
    }
    for (at, twin) in in_common(&names, &others) {
        let standing = if one[at].value == other[twin].value { Standing::Same } else { Standing::Changed };
        (marks.0[at], marks.1[twin]) = (standing, standing);
    }
    marks
}

/// An event, and which of its like.
type Name<'a> = ((&'a str, &'a str, &'a str, &'a str), usize);

fn names(steps: &[Step]) -> Vec<Name<'_>> {
    let mut seen = HashMap::new();
    let name = |step| {
        let key = Step::key(step);
        let nth = seen.entry(key).or_insert(0);
        *nth += 1;
        (key, *nth)
    };
    steps.iter().map(name).collect()
}

/// Pairs of the longest sequence that both have.
fn in_common(one: &[Name<'_>], other: &[Name<'_>]) -> Vec<(usize, usize)> {
    let begin = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let end = one[begin..].iter().rev().zip(other[begin..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&one[begin..one.len() - end], &other[begin..other.len() - end]);
    let mut pairs: Vec<(usize, usize)> = (0..begin).map(|n| (n, n)).collect();
    if a.len() <= LONGEST && b.len() <= LONGEST {
        // lengths[i][j]: the longest of a[i..] and b[j..].
        let mut lengths = vec![vec![0u16; b.len() + 1]; a.len() + 1];
        for i in (0..a.len()).rev() {
            for j in (0..b.len()).rev() {
                lengths[i][j] = match a[i] == b[j] {
                    true => lengths[i + 1][j + 1] + 1,
                    false => lengths[i + 1][j].max(lengths[i][j + 1]),
                };
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < a.len() && j < b.len() {
            if a[i] == b[j] {
                pairs.push((begin + i, begin + j));
                (i, j) = (i + 1, j + 1);
            } else if lengths[i + 1][j] >= lengths[i][j + 1] {
                i += 1;
            } else {
                j += 1;
            }
        }
    }
    pairs.extend((0..end).map(|n| (one.len() - end + n, other.len() - end + n)));
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Vec<Step> {
        let step = |word: &str| {
            let (name, value) = word.split_once('=').unwrap_or((word, "0"));
            Step { thread: "T0".into(), object: name.into(), value: Some(value.into()), ..Step::default() }
        };
        text.split(' ').map(step).collect()
    }

    #[test]
    fn what_moved_what_changed_and_what_is_missing() {
        use Standing::{Changed, Moved, Only, Same};
        let (one, other) = compared(&steps("a b c d=1 e"), &steps("a c b d=2"));
        assert_eq!(one[0], Same);
        // One of the two is said to have moved, never both or none.
        assert_eq!([one[1], one[2]].iter().filter(|mark| **mark == Moved).count(), 1);
        assert_eq!((one[3], one[4]), (Changed, Only));
        assert_eq!((other[0], other[3]), (Same, Changed));
    }

    #[test]
    fn the_second_of_its_kind_is_not_the_first() {
        let (one, other) = compared(&steps("a a"), &steps("a"));
        assert_eq!((one, other), (vec![Standing::Same, Standing::Only], vec![Standing::Same]));
    }
}
