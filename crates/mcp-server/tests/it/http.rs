//! Streamable HTTP: tokens, users, hosts and sessions.

use std::net::SocketAddr;

use serde_json::{Value, json};
use silcrow_server::{AccessToken, CancellationToken, ServerUser};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::support::{ANSWERS, Host, PATIENCE, WRITES};

/// A server with the users `ann` and `bob`.
struct Served {
    address: SocketAddr,
    ann: String,
    bob: String,
    _stop: StopOnDrop,
}

struct StopOnDrop(CancellationToken);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

async fn serve(host: &Host) -> Served {
    let (ann, bob) = (AccessToken::random().unwrap(), AccessToken::random().unwrap());
    let (texts, stop) = ((ann.reveal(), bob.reveal()), CancellationToken::new());
    let user = |name: &str| ServerUser { name: Some(name.to_owned()) };
    let server = host.server.clone().with_token(ann, user("ann")).with_token(bob, user("bob"));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let endpoint = host.endpoint.clone().with_server(server.clone());
    let router = server.router().merge(endpoint.router());
    let stops = stop.clone();
    tokio::spawn(async move { server.serve_router(router, listener, stops).await });
    Served { address, ann: texts.0, bob: texts.1, _stop: StopOnDrop(stop) }
}

/// An answer: the status, the session, and the last message of the body.
struct Answer {
    status: u16,
    session: Option<String>,
    message: Value,
}

async fn post(served: &Served, token: &str, more: &str, body: &Value) -> Answer {
    let body = body.to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Content-Length: {}\r\n{more}\r\n",
        served.address,
        body.len()
    );
    let mut socket = TcpStream::connect(served.address).await.unwrap();
    socket.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    let mut text = String::new();
    timeout(PATIENCE, socket.read_to_string(&mut text)).await.expect("no end").unwrap();
    let status = text.split(' ').nth(1).unwrap().parse().unwrap();
    let session = text.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
    let mut data = text
        .lines()
        .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ").unwrap_or(line)).ok());
    let message = data.rfind(Value::is_object).unwrap_or_default();
    Answer { status, session: session.map(str::to_owned), message }
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }})
}

fn call(arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "run", "arguments": arguments,
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        },
    }})
}

const NEW: &str = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: run\r\n";

#[tokio::test]
async fn only_users_get_in_and_see_own_conversations() {
    let host = Host::new(&format!("{ANSWERS}\n%%\n{ANSWERS}"));
    let served = serve(&host).await;
    let prompt = json!({"prompt": "2 + 2?"});
    let answer = post(&served, &"0".repeat(64), NEW, &call(&prompt)).await;
    assert_eq!(answer.status, 401);
    let answer = post(&served, &served.ann, NEW, &call(&prompt)).await;
    assert_eq!(answer.status, 200, "{}", answer.message);
    let result = &answer.message["result"]["structuredContent"];
    assert_eq!(result["answer"], "Four.", "{}", answer.message);

    let again = json!({"prompt": "And?", "conversation": result["conversation"]});
    let answer = post(&served, &served.bob, NEW, &call(&again)).await;
    assert_eq!(answer.message["result"]["isError"], json!(true), "{}", answer.message);
    let answer = post(&served, &served.ann, NEW, &call(&again)).await;
    assert_eq!(answer.message["result"]["structuredContent"]["answer"], "Four.");
}

#[tokio::test]
async fn users_cannot_answer_each_others_questions() {
    let host = Host::new(WRITES);
    let served = serve(&host).await;
    let answer = post(&served, &served.ann, NEW, &call(&json!({"prompt": "Write."}))).await;
    let result = &answer.message["result"]["structuredContent"];
    let conversation = result["conversation"].as_str().unwrap();
    let question = result["questions"][0]["id"].as_str().unwrap();
    let mut repeated = call(&json!({"prompt": "Write."}));
    repeated["params"]["requestState"] = json!(conversation);
    repeated["params"]["inputResponses"] =
        json!({question: {"action": "accept", "content": {"decision": "once"}}});
    let answer = post(&served, &served.bob, NEW, &repeated).await;
    assert_eq!(answer.message["error"]["code"], -32602, "{}", answer.message);
    assert_eq!(host.written(), 0);
    post(&served, &served.ann, NEW, &repeated).await;
    assert_eq!(host.written(), 1);
}

#[tokio::test]
async fn foreign_origins_and_hosts_are_refused() {
    let host = Host::new(ANSWERS);
    let served = serve(&host).await;
    let more = format!("{NEW}Origin: https://elsewhere.example\r\n");
    assert_eq!(post(&served, &served.ann, &more, &call(&json!({"prompt": "a"}))).await.status, 403);
}

#[tokio::test]
async fn sessions_belong_to_users_and_are_limited() {
    let host = Host::new(ANSWERS);
    let served = serve(&host).await;
    let begun = post(&served, &served.ann, "", &initialize()).await;
    assert_eq!(begun.status, 200, "{}", begun.message);
    let session = format!(
        "Mcp-Session-Id: {}\r\nMCP-Protocol-Version: 2025-11-25\r\n",
        begun.session.unwrap()
    );
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    assert_eq!(post(&served, &served.ann, &session, &list).await.status, 200);
    assert_eq!(post(&served, &served.bob, &session, &list).await.status, 404);
    assert_eq!(post(&served, &served.ann, "", &initialize()).await.status, 200);
    assert_eq!(post(&served, &served.ann, "", &initialize()).await.status, 503);
    assert_eq!(post(&served, &served.bob, "", &initialize()).await.status, 200);
}
