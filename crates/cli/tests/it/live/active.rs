//! A conversation that another process runs, at a terminal.

use std::process::Child;

use super::{TerminalWindow, script};
use crate::follow::model::{Answering, Model};
use crate::support::Sandbox;

/// Starts a run in the conversation `c1` whose model waits, and another one in a window.
fn begin(sandbox: &Sandbox, model: &Model) -> (Child, Answering, TerminalWindow) {
    let run = sandbox.start(&["run", "go on", "--model", &model.name(), "--new", "c1"]);
    let answering = model.asked();
    let script = script(sandbox, "§respond: The second answer.\n§end");
    let args = ["run", "more", "--model", &script, "--conversation", "c1"];
    let window = TerminalWindow::open(&sandbox.command(&args), 100, 30);
    window.wait_for(&format!("process {} without a terminal", run.id()));
    window.wait_for("on the prompt \"go on\"");
    window.wait_for("f follow it s send it your prompt w wait for it b branch off n leave it");
    (run, answering, window)
}

#[test]
fn key_waits_for_the_active_run() {
    let (sandbox, model) = (Sandbox::new(), Model::new());
    let (mut run, mut answering, mut window) = begin(&sandbox, &model);
    window.press("xw");
    window.wait_for("waiting for process");
    answering.send_text("§respond: first\n§end");
    answering.end();
    assert_eq!(run.wait().unwrap().code(), Some(0));
    window.wait_for("The second answer.");
    assert_eq!(window.end().0, Some(0));
    let types = sandbox.silcrow(&["log", "--json", "show", "c1"]).ends(0).types();
    assert_eq!(types, ["user", "respond", "user", "respond"]);
}

#[test]
fn key_forks_and_leaves_the_active_run() {
    let (sandbox, model) = (Sandbox::new(), Model::new());
    let (mut run, mut answering, mut window) = begin(&sandbox, &model);
    window.press("b");
    window.wait_for("a fork of c1");
    window.wait_for("The second answer.");
    assert_eq!(window.end().0, Some(0));
    answering.send_text("§respond: first\n§end");
    answering.end();
    assert_eq!(run.wait().unwrap().code(), Some(0));
    let types = sandbox.silcrow(&["log", "--json", "show", "c1"]).ends(0).types();
    assert_eq!(types, ["user", "respond"]);
}

#[test]
fn keys_follow_and_leave_the_active_run() {
    let (sandbox, model) = (Sandbox::new(), Model::new());
    let (mut run, mut answering, mut window) = begin(&sandbox, &model);
    window.press("n");
    let (code, shown) = window.end();
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("--wait"), "{shown}");
    let script = script(&sandbox, "§respond: The second answer.\n§end");
    let args = ["run", "more", "--model", &script, "--conversation", "c1"];
    window = TerminalWindow::open(&sandbox.command(&args), 100, 30);
    window.wait_for("f follow it");
    window.press("f");
    window.wait_for("go on");
    answering.send_text("§respond: the first answer\n§end");
    answering.end();
    window.wait_for("the first answer");
    assert_eq!(run.wait().unwrap().code(), Some(0));
    window.press("\x03");
    assert_eq!(window.end().0, Some(130));
}

#[test]
fn key_sends_the_prompt_to_active_run() {
    let sandbox = Sandbox::new();
    let model = Model::new();
    let (mut run, mut answering, mut window) = begin(&sandbox, &model);
    window.press("s");
    window.wait_for("more");
    answering.send_text("§respond: first\n§end");
    answering.end();
    let mut again = model.asked();
    again.send_text("§respond: walruses\n§end");
    again.end();
    assert_eq!(run.wait().unwrap().code(), Some(0));
    window.wait_for("walruses");
    window.press("\x03");
    window.end();
}

#[test]
fn session_attaches_to_an_outside_run() {
    let (sandbox, model) = (Sandbox::new(), Model::new());
    let mut run = sandbox.start(&["run", "go on", "--model", &model.name(), "--new", "c1"]);
    let mut answering = model.asked();
    let script = script(&sandbox, "§respond: The second answer.\n§end");
    let args = ["chat", "--model", &script];
    let mut window = TerminalWindow::open(&sandbox.command(&args), 100, 40);
    window.wait_for("›");
    window.press("/attach c9\r");
    window.wait_for("c9");
    let other = sandbox.start(&["run", "wait", "--model", &model.name(), "--new", "c2"]);
    let second = model.asked();
    window.press("/attach\r");
    window.wait_for_both("on the prompt \"go on\"", "/attach ID follows one of them");
    let mut other = other;
    other.kill().unwrap();
    other.wait().unwrap();
    drop(second);
    window.press("/attach\r");
    window.wait_for_both(&format!("conversation c1: at work in process {}", run.id()), "› go on");
    // It is left at work, and followed again.
    window.press("\x1b");
    window.wait_for("the run goes on; /attach follows it again");
    window.press("/attach c1\r");
    window.wait_for_times("› go on", 2);
    window.press("and quickly\r");
    // The message is for the next step, so it has to be there before this one ends.
    let messages = || sandbox.silcrow(&["log", "--json", "show", "c1"]).types();
    while messages() != ["user", "user"] {}
    answering.send_text("§respond: The first answer.\n§end");
    answering.end();
    let mut again = model.asked();
    assert!(again.request.contains("and quickly"), "{}", again.request);
    again.send_text("§respond: The quick answer.\n§end");
    again.end();
    window.wait_for_both("The quick answer.", "(Shift-Tab)");
    assert_eq!(run.wait().unwrap().code(), Some(0));
    // The session is in that conversation now.
    window.press("more\r");
    window.wait_for("The second answer.");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
    let types = sandbox.silcrow(&["log", "--json", "show", "c1"]).ends(0).types();
    assert_eq!(types.iter().filter(|kind| *kind == "respond").count(), 3, "{types:?}");
}

#[test]
fn session_answers_questions_of_the_attached_run() {
    let sandbox = Sandbox::new();
    let write = "{\"name\":\"file_write\",\"args\":{\"file\":\"b.txt\",\"content\":\"beta\"}}";
    let first = script(&sandbox, &format!("§call: {write}\n§execute\n"));
    let run = ["run", "write it", "--model", &first, "--new", "c1", "--on-question", "park"];
    sandbox.silcrow(&run).ends(3);
    let next = script(&sandbox, "§respond: It is written.\n§end");
    let args = ["chat", "--model", &next, "--permissions", "ask"];
    let mut window = TerminalWindow::open(&sandbox.command(&args), 100, 40);
    window.wait_for("›");
    window.press("/attach\r");
    window.wait_for_both("the run waits for your answer", "y yes");
    window.press("y");
    window.wait_for_both("It is written.", "ask (Shift-Tab)");
    assert!(sandbox.root().join("b.txt").exists());
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
}
