//! Warpath's traces and schedule+input files.
//!
//! A [`Trace`](trace::Trace) is what one run of a concurrent program did: the events of each thread, the
//! order in which they were observed, and symbolic path conditions over inputs and reads.

pub mod binary;
mod canonical;
pub mod check;
pub mod event;
pub mod expr;
pub mod failed;
pub mod header;
pub mod ids;
pub mod order;
pub mod place;
pub mod rapid;
pub mod recorded;
pub mod repair;
pub mod si;
pub mod tables;
pub mod text;
pub mod thread;
pub mod trace;
