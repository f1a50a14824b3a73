//! What the agent wrote: definitions, and what each thread did. `STREAM.md` has every byte.
//!
//! How long a value is depends on the instruction that made it, so the reader knows which method each thread is in.

mod bytes;
mod decode;
mod definitions;
mod error;
mod record;

pub use decode::Reader;
pub use definitions::{ClassIx, Content, Definitions, MethodDef, MethodIx, ObjectDef, ThreadDef};
pub use error::StreamError;
pub use record::{AtomicOp, AtomicRecord, Item, ObjectRef, Record, SyncRecord, Value};
