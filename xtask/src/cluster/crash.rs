//! `cargo xtask cluster crash`, the long form of the test of machines that are lost.
//!
//! This module knows no fault; they are in `crates/server/tests/it/machines`.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::campaign::program::TestProgram;

/// Runs the test with so many faults, and shows what it prints.
pub(super) fn run(args: &[&str]) -> Result<(), String> {
    let (rounds, seed) = read(args)?;
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |now| now.as_secs());
    let seed = seed.unwrap_or_else(now);
    let program = TestProgram::build("silcrow-server")?;
    println!("seed {seed}: `--seed {seed}` makes the same choices again");
    let mut test = program.command();
    test.args(["machines::wherever", "--nocapture", "--test-threads=1"]);
    test.env("SILCROW_CRASHES", rounds.to_string()).env("SILCROW_SEED", seed.to_string());
    match test.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!(
            "a promise is broken; `cargo xtask cluster crash --rounds {rounds} --seed {seed}` \
             makes the same choices again"
        )),
        Err(why) => Err(format!("the test did not start: {why}")),
    }
}

fn read(args: &[&str]) -> Result<(u64, Option<u64>), String> {
    let (mut rounds, mut seed) = (1_000, None);
    let mut args = args.iter();
    while let Some(name) = args.next() {
        let number = args.next().and_then(|number| number.parse().ok());
        match (*name, number) {
            ("--rounds", Some(number)) => rounds = number,
            ("--seed", Some(number)) => seed = Some(number),
            ("--rounds" | "--seed", None) => return Err(format!("`{name}` needs a whole number")),
            (other, _) => {
                return Err(format!(
                    "there is no option `{other}`; there are --rounds N and --seed N"
                ));
            }
        }
    }
    Ok((rounds, seed))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn rounds_and_a_seed_are_read() {
        assert_eq!(read(&["--seed", "7", "--rounds", "20"]), Ok((20, Some(7))));
        assert_eq!(read(&[]), Ok((1_000, None)));
        for wrong in [&["--rounds"][..], &["--rounds", "x"], &["--fast"]] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
