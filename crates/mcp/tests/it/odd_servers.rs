//! Servers over HTTP that do not keep to the protocol, or to an old one.

use serde_json::{Value, json};
use silcrow_mcp::{Options, ServerAddress, ServerConfig};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::Reached;

/// Reads a request, and returns its first line and its JSON.
async fn read(stream: &mut TcpStream) -> Option<(String, Value)> {
    let mut bytes = Vec::new();
    loop {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.to_lowercase();
        let length = length.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
            let first = head.lines().next().unwrap_or_default().to_owned();
            return Some((first, serde_json::from_str(body).unwrap_or_default()));
        }
    }
}

async fn write(stream: &mut TcpStream, status: &str, kind: &str, body: &str) {
    let head = format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n");
    // The client may have left.
    let _ = stream.write_all((head + body).as_bytes()).await;
}

/// Serves at a free port, and returns the address.
async fn serve<F: Future<Output = ()> + Send + 'static>(
    answer: impl Fn(TcpStream) -> F + Send + 'static,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/sse", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream));
        }
    });
    url
}

async fn reached(url: &str) -> Reached {
    let config = ServerConfig::new("test", ServerAddress::url(url)).unwrap();
    Reached::with(config, Options::default()).await
}

/// Answers a request of a list that has tools which are none.
async fn lists(mut stream: TcpStream) {
    let Some((first, message)) = read(&mut stream).await else { return };
    let any = json!({"type": "object"});
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "odd", "version": "1"},
        }),
        "tools/list" if message["params"]["cursor"].is_null() => json!({"tools": [
            {"name": "good", "inputSchema": any},
            {"name": "broken", "inputSchema": "none"},
            {"description": "It has no name.", "inputSchema": any},
            7,
        ], "nextCursor": "more"}),
        "tools/list" => json!({"tools": [{"name": "late", "inputSchema": any}]}),
        _ if first.starts_with("POST") && message["id"].is_null() => {
            return write(&mut stream, "202 Accepted", "text/plain", "").await;
        }
        _ if !first.starts_with("POST") => {
            return write(&mut stream, "405 Method Not Allowed", "text/plain", "").await;
        }
        _ => {
            let error = json!({"code": -32601, "message": "there is no method of this name"});
            let error = json!({"jsonrpc": "2.0", "id": message["id"], "error": error});
            return write(&mut stream, "200 OK", "application/json", &error.to_string()).await;
        }
    };
    let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
    write(&mut stream, "200 OK", "application/json", &answer.to_string()).await;
}

#[tokio::test]
async fn unreadable_tool_is_skipped_and_named() {
    let url = serve(lists).await;
    let reached = reached(&url).await;
    assert_eq!(reached.tools.keys().collect::<Vec<_>>(), ["good", "late"]);
    let notices = reached.servers.statuses()[0].notices.join("\n");
    assert!(
        notices.contains("the tool \"broken\" is left out, because it cannot be read"),
        "{notices}"
    );
    assert_eq!(notices.matches("a tool without a name is left out").count(), 2, "{notices}");
}

/// Speaks the transport of 2024: a stream that names the address for messages.
async fn old(mut stream: TcpStream) {
    let Some((first, _)) = read(&mut stream).await else { return };
    if !first.starts_with("GET") {
        return write(&mut stream, "405 Method Not Allowed", "text/plain", "").await;
    }
    let event = "event: endpoint\ndata: /messages?session=1\n\n";
    write(&mut stream, "200 OK", "text/event-stream", event).await;
    // The stream stays open.
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn the_transport_of_2024_is_named() {
    let url = serve(old).await;
    let reached = reached(&url).await;
    let why = reached.servers.statuses()[0].failure.clone().unwrap();
    assert!(why.contains("only the transport of 2024 (HTTP+SSE)"), "{why}");
    assert!(why.contains(&url) && why.contains("Streamable HTTP"), "{why}");
}

#[tokio::test]
async fn other_failures_do_not_suggest_revision_mismatch() {
    let url = serve(|mut stream| async move {
        if read(&mut stream).await.is_some() {
            write(&mut stream, "200 OK", "text/event-stream", "event: message\ndata: {}\n\n").await;
        }
    });
    let reached = reached(&url.await).await;
    let why = reached.servers.statuses()[0].failure.clone().unwrap();
    assert!(!why.contains("2024"), "{why}");
}
