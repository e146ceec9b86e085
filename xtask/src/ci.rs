//! `cargo xtask ci`, which runs all checks of a change.

mod lanes;
mod stage;
mod tally;
mod test_runs;

use std::time::Instant;

use stage::{CiStage, STAGES};
pub(crate) use tally::Tally;

/// Runs the named stages in order, up to the first that fails; without a name all but the longest, some of
/// them at once.
pub(crate) fn run(names: &[String]) -> Result<(), String> {
    if let Some(unknown) = names.iter().find(|name| STAGES.iter().all(|one| one.name != **name)) {
        return Err(format!("there is no stage `{unknown}`; there are {}", self::names()));
    }
    let mut tally = Tally::default();
    let mut chosen = STAGES.iter().filter(|stage| names.iter().any(|name| name == stage.name));
    let done = match names {
        [] => lanes::run(&mut tally),
        _ => chosen.try_for_each(|stage| check(stage, &mut tally)),
    };
    print!("\n{tally}");
    done
}

/// Runs a stage, and says how long it took.
fn check(stage: &CiStage, tally: &mut Tally) -> Result<(), String> {
    let CiStage { name, what, .. } = stage;
    println!("\n── {name}: {what}");
    let start = Instant::now();
    let done = (stage.run)(tally);
    let end = if done.is_ok() { "" } else { ", failed" };
    tally.say(format!("── {name}: {:.1} s{end}", start.elapsed().as_secs_f64()));
    done.map_err(|why| {
        format!("stage `{name}` failed: {why}; run it alone with `cargo xtask ci {name}`")
    })
}

/// Returns the names of all stages, in order; those in parentheses run only if they are named.
pub(crate) fn names() -> String {
    let name = |stage: &CiStage| match stage.is_named_only {
        true => format!("({})", stage.name),
        false => stage.name.to_owned(),
    };
    STAGES.iter().map(name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::run;

    #[test]
    fn an_unknown_stage_is_named() {
        let why = run(&["fmt", "clipy"].map(str::to_owned)).unwrap_err();
        assert!(why.contains("`clipy`") && why.contains("clippy"), "{why}");
    }

    #[test]
    fn no_profile_repeats_a_failed_test() {
        let settings = include_str!("../../.config/nextest.toml");
        let mut lines = settings.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(lines.find(|line| line.contains("retries")), None);
    }
}
