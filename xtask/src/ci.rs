//! `cargo xtask ci`, which runs all checks of a change.

mod stage;
mod tally;

use std::thread;
use std::time::{Duration, Instant};

use stage::{CiStage, STAGES};
pub(crate) use tally::Tally;

use crate::faces;

/// Runs the named stages, or all but the longest, in order, up to the first that fails.
pub(crate) fn run(names: &[&str]) -> Result<(), String> {
    if let Some(unknown) = names.iter().find(|name| STAGES.iter().all(|one| one.name != **name)) {
        return Err(format!("there is no stage `{unknown}`; there are {}", self::names()));
    }
    let is_chosen = |one: &&CiStage| match names {
        [] => !one.is_named_only,
        names => names.contains(&one.name),
    };
    let chosen: Vec<&CiStage> = STAGES.iter().filter(is_chosen).collect();
    // The packages of the last stage are downloaded while the others compute.
    let has_faces = chosen.len() > 1 && chosen.iter().any(|stage| stage.name == "faces");
    let mut installing = has_faces.then(|| thread::spawn(faces::install_early));
    let mut times: Vec<(&str, Duration)> = Vec::new();
    let mut tally = Tally::default();
    let mut done = Ok(());
    for stage in chosen {
        println!("\n── {}: {}", stage.name, stage.what);
        if let Some(installing) = installing.take_if(|_| stage.name == "faces") {
            // What failed is tried again, and then says why.
            let _ = installing.join();
        }
        let start = Instant::now();
        done = (stage.run)(&mut tally);
        let time = start.elapsed();
        println!("── {}: {:.1} s", stage.name, time.as_secs_f64());
        times.push((stage.name, time));
        if done.is_err() {
            break;
        }
    }
    println!("\n{}", summary(&times, done.is_ok()));
    print!("{tally}");
    done.map_err(|why| {
        let stage = times.last().map_or("", |(name, _)| name);
        format!("stage `{stage}` failed: {why}; run it alone with `cargo xtask ci {stage}`")
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

/// Returns the seconds of each stage. The last one has failed unless `ok`.
fn summary(times: &[(&str, Duration)], ok: bool) -> String {
    let mut lines = vec!["stage     seconds".to_owned()];
    for (index, (name, time)) in times.iter().enumerate() {
        let failed = if !ok && index + 1 == times.len() { "  failed" } else { "" };
        lines.push(format!("{name:<8} {:>8.1}{failed}", time.as_secs_f64()));
    }
    let total: Duration = times.iter().map(|(_, time)| *time).sum();
    lines.push(format!("{:<8} {:>8.1}", "all", total.as_secs_f64()));
    lines.join("\n")
}

#[cfg(test)]
mod tests;
