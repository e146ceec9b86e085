//! A server whose store is damaged.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::Sandbox;

/// A sandbox whose store has lost its only segment, and the flag of a model.
fn damaged() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let script = sandbox.write("script", "§respond: yes\n§end");
    let model = format!("script:{script}");
    sandbox.silcrow(&["run", "whales", "--model", &model, "--new", "c1"]).ends(0);
    let log = sandbox.path("data/silcrow/log");
    let segment = log.read_dir().unwrap().next().unwrap().unwrap().path();
    std::fs::write(segment, "").unwrap();
    (sandbox, model)
}

/// Both end when their input does.
#[test]
fn damaged_store_still_serves_editors_and_agents() {
    let (sandbox, model) = damaged();
    for command in [&["acp"][..], &["mcp", "serve"]] {
        let said = sandbox.silcrow(&[command, &["--model", &model]].concat());
        let err = &said.ends(0).err;
        let lines: Vec<_> = err.lines().filter(|line| line.contains("is damaged")).collect();
        assert_eq!(lines.len(), 1, "{command:?}: {err}");
        assert!(lines[0].starts_with("silcrow: the store is damaged: bytes 0 to "), "{err}");
    }
}

#[test]
fn server_reports_damage_and_serves_the_rest() {
    let (sandbox, model) = damaged();
    let mut command = sandbox.command(&["serve", "--listen", "127.0.0.1:0", "--model", &model]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut server = command.spawn().unwrap();
    let mut link = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut link).unwrap();
    assert!(link.starts_with("http://"), "{link}");
    kill_process(Pid::from_child(&server), Signal::TERM).unwrap();
    assert!(server.wait().unwrap().success(), "it is no failure of everything");
    let mut said = String::new();
    server.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    let lines: Vec<_> = said.lines().filter(|line| line.contains("is damaged")).collect();
    assert_eq!(lines.len(), 1, "{said}");
    assert!(lines[0].starts_with("silcrow: the store is damaged: bytes 0 to "), "{said}");
}
