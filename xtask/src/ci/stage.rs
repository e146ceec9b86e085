//! The stages of `cargo xtask ci`, in order.

use std::process::Command;
use std::time::Instant;

use xtask::{disk, process};

use super::tally::Tally;
use super::test_runs;
use crate::fuzz::{self, FuzzOptions};
use crate::tidy::{self, Package};
use crate::{api, deny, faces, features, no_std, package, programs, targets};

/// A stage of the checks.
pub(crate) struct CiStage {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    pub(crate) run: fn(&mut Tally) -> Result<(), String>,
    /// Whether it runs only if it is named, because it takes long.
    pub(crate) is_named_only: bool,
}

/// The stages in the order of a lane. Stages that are quick and fail often come first.
#[rustfmt::skip]
pub(crate) const STAGES: [CiStage; 19] = [
    stage("fmt", "every file is formatted", |_| fmt()),
    stage("tidy", "the crate table and the house rules hold", |_| tidy::run()),
    stage("deny", "licences, sources and advisories of the crates from elsewhere", deny::run),
    stage("clippy", "no warning in any target", |_| clippy()),
    stage("targets", "the command compiles for macOS and Windows", targets::run),
    stage("test", "every test and every example in the docs", test_runs::workspace),
    stage("package", "each crate can be published", |_| package::check()),
    stage("features", "the command compiles with each feature alone, and with none", |_| features::run()),
    stage("no-std", "the lexer builds without std", |_| no_std::run()),
    stage("grammar", "an engine accepts what the parser reads", test_runs::grammar),
    stage("programs", "programs elsewhere embed a session and a manifest", |_| programs::run()),
    named("alone", "every crate builds with its own features alone", alone),
    stage("docs", "the API documentation has no warning", |_| api::rustdoc_json().map(drop)),
    stage("api", "the public API is the one that is listed", |_| api::check()),
    stage("faces", "real clients read what the encoders for front ends write", |_| faces::run(&[])),
    stage("bindings", "the packages for JavaScript and Python do what they say", bindings),
    stage("dist", "what people install installs and answers", dist),
    named("lab", "the laboratory builds, and its tests pass", test_runs::laboratory),
    named("fuzz", "no fuzz target fails within 20 seconds", |_| fuzz()),
];

type RunStage = fn(&mut Tally) -> Result<(), String>;

const fn stage(name: &'static str, what: &'static str, run: RunStage) -> CiStage {
    CiStage { name, what, run, is_named_only: false }
}

const fn named(name: &'static str, what: &'static str, run: RunStage) -> CiStage {
    CiStage { name, what, run, is_named_only: true }
}

fn fmt() -> Result<(), String> {
    process::succeed(&mut cargo(&["fmt", "--all", "--check"]), "apply `cargo fmt --all`")?;
    for manifest in beside()? {
        // Each is one package. With `--all`, cargo would download all that it depends on.
        let mut cargo = cargo(&["fmt", "--check", "--manifest-path", &manifest]);
        process::succeed(&mut cargo, &format!("apply `cargo fmt --manifest-path {manifest}`"))?;
    }
    Ok(())
}

/// Returns the manifests of packages in workspaces of their own.
fn beside() -> Result<Vec<String>, String> {
    let ours = tidy::packages()?;
    let mut found = Vec::new();
    for folder in ["crates", "fuzz", "xtask"] {
        for path in disk::walk(&xtask::root().join(folder), "toml")? {
            let is_ours = ours.iter().any(|package| path == package.folder().join("Cargo.toml"));
            let is_manifest = path.ends_with("Cargo.toml");
            if is_manifest && !is_ours && disk::read_text(&path)?.contains("[package]\n") {
                found.push(path.display().to_string());
            }
        }
    }
    Ok(found)
}

fn clippy() -> Result<(), String> {
    let mut cargo = xtask::workspace_cargo();
    let (command, last) = match xtask::lints_builds() {
        true => (&["build", "--keep-going"][..], &[][..]),
        false => (&["clippy"][..], &["--", "-D", "warnings"][..]),
    };
    cargo.args(command).args(["--locked", "--workspace", "--all-features"]);
    // With `--all-targets` each library is compiled again for benches that it does not have.
    cargo.args(["--lib", "--bins", "--examples", "--tests", "--bench", "*"]);
    process::succeed(cargo.args(last), "mend what clippy names above")
}

/// Builds each crate with only the features that it asks for, because in the whole workspace a
/// feature that another crate turns on hides that it is missing.
fn alone(tally: &mut Tally) -> Result<(), String> {
    for Package { name, features, .. } in tidy::packages()? {
        let start = Instant::now();
        let each = features.iter().map(|one| vec!["--no-default-features", "--features", one]);
        for options in [Vec::new()].into_iter().chain(each) {
            let mut check = cargo(&["check", "--quiet", "--locked", "--package", &name]);
            let advice = "uses what its own manifest does not ask for, with the options";
            let advice = format!("`{name}` {advice} {options:?}");
            process::succeed(check.args(options), &advice)?;
        }
        if !features.is_empty() {
            // The stage `test` turns all features on.
            let args = ["test", "--quiet", "--locked", "--package", &name, "--no-default-features"];
            tally.run(&mut cargo(&args))?;
        }
        println!("{name:<24} {:>6.1} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}

fn bindings(tally: &mut Tally) -> Result<(), String> {
    xtask::build_all()?;
    tally.run(Command::new(xtask::target().join("debug/dist")).arg("bindings"))
}

/// Packs the program that is built for tests, and installs each form.
fn dist(tally: &mut Tally) -> Result<(), String> {
    xtask::build_all()?;
    let programs = xtask::target().join("debug");
    let mut dist = Command::new(programs.join("dist"));
    tally.run(dist.args(["pack", "--check", "--program"]).arg(programs.join("silcrow")))
}

fn fuzz() -> Result<(), String> {
    // The runtime takes numbers above 0.
    let seed = test_runs::seed()?.parse().ok().filter(|seed| *seed > 0);
    fuzz::run(&FuzzOptions::of_seed(seed))
}

fn cargo(args: &[&str]) -> Command {
    let mut cargo = xtask::cargo();
    cargo.args(args);
    cargo
}
