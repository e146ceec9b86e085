//! The MCP servers that an editor names for a session, and their questions.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use serde_json::{Value, json};

use super::{Editor, prompt};
use crate::mcp;
use crate::support::Sandbox;

/// Returns the test server as an editor names it.
fn test_server(ways: &[&str]) -> Value {
    let token = json!({"name": "API_TOKEN", "value": "hidden-0123456789"});
    let level = json!({"name": "LEVEL", "value": "everything"});
    json!({"name": "test", "command": mcp::program(), "args": ways, "env": [token, level]})
}

fn says_hello(abilities: &Value) -> Value {
    json!({"protocolVersion": 1, "clientCapabilities": abilities})
}

/// Returns the texts of the completed calls.
fn results(updates: &[Value]) -> Vec<String> {
    let done = updates.iter().filter(|update| update["status"] == "completed");
    done.map(|update| update["content"][0]["content"]["text"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn editor_servers_start_and_unusable_ones_are_reported() {
    let sandbox = Sandbox::new();
    let variable = |name: &str| ("test.variable", format!("{{\"name\":\"{name}\"}}"));
    let variables = [variable("API_TOKEN"), variable("LEVEL"), variable("PWD")];
    let calls = variables.iter().map(|(tool, args)| (*tool, &**args));
    let calls: Vec<_> = [("test.echo", r#"{"text":"hello"}"#)].into_iter().chain(calls).collect();
    let model = mcp::script(&sandbox, &calls);
    let mut editor = Editor::start(&sandbox, &["--model", &model, "--permissions", "ask"]);
    let (_, offered) = editor.call("initialize", says_hello(&json!({"session": {"notices": {}}})));
    let can = &offered["result"]["agentCapabilities"]["mcpCapabilities"];
    assert_eq!(*can, json!({"http": true, "sse": false}));
    let broken = json!({"name": "broken", "command": "/nowhere/at-all", "args": [], "env": []});
    let header = json!([{"name": "Host", "value": "x"}]);
    let odd =
        json!({"type": "http", "name": "odd", "url": "http://127.0.0.1:1/mcp", "headers": header});
    let new = json!({"cwd": sandbox.root(), "mcpServers": [test_server(&[]), broken, odd]});
    let (_, opened) = editor.call("session/new", new);
    let session = opened["result"]["sessionId"].clone();
    let (updates, answer) = editor.call("session/prompt", prompt(&session, "go"));
    assert_eq!(answer["result"], json!({"stopReason": "end_turn"}), "{answer}");
    let notices: Vec<_> = updates
        .iter()
        .filter_map(|one| one["title"].as_str().filter(|_| one["severity"] == "warning"))
        .collect();
    assert_eq!(notices.len(), 2, "{notices:?}");
    assert!(
        notices[0].starts_with("MCP server odd: the header Host is set by the request"),
        "{notices:?}"
    );
    assert!(
        notices[1].starts_with("MCP server broken: ") && notices[1].contains("cannot be started")
    );
    // The person is asked, because nobody believes the server, and a key stays with it.
    let asked = updates.iter().filter(|one| one["method"] == "session/request_permission");
    assert_eq!(asked.count(), 4, "{updates:?}");
    let results = results(&updates);
    assert_eq!(results[..3], ["hello", "[secret API_TOKEN] 17", "everything 10"]);
    // It starts in an empty folder, as any server does.
    let folders = sandbox.path("state/silcrow-servers");
    assert!(results[3].starts_with(folders.to_str().unwrap()), "{results:?}");

    let sse =
        json!([{"type": "sse", "name": "old", "url": "https://x.example.org", "headers": []}]);
    let (_, refused) =
        editor.call("session/new", json!({"cwd": sandbox.root(), "mcpServers": sse}));
    let why = refused["error"]["message"].as_str().unwrap();
    assert!(why.contains("`old` is of the type `sse`; only stdio and http"), "{why}");
    assert!(editor.leave().1);
}

#[test]
fn loaded_session_uses_the_newly_named_servers() {
    let sandbox = Sandbox::new();
    let mut session = Value::Null;
    for method in ["session/new", "session/load", "session/resume"] {
        let calls = [("test.echo", r#"{"text":"hello"}"#), ("test.spawn", "{}")];
        let model = mcp::script(&sandbox, &calls);
        let mut editor = Editor::start(&sandbox, &["--model", &model, "--permissions", "ask"]);
        editor.call("initialize", says_hello(&json!({})));
        let servers = json!([test_server(&["lives"])]);
        let params = json!({"sessionId": session, "cwd": sandbox.root(), "mcpServers": servers});
        let (_, opened) = editor.call(method, params);
        if session.is_null() {
            session = opened["result"]["sessionId"].clone();
        }
        let (updates, _) = editor.call("session/prompt", prompt(&session, "go"));
        let results = results(&updates);
        assert_eq!(results[0], "hello", "{method}");
        assert!(mcp::is_alive(&results[1]), "{results:?}");
        assert!(editor.leave().1 && mcp::has_ended(&results[1]));
    }
}

#[test]
fn http_server_of_an_editor_gets_its_token() {
    let sandbox = Sandbox::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let served = thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut head = [0; 4096];
        let count = socket.read(&mut head).unwrap();
        socket
            .write_all(b"HTTP/1.1 500 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            .unwrap();
        String::from_utf8_lossy(&head[..count]).into_owned()
    });
    let model = mcp::script(&sandbox, &[]);
    let mut editor = Editor::start(&sandbox, &["--model", &model]);
    editor.call("initialize", says_hello(&json!({})));
    let header = json!([{"name": "Authorization", "value": "Bearer hidden-0123456789"}]);
    let server = json!({"type": "http", "name": "issues", "url": url, "headers": header});
    let (_, opened) =
        editor.call("session/new", json!({"cwd": sandbox.root(), "mcpServers": [server]}));
    let session = opened["result"]["sessionId"].clone();
    let (updates, answer) = editor.call("session/prompt", prompt(&session, "go"));
    assert_eq!(answer["result"], json!({"stopReason": "end_turn"}), "{answer}");
    // A client without notices reads it as a message.
    let is_message = |update: &&Value| update["sessionUpdate"] == "agent_message_chunk";
    let first = updates.iter().find(is_message).unwrap();
    let said = first["content"]["text"].as_str().unwrap();
    assert!(said.starts_with("MCP server issues: "), "{said}");
    let head = served.join().unwrap().to_lowercase();
    assert!(head.contains("authorization: bearer hidden-0123456789"), "{head}");
    assert!(editor.leave().1);
}

#[test]
fn server_question_becomes_an_editor_form() {
    for (way, form) in [("", true), ("modern", true), ("", false), ("modern", false)] {
        let sandbox = Sandbox::new();
        let model = mcp::script(&sandbox, &[("test.ask", "{}")]);
        let mut editor = Editor::start(&sandbox, &["--model", &model, "--permissions", "full"]);
        let abilities = if form { json!({"elicitation": {"form": {}}}) } else { json!({}) };
        editor.call("initialize", says_hello(&abilities));
        let new = json!({"cwd": sandbox.root(), "mcpServers": [test_server(&[way])]});
        let (_, opened) = editor.call("session/new", new);
        let session = opened["result"]["sessionId"].clone();
        let (updates, _) = editor.call("session/prompt", prompt(&session, "go"));
        let results = results(&updates);
        let asked = updates.iter().find(|one| one["method"] == "elicitation/create");
        let Some(asked) = asked else {
            assert!(!form, "{updates:?}");
            assert_eq!(results, [r#"{"action":"decline"}"#], "{way}");
            let shown = json!(updates).to_string();
            assert!(shown.contains("the server test asked, and got no answer"), "{shown}");
            continue;
        };
        let params = &asked["params"];
        assert_eq!(params["message"], "The server test asks: Which colour?");
        assert_eq!(params["sessionId"], session);
        assert_eq!(params["requestedSchema"]["properties"]["colour"]["type"], "string");
        assert_eq!(results, [r#"{"action":"accept","content":{"colour":"blue"}}"#], "{way}");
        assert!(editor.leave().1);
    }
}
