//! The seed of the random choices in tests that kill, cut, flip or fail something.
//!
//! A seed that never changes tries the same moments each time, so the day decides. `SILCROW_SEED`
//! makes the choices of another day.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the seed of this run of the tests, and prints how to use it again.
///
/// It is the number in `SILCROW_SEED`, or the number of the day since 1970 in UTC. A test runner
/// shows a test's output when the test fails.
///
/// # Panics
///
/// Panics if `SILCROW_SEED` is not a whole number.
#[expect(clippy::print_stdout, reason = "a test that fails shows its seed")]
pub fn run_seed() -> u64 {
    let seed = try_run_seed().unwrap_or_else(|why| panic!("{why}"));
    println!("the seed is {seed}: {SEED}={seed} makes the same choices again");
    seed
}

/// Returns the same as [`run_seed`] and prints nothing, for a program that starts tests.
///
/// # Errors
///
/// Returns a sentence if `SILCROW_SEED` is not a whole number.
pub fn try_run_seed() -> Result<u64, String> {
    let set = std::env::var(SEED).ok();
    let days = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs() / DAY);
    seed_from(set.as_deref(), days)
}

/// Returns as many seeds as there are rounds, which follow from [`run_seed`]. Two days have none in
/// common.
///
/// ```
/// let seeds: Vec<_> = silcrow_testkit::run_seeds(3).collect();
/// assert_eq!([seeds[1], seeds[2]], [seeds[0] + 1, seeds[0] + 2]);
/// ```
pub fn run_seeds(rounds: u64) -> impl Iterator<Item = u64> + Clone {
    let first = run_seed().wrapping_mul(1 << 32);
    (0..rounds).map(move |round| first.wrapping_add(round))
}

fn seed_from(set: Option<&str>, days: impl Fn() -> u64) -> Result<u64, String> {
    let Some(text) = set else { return Ok(days()) };
    text.parse().map_err(|_| format!("{SEED} is `{text}`; write a whole number from 0"))
}

const SEED: &str = "SILCROW_SEED";

/// The seconds of a day.
const DAY: u64 = 24 * 60 * 60;

#[cfg(test)]
mod tests {
    use super::seed_from;

    #[test]
    fn the_day_decides_unless_a_seed_is_set() {
        assert_eq!(seed_from(None, || 20_785), Ok(20_785));
        assert_eq!(seed_from(Some("0"), || 20_785), Ok(0));
        let why = seed_from(Some("today"), || 1).unwrap_err();
        assert!(why.contains("`today`") && why.contains("SILCROW_SEED"), "{why}");
    }
}
