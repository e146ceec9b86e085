//! Runs in the mode auto over WebSockets that do not work: their cost, and the number of requests
//! to a server.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio_tungstenite::tungstenite::{self, Message};

use crate::server::{is_post, request, serve};
use crate::support::{CommandOutput, Sandbox, command_output};

/// The outcome of an upgrade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Upgrade {
    /// It is answered so.
    Answered(&'static str),
    /// It is never answered.
    Hangs,
    /// The WebSocket opens, and nothing comes over it.
    Swallows,
    /// The WebSocket opens, and closes at the first question.
    Drops,
    /// The WebSocket opens, takes the question up, and says this instead of an answer.
    Says(&'static str),
}

/// A model that has a tool called at each step but the last, and counts how it was asked.
#[derive(Clone)]
struct Server {
    address: SocketAddr,
    upgrade: Upgrade,
    /// The answer to requests, if they fail.
    post: Option<&'static str>,
    upgrades: Arc<AtomicUsize>,
    posts: Arc<AtomicUsize>,
}

impl Server {
    fn start(upgrade: Upgrade, post: Option<&'static str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (upgrades, posts) = Default::default();
        let server = Self { address, upgrade, post, upgrades, posts };
        let serving = server.clone();
        serve(listener, move |socket| serving.serve(socket));
        server
    }

    fn serve(&self, mut socket: TcpStream) {
        if is_post(&socket) {
            self.posts.fetch_add(1, Ordering::SeqCst);
            let asked = request(&mut socket);
            let answer = self.post.map_or_else(|| answer(&asked), str::to_owned);
            let _ = socket.write_all(answer.as_bytes());
            return;
        }
        self.upgrades.fetch_add(1, Ordering::SeqCst);
        match self.upgrade {
            Upgrade::Answered(answer) => {
                request(&mut socket);
                let _ = socket.write_all(answer.as_bytes());
            }
            Upgrade::Hangs => while socket.read(&mut [0; 1024]).is_ok_and(|count| count > 0) {},
            Upgrade::Swallows => {
                let mut frames = tungstenite::accept(socket).unwrap();
                while frames.read().is_ok() {}
            }
            Upgrade::Drops => drop(tungstenite::accept(socket).unwrap().read()),
            Upgrade::Says(event) => {
                let mut frames = tungstenite::accept(socket).unwrap();
                while let Ok(Message::Text(_)) = frames.read() {
                    let created = r#"{"type":"response.created","response":{"id":"r"}}"#;
                    let _ = frames.send(Message::text(created));
                    let _ = frames.send(Message::text(event));
                }
            }
        }
    }

    fn asked(&self) -> (usize, usize) {
        (self.upgrades.load(Ordering::SeqCst), self.posts.load(Ordering::SeqCst))
    }

    fn run(&self, mode: &str) -> (CommandOutput, Duration) {
        let sandbox = Sandbox::new();
        let args = ["run", "go", "--model", "openai-responses:m", "--mode", mode];
        let mut command = sandbox.command(&[&args[..], &["--store", "memory", "--json"]].concat());
        command
            .env("OPENAI_API_KEY", "sk-canary")
            .env("OPENAI_BASE_URL", format!("http://{}", self.address))
            .env("SILCROW_TIMEOUT_FIRST", "1")
            .env("SILCROW_PATIENCE", "1")
            .env("SILCROW_TIMEOUT_CONNECT", "0.5")
            .stdin(Stdio::null());
        let start = Instant::now();
        (command_output(command.output().unwrap()), start.elapsed())
    }
}

/// The answer to a request: a call, as long as not all of them were made.
fn answer(asked: &str) -> String {
    let text = match asked.matches("\"role\":\"assistant\"").count() {
        STEPS.. => unreachable!("the run was over"),
        calls if calls + 1 == STEPS => "§respond: done\n§end".to_owned(),
        calls => format!(
            "§call: {{\"name\": \"file_list\", \"args\": {{}}}}\n§think: {calls}\n§execute\n"
        ),
    };
    let delta = json!({"type": "response.output_text.delta", "delta": text});
    let end = json!({"type": "response.completed", "response": {"status": "completed"}});
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    format!("{head}data: {delta}\n\ndata: {end}\n\n")
}

const STEPS: usize = 5;

const SLOW: &str =
    "HTTP/1.1 429 Slow\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
const BUSY: &str = "HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
const FULL: &str = "HTTP/1.1 529 Full\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
const BAD: &str = "HTTP/1.1 400 Bad\r\nContent-Type: application/json\r\nConnection: close\r\n\
                   Content-Length: 27\r\n\r\n{\"error\":{\"message\":\"bad\"}}";
const WHO: &str = "HTTP/1.1 401 Who\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
const NONE: &str = "HTTP/1.1 404 None\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

#[test]
fn broken_websocket_is_tried_once() {
    for (upgrade, upgrades) in [
        (Upgrade::Hangs, 1),
        (Upgrade::Swallows, 1),
        (Upgrade::Drops, 2),
        (Upgrade::Answered(SLOW), 2),
        (Upgrade::Answered(BUSY), 2),
        (Upgrade::Answered(NONE), 1),
    ] {
        let server = Server::start(upgrade, None);
        let (said, took) = server.run("auto");
        said.ends(0);
        assert_eq!(server.asked(), (upgrades, STEPS), "{upgrade:?}");
        // The run waits for one limit at most, or as long as the server asks.
        assert!(took < Duration::from_secs(15), "{upgrade:?}: {took:?}");
    }
}

#[test]
fn server_failing_both_ways_is_asked_thrice() {
    for answer in [SLOW, BUSY, FULL] {
        let server = Server::start(Upgrade::Answered(answer), Some(answer));
        let (said, _) = server.run("auto");
        assert!(said.ends(1).out.contains("(asked 3 times)"), "{}", said.out);
        assert_eq!(server.asked(), (1, 2), "{answer}");
    }
}

#[test]
fn other_errors_cause_no_http_fallback() {
    for answer in [BAD, WHO] {
        let server = Server::start(Upgrade::Answered(answer), Some(answer));
        let (said, _) = server.run("auto");
        said.ends(1);
        assert_eq!(server.asked(), (1, 0), "{answer}");
    }
    let refused =
        r#"{"type":"error","status":400,"error":{"code":"invalid_prompt","message":"m"}}"#;
    let server = Server::start(Upgrade::Says(refused), None);
    server.run("auto").0.ends(1);
    assert_eq!(server.asked(), (1, 0));
}

#[test]
fn rate_limited_answer_is_retried_in_every_mode() {
    let slow =
        r#"{"type":"error","status":429,"error":{"code":"rate_limit_exceeded","message":"m"}}"#;
    let server = Server::start(Upgrade::Says(slow), None);
    let (said, took) = server.run("resume");
    assert!(said.ends(1).out.contains("(asked 3 times)"), "{}", said.out);
    assert_eq!(server.asked(), (3, 0));
    assert!(took > Duration::from_millis(1500), "{took:?}");

    let server = Server::start(Upgrade::Says(slow), None);
    server.run("auto").0.ends(0);
    assert_eq!(server.asked(), (2, STEPS));
}
