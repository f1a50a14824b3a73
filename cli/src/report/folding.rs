//! What is shown at once, and what is folded away until somebody asks for it.

use std::collections::BTreeSet;
use std::ops::Range;

/// A fold has no more events than that: opening it should not flood the page.
const CHUNK: usize = 200;
/// Of a longer gap, so many events at its beginning and its end are on the page at all.
const EDGE: usize = 1000;

/// A part of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// An event that matters.
    Shown(usize),
    /// Events that do not.
    Folded(Range<usize>),
    /// Events that are not on the page.
    LeftOut(usize),
}

/// Folds everything that is not to be shown.
pub(super) fn fold(events: usize, shown: &BTreeSet<usize>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut next = 0;
    for &at in shown.range(..events) {
        gap(next..at, &mut pieces);
        pieces.push(Piece::Shown(at));
        next = at + 1;
    }
    gap(next..events, &mut pieces);
    pieces
}

fn gap(range: Range<usize>, pieces: &mut Vec<Piece>) {
    match range.len() {
        0 => {}
        // The line that says so would take as much room.
        1 => pieces.push(Piece::Shown(range.start)),
        length if length > 2 * EDGE => {
            chunks(range.start..range.start + EDGE, pieces);
            pieces.push(Piece::LeftOut(length - 2 * EDGE));
            chunks(range.end - EDGE..range.end, pieces);
        }
        _ => chunks(range, pieces),
    }
}

fn chunks(range: Range<usize>, pieces: &mut Vec<Piece>) {
    let ends = |start: usize| (start + CHUNK).min(range.end);
    pieces.extend(range.clone().step_by(CHUNK).map(|start| Piece::Folded(start..ends(start))));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_between_what_matters_are_folded() {
        let pieces = fold(10, &BTreeSet::from([0, 5, 7]));
        let wanted = [
            Piece::Shown(0),
            Piece::Folded(1..5),
            Piece::Shown(5),
            Piece::Shown(6),
            Piece::Shown(7),
            Piece::Folded(8..10),
        ];
        assert_eq!(pieces, wanted);
    }

    #[test]
    fn a_long_gap_comes_in_chunks_and_a_very_long_one_is_cut() {
        assert_eq!(fold(450, &BTreeSet::new()), [0..200, 200..400, 400..450].map(Piece::Folded));
        let pieces = fold(100_000, &BTreeSet::from([99_999]));
        assert_eq!(pieces.len(), 5 + 1 + 5 + 1);
        assert_eq!(pieces[5], Piece::LeftOut(99_999 - 2 * EDGE));
    }
}
