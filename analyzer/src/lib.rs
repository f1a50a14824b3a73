//! What traces prove about other schedules and inputs.
//!
//! [`model`] merges traces into thread trees; [`encode`] turns them into one formula; [`queries`] asks
//! questions on it; [`answer`] turns a solver's model into a schedule and inputs, executed by a reference
//! interpreter before anybody sees them; [`findings`] says which properties can be violated; [`window`] does so
//! for traces that are too large to be looked at as a whole; [`effect`] says what a race changes; [`diagnose`] says why a run failed and what would prevent it.

pub mod answer;
pub mod diagnose;
pub mod effect;
pub mod encode;
pub mod explore;
pub mod findings;
pub mod model;
pub mod queries;
pub mod slice;
pub mod window;

mod lower;
