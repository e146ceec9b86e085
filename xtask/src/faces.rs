//! `cargo xtask faces`, which has real clients of other projects talk to what this one builds.
//!
//! Each client is a folder in `crates/*/peers`: its packages, pinned in a lock file, and a check that
//! runs the examples and programs of that crate. Packages are installed in `target/faces`, once for
//! each lock file.

mod client;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use client::FaceClient;
pub(crate) use client::{install_node, install_python};

/// Runs the checks of the named clients, or of all, a few at once, because they often wait.
pub(crate) fn run(names: &[&str]) -> Result<(), String> {
    let clients = clients()?;
    if let Some(unknown) = names.iter().find(|name| clients.iter().all(|one| one.name != **name)) {
        let all: Vec<_> = clients.iter().map(|client| &*client.name).collect();
        return Err(format!("there is no client `{unknown}`; there are {}", all.join(", ")));
    }
    let mut chosen = Vec::new();
    for client in clients.iter().filter(|one| names.is_empty() || names.contains(&&*one.name)) {
        match client.programs.iter().find(|program| !exists(program)) {
            Some(missing) => left_out(client, missing)?,
            None => chosen.push(client),
        }
    }
    if chosen.is_empty() {
        return Ok(());
    }
    build()?;
    if chosen.iter().any(|client| client.is_node()) {
        client::install_runtime()?;
    }
    let queue = Mutex::new(chosen.into_iter());
    let next = || queue.lock().expect("no holder panics").next();
    let failed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(client) = next() {
                    if !show(client) {
                        failed.lock().expect("no holder panics").push(&*client.name);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("no holder panics");
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!("{} failed; see above", failed.join(", ")))
}

/// Installs the packages of all clients that can run here, one after the other. What fails is left to
/// [`run`].
pub(crate) fn install_early() {
    let clients = clients().unwrap_or_default();
    let is_able = |client: &&FaceClient| client.programs.iter().all(|program| exists(program));
    let able: Vec<_> = clients.iter().filter(is_able).collect();
    if able.iter().any(|client| client.is_node()) {
        let _ = client::install_runtime();
    }
    for client in able {
        let _ = client.install();
    }
}

/// Checks a client, prints what it said in one piece, and returns whether all is well.
fn show(client: &FaceClient) -> bool {
    let start = Instant::now();
    let (said, done) = client
        .install()
        .map_or_else(|why| (String::new(), Err(why)), |()| client.check(&target().join("debug")));
    let why = done.as_ref().err().map_or("", String::as_str);
    let seconds = start.elapsed().as_secs_f64();
    println!("{}{:<24} {seconds:>6.1} s\n{why}", said, client.name);
    done.is_ok()
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

/// Builds all libraries, examples and programs.
///
/// The whole workspace is built with the features that its tests have, because dependencies with
/// other features would all be built again. Only with examples has cargo the features that tests
/// turn on.
pub(crate) fn build() -> Result<(), String> {
    let mut cargo = crate::cargo();
    cargo.args(["build", "--quiet", "--locked", "--workspace", "--all-features"]);
    let status = cargo.args(["--lib", "--examples", "--bins"]).status();
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

/// Returns whether a program can be started.
pub(crate) fn exists(program: &str) -> bool {
    let mut probe = Command::new(program);
    let status = probe.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// The number of clients that are checked at once.
const AT_ONCE: usize = 3;
