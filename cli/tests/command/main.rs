//! The command as users meet it: the real binary, its output, its exit codes.

mod analyze;
mod browser;
mod cc;
mod explore;
mod explore_stop;
mod export_test;
mod gdb;
mod help;
mod json_doc;
mod misbehave;
mod native;
mod paths;
mod real;
mod record;
mod replay;
mod report;
mod run;
mod samples;
mod sarif;
mod sarif_rules;
mod sarif_schema;
mod solve;
mod strategies;
mod traces;
mod usage;
mod verdicts;
