//! The stages that run tests, and the facts of this machine that they need.

use std::process::Command;
use std::{env, fs};

use xtask::process;

use super::tally::Tally;

/// Runs every test of the workspace, and every example in its documentation.
pub(crate) fn workspace(tally: &mut Tally) -> Result<(), String> {
    // Without targets, examples are built as the programs that tests start.
    let all = ["--locked", "--workspace", "--all-features"];
    let has_nextest = process::succeeds(xtask::cargo().args(["nextest", "--version"]));
    let mut tests = xtask::workspace_cargo();
    tests.args(if has_nextest { &["nextest", "run"][..] } else { &["test"] });
    // A test that fails once has failed.
    tests.env_remove("NEXTEST_RETRIES");
    let seed = seed()?;
    tests.env(SEED, &seed);
    if !can_mount() {
        tally.leave_out("tests of a full disk, for which no file system can be made here");
        tests.env("SILCROW_WITHOUT_TMPFS", "1");
    }
    if env::var_os("CI").is_some() {
        // Without the server these tests fail, which they are to do in CI.
        tests.env_remove(WITHOUT_POSTGRES);
    } else if !has_postgres() || env::var_os(WITHOUT_POSTGRES).is_some() {
        tests.env(WITHOUT_POSTGRES, "1");
        tally.leave_out("tests on PostgreSQL, which is not installed or not wanted");
    }
    tally
        .run(tests.args(all))
        .map_err(|why| format!("{why}; with {SEED}={seed} they make the same random choices"))?;
    match has_nextest {
        // nextest does not run examples in documentation.
        true => tally.run(xtask::workspace_cargo().args(["test", "--doc"]).args(all)),
        false => Ok(()),
    }
}

/// Tests the grammars in an engine, whose dependencies would turn on features of ours.
pub(crate) fn grammar(tally: &mut Tally) -> Result<(), String> {
    let mut tests = beside("crates/grammar/engine", "grammar");
    // Crates from elsewhere that the workspace has built are not built again.
    tests.env("CARGO_BUILD_BUILD_DIR", xtask::root().join("target"));
    tally.run(tests.env(SEED, seed()?))
}

/// Tests the laboratory, which no other stage compiles.
pub(crate) fn laboratory(tally: &mut Tally) -> Result<(), String> {
    tally.run(&mut beside("xtask/lab", "lab"))
}

/// Returns the command that tests a package of another workspace, in a separate folder.
fn beside(package: &str, folder: &str) -> Command {
    let mut tests = xtask::cargo();
    tests.args(["test", "--quiet", "--locked", "--manifest-path"]);
    tests.arg(format!("{package}/Cargo.toml"));
    tests.env("CARGO_TARGET_DIR", xtask::root().join("target").join(folder));
    tests
}

/// Returns the seed of all random choices, and says which it is. A stage that lasts beyond midnight
/// keeps it.
pub(crate) fn seed() -> Result<String, String> {
    let seed = silcrow_testkit::try_run_seed()?.to_string();
    println!("the seed is {seed}: {SEED}={seed} makes the same choices again");
    Ok(seed)
}

/// Returns whether a file system can be mounted as the tests of a full disk do it.
fn can_mount() -> bool {
    let mut probe = Command::new("unshare");
    probe.args(["--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", "/tmp"]);
    process::succeeds(&mut probe)
}

/// Returns whether a PostgreSQL server is installed where Debian puts it.
fn has_postgres() -> bool {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    versions.into_iter().any(|version| version.path().join("bin/initdb").exists())
}

/// The variable that decides the random choices of tests.
const SEED: &str = "SILCROW_SEED";

/// The variable that leaves out the tests that need PostgreSQL.
const WITHOUT_POSTGRES: &str = "SILCROW_WITHOUT_POSTGRES";
