//! One run that is watched in every way at once, and stopped from each of them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::watchers::{Acp, LogFollower, say, watch};
use super::{ServedStream, Serving};
use crate::follow::model::Model;
use crate::support::Sandbox;

/// Begins a run as a client of AG-UI, which stops it by leaving.
fn begin(server: &Serving, conversation: &str) -> ServedStream {
    let user = json!({ "id": "m1", "role": "user", "content": "What is there?" });
    let body = json!({
        "threadId": conversation, "runId": "r1", "protocolVersion": "1.0", "messages": [user],
    });
    server.read_with("POST", "/ag-ui?disconnect=stop", &body.to_string())
}

/// Opens a stream of each other protocol of the server.
fn others(server: &Serving, conversation: &str) -> [(&'static str, ServedStream); 3] {
    [
        ("native", server.read(&format!("/conversations/{conversation}/events"))),
        ("AI SDK", server.read(&format!("/api/chat/{conversation}/stream?ai=7"))),
        ("Responses", server.read(&format!("/v1/responses/resp_0_{conversation}?stream=true"))),
    ]
}

/// Returns the values of the data that have this type.
fn data(text: &str, kind: &str) -> Vec<Value> {
    let data = text
        .lines()
        .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ").unwrap_or(line)).ok());
    data.filter(|value: &Value| value["type"] == kind).collect()
}

fn joined(values: &[Value], pointer: &str) -> String {
    values.iter().filter_map(|value| value.pointer(pointer)?.as_str()).collect()
}

#[test]
fn every_view_shows_equal_text_and_results() {
    let (sandbox, model) = (Sandbox::new(), Model::new());
    std::fs::write(sandbox.root().join("seal.txt"), "A grey seal.").unwrap();
    let server = Serving::start_with(&sandbox, &["--model", &model.name()]);
    let ag_ui = begin(&server, "c1");
    let mut answering = model.asked();
    let mut watchers = vec![watch("AG-UI", ag_ui, "RUN_FINISHED")];
    let ends = ["\"idle\"", "[DONE]", "response.completed"];
    for ((name, stream), end) in others(&server, "c1").into_iter().zip(ends) {
        watchers.push(watch(name, stream, end));
    }
    watchers.push(LogFollower::start(&sandbox, "c1").watch("\"respond\""));
    answering.send_text("§think: I look.\n§call: {\"name\": \"file_list\", \"args\": {}}\n");
    answering.send_text("§call: {\"name\": \"file_read\", \"args\": {\"file\": \"se");
    answering.send_text("al.txt\"}}\n§execute\n");
    answering.end();
    let mut answering = model.asked();
    for piece in ["§respond: There ", "is *one* seal: ", "\"A grey seal.\"\n", "§end"] {
        answering.send_text(piece);
    }
    answering.end();

    let mut seen = Vec::new();
    for watcher in watchers {
        let (name, text, _) = watcher.join().unwrap();
        let (said, results) = match name {
            "AG-UI" => (
                joined(&data(&text, "TEXT_MESSAGE_CONTENT"), "/delta"),
                joined(&data(&text, "TOOL_CALL_RESULT"), "/content"),
            ),
            "AI SDK" => {
                let outputs = data(&text, "tool-output-available");
                let outputs = outputs.iter().filter(|part| part["preliminary"] != true);
                let said = joined(&data(&text, "text-delta"), "/delta");
                (said, outputs.map(|part| part["output"].to_string()).collect())
            }
            "Responses" => (
                joined(&data(&text, "response.output_text.delta"), "/delta"),
                joined(&data(&text, "response.output_item.done"), "/item/output"),
            ),
            _ => {
                let said = data(&text, "respond");
                let whole: Vec<_> =
                    said.into_iter().filter(|value| value["part"].is_null()).collect();
                (joined(&whole, "/content"), joined(&data(&text, "result"), "/content"))
            }
        };
        seen.push((name, said, results));
    }
    // An editor that opens the conversation afterwards reads the same.
    let mut acp = Acp::start(&sandbox, &model);
    let cwd = std::fs::canonicalize(sandbox.root()).unwrap();
    let load = json!({ "sessionId": "c1", "cwd": cwd, "mcpServers": [] });
    acp.send(json!({ "id": 1, "method": "session/load", "params": load }));
    let text = acp.until("\"id\":1");
    let updates: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["params"]["update"].clone())
        .collect();
    let chunks: Vec<_> = updates
        .iter()
        .filter(|update| update["sessionUpdate"] == "agent_message_chunk")
        .cloned()
        .collect();
    let results: String = updates.iter().map(|update| update["content"].to_string()).collect();
    seen.push(("ACP", joined(&chunks, "/content/text"), results));

    assert_eq!(seen.len(), 6);
    for (name, said, results) in &seen {
        assert_eq!(said.trim(), "There is *one* seal: \"A grey seal.\"", "{name}");
        assert!(results.contains("A grey seal."), "{name}: {results}");
        assert!(results.contains("seal.txt"), "{name}: {results}");
    }
}

/// The origin of a stop.
#[derive(Clone, Copy, Debug)]
enum Stopper {
    Page,
    AiSdk,
    Responses,
    AgUi,
    Command,
}

#[test]
fn stop_from_anywhere_ends_the_run() {
    let (sandbox, model) = (Sandbox::new(), Model::new());
    let server = Serving::start_with(&sandbox, &["--model", &model.name()]);
    let all = [Stopper::Page, Stopper::AiSdk, Stopper::Responses, Stopper::AgUi, Stopper::Command];
    for stopper in all {
        let id = format!("{stopper:?}").to_lowercase();
        let mut ag_ui = Some(begin(&server, &id));
        let mut answering = model.asked();
        let [mut native, mut ai_sdk, mut responses] = others(&server, &id);
        let mut log = LogFollower::start(&sandbox, &id);
        answering.send_text("§think: so\n§respond: One and two");
        // All of them have read something of the answer.
        native.1.until("and two");
        ai_sdk.1.until("and two");
        responses.1.until("and two");
        ag_ui.as_mut().unwrap().until("and two");
        log.until("\"think\"");
        let begun = Instant::now();
        let mut watchers = vec![
            watch(native.0, native.1, "\"outcome\":\"stopped\""),
            watch(ai_sdk.0, ai_sdk.1, "\"abort\""),
            watch(responses.0, responses.1, "response.incomplete"),
            log.watch("\"cancelled\""),
        ];
        if !matches!(stopper, Stopper::AgUi) {
            let stream = ag_ui.take().unwrap();
            watchers.push(watch("AG-UI", stream, "\"cancelled\""));
        }
        match stopper {
            Stopper::AgUi => drop(ag_ui.take()),
            Stopper::Page => {
                assert_eq!(server.send("POST", &format!("/conversations/{id}/stop"), "").0, 202);
            }
            Stopper::AiSdk => {
                assert_eq!(server.send("POST", &format!("/api/chat/{id}/stop"), "").0, 202);
            }
            Stopper::Responses => {
                let path = format!("/v1/responses/resp_0_{id}/cancel");
                let (status, response) = server.send("POST", &path, "");
                assert_eq!((status, &response["status"]), (200, &"cancelled".into()));
            }
            Stopper::Command => {
                let said = sandbox.silcrow(&["stop", &id]);
                assert!(said.ends(0).err.contains("stopped the run"), "{}", said.err);
            }
        }
        for watcher in watchers {
            let (name, _, ended) = watcher.join().unwrap();
            let time = ended - begun;
            say(&format!("{stopper:?}: {name} has read the end after {time:.1?}"));
            assert!(time < Duration::from_secs(20), "{stopper:?}: {name} after {time:?}");
        }
    }
}

/// The origin of a stop for a run of another process.
#[derive(Clone, Copy, Debug)]
enum Elsewhere {
    Server,
    Command,
    Editor,
}

#[test]
fn editor_run_can_be_stopped_from_anywhere() {
    let (sandbox, model) = (Sandbox::new(), Model::new());
    let server = Serving::start(&sandbox);
    let mut acp = Acp::start(&sandbox, &model);
    let cwd = std::fs::canonicalize(sandbox.root()).unwrap();
    for (number, stopper) in
        [Elsewhere::Server, Elsewhere::Command, Elsewhere::Editor].into_iter().enumerate()
    {
        let new = json!({ "cwd": cwd, "mcpServers": [] });
        let opening = format!("new{number}");
        acp.send(json!({ "id": opening, "method": "session/new", "params": new }));
        let opened = acp.until(&format!("\"id\":\"{opening}\""));
        let opened: Value = serde_json::from_str(opened.lines().last().unwrap()).unwrap();
        let id = opened["result"]["sessionId"].as_str().unwrap().to_owned();
        let prompt = json!({ "sessionId": id, "prompt": [{ "type": "text", "text": "Count." }] });
        acp.send(json!({ "id": number, "method": "session/prompt", "params": prompt }));
        let mut answering = model.asked();
        answering.send_text("§think: so\n§respond: One and two");
        acp.until("and two");
        let mut native = server.read(&format!("/conversations/{id}/events"));
        native.until("\"think\"");
        let mut log = LogFollower::start(&sandbox, &id);
        log.until("\"think\"");
        let begun = Instant::now();
        let watchers = [watch("native", native, "\"cancelled\""), log.watch("\"cancelled\"")];
        match stopper {
            Elsewhere::Server => {
                let stopped = server.send("POST", &format!("/conversations/{id}/stop"), "");
                assert_eq!(stopped.0, 202, "{}", stopped.1);
            }
            Elsewhere::Command => {
                let said = sandbox.silcrow(&["stop", &id]);
                assert!(said.ends(0).err.contains("stopped the run"), "{}", said.err);
            }
            Elsewhere::Editor => {
                acp.send(json!({ "method": "session/cancel", "params": { "sessionId": id } }));
            }
        }
        acp.until("\"stopReason\":\"cancelled\"");
        say(&format!("{stopper:?}: the editor has read the end after {:.1?}", begun.elapsed()));
        for watcher in watchers {
            let (name, _, ended) = watcher.join().unwrap();
            say(&format!("{stopper:?}: {name} has read the end after {:.1?}", ended - begun));
        }
    }
}

#[test]
fn command_runs_can_be_stopped_remotely() {
    let (sandbox, model) = (Sandbox::new(), Model::new());
    let server = Serving::start(&sandbox);
    for by_server in [true, false] {
        let id = if by_server { "c1" } else { "c2" };
        let args = ["run", "count", "--model", &model.name(), "--new", id];
        let run = sandbox.start(&args);
        let mut answering = model.asked();
        let mut native = server.read(&format!("/conversations/{id}/events"));
        answering.send_text("§think: so\n§respond: One");
        native.until("\"think\"");
        if by_server {
            let (status, stopped) = server.send("POST", &format!("/conversations/{id}/stop"), "");
            assert_eq!((status, &stopped["run"]), (202, &Value::Null), "{stopped}");
        } else {
            let said = sandbox.silcrow(&["stop", id]);
            assert!(said.ends(0).err.contains("stopped the run"), "{}", said.err);
        }
        native.until("\"cancelled\"");
        assert_eq!(run.wait_with_output().unwrap().status.code(), Some(130));
    }
    let said = sandbox.silcrow(&["stop", "c1"]);
    assert_eq!(said.code, Some(1), "{}", said.err);
    sandbox.silcrow(&["stop", "nothing"]).ends(2);
}
