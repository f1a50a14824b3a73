//! What a solver's TOML file may say. Every field is optional here, so that a user's file need only name what differs
//! from the shipped one; [`SolverConfig`](super::SolverConfig) is the complete form.

use serde::Deserialize;

use super::solver::{Cores, Greeting, OrderEncoding, Soft, ValueEncoding};
use super::version::Version;

/// Adopts the fields that the first file leaves open from the second.
macro_rules! fill_from {
    ($self:ident, $base:ident: $($field:ident),+ $(,)?) => {
        Self { $($field: $self.$field.or($base.$field)),+ }
    };
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SolverFile {
    pub(crate) name: String,
    pub(crate) summary: Option<String>,
    /// Present only in the file of a portfolio.
    pub(crate) members: Option<Vec<String>>,
    pub(crate) most: Option<usize>,
    pub(crate) head_start_ms: Option<u64>,
    #[serde(default)]
    pub(crate) find: FindFile,
    #[serde(default)]
    pub(crate) run: RunFile,
    #[serde(default)]
    pub(crate) logic: LogicFile,
    #[serde(default)]
    pub(crate) abilities: AbilitiesFile,
    #[serde(default)]
    pub(crate) limits: LimitsFile,
    #[serde(default)]
    pub(crate) encoding: EncodingFile,
    pub(crate) install: Option<InstallFile>,
}

impl SolverFile {
    /// This file with the gaps filled from another about the same solver.
    pub(crate) fn over(self, base: Self) -> Self {
        Self {
            name: self.name,
            summary: self.summary.or(base.summary),
            members: self.members.or(base.members),
            most: self.most.or(base.most),
            head_start_ms: self.head_start_ms.or(base.head_start_ms),
            find: self.find.over(base.find),
            run: self.run.over(base.run),
            logic: self.logic.over(base.logic),
            abilities: self.abilities.over(base.abilities),
            limits: self.limits.over(base.limits),
            encoding: self.encoding.over(base.encoding),
            install: self.install.or(base.install),
        }
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FindFile {
    pub(crate) own: Option<bool>,
    pub(crate) names: Option<Vec<String>>,
    pub(crate) version_args: Option<Vec<String>>,
    pub(crate) version_after: Option<String>,
    pub(crate) minimum: Option<Version>,
}

impl FindFile {
    fn over(self, base: Self) -> Self {
        fill_from!(self, base: own, names, version_args, version_after, minimum)
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunFile {
    pub(crate) args: Option<Vec<String>>,
    pub(crate) greeting: Option<Greeting>,
    pub(crate) options: Option<Vec<[String; 2]>>,
    pub(crate) core_options: Option<Vec<[String; 2]>>,
}

impl RunFile {
    fn over(self, base: Self) -> Self {
        fill_from!(self, base: args, greeting, options, core_options)
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogicFile {
    pub(crate) difference: Option<String>,
    pub(crate) linear: Option<String>,
    pub(crate) nonlinear: Option<String>,
    pub(crate) bits: Option<String>,
    pub(crate) mixed: Option<String>,
}

impl LogicFile {
    fn over(self, base: Self) -> Self {
        fill_from!(self, base: difference, linear, nonlinear, bits, mixed)
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AbilitiesFile {
    pub(crate) incremental: Option<bool>,
    pub(crate) assumptions: Option<bool>,
    pub(crate) cores: Option<Cores>,
    pub(crate) soft: Option<Soft>,
}

impl AbilitiesFile {
    fn over(self, base: Self) -> Self {
        fill_from!(self, base: incremental, assumptions, cores, soft)
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LimitsFile {
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) memory_mb: Option<u64>,
}

impl LimitsFile {
    fn over(self, base: Self) -> Self {
        fill_from!(self, base: timeout_ms, memory_mb)
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EncodingFile {
    pub(crate) order: Option<OrderEncoding>,
    pub(crate) values: Option<ValueEncoding>,
    pub(crate) lemmas_up_to: Option<usize>,
    pub(crate) families_from: Option<usize>,
    pub(crate) ranges_from: Option<usize>,
}

impl EncodingFile {
    fn over(self, base: Self) -> Self {
        fill_from!(self, base: order, values, lemmas_up_to, families_from, ranges_from)
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InstallFile {
    pub(crate) package: Option<String>,
    pub(crate) launcher: Option<String>,
    pub(crate) executable: String,
    pub(crate) debian: Option<String>,
}
