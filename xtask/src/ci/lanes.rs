//! The stages of a whole run: first in order, then in parallel lanes.
//!
//! Many stages wait: for a network, a browser, or a compiler that has one crate left. A lane is a
//! separate process with some stages in order. Stages that build in the same folder share a lane,
//! because cargo has them wait for each other.

use std::fs::File;
use std::process::{Command, ExitStatus};
use std::thread;

use xtask::{disk, process};

use super::check;
use super::stage::STAGES;
use super::tally::Tally;
use crate::faces;

/// Runs all stages but those that run only if they are named.
pub(crate) fn run(tally: &mut Tally) -> Result<(), String> {
    // Packages are downloaded while the first stages compute.
    let installing = thread::spawn(faces::install_early);
    let in_lane = |name| LANES.iter().any(|(stages, _)| stages.contains(&name));
    let first = STAGES.iter().filter(|stage| !stage.is_named_only && !in_lane(stage.name));
    first.into_iter().try_for_each(|stage| check(stage, tally))?;
    // Installations that failed are tried again later, and then report the reason.
    let _ = installing.join();
    println!("\nat once: {}", LANES.map(|(stages, _)| stages.join(", ")).join(" | "));
    let ended = thread::scope(|scope| {
        let lanes = LANES.map(|(stages, nice)| scope.spawn(move || run_lane(stages, nice)));
        lanes.map(|lane| lane.join().expect("a lane does not panic"))
    });
    let mut failed = Vec::new();
    for ((stages, _), ended) in LANES.iter().zip(ended) {
        let (status, said) = ended?;
        println!("{said}");
        // The end repeats the times and totals, which are also printed as they come up.
        said.lines().skip_while(|line| *line != Tally::HEAD).for_each(|line| tally.push(line));
        if !status.success() {
            failed.push(stages.join(", "));
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!("a stage of {} failed; see above", failed.join(" and of "))),
    }
}

/// Runs the stages of a lane in a process, and returns its output.
fn run_lane(stages: &[&str], nice: &str) -> Result<(ExitStatus, String), String> {
    let log = xtask::target().join("ci").join(stages.join("-")).with_extension("log");
    disk::write(&log, "")?;
    let file = File::create(&log).map_err(|why| disk::at(&log, &why))?;
    let errors = file.try_clone().map_err(|why| disk::at(&log, &why))?;
    let mut lane = Command::new("nice");
    lane.args(["-n", nice]).arg(process::own_program()?).arg("ci").args(stages);
    lane.stdout(file).stderr(errors);
    let status = lane.status().map_err(|why| format!("a lane does not start: {why}"))?;
    Ok((status, disk::read_text(&log)?))
}

/// The stages of each lane, and how much it gives way to the other: clients have deadlines, and compilers
/// do not. `package` does not build, so the clients' lane is the first to check that all is built.
const LANES: [(&[&str], &str); 2] = [
    (&["faces", "bindings", "dist"], "0"),
    (&["package", "features", "no-std", "grammar", "programs", "docs", "api"], "10"),
];
