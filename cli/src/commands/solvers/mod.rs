//! `warpath solvers`: what answers here.

mod install;
mod list;
mod test;

use clap::{Args, Subcommand};
use serde::Serialize;

use self::install::InstallArgs;
use self::list::ListArgs;
use self::test::TestArgs;
use crate::app::Invocation;
use crate::console::Console;
use crate::exit::Exit;
use crate::json::JsonTarget;
use crate::options::Loudness;

/// List, test and install the solvers that answer here
///
/// Solvers are programs outside of Warpath. They are looked for on PATH and in the user's data folder
/// (~/.local/share/warpath/solvers); the newest that is new enough is used. Each is described by a TOML file; files in
/// ~/.config/warpath/solvers override and extend the ones that come with the command.
#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_long_help = "\
Examples:
  warpath solvers                 what is here
  warpath solvers test            does each of them really work?
  warpath solvers install z3      get one, for this user only

Exit codes:
  0  done; for `test`: every solver that was tested works
  2  wrong usage, a broken configuration, a solver that fails its test or cannot be installed"
)]
pub(crate) struct SolversArgs {
    #[command(subcommand)]
    command: Option<SolversCommand>,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Debug, Subcommand)]
enum SolversCommand {
    List(ListArgs),
    Test(TestArgs),
    Install(InstallArgs),
}

/// What is to be done, with everything decided.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SolversConfig {
    List(list::ListConfig),
    Test(test::TestConfig),
    Install(install::InstallConfig),
}

impl SolversArgs {
    fn command(self) -> SolversCommand {
        self.command.unwrap_or(SolversCommand::List(self.list))
    }
}

impl Invocation for SolversArgs {
    const NAME: &'static str = "solvers";
    type Config = SolversConfig;

    fn loudness(&self) -> Loudness {
        match &self.command {
            None => self.list.loudness.loudness(),
            Some(SolversCommand::List(args)) => args.loudness.loudness(),
            Some(SolversCommand::Test(args)) => args.loudness.loudness(),
            Some(SolversCommand::Install(args)) => args.loudness.loudness(),
        }
    }

    fn json(&self) -> Option<&JsonTarget> {
        match &self.command {
            None => self.list.json.json.as_ref(),
            Some(SolversCommand::List(args)) => args.json.json.as_ref(),
            Some(SolversCommand::Test(args)) => args.json.json.as_ref(),
            Some(SolversCommand::Install(args)) => args.json.json.as_ref(),
        }
    }

    fn lower(self) -> anyhow::Result<SolversConfig> {
        Ok(match self.command() {
            SolversCommand::List(args) => SolversConfig::List(args.lower()),
            SolversCommand::Test(args) => SolversConfig::Test(args.lower()),
            SolversCommand::Install(args) => SolversConfig::Install(args.lower()),
        })
    }

    fn run(config: SolversConfig, console: &Console) -> anyhow::Result<Exit> {
        match config {
            SolversConfig::List(config) => list::run(&config),
            SolversConfig::Test(config) => test::run(&config, console),
            SolversConfig::Install(config) => install::run(&config, console),
        }
    }
}
