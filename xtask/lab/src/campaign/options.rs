//! The arguments of `cargo lab campaign`.

use std::time::{SystemTime, UNIX_EPOCH};

use super::{CAMPAIGNS, Campaign};

/// The campaigns and the seed that the command line asks for.
#[derive(Debug)]
pub(super) struct CampaignOptions {
    pub(super) campaigns: Vec<&'static Campaign>,
    /// The seed of all random choices.
    pub(super) seed: u64,
}

impl CampaignOptions {
    pub(super) fn read(args: &[&str]) -> Result<Self, String> {
        let (mut campaigns, mut seed): (Vec<&Campaign>, _) = (Vec::new(), None);
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match *arg {
                "--seed" => {
                    let number = args.next().and_then(|number| number.parse().ok());
                    seed = Some(number.ok_or("`--seed` needs a whole number")?);
                }
                option if option.starts_with('-') => {
                    return Err(format!("there is no option `{option}`; there is --seed N"));
                }
                name => campaigns.push(named(name)?),
            }
        }
        if campaigns.is_empty() {
            campaigns.extend(CAMPAIGNS);
        }
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |now| now.as_secs());
        Ok(Self { campaigns, seed: seed.unwrap_or_else(now) })
    }
}

fn named(name: &str) -> Result<&'static Campaign, String> {
    CAMPAIGNS.iter().find(|campaign| campaign.name == name).ok_or_else(|| {
        let all: Vec<_> = CAMPAIGNS.iter().map(|campaign| campaign.name).collect();
        format!("there is no campaign `{name}`; there are {}", all.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::{CAMPAIGNS, CampaignOptions};

    #[test]
    fn campaigns_and_the_seed_are_read() {
        let options = CampaignOptions::read(&["flips", "--seed", "7", "kills"]).unwrap();
        let names: Vec<_> = options.campaigns.iter().map(|campaign| campaign.name).collect();
        assert_eq!((&*names, options.seed), (&["flips", "kills"][..], 7));
        assert_eq!(CampaignOptions::read(&[]).unwrap().campaigns.len(), CAMPAIGNS.len());
        for wrong in [&["--seed"][..], &["--seed", "x"], &["--fast"], &["flip"]] {
            assert!(CampaignOptions::read(wrong).is_err(), "{wrong:?}");
        }
    }
}
