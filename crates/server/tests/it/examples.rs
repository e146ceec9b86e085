//! The examples of this crate, as servers at a real socket.

#[expect(dead_code, reason = "its main function has a port of its own")]
#[path = "../../examples/ag_ui.rs"]
mod ag_ui;
#[expect(dead_code, reason = "its main function has a port of its own")]
#[path = "../../examples/handler.rs"]
mod handler;
#[expect(dead_code, reason = "its main function has a port of its own")]
#[path = "../../examples/mounted.rs"]
mod mounted;

use axum::Router;
use silcrow_server::{CancellationToken, Server};
use tokio::net::TcpListener;

use crate::support::{Reply, TestServer, block_on};

/// Serves an example, and sends it a request.
async fn ask(server: Server, app: Router, request: [&str; 4]) -> Reply {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let model = silcrow_provider::ScriptedModel::parse("", 1);
    let mut client = TestServer::new(model).await;
    client.address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let stops = stop.clone();
    let served = tokio::spawn(async move { server.serve_router(app, listener, stops).await });
    let [method, path, headers, body] = request;
    let reply = client.send_raw(method, path, headers, body).await;
    stop.cancel();
    served.await.unwrap();
    reply
}

#[test]
fn an_agent_is_behind_ag_ui() {
    block_on(async {
        let server = ag_ui::server();
        let user = serde_json::json!({ "id": "m1", "role": "user", "content": "Hi." });
        let body = serde_json::json!({
            "threadId": "t1", "runId": "r1", "protocolVersion": "1.0", "state": {}, "tools": [],
            "context": [], "messages": [user],
        });
        let app = server.router();
        let reply = ask(server, app, ["POST", "/ag-ui", "", &body.to_string()]).await;
        let events = reply.data();
        let said: String = events.iter().filter_map(|event| event["delta"].as_str()).collect();
        assert_eq!(said, "Hello.", "{events:?}");
        assert_eq!(events.last().unwrap()["outcome"]["type"], "success");
    });
}

#[test]
fn the_endpoints_are_mounted_in_a_program() {
    block_on(async {
        for (path, headers, status) in [
            ("/program", "", 200),
            ("/agent/health", "", 200),
            ("/agent/conversations", "", 401),
            ("/agent/conversations", "x-user: ann\r\n", 200),
            ("/agent/conversations", "x-user: ann\r\norigin: http://evil.example\r\n", 403),
            ("/nothing", "x-user: ann\r\n", 404),
        ] {
            let server = mounted::server();
            let app = mounted::app(&server);
            let reply = ask(server, app, ["GET", path, headers, ""]).await;
            assert_eq!(reply.status, status, "{path} {headers}: {reply:?}");
        }
    });
}

#[test]
fn custom_handler_streams_a_whole_run() {
    block_on(async {
        let message = serde_json::json!({
            "id": "m1", "role": "user", "parts": [{ "type": "text", "text": "Hi." }],
        });
        let body = serde_json::json!({
            "id": "c1", "trigger": "submit-message", "messages": [message],
        });
        let server = ag_ui::server();
        let reply = ask(server, handler::app(), ["POST", "/chat", "", &body.to_string()]).await;
        let chunks = reply.data();
        assert!(reply.head.contains("text/event-stream"), "{reply:?}");
        let said: String = chunks.iter().filter_map(|chunk| chunk["delta"].as_str()).collect();
        assert_eq!(said, "Hello.", "{chunks:?}");
        let kinds: Vec<_> = chunks.iter().filter_map(|chunk| chunk["type"].as_str()).collect();
        assert_eq!(kinds.last(), Some(&"finish"), "{chunks:?}");
    });
}
