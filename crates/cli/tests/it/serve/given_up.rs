//! Runs that are given up, and databases that are there later than their server.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::symlink;
use std::process::Stdio;
use std::time::{Duration, Instant};

use silcrow_testkit::PostgresServer;

use super::Serving;
use super::cluster::{PROMPT, serve};
use crate::follow::model::Model;
use crate::support::Sandbox;

#[test]
fn abandoned_run_continues_with_a_prompt() {
    let Some(postgres) = PostgresServer::shared() else { return };
    let (database, model) = (postgres.database(), Model::new());
    let (here, there) = (Sandbox::new(), Sandbox::new());
    let mut one = serve(&here, &database, &["--model", &model.name()]);
    assert_eq!(one.send("POST", "/conversations/c1/runs", PROMPT).0, 201);
    let _answering = model.asked();
    one.process.kill().unwrap();
    one.process.wait().unwrap();
    // Two others were lost before, and stored nothing.
    let lost = "update silcrow.conversation set gone = 2, lease_until = now() - interval '1 s'";
    postgres.run(&database, lost);
    let other = serve(&there, &database, &["--model", &model.name(), "--work"]);
    let said = other.follow("c1", r#""type":"cancelled""#);
    assert!(said.contains("the run was given up: three processes in a row"), "{said}");
    let shown = there.silcrow(&["log", "show", "c1", "--store", &database]);
    assert!(shown.ends(0).out.contains("the run was given up"), "{}", shown.out);
    let numbers = other.text("/metrics");
    assert!(numbers.contains("silcrow_abandoned_runs_total 1"), "{numbers}");
    // Nobody takes it again, and a person continues it.
    assert_eq!(other.send("POST", "/conversations/c1/runs", PROMPT).0, 201);
    let mut answering = model.asked();
    answering.send_text("§respond: seventeen\n§end");
    answering.end();
    other.follow("c1", r#""outcome":"answered""#);
}

#[test]
fn server_waits_for_its_database() {
    let Some(postgres) = PostgresServer::shared() else { return };
    let (database, sandbox) = (postgres.database(), Sandbox::new());
    let socket = ".s.PGSQL.5432";
    let later = sandbox.path("later");
    std::fs::create_dir(&later).unwrap();
    let address = database.replace(postgres.folder(), &later.to_string_lossy());
    let args = ["serve", "--listen", "127.0.0.1:0", "--store", &address];
    let mut command = sandbox.command(&args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let mut said = BufReader::new(process.stderr.take().unwrap()).lines();
    let begun = Instant::now();
    let line = said.find(|line| line.as_ref().unwrap().contains("trying again")).unwrap().unwrap();
    assert!(line.contains("cannot be reached"), "{line}");
    symlink(std::path::Path::new(postgres.folder()).join(socket), later.join(socket)).unwrap();
    let mut link = String::new();
    BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut link).unwrap();
    let link = link.trim().strip_prefix("http://").expect("it serves");
    let (address, token) = link.split_once("/#token=").unwrap();
    let (address, token) = (address.to_owned(), token.to_owned());
    let server = Serving { process, address, token };
    assert_eq!(server.send("GET", "/ready", "").0, 200);
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}
