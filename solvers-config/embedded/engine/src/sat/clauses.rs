//! The memory of clauses: one vector of words, so that propagation walks through memory and not through pointers.

use super::literal::Lit;

/// Where a clause begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClauseRef(pub(super) u32);

/// Where a clause comes from; decides whether it may be forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Part of the question.
    Given,
    /// Follows from others; may be forgotten.
    Learned,
    /// The explanation of something that the theory implied: no part of the search, kept as long as it is a reason.
    Explanation,
}

/// Words before the literals: length; marks, use and rank.
const HEADER: usize = 2;
const DELETED: u32 = 1;
const LEARNED: u32 = 2;
const EXPLANATION: u32 = 4;
const USED_SHIFT: u32 = 3;
const USED: u32 = 3 << USED_SHIFT;
const RANK_SHIFT: u32 = 5;

#[derive(Debug, Default)]
pub(super) struct Clauses {
    words: Vec<u32>,
    wasted: usize,
}

impl Clauses {
    /// Most words: higher numbers are marks in reasons and watches.
    pub(super) const LIMIT: usize = (1 << 31) - 16;

    pub(super) fn len_words(&self) -> usize {
        self.words.len()
    }

    pub(super) fn wasted(&self) -> usize {
        self.wasted
    }

    pub(super) fn is_full(&self, more: usize) -> bool {
        self.words.len() + more + HEADER > Self::LIMIT
    }

    pub(super) fn add(&mut self, literals: &[Lit], kind: Kind, rank: u32) -> ClauseRef {
        let at = ClauseRef(self.words.len() as u32);
        let mark = match kind {
            Kind::Given => 0,
            Kind::Learned => LEARNED | 1 << USED_SHIFT,
            Kind::Explanation => EXPLANATION,
        };
        self.words.push(literals.len() as u32);
        self.words.push(mark | rank << RANK_SHIFT);
        self.words.extend(literals.iter().map(|literal| literal.0));
        at
    }

    pub(super) fn len(&self, at: ClauseRef) -> usize {
        self.words[at.0 as usize] as usize
    }

    /// The words of its literals.
    pub(super) fn words_mut(&mut self, at: ClauseRef) -> &mut [u32] {
        let at = at.0 as usize;
        let length = self.words[at] as usize;
        &mut self.words[at + HEADER..at + HEADER + length]
    }

    pub(super) fn words(&self, at: ClauseRef) -> &[u32] {
        let at = at.0 as usize;
        let length = self.words[at] as usize;
        &self.words[at + HEADER..at + HEADER + length]
    }

    pub(super) fn literals(&self, at: ClauseRef) -> impl Iterator<Item = Lit> + '_ {
        self.words(at).iter().map(|&word| Lit(word))
    }

    pub(super) fn literal(&self, at: ClauseRef, index: usize) -> Lit {
        Lit(self.words[at.0 as usize + HEADER + index])
    }

    fn mark(&self, at: ClauseRef) -> u32 {
        self.words[at.0 as usize + 1]
    }

    fn mark_mut(&mut self, at: ClauseRef) -> &mut u32 {
        &mut self.words[at.0 as usize + 1]
    }

    pub(super) fn is_deleted(&self, at: ClauseRef) -> bool {
        self.mark(at) & DELETED != 0
    }

    pub(super) fn is_learned(&self, at: ClauseRef) -> bool {
        self.mark(at) & LEARNED != 0
    }

    pub(super) fn delete(&mut self, at: ClauseRef) {
        self.wasted += self.len(at) + HEADER;
        *self.mark_mut(at) |= DELETED;
    }

    /// On how many decision levels its literals stood when that was last counted (glucose's "LBD").
    pub(super) fn rank(&self, at: ClauseRef) -> u32 {
        self.mark(at) >> RANK_SHIFT
    }

    pub(super) fn set_rank(&mut self, at: ClauseRef, rank: u32) {
        let mark = self.mark_mut(at);
        *mark = *mark & ((1 << RANK_SHIFT) - 1) | rank << RANK_SHIFT;
    }

    /// For how many more reductions it is spared because it was of use.
    pub(super) fn used(&self, at: ClauseRef) -> u32 {
        (self.mark(at) & USED) >> USED_SHIFT
    }

    pub(super) fn set_used(&mut self, at: ClauseRef, used: u32) {
        let mark = self.mark_mut(at);
        *mark = *mark & !USED | used << USED_SHIFT;
    }

    /// Copies a clause that is kept into `to` and remembers here where it went.
    pub(super) fn relocate(&mut self, at: ClauseRef, to: &mut Clauses) -> ClauseRef {
        let start = at.0 as usize;
        let end = start + HEADER + self.len(at);
        let moved = ClauseRef(to.words.len() as u32);
        to.words.extend_from_slice(&self.words[start..end]);
        self.words[start] = moved.0;
        moved
    }

    /// Where a clause went that was [relocated](Clauses::relocate).
    pub(super) fn relocated(&self, at: ClauseRef) -> ClauseRef {
        ClauseRef(self.words[at.0 as usize])
    }
}
