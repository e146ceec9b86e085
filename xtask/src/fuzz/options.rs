//! The arguments of `cargo xtask fuzz`.

use clap::{Args, value_parser};

use crate::fuzz::target::{FuzzTarget, TARGETS};

/// The targets, the limit and the seed that the command line asks for.
#[derive(Args, Debug, Default)]
pub(crate) struct FuzzOptions {
    /// The targets; otherwise all
    #[arg(value_parser = named)]
    targets: Vec<&'static FuzzTarget>,
    /// How often each target runs
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..), conflicts_with = "secs")]
    runs: Option<u64>,
    /// How long each target runs [default: 20]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    secs: Option<u64>,
    /// The seed of all random choices; otherwise each run makes other choices
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub(crate) seed: Option<u64>,
}

/// The limit of a run of a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FuzzLimit {
    Runs(u64),
    Secs(u64),
}

impl FuzzOptions {
    /// Returns the options for all targets.
    pub(crate) fn of_seed(seed: Option<u64>) -> Self {
        Self { seed, ..Self::default() }
    }

    /// Returns the targets, each once.
    pub(crate) fn targets(&self) -> Vec<&'static FuzzTarget> {
        let is_named =
            |target: &&FuzzTarget| self.targets.iter().any(|one| one.name == target.name);
        let all = TARGETS.iter();
        all.filter(|target| self.targets.is_empty() || is_named(target)).collect()
    }

    pub(crate) fn limit(&self) -> FuzzLimit {
        let secs = FuzzLimit::Secs(self.secs.unwrap_or(20));
        self.runs.map_or(secs, FuzzLimit::Runs)
    }
}

fn named(name: &str) -> Result<&'static FuzzTarget, String> {
    TARGETS.iter().find(|target| target.name == name).ok_or_else(|| {
        let all: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        format!("there are {}", all.join(", "))
    })
}

impl FuzzLimit {
    /// Returns so many tenths of the limit, as an option of the runtime.
    pub(crate) fn tenths(self, tenths: u64) -> String {
        let part = |all: u64| (all.saturating_mul(tenths) / 10).max(1);
        match self {
            Self::Runs(all) => format!("-runs={}", part(all)),
            Self::Secs(all) => format!("-max_total_time={}", part(all)),
        }
    }
}
