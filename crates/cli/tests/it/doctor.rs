//! `silcrow doctor` on a machine that is well, and on one that is not.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::process::Stdio;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use serde_json::Value;

use crate::server::request;
use crate::support::{Sandbox, command_output};

/// A server of the model `m` that answers after a call of `answer`.
pub(crate) struct HeldServer {
    address: SocketAddr,
    may_answer: Sender<()>,
}

impl HeldServer {
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (may_answer, told) = channel();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            request(&mut stream);
            told.recv().unwrap();
            let body = "{\"object\":\"list\",\"data\":[{\"id\":\"m\",\"object\":\"model\"}]}";
            let length = body.len();
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
            write!(stream, "{head}\r\ncontent-length: {length}\r\n\r\n{body}").unwrap();
        });
        Self { address, may_answer }
    }

    pub(crate) fn model(&self) -> String {
        format!("compatible:http://{}#m", self.address)
    }

    pub(crate) fn answer(&self) {
        self.may_answer.send(()).unwrap();
    }
}

#[test]
fn findings_are_printed_before_a_server_answers() {
    let sandbox = Sandbox::new();
    let server = HeldServer::new();
    let mut command = sandbox.command(&["doctor"]);
    command.env("SILCROW_MODEL", server.model()).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut doctor = command.spawn().unwrap();
    let mut lines = BufReader::new(doctor.stdout.take().unwrap()).lines().map(Result::unwrap);
    let before: Vec<_> = lines.by_ref().take(3).collect();
    assert!(before[2].contains("keys"), "{before:?}");
    server.answer();
    let after: Vec<_> = lines.collect();
    assert_eq!(after[0], "✓ model     m: its server answers");
    assert!(doctor.wait().unwrap().success(), "{after:?}");
}

fn finding(lines: &[Value], check: &str) -> (String, String) {
    let found = lines.iter().find(|line| line["check"] == check).unwrap();
    (found["status"].as_str().unwrap().to_owned(), found["text"].as_str().unwrap().to_owned())
}

#[test]
fn healthy_setup_exits_with_zero() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["doctor", "--offline", "--json"]);
    command.env("OPENAI_API_KEY", "sk-secret-of-mine-123456").stdin(Stdio::null());
    let said = command_output(command.output().unwrap());
    let lines = said.ends(0).events();
    assert_eq!(finding(&lines, "keys"), ("good".to_owned(), "OPENAI_API_KEY".to_owned()));
    assert!(finding(&lines, "version").1.contains(env!("CARGO_PKG_VERSION")));
    assert!(finding(&lines, "store").1.contains("the first run makes it"));
    for check in ["settings", "model", "sandbox", "terminal", "proxies"] {
        assert_ne!(finding(&lines, check).0, "wrong", "{check}");
    }
    assert!(!said.out.contains("secret-of-mine"), "{}", said.out);
}

#[test]
fn faults_are_named_and_exit_with_1() {
    let sandbox = Sandbox::new();
    sandbox.write("config/silcrow/config.toml", "modle = \"rehearsal\"\n");
    let said = sandbox.silcrow(&["doctor", "--offline"]);
    let line = said.ends(1).out.lines().find(|line| line.starts_with("✗ settings"));
    let line = line.unwrap_or_else(|| panic!("{}", said.out));
    assert!(line.contains("config.toml") && line.contains("model"), "{line}");

    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("data")).unwrap();
    sandbox.write("data/silcrow", "not a folder");
    let said = sandbox.silcrow(&["doctor", "--offline"]);
    assert!(said.ends(1).out.contains("✗ store"), "{}", said.out);
}

#[test]
fn unresponsive_server_is_named() {
    let sandbox = Sandbox::new();
    // A port that was free a moment ago.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let mut command = sandbox.command(&["doctor"]);
    command.env("SILCROW_MODEL", format!("compatible:http://{address}#m")).stdin(Stdio::null());
    let said = command_output(command.output().unwrap());
    assert!(said.ends(1).out.contains("✗ model     m: "), "{}", said.out);
}
