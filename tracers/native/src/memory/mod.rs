//! The program's memory as the interpreter sees it: pages cached from the native process.

mod access;
mod marking;
mod marks;
mod page;
mod regions;
mod slow;
mod snapshot;
mod space;
mod tlb;
mod tracking;
mod unwatched;

pub use access::{Backing, Fault, FaultKind, Memory, Protection, Trouble};
pub use snapshot::Snapshot;
pub use space::Space;
pub use unwatched::Unwatched;

pub(crate) use page::page_of;
pub(crate) use tlb::Half;
pub(crate) use tracking::{Found, Owners, mark};
