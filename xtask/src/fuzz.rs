//! `cargo xtask fuzz`: feeds the fuzz targets, and keeps what makes one fail.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Runs the named targets, or all of them.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    let order = Order::read(args)?;
    build(&order.targets)?;
    println!("{:<14}{:>12}{:>12}", "target", "executions", "a second");
    let mut failed = Vec::new();
    for target in &order.targets {
        match target.fuzz(&order.limit)? {
            Outcome::Held(stats) => println!("{:<14}{stats}", target.name),
            Outcome::Failed(input, why) => {
                println!("{:<14}failed: {}\n{why}", target.name, input.display());
                failed.push(target.name);
            }
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!("{} failed; the inputs above are kept there: check them in", failed.join(", ")))
}

/// A fuzz target, and where its inputs lie.
struct Target {
    name: &'static str,
    /// Folders of inputs to begin with; the last takes the inputs that fail.
    seeds: &'static [&'static str],
    /// The ending of a file there.
    ending: &'static str,
    /// The dialects whose behaviour cases it begins with.
    cases: &'static [&'static str],
    /// The longest input, in bytes.
    longest: usize,
}

/// A short input is run more often, and a person can read it.
const TARGETS: &[Target] = &[
    wire("bytes", &["sigil", "phase"], &[SIGIL, PHASE, "crates/parser/tests/corpus/bytes"]),
    wire("call_json", &["sigil"], &[SIGIL, PHASE, "crates/parser/tests/corpus/call_json"]),
    wire("lex", &["sigil", "phase", "action"], &[SIGIL, PHASE, "crates/parser/tests/corpus/lex"]),
    wire("parse_action", &["action"], &["crates/parser/tests/corpus/action"]),
    wire("parse_phase", &["phase"], &[PHASE]),
    wire("parse_sigil", &["sigil"], &[SIGIL]),
    wire("round_trip", &[], &[SIGIL, PHASE, "crates/parser/tests/corpus/round_trip"]),
    Target {
        name: "event_json",
        seeds: &["fuzz/seeds/event_json"],
        ending: "",
        cases: &[],
        longest: 4096,
    },
    Target { name: "sse", seeds: &["fuzz/seeds/sse"], ending: "", cases: &[], longest: 4096 },
];

const SIGIL: &str = "crates/parser/tests/corpus/sigil";
const PHASE: &str = "crates/parser/tests/corpus/phase";

const fn wire(
    name: &'static str,
    cases: &'static [&'static str],
    seeds: &'static [&'static str],
) -> Target {
    Target { name, seeds, ending: ".txt", cases, longest: 256 }
}

/// What the command line asks for.
struct Order {
    targets: Vec<&'static Target>,
    /// An option of the runtime.
    limit: String,
}

impl Order {
    fn read(args: &[&str]) -> Result<Self, String> {
        let mut targets = Vec::new();
        let mut limit = "-max_total_time=20".to_owned();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let option = match *arg {
                "--runs" => "-runs",
                "--secs" => "-max_total_time",
                name => {
                    let target = TARGETS.iter().find(|target| target.name == name);
                    let all = || TARGETS.iter().map(|target| target.name).collect::<Vec<_>>();
                    targets.push(target.ok_or_else(|| {
                        format!("there is no target `{name}`; there are {}", all().join(", "))
                    })?);
                    continue;
                }
            };
            let number = args.next().and_then(|number| number.parse::<u64>().ok());
            let number = number.filter(|number| *number > 0);
            let number = number.ok_or_else(|| format!("`{arg}` takes a number"))?;
            limit = format!("{option}={number}");
        }
        if targets.is_empty() {
            targets.extend(TARGETS);
        }
        Ok(Self { targets, limit })
    }
}

enum Outcome {
    /// Nothing failed; the columns of the table.
    Held(String),
    /// Where the input is kept now, and what the target said.
    Failed(PathBuf, String),
}

impl Target {
    fn fuzz(&self, limit: &str) -> Result<Outcome, String> {
        let grown = self.grown()?;
        let artifacts = folder(&fuzz().join("artifacts").join(self.name))?;
        // What an earlier run left there is kept elsewhere already.
        for old in files(&artifacts) {
            fs::remove_file(&old).map_err(|error| at(&old, &error))?;
        }
        let mut run = self.command(&[limit, "-print_final_stats=1", "-timeout=10"]);
        run.arg(format!("-max_len={}", self.longest));
        run.arg(format!("-artifact_prefix={}/", artifacts.display()));
        run.arg(format!("-dict={}", fuzz().join("wire.dict").display()));
        run.arg(&grown);
        run.args(self.seeds.iter().map(|seeds| crate::root().join(seeds)).filter(|at| at.is_dir()));
        let (ok, said) = output(&mut run, &fuzz().join(format!("artifacts/{}.log", self.name)))?;
        if ok {
            let stat = |name: &str| {
                let line = said.lines().find(|line| line.starts_with(name)).unwrap_or_default();
                line.rsplit(' ').next().unwrap_or_default().to_owned()
            };
            let runs = stat("stat::number_of_executed_units");
            let speed = stat("stat::average_exec_per_sec");
            return Ok(Outcome::Held(format!("{runs:>12}{speed:>12}")));
        }
        let found = files(&artifacts).into_iter().next();
        let Some(found) = found else {
            return Err(format!("`{}` does not run:\n{}", self.name, tail(&said)));
        };
        let input = self.minimise(&found, &artifacts)?;
        Ok(Outcome::Failed(self.keep(&input)?, why(&said)))
    }

    /// Where the inputs grow that reach new code. The behaviour cases are laid there, too.
    fn grown(&self) -> Result<PathBuf, String> {
        let grown = folder(&fuzz().join("corpus").join(self.name))?;
        let path = crate::root().join("crates/parser/tests/cases/parse.json");
        let text = fs::read_to_string(&path).map_err(|error| at(&path, &error))?;
        let cases: Vec<Value> = serde_json::from_str(&text).map_err(|error| at(&path, &error))?;
        for case in cases {
            let dialect = case["dialect"].as_str().unwrap_or_default();
            if let (true, Some(id), Some(wire)) =
                (self.cases.contains(&dialect), case["id"].as_str(), case["wire"].as_str())
            {
                let path = grown.join(format!("case-{id}"));
                fs::write(&path, wire).map_err(|error| at(&path, &error))?;
            }
        }
        Ok(grown)
    }

    /// The shortest input that still fails, as far as half a minute goes.
    fn minimise(&self, input: &Path, artifacts: &Path) -> Result<PathBuf, String> {
        let short = artifacts.join("short");
        let mut run = self.command(&["-minimize_crash=1", "-max_total_time=30"]);
        run.arg(format!("-exact_artifact_path={}", short.display())).arg(input);
        let log = fuzz().join(format!("artifacts/{}-short.log", self.name));
        output(&mut run, &log)?;
        let mut again = self.command(&[]);
        let fails = short.is_file() && !output(again.arg(&short), &log)?.0;
        Ok(if fails { short } else { input.to_owned() })
    }

    /// Puts an input that fails beside those that are checked in, under the next number, unless it
    /// is there already.
    fn keep(&self, input: &Path) -> Result<PathBuf, String> {
        let beside = self.seeds.last().expect("each target has a folder for them");
        let beside = folder(&crate::root().join(beside))?;
        let bytes = fs::read(input).map_err(|error| at(input, &error))?;
        let is_it = |kept: &PathBuf| fs::read(kept).is_ok_and(|old| old == bytes);
        if let Some(kept) = files(&beside).into_iter().find(is_it) {
            return Ok(kept);
        }
        let kept = (1..)
            .map(|number: u32| beside.join(format!("crash-{number:03}{}", self.ending)))
            .find(|path| !path.exists())
            .expect("there is a free number");
        fs::write(&kept, bytes).map_err(|error| at(&kept, &error))?;
        Ok(kept)
    }

    /// The target's program, from the fuzzing workspace, whose settings count there only.
    fn command(&self, args: &[&str]) -> Command {
        let mut cargo = crate::cargo();
        cargo.current_dir(fuzz()).args(["run", "--quiet", "--release", "--bin", self.name, "--"]);
        // Where a panic stands is in its message.
        cargo.args(args).env("RUST_BACKTRACE", "0");
        cargo
    }
}

fn build(targets: &[&Target]) -> Result<(), String> {
    let mut cargo = crate::cargo();
    cargo.current_dir(fuzz()).args(["build", "--release"]);
    cargo.args(targets.iter().flat_map(|target| ["--bin", target.name]));
    let status = cargo.status().map_err(|error| format!("cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err("the fuzz targets do not build".to_owned()) }
}

/// Runs a command with all that it says in a file, for it says much; returns whether it went well,
/// and what it said.
fn output(command: &mut Command, log: &Path) -> Result<(bool, String), String> {
    let file = File::create(log).map_err(|error| at(log, &error))?;
    let status = command.stderr(file).status().map_err(|error| format!("cargo: {error}"))?;
    let said = fs::read(log).map_err(|error| at(log, &error))?;
    Ok((status.success(), String::from_utf8_lossy(&said).into_owned()))
}

/// What the target said when it failed.
fn why(said: &str) -> String {
    let lines = said.lines().skip_while(|line| !line.contains("panicked at"));
    let told: Vec<_> = lines.skip(1).take_while(|line| !line.starts_with("note:")).collect();
    if told.is_empty() { tail(said) } else { told.join("\n") }
}

fn tail(said: &str) -> String {
    let lines: Vec<_> = said.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}

fn fuzz() -> PathBuf {
    crate::root().join("fuzz")
}

fn folder(path: &Path) -> Result<PathBuf, String> {
    fs::create_dir_all(path).map_err(|error| at(path, &error))?;
    Ok(path.to_owned())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.is_file() && path.file_name() != Some(OsStr::new("short"))).collect()
}

fn at(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}
