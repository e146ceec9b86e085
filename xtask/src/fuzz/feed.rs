//! The run of a fuzz target, which keeps an input that fails.
//!
//! This module limits the length of inputs and shortens them. It does not build.

use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Instant;

use xtask::disk;

use crate::fuzz::options::FuzzOptions;
use crate::fuzz::target::FuzzTarget;

use crate::fuzz::folder;

/// The rounds of a run: the longest input in bytes, and the tenths of the limit that the round
/// gets. Short inputs run faster, and a person can read them. A few limits of the protocol need
/// long ones.
const ROUNDS: [(usize, u64); 2] = [(256, 9), (4096, 1)];

/// The result of feeding a target.
pub(crate) enum FuzzOutcome {
    /// Nothing failed.
    Held(FuzzStats),
    Failed(FuzzFailure),
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FuzzStats {
    pub(crate) seconds: f64,
    pub(crate) executions: u64,
    /// The number of edges of the program that were taken.
    pub(crate) coverage: u64,
    /// The number of pairs of an edge and a class of how often it was taken.
    pub(crate) features: u64,
}

/// An input that makes a target fail.
pub(crate) struct FuzzFailure {
    /// The file and the id of the case that keeps it.
    pub(crate) kept: String,
    input: Vec<u8>,
    /// The target's message.
    why: String,
}

/// Runs a target up to the limit, or until it fails.
pub(crate) fn feed(
    target: &FuzzTarget,
    program: &Path,
    options: &FuzzOptions,
) -> Result<FuzzOutcome, String> {
    let (grown, seeds) = (target.grown()?, target.write_seeds()?);
    // Inputs that an earlier run left here are already kept as cases.
    let artifacts = disk::make_empty(folder().join("artifacts").join(target.name))?;
    let log = artifacts.with_extension("log");
    let mut all = FuzzStats::default();
    for (longest, tenths) in ROUNDS {
        let mut run = command(program);
        run.arg(options.limit().tenths(tenths)).arg(format!("-max_len={longest}"));
        run.args(["-print_final_stats=1", "-timeout=10"]);
        run.args(options.seed.map(|seed| format!("-seed={seed}")));
        run.arg(format!("-artifact_prefix={}/", artifacts.display()));
        run.arg(format!("-dict={}", target.words().display()));
        run.arg(&grown).args(&seeds);
        let start = Instant::now();
        let (status, said) = output(&mut run, &log)?;
        if status.code() == Some(INTERRUPTED) {
            return Err("interrupted".to_owned());
        }
        if !status.success() {
            let found = disk::entries(&artifacts)?.into_iter().find(|path| is_failure(path));
            let found =
                found.ok_or_else(|| format!("it does not run ({status}):\n{}", tail(&said)))?;
            let short = minimise(program, &found)?;
            let input = disk::read(&short)?;
            let kept = target.keep(&input)?;
            return Ok(FuzzOutcome::Failed(FuzzFailure { kept, input, why: why(&said) }));
        }
        all.add(start.elapsed().as_secs_f64(), &said);
    }
    Ok(FuzzOutcome::Held(all))
}

/// The exit code of the runtime after an interrupt from the keyboard.
const INTERRUPTED: i32 = 72;

impl FuzzStats {
    /// Adds a round, given the output of the runtime.
    pub(crate) fn add(&mut self, seconds: f64, said: &str) {
        let behind = |line: &str, word: &str| -> Option<u64> {
            line.split_once(word)?.1.split_whitespace().next()?.parse().ok()
        };
        self.seconds += seconds;
        for line in said.lines() {
            self.executions += behind(line, "stat::number_of_executed_units:").unwrap_or_default();
            self.coverage = behind(line, " cov: ").unwrap_or(self.coverage);
            self.features = behind(line, " ft: ").unwrap_or(self.features);
        }
    }
}

impl fmt::Display for FuzzStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seconds, executions, coverage, features } = self;
        let speed = *executions as f64 / seconds;
        write!(f, "{seconds:>7.1}{executions:>12}{speed:>10.0}{coverage:>10}{features:>10}")
    }
}

impl fmt::Display for FuzzFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\nthe input: b\"{}\"", self.why, self.input.escape_ascii())
    }
}

/// Returns the shortest failing input that half a minute of search finds.
fn minimise(program: &Path, input: &Path) -> Result<PathBuf, String> {
    let (short, log) = (input.with_file_name("short"), input.with_file_name("short.log"));
    let mut run = command(program);
    run.args(["-minimize_crash=1", "-max_total_time=30"]);
    run.arg(format!("-exact_artifact_path={}", short.display())).arg(input);
    output(&mut run, &log)?;
    let fails = short.is_file() && !output(command(program).arg(&short), &log)?.0.success();
    Ok(if fails { short } else { input.to_owned() })
}

fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    // The message of a panic has its location, so no backtrace is needed.
    command.env("RUST_BACKTRACE", "0");
    command
}

/// Runs a command with its long output in a file, and returns its status and that output.
fn output(command: &mut Command, log: &Path) -> Result<(ExitStatus, String), String> {
    let file = File::create(log).map_err(|why| disk::at(log, &why))?;
    let status = command.stderr(file).status();
    let status = status.map_err(|why| disk::at(command.get_program().as_ref(), &why))?;
    Ok((status, String::from_utf8_lossy(&disk::read(log)?).into_owned()))
}

/// Returns the message of the panic, or the end of the output without one.
fn why(said: &str) -> String {
    let lines = said.lines().skip_while(|line| !line.contains("panicked at"));
    let told: Vec<_> = lines.take_while(|line| !line.starts_with("note:")).collect();
    if told.is_empty() { tail(said) } else { told.join("\n") }
}

fn tail(said: &str) -> String {
    let lines: Vec<_> = said.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}

/// Returns whether the runtime saved this input because it failed. It saves slow inputs, too.
fn is_failure(path: &Path) -> bool {
    let name = disk::name(path);
    ["crash-", "timeout-", "oom-"].iter().any(|kind| name.starts_with(kind))
}
