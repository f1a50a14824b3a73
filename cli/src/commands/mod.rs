//! One file per command: its arguments and help, their lowering, its run.

mod analyze;
mod apply;
mod cc;
mod convert;
mod diagnose;
mod explore;
mod export_test;
mod lift;
mod light_stdin;
mod pack;
mod record;
mod record_light;
mod replay;
mod report;
mod show;
mod smt;
mod solve;
mod solvers;
mod triage;

pub(crate) use analyze::AnalyzeArgs;
pub(crate) use apply::ApplyArgs;
pub(crate) use cc::CcArgs;
pub(crate) use convert::ConvertArgs;
pub(crate) use diagnose::DiagnoseArgs;
pub(crate) use explore::ExploreArgs;
pub(crate) use export_test::ExportTestArgs;
pub(crate) use lift::LiftArgs;
pub(crate) use pack::PackArgs;
pub(crate) use record::RecordArgs;
pub(crate) use replay::ReplayArgs;
pub(crate) use report::ReportArgs;
pub(crate) use show::ShowArgs;
pub(crate) use smt::SmtArgs;
pub(crate) use solve::SolveArgs;
pub(crate) use solvers::SolversArgs;
pub(crate) use triage::{HIDDEN as TRIAGE_WORKER, TriageArgs, serve as serve_triage};
