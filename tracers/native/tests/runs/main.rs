//! Runs of small programs, written here and compiled on the spot: what the tracer sees, and that it always sees the same.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod build;
mod failures;
mod inputs;
mod keys;
mod panics;
mod schedules;
mod spinning;
mod status;
mod verify;
mod weak;
