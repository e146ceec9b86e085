//! `cargo lab campaign`, which runs the long forms of tests: kills, power cuts, flipped bits,
//! failing calls and a crowd of processes, one after the other.
//!
//! This module lists the variables that make tests long. The test of a campaign describes its work.

mod options;
mod program;
mod table;

use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use options::CampaignOptions;
use program::TestProgram;
use table::CAMPAIGNS;

/// Runs the named campaigns or all of them, and prints a table at the end.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let options = CampaignOptions::read(args)?;
    let mut programs = BTreeMap::new();
    for Campaign { package, profile, .. } in &options.campaigns {
        if !programs.contains_key(package) {
            programs.insert(*package, TestProgram::build(package, profile)?);
        }
    }
    println!("seed {}: `--seed {0}` makes the same choices again", options.seed);
    let mut rows = vec!["| campaign | result | seconds | what was tried |".to_owned()];
    rows.push("|---|---|---|---|".to_owned());
    let mut failed = Vec::new();
    for (campaign, number) in options.campaigns.iter().zip(1..) {
        let place = format!("{number} of {}: {}", options.campaigns.len(), campaign.name);
        let begin = Instant::now();
        let outcome = campaign.run(&programs[campaign.package], options.seed, &place)?;
        let seconds = begin.elapsed().as_secs_f64();
        let word = if outcome.is_ok { "ok" } else { "FAILED" };
        println!("{place}: {word}, {seconds:.0} s, {}", outcome.tried());
        if !outcome.is_ok {
            println!("{}", outcome.output);
            failed.push(campaign.name);
        }
        let (name, tried) = (campaign.name, outcome.tried());
        rows.push(format!("| {name} | {word} | {seconds:.0} | {tried} |"));
    }
    println!("\n{}", rows.join("\n"));
    match &*failed {
        [] => Ok(()),
        names => Err(format!(
            "{} failed; `cargo lab campaign {} --seed {}` runs them again",
            names.join(", "),
            names.join(" "),
            options.seed
        )),
    }
}

/// A test in its long form.
#[derive(Debug)]
struct Campaign {
    name: &'static str,
    package: &'static str,
    /// The beginning of the names of its tests.
    tests: &'static str,
    /// The variables that make the tests long.
    variables: &'static [(&'static str, &'static str)],
    /// The profile with which the tests of the package are built.
    profile: &'static str,
}

/// The output of a campaign, and whether all of its tests passed.
#[derive(Debug)]
struct CampaignOutcome {
    is_ok: bool,
    output: String,
}

impl Campaign {
    /// Runs the tests, and shows meanwhile for how long.
    fn run(
        &self,
        program: &TestProgram,
        seed: u64,
        place: &str,
    ) -> Result<CampaignOutcome, String> {
        let mut tests = program.command();
        tests.args([self.tests, "--nocapture", "--test-threads=1"]);
        tests.env("SILCROW_SEED", seed.to_string()).envs(self.variables.iter().copied());
        let (mut reader, writer) = io::pipe().map_err(|why| format!("no pipe: {why}"))?;
        let both = writer.try_clone().map_err(|why| format!("no pipe: {why}"))?;
        tests.stdin(Stdio::null()).stdout(both).stderr(writer);
        let mut child = tests.spawn().map_err(|why| format!("the tests did not start: {why}"))?;
        // It has the ends of the pipe, and the output ends with the last of them.
        drop(tests);
        let output = thread::spawn(move || {
            let mut output = Vec::new();
            let _ = reader.read_to_end(&mut output);
            String::from_utf8_lossy(&output).into_owned()
        });
        let is_ok = wait(&mut child, place)?;
        let output = output.join().map_err(|_| "the output could not be read".to_owned())?;
        Ok(CampaignOutcome { is_ok, output })
    }
}

impl CampaignOutcome {
    /// Returns the tests' own counts of their trials.
    fn tried(&self) -> String {
        let said = self.output.lines().filter_map(|line| Some(line.split_once(TRIED)?.1));
        said.collect::<Vec<_>>().join("; ")
    }
}

/// Waits for a process, and returns whether it ended well.
fn wait(child: &mut Child, place: &str) -> Result<bool, String> {
    let begin = Instant::now();
    loop {
        let ended = child.try_wait().map_err(|why| format!("no status of the tests: {why}"))?;
        if let Some(status) = ended {
            return Ok(status.success());
        }
        if io::stdout().is_terminal() {
            // If the screen is gone, so is the progress.
            print!("{place}: {} s\r", begin.elapsed().as_secs());
            let _ = io::stdout().flush();
        }
        thread::sleep(SECOND);
    }
}

/// A test writes this before a line about its trials.
const TRIED: &str = "@ tried ";

const SECOND: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::CampaignOutcome;

    #[test]
    fn table_shows_reported_test_counts() {
        let output =
            "running 1 test\ntest flip::a ... @ tried 500 flips\n@ other\n@ tried 3,000 bits\n"
                .to_owned();
        assert_eq!(CampaignOutcome { is_ok: true, output }.tried(), "500 flips; 3,000 bits");
    }
}
