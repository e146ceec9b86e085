//! `cargo lab builds`, which measures the cost of clean builds of a first agent and of the
//! command.
//!
//! It counts CPU seconds, because wall-clock time depends on the other work of the machine.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Builds the named programs, or all, and prints a row for each.
pub(crate) fn run(names: &[&str]) -> Result<(), String> {
    if let Some(unknown) = names.iter().find(|name| BUILDS.iter().all(|one| one.name != **name)) {
        let all: Vec<_> = BUILDS.iter().map(|build| build.name).collect();
        return Err(format!("there is no build `{unknown}`; there are {}", all.join(", ")));
    }
    println!("| build | lines | crates | CPU seconds | seconds | MB |\n|---|---|---|---|---|---|");
    for build in BUILDS.iter().filter(|one| names.is_empty() || names.contains(&one.name)) {
        println!("{}", build.row()?);
    }
    Ok(())
}

struct Build {
    name: &'static str,
    /// The workspace that the package is in.
    workspace: &'static str,
    package: &'static str,
    binary: &'static str,
    profile: &'static str,
    /// The folder of a program whose lines are counted.
    program: Option<&'static str>,
    /// More words for cargo.
    features: &'static [&'static str],
}

/// The time of a build, and the size of its result.
struct FinishedBuild {
    cpu: f64,
    seconds: f64,
    bytes: u64,
}

const BUILDS: [Build; 6] = [
    Build::hello("silcrow", "hello-silcrow", "crates/silcrow/peers/silcrow"),
    Build::hello("rig", "hello-rig", "crates/silcrow/peers/rig"),
    Build::hello("genai", "hello-genai", "crates/silcrow/peers/genai"),
    Build::command("release"),
    Build::command("dist"),
    Build {
        name: "without-features",
        features: &["--no-default-features"],
        ..Build::command("release")
    },
];

impl Build {
    const fn hello(name: &'static str, package: &'static str, program: &'static str) -> Self {
        let workspace = "crates/silcrow/peers";
        let program = Some(program);
        Self { name, workspace, package, binary: package, profile: "dev", program, features: &[] }
    }

    const fn command(profile: &'static str) -> Self {
        let (package, binary) = ("silcrow-cli", "silcrow");
        let (name, workspace) = (profile, ".");
        Self { name, workspace, package, binary, profile, program: None, features: &[] }
    }

    /// Builds into an empty folder and returns a row of a table.
    fn row(&self) -> Result<String, String> {
        let FinishedBuild { cpu, seconds, bytes } = self.build()?;
        let lines = match self.program {
            Some(folder) => lines(&crate::root().join(folder))?.to_string(),
            None => "–".to_owned(),
        };
        let crates = self.crates()?;
        let megabytes = bytes as f64 / 1e6;
        Ok(format!(
            "| {} | {lines} | {crates} | {cpu:.0} | {seconds:.0} | {megabytes:.1} |",
            self.name
        ))
    }

    /// Builds into an empty folder.
    fn build(&self) -> Result<FinishedBuild, String> {
        let target = crate::root().join("target/builds").join(self.name);
        let _ = fs::remove_dir_all(&target);
        let mut cargo = self.cargo();
        cargo.args(["build", "--quiet", "--package", self.package, "--profile", self.profile]);
        cargo.args(self.features);
        cargo.env("CARGO_INCREMENTAL", "0").env("CARGO_TARGET_DIR", &target);
        let (start, before) = (Instant::now(), children_seconds()?);
        let status = cargo.status().map_err(|why| format!("cargo did not start: {why}"))?;
        let (seconds, after) = (start.elapsed().as_secs_f64(), children_seconds()?);
        if !status.success() {
            return Err(format!("`{}` does not build ({status})", self.package));
        }
        let folder = if self.profile == "dev" { "debug" } else { self.profile };
        let binary = target.join(folder).join(self.binary);
        let bytes = fs::metadata(&binary).map_err(|why| format!("no {binary:?}: {why}"))?.len();
        Ok(FinishedBuild { cpu: after - before, seconds, bytes })
    }

    /// Counts the crates that are built for the package, including itself.
    fn crates(&self) -> Result<usize, String> {
        let mut cargo = self.cargo();
        cargo.args(["tree", "--quiet", "--package", self.package, "--edges", "normal,build"]);
        cargo.args(self.features);
        let output = cargo.args(["--prefix", "none", "--no-dedupe"]).output();
        let output = output.map_err(|why| format!("cargo did not start: {why}"))?;
        let names = String::from_utf8_lossy(&output.stdout);
        let names: BTreeSet<_> =
            names.lines().map(|line| line.split(" (").next().unwrap_or(line)).collect();
        Ok(names.len())
    }

    fn cargo(&self) -> Command {
        let mut cargo = crate::cargo();
        cargo.current_dir(crate::root().join(self.workspace));
        cargo
    }
}

/// Counts the lines of a program and of its dependencies, without blank lines and comments.
fn lines(folder: &Path) -> Result<usize, String> {
    let read = |file: &str| {
        let file = folder.join(file);
        fs::read_to_string(&file).map_err(|why| format!("cannot read {file:?}: {why}"))
    };
    let count = |text: &str, comment| {
        let is_line = |line: &&str| !line.is_empty() && !line.starts_with(comment);
        text.lines().map(str::trim).filter(is_line).count()
    };
    let manifest = read("Cargo.toml")?;
    let dependencies = manifest.split_once("[dependencies]").map_or("", |(_, table)| table);
    // The heading of the dependencies is counted, too.
    Ok(1 + count(dependencies, "#") + count(&read("src/main.rs")?, "//"))
}

/// Counts the crates of the command, including itself.
pub(crate) fn command_crates() -> Result<usize, String> {
    Build::command("release").crates()
}

/// Builds the command without its optional parts, as a newcomer does, and returns the CPU seconds and the
/// size of the program in bytes.
pub(crate) fn first_build() -> Result<(f64, u64), String> {
    let first = BUILDS.iter().find(|build| build.name == "without-features");
    let build = first.ok_or("there is no build `without-features`")?.build()?;
    Ok((build.cpu, build.bytes))
}

/// Returns the CPU seconds of all processes that this one has waited for.
pub(crate) fn children_seconds() -> Result<f64, String> {
    seconds("/proc/self/stat", CHILDREN_TICKS)
}

/// Returns the seconds that a process used, from two fields of a file `stat` that are counted after
/// the name of the process.
pub(crate) fn seconds(file: &str, first: usize) -> Result<f64, String> {
    let stat = fs::read_to_string(file).map_err(|why| format!("cannot read `{file}`: {why}"))?;
    // The second field is the name, in parentheses.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks =
        fields.split_whitespace().skip(first).take(2).filter_map(|field| field.parse::<f64>().ok());
    Ok(ticks.sum::<f64>() / TICKS_A_SECOND)
}

/// The first of the two fields with the ticks of children that were waited for.
const CHILDREN_TICKS: usize = 13;

/// The number of ticks in a second, in which Linux reports times.
const TICKS_A_SECOND: f64 = 100.0;
