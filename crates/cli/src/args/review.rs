//! The arguments of `silcrow review`, as clap reads them.

use std::path::PathBuf;

use clap::ValueEnum;

use super::AgentArgs;

/// A review of changes by a model that only reads.
#[derive(Debug, clap::Args)]
#[command(after_help = super::run::RUN_TOPICS)]
pub(crate) struct ReviewArgs {
    /// A branch or a commit since which changes count, by default the last commit; other words say
    /// what matters
    pub(crate) words: Vec<String>,
    /// Exit with 1 if a finding has this priority or a higher one: P0 to P3
    #[arg(long, value_name = "PRIORITY", value_enum, ignore_case = true)]
    pub(crate) fail_on: Option<FindingPriority>,
    /// Write the findings to this file, too
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) agent: AgentArgs,
}

/// The priority of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum FindingPriority {
    /// It breaks in normal use
    #[value(name = "P0")]
    Critical,
    /// It breaks in some cases
    #[value(name = "P1")]
    High,
    /// It should be changed
    #[value(name = "P2")]
    Medium,
    /// It is worth knowing
    #[value(name = "P3")]
    Low,
}
