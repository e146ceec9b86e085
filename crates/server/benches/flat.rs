//! The cost of requests in a small store, in one of 10,000 conversations, and in one of a million
//! events.
//!
//! `cargo bench -p silcrow-server --bench flat` sends each request over a socket, with the store of
//! `silcrow serve` behind it, and prints the allocations of the whole process, the bytes that it
//! reads, and the median time. It fails if a request that lists nothing allocates more than 1.2
//! times as much as in the small store. `TMPDIR` may name the folder of the stores.

#[path = "flat/saving.rs"]
mod saving;

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use silcrow_agent::Agent;
use silcrow_event::{Entry, Event, Timestamp};
use silcrow_server::{AccessToken, CancellationToken, Options, RunPlace, Server, ServerUser};
use silcrow_store::Store as _;
use silcrow_store_log::{Durability, LogStore, Options as StoreOptions};
use silcrow_tool::ParkAll;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use saving::{Save, SavingModel};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

fn main() -> ExitCode {
    // A runner of tests starts benches too; only `cargo bench` adds this.
    if !std::env::args().any(|arg| arg == "--bench") {
        return ExitCode::SUCCESS;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(run())
}

/// The stores: the number of conversations, and of events of each.
const SIZES: [(&str, usize, usize); 3] =
    [("small", 2, 5), ("10,000 conversations", 10_000, 5), ("1,000,000 events", 1_000, 1_000)];

/// The requests. The last one lists.
const REQUESTS: [&str; 11] = [
    "GET /conversations/ID",
    "GET /conversations/ID of nobody",
    "GET /conversations/ID/events",
    "POST /conversations/ID/runs, new",
    "POST /conversations/ID/runs, known",
    "POST /conversations/ID/answers",
    "POST /api/chat",
    "POST /v1/chat/completions",
    "POST /v1/responses",
    "POST /ag-ui",
    "GET /conversations?limit=20",
];

async fn run() -> ExitCode {
    let mut rows = vec![Vec::new(); REQUESTS.len()];
    for (_, conversations, events) in SIZES {
        let dir = tempfile::tempdir().unwrap();
        fill(dir.path(), conversations, events).await;
        for (row, cost) in rows.iter_mut().zip(each(dir.path()).await) {
            row.push(cost);
        }
    }
    let names = SIZES.map(|(name, ..)| name).join(" | ");
    say(&format!("| request | {names} | ratios of allocations, bytes read, time |"));
    say("|---|---|---|---|---|");
    let mut above = Vec::new();
    for (request, costs) in REQUESTS.iter().zip(&rows) {
        let cells = costs.iter().map(|cost| {
            let RequestCost { allocations, read, nanos } = cost;
            format!("{allocations}, {read} B, {} µs", nanos / 1_000)
        });
        let ratio = |of: fn(&RequestCost) -> u64| {
            let most = costs[1..].iter().map(of).max().unwrap_or_default();
            most as f64 / of(&costs[0]).max(1) as f64
        };
        let allocated = ratio(|cost| cost.allocations);
        let (read, time) = (ratio(|cost| cost.read), ratio(|cost| cost.nanos));
        let cells = cells.collect::<Vec<_>>().join(" | ");
        say(&format!("| {request} | {cells} | {allocated:.2}, {read:.2}, {time:.2} |"));
        if allocated > MOST && !request.contains('?') {
            above.push(*request);
        }
    }
    if above.is_empty() {
        return ExitCode::SUCCESS;
    }
    say(&format!("\nwhat grows with the store: {}", above.join(", ")));
    ExitCode::FAILURE
}

/// The cost of a request: allocations, the bytes that are read from files, and the time.
#[derive(Clone, Copy)]
struct RequestCost {
    allocations: u64,
    read: u64,
    nanos: u64,
}

/// Sends each request many times. Returns the median costs of each.
async fn each(dir: &Path) -> Vec<RequestCost> {
    let server = BenchServer::start(dir).await;
    let mut costs = Vec::new();
    for (request, kind) in REQUESTS.iter().zip(0..) {
        let mut rounds = Vec::new();
        for round in 0..ROUNDS {
            let prepared = server.prepare(request, kind * ROUNDS + round).await;
            let (before, begin) = ((ALLOCATOR.stats().allocations, bytes_read()), Instant::now());
            let answer = server.send(&prepared).await;
            let nanos = begin.elapsed().as_nanos() as u64;
            assert!(answer.contains(prepared.until), "{request}: {answer}");
            let allocations = (ALLOCATOR.stats().allocations - before.0) as u64;
            rounds.push(RequestCost { allocations, read: bytes_read() - before.1, nanos });
        }
        // The first execution is not counted.
        let median = |of: fn(&RequestCost) -> u64| {
            let mut all: Vec<_> = rounds.iter().skip(2).map(of).collect();
            all.sort_unstable();
            all[all.len() / 2]
        };
        costs.push(RequestCost {
            allocations: median(|cost| cost.allocations),
            read: median(|cost| cost.read),
            nanos: median(|cost| cost.nanos),
        });
    }
    costs
}

/// A request, and the text that ends its answer.
struct PreparedRequest {
    method: &'static str,
    path: String,
    body: String,
    until: &'static str,
}

struct BenchServer {
    address: SocketAddr,
    /// Stops the server with this value.
    stop: CancellationToken,
}

impl BenchServer {
    async fn start(dir: &Path) -> Self {
        let options = StoreOptions { durability: Durability::Process };
        let store = Arc::new(LogStore::open(dir, options).await.unwrap());
        let agent = Agent::new(SavingModel, Arc::clone(&store));
        let agent = agent.with_tool(Save).unwrap().with_approver(ParkAll);
        let server = Server::new(store, move |_: &RunPlace| agent.clone())
            .with_options(Options::default())
            .with_token(AccessToken::parse(TOKEN).unwrap(), ServerUser::default());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
        let stopped = stop.clone();
        tokio::spawn(async move { server.serve(listener, stopped).await });
        Self { address, stop }
    }

    /// Makes the preparations of a request, and returns it.
    async fn prepare(&self, request: &str, number: usize) -> PreparedRequest {
        let (id, asked) = (format!("new{number}"), "/conversations/asked".to_owned());
        let get = |path: String, until| PreparedRequest {
            method: "GET",
            path,
            body: String::new(),
            until,
        };
        let post = |path: String, body: String, until| PreparedRequest {
            method: "POST",
            path,
            body,
            until,
        };
        let prompt = |text: &str| json!({ "prompt": text }).to_string();
        let said = json!([{ "id": "m1", "role": "user", "content": "2 + 2?" }]);
        match request {
            "GET /conversations/ID" => get(asked, "\"seq\":5"),
            "GET /conversations/ID of nobody" => get("/conversations/nobody".to_owned(), "404"),
            "GET /conversations/ID/events" => get(asked + "/events", "id: 5.0"),
            "POST /conversations/ID/runs, new" => {
                post(format!("/conversations/{id}/runs"), prompt("2 + 2?"), "201")
            }
            "POST /conversations/ID/runs, known" => {
                // Each one is the second run of its conversation.
                self.run(&id, "2 + 2?").await;
                post(format!("/conversations/{id}/runs"), prompt("3 + 3?"), "201")
            }
            "POST /conversations/ID/answers" => {
                self.run(&id, "Save.").await;
                let answer = json!({ "question": "1/a1", "decision": "allow" });
                let body = json!({ "answers": [answer] }).to_string();
                post(format!("/conversations/{id}/answers"), body, "\"open\":0")
            }
            "POST /api/chat" => {
                let parts = json!([{ "type": "text", "text": "2 + 2?" }]);
                let messages = json!([{ "id": "m1", "role": "user", "parts": parts }]);
                let body = json!({ "id": id, "messages": messages, "trigger": "submit-message" });
                post("/api/chat".to_owned(), body.to_string(), "[DONE]")
            }
            "POST /v1/chat/completions" => {
                let body = json!({ "model": "silcrow", "stream": true, "messages": said });
                post("/v1/chat/completions".to_owned(), body.to_string(), "[DONE]")
            }
            "POST /v1/responses" => {
                let body = json!({ "input": "2 + 2?", "stream": true });
                post("/v1/responses".to_owned(), body.to_string(), "[DONE]")
            }
            "POST /ag-ui" => {
                let body = json!({
                    "threadId": id, "runId": "r1", "protocolVersion": "1.0", "state": {},
                    "tools": [], "context": [], "messages": said, "resume": null,
                });
                post("/ag-ui".to_owned(), body.to_string(), "RUN_FINISHED")
            }
            "GET /conversations?limit=20" => get("/conversations?limit=20".to_owned(), "200"),
            other => panic!("{other}"),
        }
    }

    /// Sends a request and reads its answer. A run that it begins is read to its end.
    async fn send(&self, request: &PreparedRequest) -> String {
        let PreparedRequest { method, path, body, until } = request;
        let answer = self.exchange(method, path, body, until).await;
        let begins_run = path.ends_with("/runs") || path.ends_with("/answers");
        if let Some((conversation, _)) = path.rsplit_once('/').filter(|_| begins_run) {
            let events = format!("{conversation}/events");
            self.exchange("GET", &events, "", "\"outcome\":\"answered\"").await;
        }
        answer
    }

    /// Makes a run, and reads it to its end.
    async fn run(&self, id: &str, prompt: &str) {
        let (path, body) = (format!("/conversations/{id}/runs"), json!({ "prompt": prompt }));
        self.exchange("POST", &path, &body.to_string(), "201").await;
        self.exchange("GET", &format!("/conversations/{id}/events"), "", "\"outcome\":").await;
    }

    /// Sends a request, and reads until a text, or to the end.
    async fn exchange(&self, method: &str, path: &str, body: &str, until: &str) -> String {
        let mut socket = TcpStream::connect(self.address).await.unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {TOKEN}\r\n\
             connection: close\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        socket.write_all(head.as_bytes()).await.unwrap();
        let (mut answer, mut bytes) = (Vec::with_capacity(64 << 10), vec![0; 16 << 10]);
        loop {
            let count = socket.read(&mut bytes).await.unwrap();
            answer.extend_from_slice(&bytes[..count]);
            let text = String::from_utf8_lossy(&answer);
            if count == 0 || text.contains(until) && path.ends_with("/events") {
                return text.into_owned();
            }
        }
    }
}

impl Drop for BenchServer {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Appends as many events as there are, each conversation at once. The one that is asked for comes first.
async fn fill(dir: &Path, conversations: usize, events: usize) {
    let options = StoreOptions { durability: Durability::Process };
    let store = LogStore::open(dir, options).await.unwrap();
    for number in 0..conversations {
        let (id, count) = match number {
            0 => ("asked".to_owned(), 5),
            number => (format!("c{number}"), events),
        };
        let batch = (0..count).map(|head| entry(number, head)).collect();
        store.append(&id, 0, batch).await.unwrap();
    }
}

fn entry(conversation: usize, head: usize) -> Entry {
    let text = format!("{conversation} {head} {}", "lorem ipsum ".repeat(8));
    let event = if head.is_multiple_of(5) { Event::user(text) } else { Event::think(text) };
    let nanos = 1_763_712_345_123_456_000 + (conversation * 1_000 + head) as i64 * 1_000_000_000;
    Entry { timestamp: Some(Timestamp::from_nanos(nanos)), turn: Some(1), ..event.into() }
}

/// Returns the number of bytes that this process has read.
fn bytes_read() -> u64 {
    let counters = fs::read_to_string("/proc/self/io").unwrap_or_default();
    let count = counters.lines().find_map(|line| line.strip_prefix("rchar: "));
    count.and_then(|count| count.parse().ok()).unwrap_or_default()
}

fn say(line: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// The maximum allocations of a request, as a multiple of those in the small store.
const MOST: f64 = 1.2;

const ROUNDS: usize = 12;

const TOKEN: &str = "5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c";
