//! Which locations threads share, by name.

use std::collections::BTreeSet;

/// Names of locations that are shared. They mean the same in every run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sharing(BTreeSet<String>);

impl Sharing {
    /// Adds a location; whether it is new.
    pub fn insert(&mut self, location: String) -> bool {
        self.0.insert(location)
    }

    /// Is this location shared?
    pub fn contains(&self, location: &str) -> bool {
        self.0.contains(location)
    }

    /// All of them, in order.
    pub fn locations(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Adds all of another; whether anything is new.
    pub(crate) fn add(&mut self, other: &Sharing) -> bool {
        other.0.iter().fold(false, |new, location| self.0.insert(location.clone()) | new)
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
