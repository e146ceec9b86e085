//! The arguments of `cargo xtask fuzz`.

use crate::fuzz::target::{FuzzTarget, TARGETS};

/// The targets, the limit and the seed that the command line asks for.
#[derive(Debug)]
pub(crate) struct FuzzOptions {
    pub(crate) targets: Vec<&'static FuzzTarget>,
    pub(crate) limit: FuzzLimit,
    /// The seed of all random choices; without it, each run makes other choices.
    pub(crate) seed: Option<u64>,
}

/// The limit of a run of a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FuzzLimit {
    Runs(u64),
    Secs(u64),
}

impl FuzzOptions {
    pub(crate) fn read(args: &[&str]) -> Result<Self, String> {
        let mut targets: Vec<&FuzzTarget> = Vec::new();
        let (mut limit, mut seed) = (None, None);
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let unit = match *arg {
                "--runs" => Some(FuzzLimit::Runs as fn(u64) -> FuzzLimit),
                "--secs" => Some(FuzzLimit::Secs as fn(u64) -> FuzzLimit),
                "--seed" => None,
                option if option.starts_with('-') => {
                    return Err(format!(
                        "there is no option `{option}`; there are --runs N, --secs N and --seed N"
                    ));
                }
                name => {
                    let target = named(name)?;
                    if targets.iter().all(|other| other.name != name) {
                        targets.push(target);
                    }
                    continue;
                }
            };
            let number = args.next().ok_or_else(|| format!("`{arg}` needs a number"))?;
            let above = number.parse().ok().filter(|number| *number > 0);
            let above = above
                .ok_or_else(|| format!("`{arg}` takes a whole number above 0, not `{number}`"))?;
            let is_twice = match unit {
                Some(unit) => limit.replace(unit(above)).is_some(),
                None => seed.replace(above).is_some(),
            };
            if is_twice {
                return Err(
                    "one limit is enough: `--runs` or `--secs`; and one `--seed`".to_owned()
                );
            }
        }
        if targets.is_empty() {
            targets.extend(TARGETS);
        }
        Ok(Self { targets, limit: limit.unwrap_or(FuzzLimit::Secs(20)), seed })
    }
}

fn named(name: &str) -> Result<&'static FuzzTarget, String> {
    TARGETS.iter().find(|target| target.name == name).ok_or_else(|| {
        let all: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        format!("there is no target `{name}`; there are {}", all.join(", "))
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
