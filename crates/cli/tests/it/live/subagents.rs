//! Agents of calls at a real terminal: their questions, and their end when the process is killed.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{TerminalWindow, script};
use crate::support::Sandbox;

/// The call of an agent that has the tools of its caller.
fn agent(task: &str) -> String {
    format!("§call: {{\"name\":\"agent\",\"args\":{{\"task\":\"{task}\",\"as\":\"general\"}}}}\n")
}

#[test]
fn agent_question_is_asked_at_the_prompt() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.root().join("Cargo.toml"), "").unwrap();
    let write = "{\"name\":\"file_write\",\"args\":{\"file\":\"b.txt\",\"content\":\"beta\"}}";
    let text = format!(
        "{}§execute\n%%\n§call: {write}\n§execute\n%%\n§respond: Inner.\n§end\n%%\n\
         §respond: Outer.\n§end",
        agent("Write b.txt.")
    );
    let model = script(&sandbox, &text);
    let args = ["chat", "--model", &model, "--permissions", "ask"];
    let mut window = TerminalWindow::open(&sandbox.command(&args), 100, 40);
    window.wait_for("›");
    window.press("go\r");
    window.wait_for_both("b.txt", "y yes");
    assert!(!sandbox.root().join("b.txt").exists());
    window.press("y");
    window.wait_for_both("Outer.", "ask (Shift-Tab)");
    assert!(sandbox.root().join("b.txt").exists());
    window.press("/agents\r");
    window.wait_for("1 general: Write b.txt. answered");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
}

#[test]
fn run_continues_and_names_killed_agents() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.root().join("Cargo.toml"), "").unwrap();
    // Each holds the lock of a file as long as it runs.
    let hold = "mkdir 1 && n=1 || n=2; exec 9> lock-$n; flock 9; touch held-$n; sleep 600";
    let hold = format!("§call: {{\"name\":\"shell\",\"args\":{{\"command\":\"{hold}\"}}}}\n");
    let text = format!(
        "{}{}§execute\n%%\n{hold}§execute\n%%\n{hold}§execute\n",
        agent("Search the tests."),
        agent("Search the docs.")
    );
    let model = script(&sandbox, &text);
    let args = ["chat", "--model", &model, "--permissions", "full"];
    let mut window = TerminalWindow::open(&sandbox.command(&args), 100, 40);
    window.wait_for("›");
    window.press("where is it?\r");
    let is_held = |name: &str| {
        let file = sandbox.root().join(name);
        let free = Command::new("flock").args(["-n"]).arg(&file).arg("true").status().unwrap();
        !free.success()
    };
    let has_begun = |name: &str| sandbox.root().join(name).exists();
    wait(|| has_begun("held-1") && has_begun("held-2"));
    assert!(is_held("lock-1") && is_held("lock-2"));
    let process = Pid::from_raw(window.child().try_into().unwrap()).unwrap();
    kill_process(process, Signal::KILL).unwrap();
    window.hang_up();
    // Their commands have ended with the process.
    wait(|| !is_held("lock-1") && !is_held("lock-2"));

    let model = script(&sandbox, "§respond: I go on without them.\n§end");
    let args = ["chat", "--model", &model, "--permissions", "full", "--continue"];
    let mut window = TerminalWindow::open(&sandbox.command(&args), 100, 40);
    window.wait_for("the last prompt has no answer");
    window.wait_for("1 general: Search the tests. was cut off when its process ended");
    window.wait_for("2 general: Search the docs. was cut off when its process ended");
    window.press("/retry\r");
    window.wait_for_both("I go on without them.", "full (Shift-Tab)");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
    let listed = sandbox.silcrow(&["log", "list", "--json"]).events();
    let id = listed[0]["conversation"].as_str().unwrap();
    let events = sandbox.silcrow(&["log", "show", id, "--json"]).events();
    let results: Vec<_> = events.iter().filter(|event| event["type"] == "result").collect();
    assert_eq!(results.len(), 2, "{events:?}");
    for result in results {
        let content = result["content"].as_str().unwrap();
        assert!(content.contains("interrupted"), "{content}");
    }
    sandbox.silcrow(&["log", "verify"]).ends(0);
}

/// Waits until something holds.
#[track_caller]
fn wait(holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it never holds");
        std::thread::sleep(Duration::from_millis(20));
    }
}
