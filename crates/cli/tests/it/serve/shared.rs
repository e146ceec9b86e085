//! A server and other processes on one store: runs are seen, answered and steered from both.

use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use silcrow_testkit::PostgresServer;

use super::Serving;
use crate::follow::model::{Answering, Model};
use crate::support::{CommandOutput, Sandbox, command_output};

/// Starts `silcrow run` in the conversation `c1`, whose model waits.
fn begin(sandbox: &Sandbox, model: &Model) -> (Child, Answering) {
    let args = ["run", "count", "--model", &model.name(), "--new", "c1"];
    let mut command = sandbox.command(&args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = command.spawn().unwrap();
    (run, model.asked())
}

fn ends(run: Child) -> CommandOutput {
    command_output(run.wait_with_output().unwrap())
}

#[test]
fn run_stream_includes_other_processes() {
    let (sandbox, model) = (Sandbox::new(), Model::new());
    let server = Serving::start(&sandbox);
    let mut all = server.read("/events");
    let (run, mut answering) = begin(&sandbox, &model);
    let begun = all.until("count");
    assert!(begun.contains(r#"{"conversation":"c1","id":"1.0","event":{"#), "{begun}");
    let (_, listed) = server.send("GET", "/conversations", "");
    let elsewhere = listed["conversations"][0]["elsewhere"].as_str().unwrap();
    assert!(elsewhere.starts_with(&format!("process {}", run.id())), "{elsewhere}");
    let mut one = server.read("/conversations/c1/events");
    answering.send_text("§think: one\n§respond: seals");
    one.until(r#""type":"think""#);
    // Ctrl-C there ends the run for everybody.
    kill_process(Pid::from_child(&run), Signal::INT).unwrap();
    assert_eq!(ends(run).code, Some(130));
    one.until(r#""type":"cancelled""#);
    all.until(r#""type":"cancelled""#);
    let (_, listed) = server.send("GET", "/conversations", "");
    assert_eq!(listed["conversations"][0]["elsewhere"], Value::Null, "{listed}");
}

#[test]
fn server_run_continues_after_outside_answer() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox);
    let prompt = r#"{"prompt":"Write tea into tea.txt"}"#;
    assert_eq!(server.send("POST", "/conversations/third/runs", prompt).0, 201);
    server.follow("third", r#""outcome":"waiting""#);
    let yes = sandbox.silcrow(&["answer", "third", "1/a1", "yes"]);
    assert!(yes.ends(0).err.contains("a server that waits for the answer"), "{}", yes.err);
    let text = server.follow("third", r#""outcome":"answered""#);
    assert!(text.contains("created `tea.txt`"), "{text}");
    assert_eq!(std::fs::read_to_string(sandbox.root().join("tea.txt")).unwrap(), "tea");
}

#[test]
fn server_steers_and_stops_outside_runs() {
    let (sandbox, model) = (Sandbox::new(), Model::new());
    let server = Serving::start(&sandbox);
    let (run, mut answering) = begin(&sandbox, &model);
    let pid = format!("process {}", run.id());
    let path = "/conversations/c1/runs";
    let prompt = r#"{"prompt":"And the walruses."}"#;
    let (status, busy) = server.send("POST", path, prompt);
    assert_eq!(status, 409);
    assert!(busy["error"]["message"].as_str().unwrap().contains(&pid), "{busy}");
    let (status, steered) = server.send("POST", &format!("{path}?steer=1"), prompt);
    assert_eq!((status, &steered["conversation"]), (202, &"c1".into()), "{steered}");

    // The answer that was being written is not the last one.
    answering.send_text("§respond: seals\n§end");
    answering.end();
    let mut again = model.asked();
    assert!(again.request.contains("And the walruses."), "{}", again.request);
    again.send_text("§respond: walr");
    let (status, other) = server.send("POST", "/conversations/c1/stop", r#"{"run":"other"}"#);
    assert_eq!((status, &other["error"]["code"]), (409, &"stale".into()), "{other}");
    let (status, stopped) = server.send("POST", "/conversations/c1/stop", "");
    assert_eq!((status, &stopped["conversation"]), (202, &"c1".into()), "{stopped}");
    server.follow("c1", r#""type":"cancelled""#);
    assert_eq!(ends(run).code, Some(130));
    assert_eq!(server.send("POST", "/conversations/c1/stop", "").0, 409);
}

#[test]
fn another_process_steers_the_run_of_the_server() {
    let (sandbox, model) = (Sandbox::new(), Model::new());
    let server = Serving::start_with(&sandbox, &["--model", &model.name()]);
    let prompt = r#"{"prompt":"Count."}"#;
    assert_eq!(server.send("POST", "/conversations/c1/runs", prompt).0, 201);
    let mut answering = model.asked();
    let refused = sandbox.silcrow(&["run", "more", "--conversation", "c1"]);
    let at = format!("the server http://{}", server.address);
    assert!(refused.ends(1).err.contains(&at), "{}", refused.err);
    assert!(!refused.err.contains("kill"), "{}", refused.err);
    let steer = ["run", "And the walruses.", "--steer", "--conversation", "c1"];
    let sent = sandbox.silcrow(&steer);
    assert!(sent.ends(0).err.contains(&format!("sent to {at}")), "{}", sent.err);
    answering.send_text("§respond: seals\n§end");
    answering.end();
    let mut again = model.asked();
    assert!(again.request.contains("And the walruses."), "{}", again.request);
    again.send_text("§respond: walruses\n§end");
    again.end();
    server.follow("c1", r#""outcome":"answered""#);
}

#[test]
fn servers_of_two_machines_share_a_database() {
    let Some(postgres) = PostgresServer::shared() else { return };
    let database = postgres.database();
    let (here, there) = (Sandbox::new(), Sandbox::new());
    let start = |sandbox| Serving::start_with(sandbox, &["--store", &database]);
    let (one, other) = (start(&here), start(&there));
    assert_eq!(one.send("GET", "/ready", "").0, 200);
    let mut all = other.read("/events");
    let prompt = r#"{"prompt":"Write tea into tea.txt"}"#;
    assert_eq!(one.send("POST", "/conversations/third/runs", prompt).0, 201);
    one.follow("third", r#""outcome":"waiting""#);
    all.until(r#""type":"parked""#);
    let (_, listed) = other.send("GET", "/conversations", "");
    assert_eq!(listed["conversations"][0]["id"], "third", "{listed}");
    let mut seen = other.read("/conversations/third/events");
    let yes = there.silcrow(&["answer", "--store", &database, "third", "1/a1", "yes"]);
    yes.ends(0);
    let text = one.follow("third", r#""outcome":"answered""#);
    assert!(text.contains("created `tea.txt`"), "{text}");
    seen.until("created `tea.txt`");
    assert_eq!(std::fs::read_to_string(here.root().join("tea.txt")).unwrap(), "tea");
    assert!(!there.root().join("tea.txt").exists());

    // A run on one machine is known and steered on the other.
    let model = Model::new();
    let (name, store) = (model.name(), &*database);
    let run = ["run", "count", "--store", store, "--model", &name, "--new", "c1"];
    let run = here.start(&run);
    let mut answering = model.asked();
    let (status, busy) = other.send("POST", "/conversations/c1/runs", r#"{"prompt":"more"}"#);
    assert_eq!(status, 409, "{busy}");
    let process = format!("process {}", run.id());
    assert!(busy.to_string().contains(&process), "{busy}");
    let steered = other.send("POST", "/conversations/c1/runs?steer=1", r#"{"prompt":"be brief"}"#);
    assert!((200..300).contains(&steered.0), "{steered:?}");
    answering.send_text("§respond: one\n§end");
    answering.end();
    let mut answering = model.asked();
    assert!(answering.request.contains("be brief"), "{}", answering.request);
    answering.send_text("§respond: 1\n§end");
    answering.end();
    assert_eq!(ends(run).code, Some(0));
}
