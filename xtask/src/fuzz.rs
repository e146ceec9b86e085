//! `cargo xtask fuzz`, which runs the fuzz targets and keeps inputs that fail.

mod build;
mod feed;
mod options;
mod target;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::thread;

use feed::FuzzOutcome;
pub(crate) use options::FuzzOptions;
use target::FuzzTarget;

use crate::crew;

/// Runs the named targets or all of them, as many at once as there are processors.
pub(crate) fn run(options: &FuzzOptions) -> Result<(), String> {
    let targets = options.targets();
    let programs = build::build(&targets)?;
    println!("target        seconds  executions  a second  coverage  features");
    let pairs = targets.iter().zip(&programs);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let failed = crew::share(pairs, threads, |(target, program)| {
        report(target, feed::feed(target, program, options))
    });
    if failed.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = failed.iter().map(|(target, _)| target.name).collect();
    Err(format!(
        "{} failed; what is named above says where and how to see it again",
        names.join(", ")
    ))
}

/// Prints a row of the table, and returns whether nothing failed.
fn report(target: &FuzzTarget, outcome: Result<FuzzOutcome, String>) -> bool {
    let name = target.name;
    match outcome {
        Ok(FuzzOutcome::Held(stats)) => {
            println!("{name:<14}{stats}");
            return true;
        }
        Ok(FuzzOutcome::Failed(failure)) => {
            println!("{name:<14}failed: {}\n{failure}", failure.kept);
            println!("check it in; `cargo test --package {} corpus` replays it", target.package);
        }
        Err(why) => println!("{name:<14}{why}"),
    }
    false
}

/// Returns the folder of the fuzzing workspace.
fn folder() -> PathBuf {
    xtask::root().join("fuzz")
}
