//! What follows from program order for comparisons of two threads, said so that the solver need not find out.
//!
//! If `a` comes before `b`, so does everything above `a`, and `a` comes before everything below `b`. All
//! comparisons between two threads are points of a grid, and each implies its nearest neighbours in these two
//! directions. It is a consequence of the order constraints, but one that solvers otherwise learn one conflict
//! at a time.

use std::collections::BTreeMap;

use warpath_solvers::term::{TermError, TermId};

use super::{About, Constraint, Encoding, Point};
use crate::model::TreeIx;

/// How many points above are looked at for neighbours; they are lemmas, so leaving some out only costs time.
const REACH: usize = 24;

/// The comparisons of two threads: by point of the first thread, the points of the second and the term for
/// "the first one's comes before". Points ascend in their trees' order.
type Grid = BTreeMap<(u32, Point), Row>;

/// The comparisons of one point of the first thread.
type Row = Vec<(u32, Point, TermId)>;

impl Encoding<'_> {
    /// The neighbours' implications, for all comparisons that have been mentioned.
    pub(super) fn comparison_lemmas(&mut self) -> Result<Vec<Constraint>, TermError> {
        let mut grids: BTreeMap<(TreeIx, TreeIx), Grid> = BTreeMap::new();
        for ((a, b), atom) in self.orders.listed() {
            let (tree_a, tree_b) = (self.forest.node(a.node()).tree, self.forest.node(b.node()).tree);
            if tree_a == tree_b {
                continue;
            }
            // `¬(b < a)` puts a before b, or at the same moment: what follows is the same.
            let (trees, first, second, term) = match tree_a < tree_b {
                true => ((tree_a, tree_b), a, b, atom),
                false => ((tree_b, tree_a), b, a, self.terms.not(atom)?),
            };
            let row = grids.entry(trees).or_default().entry((self.place(first), first)).or_default();
            row.push((self.place(second), second, term));
        }
        let mut lemmas = Vec::new();
        for (_, mut grid) in grids {
            grid.values_mut().for_each(|row| row.sort_unstable());
            let rows: Vec<_> = grid.into_iter().collect();
            for (n, ((_, first), row)) in rows.iter().enumerate() {
                for (m, &(_, second, term)) in row.iter().enumerate() {
                    self.neighbours(&rows[..n], *first, row, m, |encoding, implied| {
                        let lemma = encoding.terms.implies(term, implied)?;
                        lemmas.push(Constraint { about: About::Order(second.node()), term: lemma });
                        Ok(())
                    })?;
                }
            }
        }
        Ok(lemmas)
    }

    /// What the `m`-th comparison of a row implies: the next one below in its own row, and the nearest ones of
    /// the rows above.
    fn neighbours(
        &mut self,
        above: &[((u32, Point), Row)],
        first: Point,
        row: &[(u32, Point, TermId)],
        m: usize,
        mut implies: impl FnMut(&mut Self, TermId) -> Result<(), TermError>,
    ) -> Result<(), TermError> {
        let (_, second, _) = row[m];
        if let Some(&(_, _, next)) = row[m + 1..].iter().find(|(_, other, _)| self.follows(second, *other)) {
            implies(self, next)?;
        }
        // The stairs of nearest comparisons: each step up must come nearer to `second` to say something new.
        let mut nearest: Option<Point> = None;
        for ((_, higher), row) in above.iter().rev().take(REACH) {
            if !self.follows(*higher, first) {
                continue;
            }
            let from = row.partition_point(|&(place, ..)| place < self.place(second));
            let found =
                row[from..].iter().find(|(_, other, _)| *other == second || self.follows(second, *other));
            let Some(&(_, other, term)) = found else { continue };
            if nearest.is_some_and(|nearest| nearest == other || self.follows(nearest, other)) {
                continue;
            }
            implies(self, term)?;
            if other == second {
                break;
            }
            nearest = Some(other);
        }
        Ok(())
    }

    /// A number that grows along each path of a thread.
    fn place(&self, point: Point) -> u32 {
        match self.options.reductions.share_seats {
            true => self.forest.seats().position(point.node()),
            false => self.forest.node(point.node()).depth,
        }
    }

    /// Is the first point before the second one in the order constraints of their thread?
    fn follows(&self, first: Point, second: Point) -> bool {
        if self.options.reductions.share_seats {
            return first != second && self.in_row(first, second);
        }
        match (first, second) {
            // Decided by what stands between the two, which takes time to look at.
            (Point::Commit(_), Point::Issue(_)) => false,
            _ => first != second && self.must_precede(first, second),
        }
    }
}
