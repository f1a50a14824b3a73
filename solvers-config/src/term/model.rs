//! Assignments of values to constants.

use super::store::TermId;
use super::value::Value;
use std::collections::BTreeMap;

/// Values of constants, for example as a solver answered them. Iterates in order of declaration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Model {
    values: BTreeMap<TermId, Value>,
}

impl Model {
    /// A model that says nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives `constant` a value and returns the one it had. That the sorts agree is checked when
    /// the model is used.
    pub fn set(&mut self, constant: TermId, value: Value) -> Option<Value> {
        self.values.insert(constant, value)
    }

    /// The value of a constant.
    pub fn get(&self, constant: TermId) -> Option<Value> {
        self.values.get(&constant).copied()
    }

    /// All constants that have a value.
    pub fn iter(&self) -> impl Iterator<Item = (TermId, Value)> + '_ {
        self.values.iter().map(|(&id, &value)| (id, value))
    }

    /// How many constants have a value.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether no constant has a value.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl FromIterator<(TermId, Value)> for Model {
    fn from_iter<I: IntoIterator<Item = (TermId, Value)>>(pairs: I) -> Self {
        Model { values: pairs.into_iter().collect() }
    }
}

impl Extend<(TermId, Value)> for Model {
    fn extend<I: IntoIterator<Item = (TermId, Value)>>(&mut self, pairs: I) {
        self.values.extend(pairs);
    }
}
