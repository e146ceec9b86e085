//! A prompt that a server has acknowledged is stored, whatever happens to the server then; one that
//! cannot be stored is not acknowledged.

mod process;

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use silcrow_agent::Agent;
use silcrow_provider::ScriptedModel;
use silcrow_server::{AccessToken, RunPlace, Server, ServerUser};
use silcrow_store::{MemoryStore, Store};
use silcrow_store_log::{LogStore, Options as LogOptions};
use silcrow_store_postgres::{Options as PostgresOptions, PostgresAddress, PostgresStore};
use silcrow_testkit::PostgresServer;
use tempfile::TempDir;

use crate::support::{TestServer, block_on};
use process::{ServerProcess, TOKEN};

/// The requests that begin a run: an address, a body and the status that acknowledges it.
const REQUESTS: [(&str, &str, &str); 6] = [
    ("/conversations/CHAT/runs", r#"{"prompt":"go to CHAT"}"#, "201"),
    ("/v1/responses", r#"{"input":"go to CHAT","conversation":"CHAT","background":true}"#, "200"),
    ("/v1/responses", r#"{"input":"go to CHAT","conversation":"CHAT","stream":true}"#, "200"),
    (
        "/v1/chat/completions",
        r#"{"model":"silcrow","stream":true,"messages":[{"role":"user","content":"go to CHAT"}]}"#,
        "200",
    ),
    (
        "/api/chat",
        r#"{"id":"CHAT","trigger":"submit-message","messages":[{"id":"m1","role":"user","parts":[
            {"type":"text","text":"go to CHAT"}]}]}"#,
        "200",
    ),
    (
        "/ag-ui",
        r#"{"threadId":"CHAT","runId":"r","protocolVersion":"1.0","state":{},"tools":[],
            "context":[],"messages":[{"id":"m1","role":"user","content":"go to CHAT"}]}"#,
        "200",
    ),
];

/// Sends each request to a separate server, which is killed when the head of its answer has
/// arrived. Returns the prompts that were acknowledged.
fn acknowledged_before_a_kill(store: &str) -> Vec<String> {
    let mut prompts = Vec::new();
    for round in 0..ROUNDS {
        for (number, (path, body, status)) in REQUESTS.into_iter().enumerate() {
            let mut server = ServerProcess::start(store);
            let chat = format!("chat-{round}-{number}");
            let (path, body) = (path.replace("CHAT", &chat), body.replace("CHAT", &chat));
            let mut socket = TcpStream::connect(server.address()).unwrap();
            let head = format!(
                "POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\n\
                 content-length: {}\r\n\r\n{body}",
                body.len()
            );
            socket.write_all(head.as_bytes()).unwrap();
            let mut answer = [0; 12];
            socket.read_exact(&mut answer).unwrap();
            server.kill();
            let answer = String::from_utf8_lossy(&answer);
            assert_eq!(answer, format!("HTTP/1.1 {status}"), "{path}");
            prompts.push(format!("go to {chat}"));
        }
    }
    prompts
}

async fn check_stored(store: &dyn Store, prompts: &[String]) {
    let stored = store.list(None).await.unwrap();
    let titles: Vec<_> = stored.iter().map(|summary| &summary.title).collect();
    let lost: Vec<_> = prompts.iter().filter(|prompt| !titles.contains(prompt)).collect();
    assert!(lost.is_empty(), "{} of {} are lost: {lost:?}", lost.len(), prompts.len());
}

#[test]
fn acknowledged_prompt_in_folder_survives_kill() {
    let folder = TempDir::new().unwrap();
    let store = folder.path().join("store");
    let prompts = acknowledged_before_a_kill(store.to_str().unwrap());
    block_on(async {
        let store = LogStore::open(&store, LogOptions::default()).await.unwrap();
        check_stored(&store, &prompts).await;
    });
}

#[test]
fn acknowledged_prompt_in_database_survives_kill() {
    let Some(postgres) = PostgresServer::shared() else { return };
    let database = postgres.database();
    let prompts = acknowledged_before_a_kill(&database);
    block_on(async {
        let address = PostgresAddress::parse(&database, |_| None).unwrap();
        let store = PostgresStore::open(address, PostgresOptions::default()).await.unwrap();
        check_stored(&store, &prompts).await;
    });
}

/// A server over a store in a folder.
async fn over(store: Arc<LogStore>) -> TestServer {
    let kept = Arc::clone(&store);
    let source = move |_: &RunPlace| {
        Agent::new(ScriptedModel::parse("§respond: Here.\n§end", 1), Arc::clone(&kept))
    };
    let token = AccessToken::random().unwrap();
    let server = Server::new(store, source).with_token(token.clone(), ServerUser::default());
    TestServer::serve(server, Arc::new(MemoryStore::new()), token.reveal()).await
}

/// Sends each request for a run, and returns the statuses.
async fn statuses(server: &TestServer, chat: &str) -> Vec<u16> {
    let mut statuses = Vec::new();
    for (path, body, _) in REQUESTS {
        let (path, body) = (path.replace("CHAT", chat), body.replace("CHAT", chat));
        statuses.push(server.send("POST", &path, &body).await.status);
    }
    statuses
}

#[test]
fn prompt_for_held_conversation_is_refused() {
    block_on(async {
        let folder = TempDir::new().unwrap();
        let store = Arc::new(LogStore::open(folder.path(), LogOptions::default()).await.unwrap());
        let other = LogStore::open(folder.path(), LogOptions::default()).await.unwrap();
        let hold = other.hold("c1").await.unwrap();
        let server = over(Arc::clone(&store)).await;
        // A request of Chat Completions has a separate conversation.
        assert_eq!(statuses(&server, "c1").await, [409, 409, 409, 200, 409, 409]);
        assert_eq!(store.head("c1").await.unwrap(), 0);
        // A reader learns the outcome, and does not wait.
        let mut reader = server.events("/conversations/c1/events", None).await;
        let end = reader.until("idle").await.pop().unwrap();
        assert_eq!(end.data["outcome"], "failed", "{end:?}");
        assert_eq!(end.data["code"], "store_locked", "{end:?}");
        hold.release().await;
        server.start("c1", "Now.").await;
        assert!(store.head("c1").await.unwrap() > 0);
    });
}

#[test]
fn unstorable_prompt_is_not_acknowledged() {
    block_on(async {
        let folder = TempDir::new().unwrap();
        let store = Arc::new(LogStore::open(folder.path(), LogOptions::default()).await.unwrap());
        store.append("c0", 0, vec![silcrow_event::Event::user("earlier").into()]).await.unwrap();
        let server = over(store).await;
        let gone = TempDir::new().unwrap();
        fs::rename(folder.path(), gone.path().join("store")).unwrap();
        let statuses = tokio::time::timeout(Duration::from_secs(30), statuses(&server, "c1"));
        let statuses = statuses.await.expect("no request waits");
        assert!(statuses.iter().all(|status| *status >= 500), "{statuses:?}");
    });
}

/// The number of times that each request is sent.
const ROUNDS: usize = 2;
