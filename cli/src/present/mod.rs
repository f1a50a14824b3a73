//! Bugs as people see them, whichever command found them: places with their source lines, interleavings as tables,
//! and the same for editors.

mod columns;
pub(crate) mod inputs;
mod places;
pub(crate) mod sarif;
mod schedule;
mod story;

pub(crate) use places::{Side, Sources};
pub(crate) use schedule::table;
pub(crate) use story::Story;
