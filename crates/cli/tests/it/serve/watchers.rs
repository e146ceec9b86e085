//! Watchers of a run: a stream of the server, the command that follows a log, and an editor.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::thread::JoinHandle;
use std::time::Instant;

use serde_json::{Value, json};

use super::ServedStream;
use crate::follow::model::Model;
use crate::support::Sandbox;

/// A watcher in a thread, which returns the events that it has read, and the time when it read the
/// end.
pub(super) type Watcher = JoinHandle<(&'static str, String, Instant)>;

/// Reads a stream up to a word.
pub(super) fn watch(name: &'static str, mut stream: ServedStream, end: &'static str) -> Watcher {
    std::thread::spawn(move || {
        let text = stream.until(end);
        (name, text, Instant::now())
    })
}

/// `silcrow log show ID --follow`.
pub(super) struct LogFollower {
    process: Child,
    out: BufReader<ChildStdout>,
}

impl LogFollower {
    pub(super) fn start(sandbox: &Sandbox, conversation: &str) -> Self {
        let mut process = sandbox.start(&["log", "--json", "show", conversation, "--follow"]);
        let out = BufReader::new(process.stdout.take().unwrap());
        Self { process, out }
    }

    pub(super) fn until(&mut self, word: &str) -> String {
        let mut text = String::new();
        while !text.contains(word) {
            assert!(self.out.read_line(&mut text).unwrap() > 0, "{text}");
        }
        text
    }

    pub(super) fn watch(mut self, end: &'static str) -> Watcher {
        std::thread::spawn(move || ("log --follow", self.until(end), Instant::now()))
    }
}

impl Drop for LogFollower {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// An editor at the pipes of `silcrow acp`.
pub(super) struct Acp {
    process: Child,
    input: ChildStdin,
    out: BufReader<ChildStdout>,
}

impl Acp {
    pub(super) fn start(sandbox: &Sandbox, model: &Model) -> Self {
        let mut command = sandbox.command(&["acp", "--model", &model.name()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let input = process.stdin.take().unwrap();
        let out = BufReader::new(process.stdout.take().unwrap());
        let mut acp = Self { process, input, out };
        acp.send(json!({ "id": 0, "method": "initialize", "params": { "protocolVersion": 1 } }));
        acp.until("agentInfo");
        acp
    }

    pub(super) fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        writeln!(self.input, "{message}").unwrap();
    }

    pub(super) fn until(&mut self, word: &str) -> String {
        let mut text = String::new();
        while !text.contains(word) {
            assert!(self.out.read_line(&mut text).unwrap() > 0, "{text}");
        }
        text
    }
}

impl Drop for Acp {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Prints a duration, for measurements.
pub(super) fn say(line: &str) {
    let mut err = std::io::stderr();
    writeln!(err, "{line}").unwrap();
}
