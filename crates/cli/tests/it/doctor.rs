//! `silcrow doctor` on a machine that is well, and on one that is not.

use std::process::Stdio;

use serde_json::Value;

use crate::support::{Sandbox, command_output};

fn finding(lines: &[Value], check: &str) -> (String, String) {
    let found = lines.iter().find(|line| line["check"] == check).unwrap();
    (found["status"].as_str().unwrap().to_owned(), found["text"].as_str().unwrap().to_owned())
}

#[test]
fn what_is_well_exits_with_0() {
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
fn a_server_that_does_not_answer_is_named() {
    let sandbox = Sandbox::new();
    // A port that was free a moment ago.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let mut command = sandbox.command(&["doctor"]);
    command.env("SILCROW_MODEL", format!("compatible:http://{address}#m")).stdin(Stdio::null());
    let said = command_output(command.output().unwrap());
    assert!(said.ends(1).out.contains("✗ model     m: "), "{}", said.out);
}
