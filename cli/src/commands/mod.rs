//! One file per command: its arguments and help, their lowering, its run.

mod analyze;
mod apply;
mod cc;
mod convert;
mod diagnose;
mod explore;
mod export_test;
mod pack;
mod record;
mod record_light;
mod replay;
mod report;
mod show;
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
pub(crate) use pack::PackArgs;
pub(crate) use record::RecordArgs;
pub(crate) use replay::ReplayArgs;
pub(crate) use report::ReportArgs;
pub(crate) use show::ShowArgs;
pub(crate) use solve::SolveArgs;
pub(crate) use solvers::SolversArgs;
pub(crate) use triage::TriageArgs;

use crate::failure::advised;

/// The answer of a command whose part of Warpath does not exist yet: its arguments were read and checked, nothing
/// was done.
fn not_landed(command: &str, part: &str) -> anyhow::Error {
    advised(
        format!("`warpath {command}` needs {part}, which this version does not have yet"),
        "the arguments are fine; `warpath explore`, `record`, `replay`, `diagnose`, `report`, `export-test`, `show`, `pack`, `convert`, `analyze`, `solve`, `apply`, `solvers` and `cc` work today",
    )
}
