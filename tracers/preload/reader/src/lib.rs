//! What the light recorder left, as traces.
//!
//! A recorded process is a folder ([`warpath_light_format`] has its files). [`Recording::open`] reads it, damaged or cut
//! as it may be; [`Recording::write`] puts the records of all threads into one order that fits their tickets, gives
//! names to addresses, and writes an ordinary trace.
//!
//! | module | what |
//! |---|---|
//! | `folder` | the files of a process |
//! | `inputs` | what came from outside |
//! | `thread` | the records of one thread, one after the other |
//! | `cut` | where a recording begins of which the oldest part was overwritten |
//! | `merge` | one order of all records |
//! | `pieces`, `space`, `sharing` | accesses to memory: what they touch, whose that is, and what threads share of it |
//! | `memory` | what shared memory holds at each moment of that order |
//! | `lift` | records to events, and what the recorder could not see: who was woken, what was held before |
//! | `names` | addresses to lines, variables, threads |
//! | [`replay`] | programs that follow a schedule while they are recorded |

mod cut;
mod error;
mod expand;
mod folder;
mod image_data;
mod inputs;
mod lift;
mod memory;
mod merge;
mod names;
mod pieces;
pub mod replay;
mod sharing;
mod space;
mod thread;

pub use error::LightError;
pub use folder::{Meta, Recording, processes};
pub use inputs::Inputs;
pub use lift::{BEGINNING_LOST, Ended, Written};
