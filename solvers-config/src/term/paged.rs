//! Something about many terms, found by their identifiers.

use super::store::TermId;

/// A map from terms in pages that are made when first needed: as fast as an array where terms are
/// near each other, without the cost of one for a small formula in a large arena.
#[derive(Debug, Clone)]
pub(crate) struct Paged<T> {
    pages: Vec<Option<Box<[Option<T>; PAGE]>>>,
}

const PAGE: usize = 256;

impl<T> Default for Paged<T> {
    fn default() -> Self {
        Paged { pages: Vec::new() }
    }
}

impl<T: Copy> Paged<T> {
    pub(crate) fn get(&self, id: TermId) -> Option<T> {
        self.pages.get(id.index() / PAGE)?.as_ref()?[id.index() % PAGE]
    }

    pub(crate) fn insert(&mut self, id: TermId, value: T) {
        let page = id.index() / PAGE;
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        let page = self.pages[page].get_or_insert_with(|| Box::new([None; PAGE]));
        page[id.index() % PAGE] = Some(value);
    }
}
