//! Bugs as people see them, whichever command found them: places with their source lines, interleavings as tables,
//! and the same for editors.

mod colour;
mod columns;
pub(crate) mod diagnosis;
pub(crate) mod inputs;
mod java;
mod lanes;
mod places;
pub(crate) mod sarif;
mod schedule;
mod story;

pub(crate) use colour::painted;
pub(crate) use java::is_java;
pub(crate) use lanes::{Drawn, draw};
pub(crate) use places::{Side, Sources, file_and_line};
pub(crate) use schedule::table;
pub(crate) use story::{Story, Told, is_missed, words};
