//! The oracle itself: on programs whose answers are known, and its two interpreters against each other.

mod oracle;

#[path = "oracle/self_test/agreement.rs"]
mod agreement;
#[path = "oracle/self_test/classics.rs"]
mod classics;
#[path = "oracle/self_test/compare.rs"]
mod compare;
#[path = "oracle/self_test/generator.rs"]
mod generator;
#[path = "oracle/self_test/language.rs"]
mod language;
#[path = "oracle/self_test/memory_models.rs"]
mod memory_models;
#[path = "oracle/self_test/synchronisation.rs"]
mod synchronisation;
#[path = "oracle/self_test/watch.rs"]
mod watch;
