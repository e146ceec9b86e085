//! The arguments of `cargo xtask fuzz`.

use crate::fuzz::target::{TARGETS, Target};

/// What the command line asks for.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) targets: Vec<&'static Target>,
    pub(crate) limit: Limit,
    /// The seed of all random choices; without one each run makes others.
    pub(crate) seed: Option<u64>,
}

/// How long each target is fed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Limit {
    Runs(u64),
    Secs(u64),
}

impl Order {
    pub(crate) fn read(args: &[&str]) -> Result<Self, String> {
        let mut targets: Vec<&Target> = Vec::new();
        let (mut limit, mut seed) = (None, None);
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let unit = match *arg {
                "--runs" => Some(Limit::Runs as fn(u64) -> Limit),
                "--secs" => Some(Limit::Secs as fn(u64) -> Limit),
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
        Ok(Self { targets, limit: limit.unwrap_or(Limit::Secs(20)), seed })
    }
}

fn named(name: &str) -> Result<&'static Target, String> {
    TARGETS.iter().find(|target| target.name == name).ok_or_else(|| {
        let all: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        format!("there is no target `{name}`; there are {}", all.join(", "))
    })
}

impl Limit {
    /// So many tenths of it, as an option of the runtime.
    pub(crate) fn tenths(self, tenths: u64) -> String {
        let part = |all: u64| (all.saturating_mul(tenths) / 10).max(1);
        match self {
            Self::Runs(all) => format!("-runs={}", part(all)),
            Self::Secs(all) => format!("-max_total_time={}", part(all)),
        }
    }
}
