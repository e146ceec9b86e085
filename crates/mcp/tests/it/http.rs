//! A server over HTTP on this machine, which loses, delays and breaks its answers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use silcrow_mcp::{
    ErrorKind, HeaderSource, Options, ServerAddress, ServerConfig, ServerHeaders, ServerUrl,
    check_header_name,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::Reached;

const UNKNOWN: &str = "the outcome of this call is unknown";

/// The headers of the requests that a server got.
type SeenHeaders = Arc<Mutex<Vec<String>>>;

/// Serves at a free port, and returns its address.
async fn server(seen: SeenHeaders) -> ServerUrl {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut url = ServerUrl::default();
    url.url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, Arc::clone(&seen)));
        }
    });
    url
}

/// Serves as [`server`] does to requests with this key, which is read for each request.
async fn keyed_server(key: Arc<Mutex<&'static str>>, seen: SeenHeaders) -> ServerUrl {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut url = ServerUrl::default();
    url.url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (key, seen) = (*key.lock().unwrap(), Arc::clone(&seen));
            tokio::spawn(async move {
                let mut bytes = [0; 4096];
                let read = stream.peek(&mut bytes).await.unwrap_or_default();
                let head = String::from_utf8_lossy(&bytes[..read]).to_lowercase();
                if head.contains(&format!("x-api-key: {key}\r\n")) {
                    return answer(stream, seen).await;
                }
                seen.lock().unwrap().push("refused".to_owned());
                let text =
                    "HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
                // The request is read first, so that the answer is not lost.
                while matches!(stream.try_read(&mut bytes), Ok(1..)) {}
                let _ = stream.write_all(text.as_bytes()).await;
            });
        }
    });
    url
}

/// Headers with the keys `first-0` and then `key-N`, and the number of times that it was asked.
struct Keys(Mutex<(usize, Vec<bool>)>);

/// A clone shares the count.
#[derive(Clone)]
struct SharedKeys(Arc<Keys>);

impl HeaderSource for SharedKeys {
    fn headers(&self, is_refused: bool) -> BoxFuture<'_, Result<Vec<(String, String)>, String>> {
        let mut asked = self.0.0.lock().unwrap();
        asked.1.push(is_refused);
        if is_refused && asked.0 < 1 {
            asked.0 += 1;
        }
        let headers = vec![("X-API-Key".to_owned(), format!("key-{}", asked.0))];
        Box::pin(std::future::ready(Ok(headers)))
    }
}

#[tokio::test]
async fn refused_headers_are_requested_again() {
    let (key, seen) = (Arc::new(Mutex::new("key-0")), SeenHeaders::default());
    let url = keyed_server(Arc::clone(&key), Arc::clone(&seen)).await;
    let keys = Arc::new(Keys(Mutex::default()));
    let url = url.with_headers(ServerHeaders::new(SharedKeys(Arc::clone(&keys))));
    let config = ServerConfig::new("test", ServerAddress::Url(url)).unwrap();
    let reached = Reached::with(config, Options::default()).await;
    assert_eq!(reached.text("echo", json!({"text": "first"})).await, "first");
    assert_eq!(keys.0.lock().unwrap().1, [false]);
    *key.lock().unwrap() = "key-1";
    assert_eq!(reached.text("echo", json!({"text": "second"})).await, "second");
    assert_eq!(keys.0.lock().unwrap().1.iter().filter(|refused| **refused).count(), 1);
    // No other key helps, and the failure names the server's answer.
    *key.lock().unwrap() = "key-9";
    let why = reached.failure("echo").await;
    assert!(why.contains("401"), "{why}");
    assert!(!why.contains("key-1"), "{why}");
}

#[test]
fn headers_of_the_request_itself_are_not_declared() {
    for (name, is_one) in [
        ("X-API-Key", true),
        ("Authorization", true),
        ("Mcp-Session-Id", false),
        ("Host", false),
        ("content-length", false),
        ("a b", false),
        ("", false),
    ] {
        assert_eq!(check_header_name(name).is_ok(), is_one, "{name}");
    }
}

/// Answers one request, and closes the connection.
async fn answer(mut stream: TcpStream, seen: SeenHeaders) {
    let mut bytes = Vec::new();
    let (head, length) = loop {
        if stream.read_buf(&mut bytes).await.unwrap_or_default() == 0 {
            return;
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some(end) = text.find("\r\n\r\n") {
            let head = text[..end].to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            break (head.clone(), end + 4 + length.map_or(0, |length| length.parse().unwrap()));
        }
    };
    while bytes.len() < length {
        if stream.read_buf(&mut bytes).await.unwrap_or_default() == 0 {
            return;
        }
    }
    seen.lock().unwrap().push(head.clone());
    let start = String::from_utf8_lossy(&bytes).find("\r\n\r\n").unwrap() + 4;
    let message: Value = serde_json::from_slice(&bytes[start..]).unwrap_or_default();
    let (status, body) = match reply(&message) {
        Reply::Result(result) if !head.starts_with("post") => ("405 Method Not Allowed", result),
        Reply::Result(result) if message["id"].is_null() => ("202 Accepted", result),
        Reply::Result(result) => {
            ("200 OK", json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
        }
        Reply::Error => {
            let error = json!({"code": -32601, "message": "there is no method of this name"});
            ("200 OK", json!({"jsonrpc": "2.0", "id": message["id"], "error": error}))
        }
        Reply::Lost => return,
        Reply::Frozen => std::future::pending().await,
        Reply::Garbled => ("200 OK", json!("{\"jsonrpc\": \u{fffd}")),
    };
    let body = body.to_string();
    let text = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{body}",
        body.len()
    );
    // The client may have left.
    let _ = stream.write_all(text.as_bytes()).await;
}

enum Reply {
    Result(Value),
    Error,
    Lost,
    Frozen,
    Garbled,
}

fn reply(message: &Value) -> Reply {
    let tool = message["params"]["name"].as_str().unwrap_or_default();
    match (message["method"].as_str().unwrap_or_default(), tool) {
        ("server/discover", _) => Reply::Error,
        ("initialize", _) => Reply::Result(json!({"protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}}, "serverInfo": {"name": "web", "version": "1"}})),
        ("tools/list", _) => {
            let tool = |name| json!({"name": name, "inputSchema": {"type": "object"}});
            let tools = ["echo", "lose", "freeze", "garble"].map(tool);
            Reply::Result(json!({"tools": tools}))
        }
        ("tools/call", "lose") => Reply::Lost,
        ("tools/call", "freeze") => Reply::Frozen,
        ("tools/call", "garble") => Reply::Garbled,
        ("tools/call", _) => {
            let text = message["params"]["arguments"]["text"].clone();
            Reply::Result(json!({"content": [{"type": "text", "text": text}]}))
        }
        _ => Reply::Result(json!({})),
    }
}

#[tokio::test]
async fn http_calls_may_succeed_fail_or_time_out() {
    let seen = SeenHeaders::default();
    let url = server(Arc::clone(&seen)).await.with_token("a-token");
    let config = ServerConfig::new("test", ServerAddress::Url(url)).unwrap();
    let config = config.with_timeout(Duration::from_secs(2));
    let reached = Reached::with(config, Options::default()).await;
    assert_eq!(reached.text("echo", json!({"text": "hello"})).await, "hello");
    for tool in ["lose", "freeze", "garble"] {
        let why = timeout(Duration::from_secs(60), reached.failure(tool)).await.unwrap();
        assert!(why.contains(UNKNOWN), "{tool}: {why}");
        assert_eq!(reached.text("echo", json!({"text": tool})).await, tool);
    }
    let seen = seen.lock().unwrap().clone();
    assert!(seen.iter().all(|head| head.contains("authorization: bearer a-token")), "{seen:?}");
    assert_eq!(seen.iter().filter(|head| head.contains("lose")).count(), 0, "{seen:?}");
}

#[tokio::test]
async fn plain_http_is_limited_to_loopback() {
    for (url, is_one) in [
        ("http://127.0.0.1:1/mcp", true),
        ("http://localhost/mcp", true),
        ("http://[::1]:1/mcp", true),
        ("https://example.org/mcp", true),
        ("http://example.org/mcp", false),
        ("http://localhost.example.org/mcp", false),
        ("http://192.168.0.1/mcp", false),
        ("https://user:word@example.org/mcp", false),
        ("file:///etc/passwd", false),
    ] {
        let config = ServerConfig::new("test", ServerAddress::url(url));
        assert_eq!(config.is_ok(), is_one, "{url}");
        assert!(config.is_ok() || config.unwrap_err().kind() == ErrorKind::Invalid);
    }
}

#[tokio::test]
async fn unreachable_server_is_named_with_address() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    drop(listener);
    let config = ServerConfig::new("test", ServerAddress::url(&url)).unwrap();
    let reached = Reached::with(config, Options::default()).await;
    let failure = reached.servers.statuses()[0].failure.clone().unwrap();
    assert!(failure.contains(&url), "{failure}");
}
