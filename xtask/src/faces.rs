//! `cargo xtask faces`, which has real clients of other projects talk to this project's programs.
//!
//! Each client is a folder in `crates/*/peers`: its packages, pinned in a lock file, and a check that
//! runs the examples and programs of that crate.

mod client;

use std::time::Instant;

use client::FaceClient;
use xtask::{disk, installed, process};

use crate::crew;

/// Runs the checks of the named clients, or of all, a few at once, because they often wait.
pub(crate) fn run(names: &[String]) -> Result<(), String> {
    let clients = clients()?;
    if let Some(unknown) = names.iter().find(|name| clients.iter().all(|one| one.name != **name)) {
        let all: Vec<_> = clients.iter().map(|client| &*client.name).collect();
        return Err(format!("there is no client `{unknown}`; there are {}", all.join(", ")));
    }
    let mut chosen = Vec::new();
    for client in clients.iter().filter(|one| names.is_empty() || names.contains(&one.name)) {
        match client.programs.iter().find(|program| !process::exists(program)) {
            Some(missing) => {
                process::leave_out(&client.name, &format!("{missing} does not start here"))?;
            }
            None => chosen.push(client),
        }
    }
    if chosen.is_empty() {
        return Ok(());
    }
    xtask::build_all()?;
    if chosen.iter().any(|client| client.is_node) {
        // Before the threads, which would all install it at once.
        installed::install_runtime()?;
    }
    let failed = crew::share(chosen.into_iter(), AT_ONCE, show);
    if failed.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = failed.iter().map(|client| &*client.name).collect();
    Err(format!("{} failed; see above", names.join(", ")))
}

/// Installs the packages of all clients that can run here, and of packages for other languages, one
/// after the other. The clients that need a package report its failure.
pub(crate) fn install_early() {
    for client in clients().unwrap_or_default() {
        if client.programs.iter().all(|program| process::exists(program)) {
            let _ = client.install();
        }
    }
    let root = xtask::root();
    let _ = installed::install_node(&root.join("crates/wasm/optimizer"));
    let _ = installed::install_node(&root.join("clients/js/typescript"));
    let _ = installed::install_python(&root.join("crates/python/tests/types"));
}

/// Checks a client, prints its output in one piece, and returns whether all is well.
fn show(client: &FaceClient) -> bool {
    let start = Instant::now();
    let done = client.check(&xtask::target().join("debug"));
    let seconds = start.elapsed().as_secs_f64();
    let (Ok(said) | Err(said)) = &done;
    println!("{said}{:<24} {seconds:>6.1} s", client.name);
    done.is_ok()
}

/// Returns the clients in the order of their names, after those that take longest.
fn clients() -> Result<Vec<FaceClient>, String> {
    let crates = disk::entries(&xtask::root().join("crates"))?;
    let peers = crates.iter().filter_map(|folder| disk::entries(&folder.join("peers")).ok());
    let mut clients: Vec<_> = peers.flatten().filter_map(FaceClient::read).collect();
    let rank = |name: &str| LONGEST.iter().position(|long| *long == name).unwrap_or(LONGEST.len());
    clients.sort_by_key(|client| (rank(&client.name), client.name.clone()));
    Ok(clients)
}

/// The number of clients that are checked at once.
const AT_ONCE: usize = 3;

/// The clients that take longest, so that none of them begins when the others have ended.
const LONGEST: [&str; 3] = ["page", "mcp-servers", "mcp-servers-python"];
