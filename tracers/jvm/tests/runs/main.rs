//! Real programs: compiled by javac, run by a JVM under the agent, and what comes of it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod basics;
mod build;
mod collections;
mod concurrent;
mod inputs;
mod kept;
mod language;
mod models;
mod opcodes;
mod random;
mod schedules;
mod texts;
