//! `cargo xtask faces`, which has real clients of other projects talk to what this one builds.
//!
//! Each client is a folder in `crates/*/peers`: its packages, pinned in a lock file, and a check that
//! runs the examples and programs of that crate. Packages are installed in `target/faces`, once for
//! each lock file.

mod client;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use client::FaceClient;

/// Runs the checks of the named clients, or of all.
pub(crate) fn run(names: &[&str]) -> Result<(), String> {
    let clients = clients()?;
    if let Some(unknown) = names.iter().find(|name| clients.iter().all(|one| one.name != **name)) {
        let all: Vec<_> = clients.iter().map(|client| &*client.name).collect();
        return Err(format!("there is no client `{unknown}`; there are {}", all.join(", ")));
    }
    let chosen = clients.iter().filter(|one| names.is_empty() || names.contains(&&*one.name));
    let (mut is_built, mut failed) = (false, Vec::new());
    for client in chosen {
        if let Some(missing) = client.programs.iter().find(|program| !exists(program)) {
            left_out(client, missing)?;
            continue;
        }
        if !is_built {
            build()?;
            is_built = true;
        }
        let start = Instant::now();
        let checked = client.install().and_then(|()| client.check(&target().join("debug")));
        println!("{:<24} {:>6.1} s", client.name, start.elapsed().as_secs_f64());
        if let Err(why) = checked {
            println!("{why}");
            failed.push(&*client.name);
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!("{} failed; see above", failed.join(", ")))
}

/// Returns the clients in the order of their names.
fn clients() -> Result<Vec<FaceClient>, String> {
    let crates = crate::root().join("crates");
    let all = fs::read_dir(&crates).map_err(|why| format!("{}: {why}", crates.display()))?;
    let mut clients: Vec<_> = all
        .flatten()
        .filter_map(|entry| fs::read_dir(entry.path().join("peers")).ok())
        .flat_map(|peers| peers.flatten().filter_map(|peer| FaceClient::read(peer.path())))
        .collect();
    clients.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(clients)
}

/// Builds all examples and programs.
///
/// The whole workspace is built with the features that its tests have, because dependencies with
/// other features would all be built again.
fn build() -> Result<(), String> {
    let mut cargo = crate::cargo();
    cargo.args(["build", "--quiet", "--locked", "--workspace", "--all-features"]);
    let status = cargo.args(["--examples", "--bins"]).status();
    let status = status.map_err(|why| format!("cargo did not start: {why}"))?;
    if status.success() { Ok(()) } else { Err("the workspace does not build".to_owned()) }
}

/// Returns the folder of what is built.
pub(crate) fn target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.unwrap_or_else(|| crate::root().join("target"))
}

/// Says that a client is left out, which is an error where everything has to be checked.
fn left_out(client: &FaceClient, program: &str) -> Result<(), String> {
    let client = &client.name;
    if std::env::var_os("CI").is_some() {
        return Err(format!("`{client}` needs {program}, which does not start here"));
    }
    println!("left out: {client}, because {program} does not start here");
    Ok(())
}

fn exists(program: &str) -> bool {
    let mut probe = Command::new(program);
    let status = probe.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}
