//! What the light recorder left, as traces.
//!
//! A recorded process is a folder ([`warpath_light_format`] has its files). [`Recording::open`] reads it, damaged or cut
//! as it may be; [`Recording::write`] puts the records of all threads into one order that fits their tickets, gives
//! names to addresses, and writes an ordinary trace.
//!
//! | module | what |
//! |---|---|
//! | `folder` | the files of a process |
//! | `thread` | the records of one thread, one after the other |
//! | `cut` | where a recording begins of which the oldest part was overwritten |
//! | `merge` | one order of all records |
//! | `lift` | records to events, and what the recorder could not see: who was woken, what was held before |
//! | `names` | addresses to lines, variables, threads |

mod cut;
mod error;
mod folder;
mod lift;
mod merge;
mod names;
mod thread;

pub use error::LightError;
pub use folder::{Meta, Recording, processes};
pub use lift::{Ended, Written};
