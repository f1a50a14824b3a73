//! The JVM tracer: runs a Java program under an agent that lets one thread go at a time, and makes a trace of what the
//! agent wrote down.
//!
//! The agent (`tracers/jvm/agent`) knows nothing of symbolic values. What it records (`STREAM.md`) is enough to execute
//! the bytecode once more, here, along the same path: `stream` reads it, `classfile` the classes in it, `interpret`
//! executes, and `lift` makes events of it.

pub mod classfile;
pub mod interpret;
pub mod lift;
pub mod run;
pub mod stream;
