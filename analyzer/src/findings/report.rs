//! What a check came to.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::finding::Finding;
use super::property::Property;
use crate::queries::Manifest;

/// What is known about a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It can be violated: there is a finding.
    Predicted,
    /// No other order of the events seen, and no other input on the paths seen, violates it.
    None,
    /// Some question was not answered.
    Unknown,
}

/// What it took to check a property.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Statistics {
    /// What could violate it: pairs of accesses, assertions, waits.
    pub candidates: u64,
    /// Of these, how many a linear-time test ruled out, by the test.
    pub filtered: BTreeMap<&'static str, u64>,
    /// Shown by the observed run's own order: nothing was asked.
    pub witnessed: u64,
    /// Thought to be shown so, but refused by the reference interpreter and asked about: not 0 is a bug of ours.
    pub refused: u64,
    /// Questions asked.
    pub queries: u64,
    /// Answered: it can be.
    pub sat: u64,
    /// Answered: it cannot be.
    pub unsat: u64,
    /// Not answered.
    pub unknown: u64,
    /// Time that the solver took for them.
    #[serde(skip)]
    pub solving: Duration,
}

impl Statistics {
    pub(super) fn filter(&mut self, test: &'static str, count: u64) {
        if count > 0 {
            *self.filtered.entry(test).or_insert(0) += count;
        }
    }

    /// Adds what another check of the same property took.
    fn add(&mut self, other: &Statistics) {
        self.candidates += other.candidates;
        for (&test, &count) in &other.filtered {
            self.filter(test, count);
        }
        self.witnessed += other.witnessed;
        self.refused += other.refused;
        self.queries += other.queries;
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        self.solving += other.solving;
    }
}

/// One property's result.
#[derive(Clone, Debug, Serialize)]
pub struct PropertyResult {
    /// The property.
    pub property: Property,
    /// What is known.
    pub standing: Standing,
    /// What it took.
    pub statistics: Statistics,
}

impl PropertyResult {
    /// Adds the result of another check of the same property, as of another part of a trace.
    pub fn add(&mut self, other: &PropertyResult) {
        self.statistics.add(&other.statistics);
        self.standing = match (self.standing, other.standing) {
            (Standing::Predicted, _) | (_, Standing::Predicted) => Standing::Predicted,
            (Standing::Unknown, _) | (_, Standing::Unknown) => Standing::Unknown,
            (Standing::None, Standing::None) => Standing::None,
        };
    }
}

/// A question without an answer.
#[derive(Clone, Debug, Serialize)]
pub struct Unanswered {
    /// The property it was asked for.
    pub property: Property,
    /// The question.
    pub question: String,
    /// Why there is no answer.
    pub reason: String,
    /// The question as a script, for another solver or more time. Empty where nothing was asked.
    #[serde(skip)]
    pub script: String,
    /// What the script asks and what its symbols mean.
    #[serde(skip)]
    pub manifest: Option<Manifest>,
}

/// What a check came to.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// One result for each property, in the order asked for.
    pub properties: Vec<PropertyResult>,
    /// What was found: by property, then by the forest's order of events.
    pub findings: Vec<Finding>,
    /// Questions without an answer.
    pub unanswered: Vec<Unanswered>,
}
