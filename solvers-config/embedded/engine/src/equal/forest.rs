//! Which equality joined which vectors: a forest whose trees are the classes.

use super::Vector;
use crate::sat::Lit;

#[derive(Debug, Default)]
pub(super) struct Forest {
    /// The next vector on the way to the root, and why the two are equal.
    parents: Vec<Option<(Vector, Lit)>>,
    /// When a vector was last on the way of a search.
    stamps: Vec<u32>,
    stamp: u32,
}

impl Forest {
    /// A vector that is a tree by itself.
    pub(super) fn add(&mut self) {
        self.parents.push(None);
        self.stamps.push(0);
    }

    /// Joins two trees by an equality of two of their vectors.
    pub(super) fn link(&mut self, from: Vector, into: Vector, equal: Lit) {
        // `from` becomes the root of its tree: the way up from it is turned round.
        let mut above = self.parents[from.index()].replace((into, equal));
        let mut below = from;
        while let Some((vector, why)) = above {
            above = self.parents[vector.index()].replace((below, why));
            below = vector;
        }
    }

    /// Takes the edge between two neighbours out. Which one is above may have changed since it was put in.
    pub(super) fn cut(&mut self, a: Vector, b: Vector) {
        if self.parents[a.index()].is_some_and(|(above, _)| above == b) {
            self.parents[a.index()] = None;
        } else {
            self.parents[b.index()] = None;
        }
    }

    /// Adds the negations of the equalities between two vectors of one tree.
    pub(super) fn path(&mut self, a: Vector, b: Vector, clause: &mut Vec<Lit>) {
        self.stamp = self.stamp.checked_add(1).unwrap_or_else(|| {
            self.stamps.fill(0);
            1
        });
        let mut at = a;
        self.stamps[at.index()] = self.stamp;
        while let Some((above, _)) = self.parents[at.index()] {
            at = above;
            self.stamps[at.index()] = self.stamp;
        }
        let mut meeting = b;
        while self.stamps[meeting.index()] != self.stamp {
            let Some((above, why)) = self.parents[meeting.index()] else {
                debug_assert!(false, "the two are in one tree");
                return;
            };
            clause.push(!why);
            meeting = above;
        }
        let mut at = a;
        while at != meeting {
            let Some((above, why)) = self.parents[at.index()] else { return };
            clause.push(!why);
            at = above;
        }
    }
}
