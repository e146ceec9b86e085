//! `silcrow serve` as a process: a run over HTTP, questions, undo, and its end.

mod asked;
mod chosen;
mod cluster;
mod damaged;
mod dashboard;
mod given_up;
mod pages;
mod pictures;
mod plain;
mod root_names;
mod shared;
mod taken_over;
mod users;
mod watched;
mod watchers;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::MetadataExt as _;
use std::process::Child;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::Sandbox;

/// A server and the parts of its link.
struct Serving {
    process: Child,
    address: String,
    token: String,
}

impl Serving {
    fn start(sandbox: &Sandbox) -> Self {
        Self::start_with(sandbox, &[])
    }

    fn start_with(sandbox: &Sandbox, args: &[&str]) -> Self {
        let serve = ["serve", "--listen", "127.0.0.1:0"];
        Self::from_process(sandbox.start(&[&serve[..], args].concat()))
    }

    /// Reads the link of a server that was started.
    fn from_process(mut process: Child) -> Self {
        let mut link = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut link).unwrap();
        let link = link.trim().strip_prefix("http://").unwrap_or_else(|| panic!("{link:?}"));
        let (address, token) = link.split_once("/#token=").unwrap();
        Self { process, address: address.to_owned(), token: token.to_owned() }
    }

    fn open(&self, method: &str, path: &str, body: &str) -> TcpStream {
        self.open_with(method, path, "", body)
    }

    fn open_with(&self, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
        self.open_as(&self.token, method, path, headers, body)
    }

    fn open_as(
        &self,
        token: &str,
        method: &str,
        path: &str,
        headers: &str,
        body: &str,
    ) -> TcpStream {
        let mut socket = TcpStream::connect(&self.address).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let (address, length) = (&self.address, body.len());
        write!(
            socket,
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\
             {headers}connection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        socket
    }

    /// Sends a request, and returns the status and the JSON of the answer.
    fn send(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        self.send_with(method, path, "", body)
    }

    fn send_with(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, Value) {
        Self::read_answer(self.open_with(method, path, headers, body))
    }

    /// Sends a request of another user.
    fn send_as(&self, token: &str, method: &str, path: &str, body: &str) -> (u16, Value) {
        Self::read_answer(self.open_as(token, method, path, "", body))
    }

    fn read_answer(mut socket: TcpStream) -> (u16, Value) {
        let mut text = String::new();
        socket.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap_or_default())
    }

    /// Reads the events of a conversation up to this word.
    fn follow(&self, conversation: &str, word: &str) -> String {
        self.read(&format!("/conversations/{conversation}/events")).until(word)
    }

    /// Opens a stream, which is there once its head has been read.
    fn read(&self, path: &str) -> ServedStream {
        self.read_with("GET", path, "")
    }

    fn read_with(&self, method: &str, path: &str, body: &str) -> ServedStream {
        let mut stream = ServedStream(BufReader::new(self.open(method, path, body)));
        stream.until("\r\n\r\n");
        stream
    }

    /// Returns the text of an answer.
    fn text(&self, path: &str) -> String {
        let mut text = String::new();
        self.open("GET", path, "").read_to_string(&mut text).unwrap();
        text
    }

    /// Ends the process with a signal, and returns its exit code.
    fn end(mut self, signal: Signal) -> Option<i32> {
        kill_process(Pid::from_child(&self.process), signal).unwrap();
        self.process.wait().unwrap().code()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // A test that has failed leaves no server behind.
        let _ = self.process.kill();
    }
}

/// A stream of events.
struct ServedStream(BufReader<TcpStream>);

impl ServedStream {
    /// Reads lines up to this word.
    fn until(&mut self, word: &str) -> String {
        let mut text = String::new();
        while !text.contains(word) {
            assert!(self.0.read_line(&mut text).unwrap() > 0, "{text}");
        }
        text
    }
}

#[test]
fn run_is_approved_and_undone_over_http() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox);
    let prompt = r#"{"prompt":"Write tea into tea.txt"}"#;
    assert_eq!(server.send("POST", "/conversations/third/runs", prompt).0, 201);
    server.follow("third", r#""outcome":"waiting""#);
    let (_, asked) = server.send("GET", "/conversations/third/questions", "");
    assert_eq!(asked["questions"][0]["call"]["tool"], "file_write", "{asked}");
    let answers = r#"{"answers":[{"question":"1/a1","decision":"allow"}]}"#;
    let (status, taken) = server.send("POST", "/conversations/third/answers", answers);
    assert_eq!((status, &taken["open"]), (200, &0.into()), "{taken}");
    let text = server.follow("third", r#""outcome":"answered""#);
    assert!(text.contains("created `tea.txt`"), "{text}");
    assert_eq!(std::fs::read_to_string(sandbox.root().join("tea.txt")).unwrap(), "tea");

    let (_, wire) = server.send("GET", "/conversations/third/wire?turn=2", "");
    assert!(wire["wire"].as_str().unwrap().starts_with("§"), "{wire}");
    let (status, undone) = server.send("POST", "/conversations/third/undo", "");
    assert_eq!((status, &undone["files"][0]["outcome"]), (200, &"removed".into()), "{undone}");
    assert!(!sandbox.root().join("tea.txt").exists());

    // Other processes see the conversation, and the server sees theirs.
    let shown = sandbox.silcrow(&["log", "--json", "show", "third"]);
    shown.ends(0);
    assert!(shown.out.contains("created `tea.txt`"), "{}", shown.out);
    sandbox.silcrow(&["run", "--new", "other", "hello"]).ends(0);
    let (_, listed) = server.send("GET", "/conversations", "");
    assert_eq!(listed["conversations"][0]["id"], "other", "{listed}");
    assert_eq!(server.send("DELETE", "/conversations/third", "").0, 204);
    sandbox.silcrow(&["log", "show", "third"]).ends(2);

    let token = server.token.clone();
    assert_eq!(server.end(Signal::TERM), Some(0));
    let file = sandbox.path("data/silcrow/server-token");
    assert_eq!(std::fs::metadata(file).unwrap().mode() & 0o777, 0o600);
    let again = Serving::start(&sandbox);
    assert_eq!(again.token, token);
    assert_eq!(again.end(Signal::INT), Some(0));
}

#[test]
fn unusable_listen_address_is_reported() {
    let sandbox = Sandbox::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let said = sandbox.silcrow(&["serve", "--listen", &address]);
    said.ends(1);
    assert!(said.err.contains("another program has it, so choose another"), "{}", said.err);
    let said = sandbox.silcrow(&["serve", "--listen", "0.0.0.0:0"]);
    said.ends(2);
    assert!(said.err.contains("--allow-remote"), "{}", said.err);
    let said = sandbox.silcrow(&["serve", "--listen", "here"]);
    said.ends(2);
    assert!(said.err.contains("--listen"), "{}", said.err);
}

#[test]
fn served_agent_starts_and_ends_configured_mcp_servers() {
    let sandbox = Sandbox::new();
    crate::mcp::declare(&sandbox, &["lives"], "");
    let model = crate::mcp::script(&sandbox, &[("test.spawn", "{}")]);
    let flags = ["--model", &model, "--permissions", "full"];
    let server = Serving::start_with(&sandbox, &flags);
    assert_eq!(server.send("POST", "/conversations/c/runs", r#"{"prompt":"go"}"#).0, 201);
    server.follow("c", r#""outcome":"answered""#);
    let shown = sandbox.silcrow(&["log", "--json", "show", "c"]);
    let events = shown.ends(0).events();
    let result = events.iter().find(|event| event["type"] == "result").unwrap();
    let pid = result["content"].as_str().unwrap();
    assert!(crate::mcp::is_alive(pid), "{result}");
    assert_eq!(server.end(Signal::TERM), Some(0));
    assert!(crate::mcp::has_ended(pid));
}

#[test]
fn http_run_joins_its_caller_trace() {
    let sandbox = Sandbox::new();
    let server = Serving::start_with(&sandbox, &["--model", "rehearsal"]);
    let caller = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let header = format!("traceparent: {caller}\r\n");
    let begun =
        server.send_with("POST", "/conversations/c1/runs", &header, r#"{"prompt":"Hello"}"#);
    assert_eq!(begun.0, 201);
    server.follow("c1", r#""outcome":"answered""#);
    let bad = "traceparent: 00-garbage\r\n";
    let begun = server.send_with("POST", "/conversations/c2/runs", bad, r#"{"prompt":"Hello"}"#);
    assert_eq!(begun.0, 201);
    server.follow("c2", r#""outcome":"answered""#);
    let first = |id: &str| sandbox.silcrow(&["log", "--json", id]).ends(0).events()[0].clone();
    assert_eq!(first("c1")["traceparent"], caller);
    assert_eq!(first("c2")["traceparent"], Value::Null);
    server.end(Signal::TERM);
}
