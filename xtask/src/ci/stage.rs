//! The stages of `cargo xtask ci`, in order.
//!
//! This module knows which commands each stage runs and what to do if they fail.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

use crate::ci::tally::Tally;
use crate::fuzz::FuzzOptions;
use crate::tidy::{self, Package};
use crate::{
    api, bindings, deny, dist, faces, features, fuzz, linted, no_std, package, programs, targets,
};

/// A stage of the checks.
pub(crate) struct CiStage {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    pub(crate) run: fn(&mut Tally) -> Result<(), String>,
    /// Whether it runs only if it is named, because it takes long.
    pub(crate) is_named_only: bool,
}

impl CiStage {
    const fn new(
        name: &'static str,
        what: &'static str,
        run: fn(&mut Tally) -> Result<(), String>,
    ) -> Self {
        Self { name, what, run, is_named_only: false }
    }
}

/// The stages in order. Those that are quick and fail often come first.
pub(crate) const STAGES: &[CiStage] = &[
    CiStage::new("fmt", "every file is formatted", fmt),
    CiStage::new("tidy", "the crate table and the house rules hold", |_| tidy::run()),
    CiStage::new(
        "deny",
        "licences, sources and advisories of the crates from elsewhere",
        deny::run,
    ),
    CiStage::new("clippy", "no warning in any target", clippy),
    CiStage::new("targets", "the command compiles for macOS and Windows", targets::run),
    CiStage::new(
        "features",
        "the command compiles with each feature alone, and with none",
        features::run,
    ),
    CiStage::new("test", "every test and every example in the docs", test),
    CiStage::new("no-std", "the lexer builds without std", |_| no_std::run()),
    CiStage::new("grammar", "an engine accepts what the parser reads", grammar),
    CiStage::new("programs", "programs elsewhere embed a session and a manifest", |_| {
        programs::run()
    }),
    CiStage {
        is_named_only: true,
        ..CiStage::new("alone", "every crate builds with its own features alone", alone)
    },
    CiStage::new("docs", "the API documentation has no warning", |_| api::rustdoc_json().map(drop)),
    CiStage::new("api", "the public API is the one that is listed", |_| api::check()),
    CiStage::new("package", "each crate can be published", |_| package::check()),
    CiStage::new("faces", "real clients read what the encoders for front ends write", |_| {
        faces::run(&[])
    }),
    CiStage::new("bindings", "the packages for JavaScript and Python do what they say", |tally| {
        bindings::run(&[], tally)
    }),
    CiStage::new("dist", "what people install installs and answers", |_| dist::check_forms()),
    CiStage {
        is_named_only: true,
        ..CiStage::new("lab", "the laboratory builds, and its tests pass", lab)
    },
    CiStage {
        is_named_only: true,
        ..CiStage::new("fuzz", "no fuzz target fails within 20 seconds", fuzz)
    },
];

fn fmt(_: &mut Tally) -> Result<(), String> {
    check(cargo(&["fmt", "--all", "--check"]), "apply `cargo fmt --all`")?;
    for folder in BESIDE {
        let manifest = format!("{folder}/Cargo.toml");
        // Each is one package. With `--all`, cargo would download all that it depends on.
        let args = ["fmt", "--check", "--manifest-path", &manifest];
        check(cargo(&args), &format!("apply `cargo fmt --manifest-path {manifest}`"))?;
    }
    Ok(())
}

fn clippy(_: &mut Tally) -> Result<(), String> {
    let all = ["--locked", "--workspace", "--all-targets", "--all-features"];
    let cargo = match linted::lints_builds() {
        true => {
            let mut cargo = linted::workspace_cargo();
            cargo.args(["build", "--keep-going"]).args(all);
            cargo
        }
        false => {
            let mut cargo = cargo(&["clippy"]);
            cargo.args(all).args(["--", "-D", "warnings"]);
            cargo
        }
    };
    check(cargo, "mend what clippy names above")
}

fn test(tally: &mut Tally) -> Result<(), String> {
    // Without targets, examples are built as the programs that tests start.
    let all = ["--locked", "--workspace", "--all-features"];
    let has_nextest = has_nextest();
    let mut tests = linted::workspace_cargo();
    tests.args(if has_nextest { &["nextest", "run"][..] } else { &["test"] });
    // A test that fails once has failed.
    tests.env_remove("NEXTEST_RETRIES");
    let seed = seed()?;
    tests.env(SEED, &seed);
    if !can_mount() {
        println!("left out: tests of a full disk, for which no file system can be made here");
        tests.env("SILCROW_WITHOUT_TMPFS", "1");
    }
    if std::env::var_os("CI").is_some() {
        // Without the server these tests fail, which they are to do in CI.
        tests.env_remove(WITHOUT_POSTGRES);
    } else if !has_postgres() || std::env::var_os(WITHOUT_POSTGRES).is_some() {
        tests.env(WITHOUT_POSTGRES, "1");
        tally.leave_out("tests on PostgreSQL, which is not installed or not wanted");
    }
    check_tests(tests.args(all), tally)
        .map_err(|why| format!("{why}; with {SEED}={seed} they make the same random choices"))?;
    match has_nextest {
        // nextest does not run examples in documentation.
        true => check_tests(linted::workspace_cargo().args(["test", "--doc"]).args(all), tally),
        false => Ok(()),
    }
}

/// Tests the grammars in an engine, whose dependencies would turn on features of ours.
fn grammar(tally: &mut Tally) -> Result<(), String> {
    let target = crate::root().join("target");
    let mut tests = cargo(&["test", "--quiet", "--locked", "--manifest-path", ENGINE]);
    // Crates from elsewhere that the workspace has built are not built again.
    tests.env("CARGO_BUILD_BUILD_DIR", &target).env("CARGO_TARGET_DIR", target.join("grammar"));
    check_tests(tests.env(SEED, seed()?), tally)
}

/// Tests the laboratory, which no other stage compiles.
fn lab(tally: &mut Tally) -> Result<(), String> {
    let target = crate::root().join("target/lab");
    let mut tests = cargo(&["test", "--quiet", "--locked", "--manifest-path", LAB]);
    check_tests(tests.env("CARGO_TARGET_DIR", target), tally)
}

/// Builds each crate with only the features that it asks for, because in the whole workspace a
/// feature that another crate turns on hides that it is missing.
fn alone(tally: &mut Tally) -> Result<(), String> {
    for Package { name, features, .. } in tidy::packages()? {
        let start = Instant::now();
        check_alone(&name, &[])?;
        for feature in &features {
            check_alone(&name, &["--no-default-features", "--features", feature])?;
        }
        if !features.is_empty() {
            // The stage `test` turns all features on.
            let args = ["test", "--quiet", "--locked", "--package", &name, "--no-default-features"];
            check_tests(&mut cargo(&args), tally)?;
        }
        println!("{name:<24} {:>6.1} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}

fn check_alone(package: &str, features: &[&str]) -> Result<(), String> {
    let mut cargo = cargo(&["check", "--quiet", "--locked", "--package", package]);
    cargo.args(features);
    let advice = "uses what its own manifest does not ask for";
    check(cargo, &format!("`{package}` {advice}, with the options {features:?}"))
}

fn fuzz(_: &mut Tally) -> Result<(), String> {
    // The runtime takes numbers above 0.
    fuzz::run(&FuzzOptions::of_seed(seed()?.parse().ok().filter(|seed| *seed > 0)))
}

/// Returns the seed of all random choices, and says which it is. A stage that lasts beyond midnight
/// keeps it.
fn seed() -> Result<String, String> {
    let seed = silcrow_testkit::try_run_seed()?.to_string();
    println!("the seed is {seed}: {SEED}={seed} makes the same choices again");
    Ok(seed)
}

fn cargo(args: &[&str]) -> Command {
    let mut cargo = crate::cargo();
    cargo.args(args);
    cargo
}

fn has_nextest() -> bool {
    let mut probe = cargo(&["nextest", "--version"]);
    let status = probe.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Returns whether a file system can be mounted as the tests of a full disk do it.
fn can_mount() -> bool {
    let mut probe = Command::new("unshare");
    probe.args(["--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", "/tmp"]);
    let status = probe.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// The variable that decides the random choices of tests.
const SEED: &str = "SILCROW_SEED";

/// The variable that leaves out the tests that need PostgreSQL.
const WITHOUT_POSTGRES: &str = "SILCROW_WITHOUT_POSTGRES";

/// Returns whether a PostgreSQL server is installed where Debian puts it.
fn has_postgres() -> bool {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    versions.into_iter().any(|version| version.path().join("bin/initdb").exists())
}

fn check(mut command: Command, advice: &str) -> Result<(), String> {
    verdict(command.status().map_err(not_started)?, advice)
}

/// Runs a test runner, passes its output through, and keeps its totals.
fn check_tests(command: &mut Command, tally: &mut Tally) -> Result<(), String> {
    // The totals are on stderr with nextest, on stdout with cargo.
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(not_started)?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (said, warned) = std::thread::scope(|scope| {
        let said = scope.spawn(|| stdout.map(|out| read(out, |line| println!("{line}"))));
        let warned = stderr.map(|out| read(out, |line| eprintln!("{line}")));
        (said.join().ok().flatten(), warned)
    });
    for line in said.into_iter().chain(warned).flatten() {
        tally.push(&line);
    }
    verdict(child.wait().map_err(not_started)?, "the failed tests are named above")
}

/// Passes lines through and returns those with totals.
fn read(from: impl std::io::Read, show: impl Fn(&str)) -> Vec<String> {
    let mut totals = Vec::new();
    let mut lines = BufReader::new(from);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).is_ok_and(|len| len > 0) {
        let text = String::from_utf8_lossy(&line);
        show(text.trim_end_matches(['\r', '\n']));
        if Tally::is_total(&text) {
            totals.push(text.into_owned());
        }
        line.clear();
    }
    totals
}

fn not_started(why: std::io::Error) -> String {
    format!("cargo did not start: {why}")
}

fn verdict(status: ExitStatus, advice: &str) -> Result<(), String> {
    if status.success() { Ok(()) } else { Err(format!("{advice} ({status})")) }
}

/// The package that compares the grammars with an engine.
const ENGINE: &str = "crates/grammar/engine/Cargo.toml";

/// The package of `cargo lab`.
const LAB: &str = "xtask/lab/Cargo.toml";

/// The packages in workspaces of their own, which the root's manifest excludes.
const BESIDE: [&str; 11] = [
    "crates/grammar/engine",
    "crates/lex/no_std",
    "crates/parser/peers",
    "crates/session/programs/manifest",
    "crates/session/programs/terminal",
    "crates/silcrow/peers/genai",
    "crates/silcrow/peers/rig",
    "crates/silcrow/peers/silcrow",
    "crates/store-log/peers",
    "fuzz",
    "xtask/lab",
];
