//! A client at the other end of a pipe, which checks every line against the schema of the protocol.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};
use silcrow_acp::serve;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, duplex};
use tokio::task::JoinHandle;

use crate::host::ScriptedHost;

pub(crate) struct TestClient {
    pub(crate) host: Arc<ScriptedHost>,
    lines: Lines<BufReader<DuplexStream>>,
    input: Option<DuplexStream>,
    server: JoinHandle<std::io::Result<()>>,
    /// The methods of the requests that wait for an answer.
    open: HashMap<u64, String>,
    last: u64,
}

impl TestClient {
    /// Connects to a server, and says hello.
    pub(crate) async fn connect(host: ScriptedHost) -> Self {
        Self::with_abilities(host, json!({})).await
    }

    /// Connects to a server, and sends the client's capabilities.
    pub(crate) async fn with_abilities(host: ScriptedHost, abilities: Value) -> Self {
        let mut client = Self::new(host);
        let hello = json!({"protocolVersion": 1, "clientCapabilities": abilities});
        client.call("initialize", hello).await;
        client
    }

    /// Connects to a server.
    pub(crate) fn new(host: ScriptedHost) -> Self {
        let host = Arc::new(host);
        let (input, theirs) = duplex(1 << 16);
        let (output, written) = duplex(1 << 16);
        let server = tokio::spawn(serve(Arc::clone(&host), theirs, written));
        let lines = BufReader::new(output).lines();
        Self { host, lines, input: Some(input), server, open: HashMap::new(), last: 0 }
    }

    /// Sends a line as it is.
    pub(crate) async fn line(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).await.unwrap();
        input.write_all(b"\n").await.unwrap();
    }

    /// Sends a part of a line.
    pub(crate) async fn part(&mut self, part: &[u8]) {
        self.input.as_mut().unwrap().write_all(part).await.unwrap();
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.line(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()).await;
    }

    /// Sends a request, and returns its id.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.open.insert(id, method.to_owned());
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.line(&message.to_string()).await;
        id
    }

    /// Answers a request of the agent.
    pub(crate) async fn answer(&mut self, request: &Value, result: Value) {
        let answer = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
        self.line(&answer.to_string()).await;
    }

    /// Returns the next message.
    pub(crate) async fn next(&mut self) -> Value {
        let line = self.lines.next_line().await.unwrap().expect("the agent is gone");
        let message: Value = serde_json::from_str(&line).unwrap();
        self.check(&message);
        message
    }

    /// Returns the messages up to the answer to a request, and that answer.
    pub(crate) async fn until(&mut self, id: u64) -> (Vec<Value>, Value) {
        let mut before = Vec::new();
        loop {
            let message = self.next().await;
            if message["id"] == id && message.get("method").is_none() {
                return (before, message);
            }
            before.push(message);
        }
    }

    /// Sends a request, and returns its result.
    pub(crate) async fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params).await;
        let (_, answer) = self.until(id).await;
        answer.get("result").unwrap_or_else(|| panic!("{answer}")).clone()
    }

    /// Sends a request, and returns the message of its error.
    pub(crate) async fn error(&mut self, method: &str, params: Value) -> String {
        let id = self.request(method, params).await;
        let (_, answer) = self.until(id).await;
        answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// Opens a session, and returns its id.
    pub(crate) async fn open(&mut self) -> String {
        let opened = self.call("session/new", json!({"cwd": "/work", "mcpServers": []})).await;
        opened["sessionId"].as_str().unwrap().to_owned()
    }

    /// Sends a prompt, and returns the id of the request.
    pub(crate) async fn prompt(&mut self, session: &str, text: &str) -> u64 {
        let prompt = json!([{"type": "text", "text": text}]);
        self.request("session/prompt", json!({"sessionId": session, "prompt": prompt})).await
    }

    /// Reads nothing any more, and returns the end of the server. Its input stays open.
    pub(crate) async fn stop_reading(self) -> std::io::Result<()> {
        let Self { lines, input, server, .. } = self;
        drop(lines);
        let ended = server.await.unwrap();
        drop(input);
        ended
    }

    /// Closes the input, and waits for the end of the server.
    pub(crate) async fn leave(mut self) -> std::io::Result<()> {
        drop(self.input.take());
        self.server.await.unwrap()
    }

    fn check(&mut self, message: &Value) {
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        let schema = match message["method"].as_str() {
            Some("session/update") => return valid("SessionNotification", &message["params"]),
            Some("session/request_permission") => "RequestPermissionRequest",
            Some("elicitation/create") => "CreateElicitationRequest",
            Some(other) => panic!("{other} is no method of a client"),
            None if message.get("error").is_some() => return valid("Error", &message["error"]),
            None => {
                let id = message["id"].as_u64().unwrap();
                assert!(message.get("result").is_some(), "{message}");
                let method = self.open.remove(&id).expect("a request is answered twice");
                return match method.as_str() {
                    "initialize" => valid("InitializeResponse", &message["result"]),
                    "session/new" => valid("NewSessionResponse", &message["result"]),
                    "session/load" => valid("LoadSessionResponse", &message["result"]),
                    "session/resume" => valid("ResumeSessionResponse", &message["result"]),
                    "session/prompt" => valid("PromptResponse", &message["result"]),
                    "session/list" => valid("ListSessionsResponse", &message["result"]),
                    "session/close" => valid("CloseSessionResponse", &message["result"]),
                    "session/delete" => valid("DeleteSessionResponse", &message["result"]),
                    "session/set_mode" => valid("SetSessionModeResponse", &message["result"]),
                    "session/set_config_option" => {
                        valid("SetSessionConfigOptionResponse", &message["result"]);
                    }
                    _ => {}
                };
            }
        };
        valid(schema, &message["params"]);
    }
}

/// Returns the updates among messages, without their common members.
pub(crate) fn updates(messages: &[Value]) -> Vec<Value> {
    messages.iter().map(|message| message["params"]["update"].clone()).collect()
}

/// Checks a value against a definition of the schema.
fn valid(definition: &str, value: &Value) {
    let mut schema: Value = serde_json::from_str(include_str!("../schema/acp-v1.json")).unwrap();
    schema["$ref"] = json!(format!("#/$defs/{definition}"));
    let validator = jsonschema::validator_for(&schema).unwrap();
    if let Err(error) = validator.validate(value) {
        panic!("{definition}: {error}: {value}");
    }
}
