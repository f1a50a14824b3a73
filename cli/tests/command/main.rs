//! The command as users meet it: the real binary, its output, its exit codes.

mod analyze;
mod cc;
mod help;
mod json_doc;
mod misbehave;
mod native;
mod real;
mod record;
mod replay;
mod run;
mod samples;
mod solve;
mod traces;
mod usage;
