//! An oracle for the formula: small concurrent programs, what a tracer would record of them, and, by trying
//! everything, what they can do.
//!
//! - [`program`]: the language; [`build`]: short ways to write it; [`print`]: pseudo code for people.
//! - [`run`]: executes a program under a schedule and records a trace, as a tracer would.
//! - [`brute`]: enumerates all interleavings, inputs and commits: the ground truth.
//! - [`decision`]: what both call a decision of a thread.
//! - [`pin`]: traces with nothing but values.
//! - [`generate`]: random programs; [`shrink`]: small ones that still fail.
//!
//! `run` and `brute` are two interpreters on purpose: nothing but the language is shared between them, so that
//! a mistake in one shows as a difference.

// Every test binary that includes this folder uses a part of it.
#![allow(dead_code, unused_imports)]

pub mod brute;
pub mod build;
pub mod decision;
pub mod generate;
pub mod pin;
pub mod print;
pub mod program;
pub mod rng;
pub mod run;
pub mod settings;
pub mod shrink;
