//! The native tracer: runs an unmodified x86-64 ELF program one visible event of one thread at a time.
//!
//! The program's instructions are interpreted here, from the first one of the dynamic loader on; a stopped native
//! process stands by for what must be native: system calls and instructions that the interpreter does not know. All
//! threads of the program are register files of ours over that one process, so scheduling is a choice of which one to
//! advance.

pub mod cpu;
pub mod memory;
pub mod names;
pub mod process;
pub mod run;
pub mod sym;
