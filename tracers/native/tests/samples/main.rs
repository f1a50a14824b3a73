//! The sample programs: the manifest is true to the sources, all of them build without a warning, and none fails in a
//! plain run.

#![allow(clippy::unwrap_used, reason = "a test fails by unwrapping")]

mod build;
mod manifest;
mod places;
mod plain;
